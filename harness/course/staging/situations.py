"""What the scripted model answers, request by request, in each situation of a check."""

from collections.abc import Callable
from typing import Any

from harness.course.runner.fake_clock import FakeClock
from harness.course.staging import probes
from harness.standin import call, call_raw, calls, http, say

ANSWER = "Berth seven is half full, as of this morning."
FORCED = "Half full, as far as I can tell."
LONG = "Berth by berth: " + " ".join(f"number {n} holds {n * 37 % 90} boxes," for n in range(300))
LONG += " and none is full."
ASIDE = "I will look at the log."
LATE = "An answer that came far too late."
MANY = 14  # rounds after which a model that never stops does stop, so that no loop is endless

Reply = Callable[[dict[str, Any], int], Any]


def answers(text: str) -> Reply:
    """A model that says this at every request."""
    return lambda request, number: say(text)


def _then_answer(*turns: Any) -> Reply:
    """These turns, then the answer for ever."""
    return lambda request, number: turns[number] if number < len(turns) else say(ANSWER)


two_rounds = _then_answer(
    call(probes.LOOKUP, name="north seven"),
    calls([(probes.PAGE, {"page": 3})], text="Let me look that up."),
)
several_calls = _then_answer(
    calls(
        [
            # Ids of up to 40 characters and of any case, in an order that no sorting gives.
            (probes.LOOKUP, {"name": "east one"}, "call_mX72aQ"),
            (probes.PAGE, {"page": 11}, "b2"),
            (
                probes.LOOKUP,
                {"name": "west two"},
                "toolu_01Zk9WvXcQpTrLmN4sYdGhE3u-Ab_all",
            ),
            (probes.PAGE, {"page": 6}, "call_4"),
        ],
        finish_reason="stop",  # as some servers have it: the calls decide
    )
)
unknown_tool = _then_answer(call(probes.UNKNOWN, harbour="north"))
raising_tool = _then_answer(call(probes.GAUGE, station="pier four"))
bad_json = _then_answer(call_raw(probes.LANES, '{"region": "north", '))
error_first = _then_answer(
    call(probes.GAUGE, station="pier four"), call(probes.LOOKUP, name="north seven")
)
same_again = _then_answer(*[call(probes.LOOKUP, name="north seven")] * 2)
last_round = _then_answer(call(probes.PAGE, page=21))

_AS_RESULT = "Make it a result that the model can read and act on: ERROR: and what was wrong."
ERRORS: tuple[tuple[str, Reply, str, str], ...] = (
    (
        "the model calls a tool that does not exist",
        unknown_tool,
        "crash_unknown_tool",
        f"Look the name up before you call it. {_AS_RESULT}",
    ),
    (
        "a tool raises an exception",
        raising_tool,
        "crash_raising_tool",
        f"Catch what a tool raises. {_AS_RESULT}",
    ),
    (
        "a call's arguments are not JSON",
        bad_json,
        "crash_bad_json",
        f"json.loads may raise. {_AS_RESULT}",
    ),
)


def _offers_tools(request: dict[str, Any]) -> bool:
    return bool(request.get("tools")) and request.get("tool_choice") != "none"


def never_stops(
    clock: FakeClock | None = None,
    seconds: float = 0.0,
    each: int = 1,
    beside: str | None = None,
    forced: str = FORCED,
) -> Reply:
    """A model that calls tools, always with other arguments, as long as it is offered tools.

    Each such reply makes `each` calls, says `beside` with them and takes so many seconds. Without
    tools it says `forced`. Only after more rounds than any budget does it answer.
    """

    def reply(request: dict[str, Any], number: int) -> Any:
        if not _offers_tools(request):
            return say(forced)
        if clock:
            clock.advance(seconds)
        if number >= MANY:
            return say(LATE)
        pages = range(70 * (each * number + 2), 70 * (each * number + each + 2), 70)
        return calls([(probes.PAGE, {"page": page}) for page in pages], text=beside)

    return reply


def always_fails(request: dict[str, Any], number: int) -> Any:
    """A call that fails while tools are offered, and an answer when they are not."""
    return call(probes.GAUGE, station=f"{number}") if _offers_tools(request) else say(FORCED)


def down(request: dict[str, Any], number: int) -> Any:
    """A server that refuses every request."""
    return http(401)


def empty_first(request: dict[str, Any], number: int) -> Any:
    """Nothing at first; an answer when asked again, with or without tools."""
    return say("") if number == 0 else say(ANSWER)


def empty_when_forced(request: dict[str, Any], number: int) -> Any:
    """A call while tools are offered, and nothing when they are not."""
    return call(probes.PAGE, page=200 + number) if _offers_tools(request) else say("")
