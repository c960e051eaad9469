"""The check of `alerts`: three numbers over many turns, each against its limit."""

from collections.abc import Callable
from typing import Any

from harness.config import Alerts
from harness.course.report import Finding
from harness.course.staging.made_events import asked, called, ended, planned
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

Turn = list[dict[str, Any]]

HINTS = (
    "Measure the three values first, in a dict with the names of the limits; compare at the end.",
    "any(event['phase'] == 'CAP_REACHED' for event in events) tells whether a turn ended at a cap. "
    "For latency put the steps of all turns into one list; for tokens make one sum a turn and take "
    "the largest.",
    "{name: value for name, value in measured.items() if value > getattr(limits, name)}; and "
    "fmean(steps) if steps else 0.0, max(tokens, default=0).",
)

_LIMITS = Alerts(cap_breaches=2, mean_latency_ms=100, tokens_per_task=1_000)
_WIDE = Alerts(cap_breaches=50, mean_latency_ms=9_000, tokens_per_task=90_000)


def _turn(
    *latencies: float,
    tool_ms: float | None = None,
    tokens: tuple[int, int] | None = None,
    status: str = "completed",
    phase: str = "COMPLETED",
    whole_ms: float | None = None,
    rounds: int = 1,
) -> Turn:
    """A turn whose requests took so long, and each cost so many tokens (prompt, completion)."""
    counts = None if tokens is None else {"prompt": tokens[0], "completion": tokens[1]}
    events = asked()
    for number, ms in enumerate(latencies or (None,) * rounds, 1):
        events += planned(number, "call look_up", ms, counts)
    if tool_ms is not None:
        events += called(1, "look_up", ms=tool_ms)
    total = counts and {name: count * rounds for name, count in counts.items()}
    return [*events, *ended(status, phase, whole_ms, total)]


def _capped(status: str = "iteration_cap") -> Turn:
    return _turn(status=status, phase="CAP_REACHED")


def _tripped() -> Turn:
    return _turn(status="safety_trip", phase="SAFETY_TRIP")


_Case = tuple[str, list[Turn], Alerts, dict[str, float], str, str]
_CASES: tuple[_Case, ...] = (
    (
        "three turns ended at a cap and two are allowed",
        [_capped(), _capped("deadline"), _turn(), _capped("token_cap")],
        _LIMITS,
        {"cap_breaches": 3},
        "caps_missed",
        "Count the turns that have an event of phase CAP_REACHED, whatever its status.",
    ),
    (
        "turns were tripped, and none ended at a cap",
        [_tripped(), _tripped(), _tripped()],
        _LIMITS,
        {},
        "trips_counted",
        "A safety trip is told from a cap by its phase.",
    ),
    (
        "two turns ended at a cap and two are allowed",
        [_capped(), _capped()],
        _LIMITS,
        {},
        "at_the_limit",
        "An alert is due above the limit: >, not >=.",
    ),
    (
        "some steps have no latency",
        [_turn(150), _turn(), _turn()],
        _LIMITS,
        {"mean_latency_ms": 150},
        "none_counted",
        "latency_ms None means that nothing was measured, not that it took no time.",
    ),
    (
        "requests took 100 and 300 ms, and a tool 500",
        [_turn(100, 300, tool_ms=500)],
        _LIMITS,
        {"mean_latency_ms": 300},
        "tools_left_out",
        "Steps are requests (PLANNING) and tools that ran (EXECUTION).",
    ),
    (
        "the end of a turn carries the time of all of it",
        [_turn(50, 70, whole_ms=5_000)],
        _LIMITS,
        {},
        "whole_turn_counted",
        "The last event's latency is that of the whole turn: take PLANNING and EXECUTION only.",
    ),
    (
        "a step took no time at all",
        [_turn(0.0, 150, 180)],
        _LIMITS,
        {"mean_latency_ms": 110},
        "zero_left_out",
        "0.0 is a measurement: compare with None.",
    ),
    (
        "a short turn was slow and a long one fast",
        [_turn(400), _turn(20, 20, 20, 20, 20)],
        _LIMITS,
        {},
        "mean_of_means",
        "One mean over the steps of all turns, not a mean of each turn's mean.",
    ),
    (
        "a turn used 700 tokens in each of two rounds",
        [_turn(tokens=(600, 100), rounds=2)],
        _LIMITS,
        {"tokens_per_task": 1_400},
        "tokens_wrong",
        "Add prompt and completion of every event whose operation is 'chat': context, observations "
        "and the end of the turn count the same tokens again.",
    ),
    (
        "three turns used 400 tokens each",
        [_turn(tokens=(350, 50)) for _ in range(3)],
        _LIMITS,
        {},
        "tokens_added_up",
        "The limit is for a task: the dearest turn, not all of them together.",
    ),
    (
        "a dear turn is between two cheap ones",
        [_turn(tokens=(90, 10)), _turn(tokens=(1_400, 100)), _turn(tokens=(90, 10))],
        _LIMITS,
        {"tokens_per_task": 1_500},
        "dearest_missed",
        "The largest sum of a turn, wherever that turn is: max(tokens, default=0).",
    ),
    (
        "everything is too much at once",
        [_turn(2_000, tokens=(5_000, 0)), *[_capped()] * 4],
        _LIMITS,
        {"cap_breaches": 4, "mean_latency_ms": 2_000, "tokens_per_task": 5_000},
        "one_of_several",
        "Return all that are due: do not stop at the first.",
    ),
    (
        "the same turns meet wide limits",
        [_turn(2_000, tokens=(5_000, 0)), *[_capped()] * 4],
        _WIDE,
        {},
        "limits_ignored",
        "Compare with what `limits` says, not with fixed numbers.",
    ),
    ("there are no turns", [], _LIMITS, {}, "nothing_there", HINTS[2]),
    (
        "no event has a latency or tokens",
        [asked(), []],
        Alerts(cap_breaches=0, mean_latency_ms=0, tokens_per_task=0),
        {},
        "nothing_measured",
        "No steps, no mean: fmean([]) raises, and 0 is above no limit.",
    ),
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = Calls(fn, stage)
    for situation, turns, limits, expected, code, hint in _CASES:
        due = notes.call(situation, turns, limits)
        if notes.hopeless or notes.found:
            break
        if not isinstance(due, dict):
            what = "nothing" if due is None else f"a {type(due).__name__}"
            notes.add("not_a_dict", f"It returned {what}, not a dict of name and value.", HINTS[2])
            break
        if not _same(due, expected):
            shown = ", ".join(f"{name} {value:,.0f}" for name, value in expected.items())
            wanted = shown or "no alert is due"
            message = f"When {situation}: {wanted}; it returned {short_repr(due, 100)}."
            notes.add(code, message, hint)
            break
    return notes.found


def _same(due: dict[Any, Any], expected: dict[str, float]) -> bool:
    """The same names, and values that differ by no more than rounding to a whole number."""
    if due.keys() != expected.keys():
        return False
    values = [(due[name], expected[name]) for name in expected]
    return all(isinstance(a, int | float) and abs(a - b) < 0.51 for a, b in values)
