"""What `alerts` is checked with: turns that never were, limits, and what is due."""

from typing import Any

from harness.config import Alerts
from harness.course.staging.made_events import asked, called, ended, event, planned

Turn = list[dict[str, Any]]

_NOTHING = "fmean(steps) if steps else 0.0, and max(tokens, default=0)."
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


def _tokens(prompt: int) -> dict[str, int]:
    return {"prompt": prompt, "completion": 0}


def _capped(status: str = "iteration_cap") -> Turn:
    return _turn(status=status, phase="CAP_REACHED")


def _tripped() -> Turn:
    return _turn(status="safety_trip", phase="SAFETY_TRIP")


Case = tuple[str, list[Turn], Alerts, dict[str, float], str, str]
CASES: tuple[Case, ...] = (
    (
        "six turns ended at a cap and five are allowed",
        [_turn(), *(_capped(status) for status in ("iteration_cap", "deadline", "token_cap") * 2)],
        Alerts(),
        {"cap_breaches": 6},
        "caps_missed",
        "Count the turns that have an event of phase CAP_REACHED, whatever its status.",
    ),
    (
        "three turns ended at a cap and two are allowed",
        [_capped(), _capped("deadline"), _turn(), _capped("token_cap")],
        _LIMITS,
        {"cap_breaches": 3},
        "limits_ignored",
        "Compare with what `limits` says, not with fixed numbers.",
    ),
    (
        "something is written down after the cap was reached",
        [[*_capped(), event(3, "OBSERVING", tool="look_up")] for _ in range(3)],
        _LIMITS,
        {"cap_breaches": 3},
        "caps_missed",
        "Look through all events of a turn: any(event['phase'] == 'CAP_REACHED' ...).",
    ),
    (
        "one turn has three events of phase CAP_REACHED",
        [[*_capped(), *_capped()[-1:] * 2], _turn()],
        _LIMITS,
        {},
        "events_counted",
        "Count turns, not events: any(...) tells whether a turn has one.",
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
        "three requests took 100, 120 and 500 ms",
        [[*(e for ms in (100, 120, 500) for e in planned(1, "call", ms)), event(1, "OBSERVING")]],
        _LIMITS,
        {"mean_latency_ms": 240},
        "latency_wrong",
        "The mean, in ms, of the latency_ms of all events of phase PLANNING or EXECUTION.",
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
        "the mean latency is 100.4 ms and the limit 100",
        [_turn(100, 100.8)],
        _LIMITS,
        {"mean_latency_ms": 100.4},
        "rounded_first",
        "100.4 is above 100: compare the mean itself, and round, if at all, what you return.",
    ),
    (
        "requests took 100 and 300 ms, and a tool 560",
        [_turn(100, 300, tool_ms=560)],
        _LIMITS,
        {"mean_latency_ms": 320},
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
    *(
        (
            f"an event of phase {phase} has a time, too",
            [[*_turn(50, 70), event(1, phase, tool="look_up", latency_ms=5_000)]],
            _LIMITS,
            {},
            "other_phases_counted",
            f"{phase} is not a step: take PLANNING and EXECUTION only.",
        )
        for phase in ("OBSERVING", "TOOL_SELECTION", "SAFETY_TRIP", "CAP_REACHED")
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
        "another operation has a name like chat's, and tokens",
        [
            [
                *_turn(tokens=(600, 100)),
                *(
                    event(2, "PLANNING", operation=name, tokens={"prompt": 900, "completion": 0})
                    for name in ("chat_summary", "Chat", "build_chat")
                ),
            ]
        ],
        _LIMITS,
        {},
        "tokens_wrong",
        "Only events whose operation is 'chat', to the letter.",
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
        "one request is asked twice in a round",
        [planned(1, "no reply", None, _tokens(600)) + planned(1, "answer", None, _tokens(700))],
        _LIMITS,
        {"tokens_per_task": 1_300},
        "tokens_wrong",
        "Every event whose operation is 'chat', also where two are of the same iteration.",
    ),
    (
        "everything is too much at once",
        [_turn(2_000, tokens=(5_000, 0)), *[_capped()] * 4],
        _LIMITS,
        {"cap_breaches": 4, "mean_latency_ms": 2_000, "tokens_per_task": 5_000},
        "one_of_several",
        "Return all that are due: do not stop at the first.",
    ),
    *(
        (
            f"a turn with status {status!r} was slow and dear",
            [_turn(10, tokens=(5, 5)), _turn(700, tokens=(3_000, 0), status=status, phase=phase)],
            _LIMITS,
            {"mean_latency_ms": 355.0, "tokens_per_task": 3_000.0},
            "turns_left_out",
            "How a turn ended does not matter for latency and tokens: take all of them.",
        )
        for status, phase in (("deadline", "CAP_REACHED"), ("safety_trip", "SAFETY_TRIP"))
    ),
    (
        "a turn has one event",
        [planned(1, "answer", 400, _tokens(3_000))],
        _LIMITS,
        {"mean_latency_ms": 400, "tokens_per_task": 3_000},
        "turns_left_out",
        "Every turn counts, however short, and whether or not it has ended.",
    ),
    (
        "a tool failed after 800 ms",
        [[*planned(1, "call look_up", 100), *called(1, "look_up", status="failed", ms=800)]],
        _LIMITS,
        {"mean_latency_ms": 450},
        "failed_left_out",
        "A step took its time whatever came of it: look at phase and latency_ms only.",
    ),
    (
        "the same turns meet wide limits",
        [_turn(2_000, tokens=(5_000, 0)), *[_capped()] * 4],
        _WIDE,
        {},
        "limits_ignored",
        "Compare with what `limits` says, not with fixed numbers.",
    ),
    ("there are no turns", [], _LIMITS, {}, "nothing_there", _NOTHING),
    (
        "the mean latency and the tokens are at their limits",
        [_turn(100, tokens=(600, 400))],
        _LIMITS,
        {},
        "at_the_limit",
        "An alert is due above the limit: >, not >=.",
    ),
    (
        "no event has a latency or tokens",
        [asked(), []],
        Alerts(cap_breaches=0, mean_latency_ms=0, tokens_per_task=0),
        {},
        "nothing_measured",
        "No steps, no mean: fmean([]) raises, and 0 is above no limit.",
    ),
)
