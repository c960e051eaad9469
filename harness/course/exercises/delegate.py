"""The check of `delegate`: what the subagent gets, and what comes back when it fails."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from harness import standin
from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.runner.fake_clock import FakeClock
from harness.course.staging.notes import Notes
from harness.course.staging.stage import Stage
from harness.databases.state import state
from harness.delegation import Delegated, SubagentContract
from harness.guards.effect import Effect
from harness.guards.role_rights import role
from harness.session import as_subagent, current_session, deadline, session
from harness.tools.toolbox import register, spare_toolbox

if TYPE_CHECKING:
    from harness.course.runner.child import Watch

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Everything but the verdict is one run_turn inside of as_subagent(contract.name, run, "
    "read_envelope(contract.envelope)), with a TurnConfig that says what the contract says.",
    "budget_seconds=min(contract.seconds, current_session().seconds_left() * contract.share). "
    "run = f'{contract.name}-{uuid.uuid4().hex[:8]}' is a good name for its thread as well.",
    "Four returns: except Exception and result.status != 'completed' are 'turn'; a ValidationError "
    "of contract.output.model_validate_json(result.answer) is 'schema'; what evaluate returns is "
    "'evaluation'.",
)
_GOOD = '{"crates": 7}'


class Count(BaseModel):
    """What the checked subagent gives back."""

    crates: int


@dataclass
class _Ran:
    """What a probe tool saw when it ran."""

    agent: str
    runs: int
    seconds_left: float


@contextmanager
def staged(clock: FakeClock, watch: "Watch", restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage on which the model is scripted, with two tools that note who runs them."""
    with spare_toolbox():
        yield Stage(clock, watch, restore)


class _Watched(Notes):
    """Runs of the learner's function, each with what the subagent was sent and what ran."""

    def __init__(self, fn: Callable[..., Any], stage: Stage) -> None:
        super().__init__(fn)
        self._stage = stage
        self.ran: list[_Ran] = []
        self.requests: list[dict[str, Any]] = []
        register(name="look_at_crates", effects=(Effect("shipping", "read"),), replace=True)(
            self._look
        )
        register(
            name="burn_crates",
            tier="write",
            effects=(Effect("shipping", "burn", "inside", "irreversible"),),
            replace=True,
        )(self._look)

    def _look(self, row: int = 0) -> str:
        """Look at the crates of a row."""
        here = current_session()
        self.ran.append(_Ran(here.agent, len(here.runs), here.seconds_left()))
        return f"row {row} has crates"

    def run(self, situation: str, script: Any, contract: SubagentContract, task: str = "") -> Any:
        """What it returned, a Delegated; None, with a finding, where it was anything else."""
        self.ran, self.requests = [], []
        with standin.script(script) as seen:
            done = self._stage.call(self._fn, situation, task or "Count the crates.", contract)
        self.requests = [dict(request) for request in seen.requests]
        if done.error is not None:
            self.note(crash(done.error, self._fn, situation, "raised"))
        elif not isinstance(done.returned, Delegated):
            self.add(
                "shape",
                f"When {situation}, it returned {done.returned!r:.60}, not a Delegated.",
                "return Delegated(contract.name, output, boundary, why, run, result)",
            )
        else:
            return done.returned
        self.hopeless = True
        return None


def _contract(**changes: Any) -> SubagentContract:
    words: dict[str, Any] = {
        "name": "counter",
        "job": "Count crates.",
        "tools": ("look_at_crates",),
        "output": Count,
        "envelope": role("guest").envelope,
    }
    return SubagentContract(**{**words, **changes})


def _look(row: int = 0) -> Any:
    return standin.call("look_at_crates", row=row)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only."""
    watched = _Watched(fn, stage)
    try:
        inspect.signature(fn).bind("task", _contract())
    except (TypeError, ValueError) as error:
        hint = "def delegate(task: str, contract: SubagentContract) -> Delegated"
        watched.add("signature", f"It can't be called as it will be: {error}.", hint)
        return watched.found
    for situation in (_good, _apart, _rights, _capped, _depth, _failures, _judged):
        situation(watched)
        if watched.found:
            break
    return watched.found


def _good(watched: _Watched) -> None:
    when = "the subagent does what it should"
    done = watched.run(when, [_look(), standin.say(_GOOD)], _contract())
    if done is None:
        return
    if not watched.requests:
        watched.add("nobody_asked", f"When {when}, no model was asked.", HINTS[0])
        return
    if not done.ok or done.output != Count(crates=7):
        watched.add(
            "output_lost",
            f"When {when}, the output is {done.output!r:.60} and the boundary {done.boundary!r}.",
            "contract.output.model_validate_json(result.answer)",
        )
    offered = [tool["function"]["name"] for tool in watched.requests[0].get("tools") or []]
    if offered != ["look_at_crates"]:
        watched.add(
            "other_tools",
            f"Its contract names one tool, and it was offered {', '.join(offered) or 'none'}.",
            "TurnConfig(tools=contract.tools, k_tools=len(contract.tools), ...)",
        )
    sent = str(watched.requests[0]["messages"])
    if "Count the crates." not in sent or "Count crates." not in sent:
        lost = "task" if "Count the crates." not in sent else "job"
        watched.add("not_told", f"The subagent was not told its {lost}.", HINTS[0])


def _apart(watched: _Watched) -> None:
    before = _threads()
    for word in ("amber", "cobalt"):
        done = watched.run("two tasks come one after another", [standin.say(_GOOD)], _contract(),
                           f"Count the {word} crates.")  # fmt: skip
        if done is None:
            return
    made = _threads() - before
    if "amber" in str(watched.requests[-1]["messages"]) or len(made) != 2:
        watched.add(
            "thread_shared",
            "Two tasks were done on one thread: the second subagent reads what the first was told.",
            "A thread that nobody else has: a uuid in its name.",
        )


def _threads() -> set[tuple[str, str]]:
    return {tuple(row) for row in state().read("SELECT DISTINCT user_id, thread_id FROM messages")}


def _rights(watched: _Watched) -> None:
    when = "the subagent makes a call that its envelope does not grant"
    greedy = _contract(tools=("look_at_crates", "burn_crates"))
    burn = standin.call("burn_crates", row=1)
    with session(role="admin"):
        watched.run(when, [_look(), burn, standin.say(_GOOD)], greedy)
    if watched.hopeless or not watched.ran:
        return
    if watched.ran[0].agent != "counter" or watched.ran[0].runs != 1:
        watched.add(
            "not_as_subagent",
            f"The tools ran for {watched.ran[0].agent!r}, and not for the subagent.",
            "with as_subagent(contract.name, run, read_envelope(contract.envelope)): run_turn(...)",
        )


def _capped(watched: _Watched) -> None:
    contract = _contract(max_turns=3)
    rows = iter(range(100))

    def endless(request: dict[str, Any]) -> Any:
        return _look(next(rows)) if request.get("tools") else standin.say(_GOOD)

    watched.run("the subagent never stops calling tools", [endless] * 40, contract)
    if not watched.hopeless and len(watched.ran) != 3:
        watched.add(
            "cap_ignored",
            f"Its contract allows 3 rounds, and it had {len(watched.ran)}.",
            "max_iterations=contract.max_turns",
        )
    for left, seconds, most, code in ((20.0, 60.0, 10.0, "share"), (900.0, 8.0, 8.0, "seconds")):
        when = f"{left:g} s are left, and the contract says {seconds:g} s and half of it"
        with deadline(left):
            watched.run(when, [_look(), standin.say(_GOOD)], _contract(seconds=seconds, share=0.5))
        if watched.hopeless or not watched.ran:
            return
        if watched.ran[0].seconds_left > most + 0.5:
            watched.add(
                f"{code}_ignored",
                f"When {when}, the subagent had {watched.ran[0].seconds_left:.0f} s.",
                HINTS[1],
            )


def _depth(watched: _Watched) -> None:
    when = "it is two subagents deep already"
    rights = role("guest").envelope
    with as_subagent("one", "one-1", rights), as_subagent("two", "two-1", rights):
        done = watched.run(when, [standin.say(_GOOD)], _contract())
    if done is not None and (watched.requests or done.boundary != "authority"):
        watched.add(
            "too_deep",
            f"When {when}, a third was started."
            if watched.requests
            else f"When {when}, the boundary is {done.boundary!r}, not 'authority'.",
            "len(current_session().runs) >= MAX_DEPTH",
        )


def _failures(watched: _Watched) -> None:
    prose = [standin.say("About seven."), standin.say("Seven or so.")]
    for when, script, allowed in (
        ("the answer has another shape, twice", prose, ("schema", "turn")),
        ("the model has nothing to say", [standin.say("")] * 4, ("turn", "schema")),
    ):
        done = watched.run(when, script, _contract())
        if done is None:
            return
        if done.ok or done.boundary not in allowed or done.output is not None:
            watched.add(
                "failure_hidden",
                f"When {when}, the boundary is {done.boundary!r}, the output {done.output!r:.40}.",
                HINTS[2],
            )


def _judged(watched: _Watched) -> None:
    when = "the evaluation finds a fault"
    contract = _contract(evaluate=lambda count: "too few" if count.crates < 10 else "")
    done = watched.run(when, [standin.say(_GOOD)], contract)
    if done is not None and (done.boundary != "evaluation" or done.output is not None):
        watched.add(
            "not_evaluated",
            f"When {when}, the boundary is {done.boundary!r} and the output {done.output!r:.40}.",
            "contract.evaluate(output) returns what is wrong, or an empty text.",
        )
    done = watched.run("the evaluation is content", [standin.say('{"crates": 12}')], contract)
    if done is not None and not done.ok:
        watched.add("good_refused", "An output that passes the evaluation was refused.", HINTS[2])
