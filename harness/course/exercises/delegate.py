"""The check of `delegate`: what the subagent gets, and what comes back when it fails."""

import inspect
from collections.abc import Callable
from typing import Any

from harness import standin
from harness.course.report import Finding
from harness.course.staging.judge_limits import GOOD, SECONDS, capped, depth
from harness.course.staging.stage import Stage
from harness.course.staging.subagent_bench import (
    MANY,
    READS,
    Count,
    Odd,
    Subagents,
    asked_on,
    contract_of,
    look,
    raises,
    staged,
    threads,
)
from harness.excerpt import excerpt, short_repr
from harness.run.outcome import TurnResult, TurnStatus
from harness.session import session

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Everything but the verdict is one run_turn inside of as_subagent(contract.name, run, "
    "read_envelope(contract.envelope)), with a TurnConfig that says what the contract says.",
    SECONDS,
    "Four returns: except Exception and result.status != 'completed' are 'turn'; a ValidationError "
    "of contract.output.model_validate_json(result.answer) is 'schema'; what evaluate returns is "
    "'evaluation'.",
)
_CAUSES = ("the line is dead", "connection", "odd")  # what the exceptions below are and say
_TOOLS = "TurnConfig(tools=contract.tools, k_tools=len(contract.tools), ...)"
_AS = "with as_subagent(contract.name, run, read_envelope(contract.envelope)): run_turn(...)"


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only."""
    watched = Subagents(fn, stage)
    try:
        inspect.signature(fn).bind("task", contract_of())
    except (TypeError, ValueError) as error:
        hint = "def delegate(task: str, contract: SubagentContract) -> Delegated"
        watched.add("signature", f"It can't be called as it will be: {error}.", hint)
        return watched.found
    for situation in _SITUATIONS:
        situation(watched)
        watched.reasons_given()
        if watched.found:
            break
    return watched.found


def _good(watched: Subagents) -> None:
    when = "the subagent does what it should"
    before = threads()
    done = watched.run(when, [look(), standin.say(GOOD)], contract_of())
    if done is None:
        return
    if not watched.requests:
        watched.add(
            "nobody_asked", f"When {when}, no model was asked. {done.why[:120]}".strip(), HINTS[0]
        )
        return
    if not done.ok or done.output != Count(crates=7):
        watched.add(
            "output_lost",
            f"When {when}, the output is {short_repr(done.output)} and the boundary "
            f"{done.boundary!r}.",
            "contract.output.model_validate_json(result.answer)",
        )
    elif not isinstance(done.result, TurnResult):
        what = "no" if done.result is None else f"a {type(done.result).__name__} as"
        watched.add(
            "result_lost",
            f"The Delegated has {what} `result`: the caller can't see what the subagent did.",
            "Delegated(contract.name, output, run=run, result=result)",
        )
    elif done.subagent != "counter":
        watched.add(
            "subagent_unnamed",
            f"The Delegated is of 'counter', its contract's name, and says "
            f"{short_repr(done.subagent)}.",
            "Delegated(contract.name, output, run=run, result=result)",
        )
    offered = watched.offered()
    if offered != ["look_at_crates"]:
        watched.add(
            "other_tools",
            f"Its contract names one tool, and it was offered {', '.join(offered) or 'none'}.",
            _TOOLS,
        )
    sent = str(watched.requests[0]["messages"])
    if "Count the crates." not in sent or "Count crates." not in sent:
        lost = "task" if "Count the crates." not in sent else "job"
        watched.add("not_told", f"The subagent was not told its {lost}.", HINTS[0])
    elif not (asked := asked_on(threads() - before)):
        _shared(watched)
    elif asked != ["Count the crates."]:
        watched.add(
            "task_changed",
            f"The task is 'Count the crates.', and it was asked {', '.join(map(repr, asked))}.",
            "run_turn(task, ...): the task as it is; the job has a place of its own, job=.",
        )


def _several_tools(watched: Subagents) -> None:
    for count in (2, len(MANY)):
        names = MANY[:count]
        when = f"its contract names {count} tools"
        watched.run(when, [standin.say(GOOD)], contract_of(tools=names))
        if not watched.hopeless and sorted(watched.offered()) != sorted(names):
            offered = ", ".join(watched.offered()) or "none"
            watched.add("tools_missing", f"When {when}, it was offered {offered}.", _TOOLS)


def _required(watched: Subagents) -> None:
    """An answer before the tool that the contract requires has run is no answer yet."""
    when = "the subagent answers first, and calls the tool that it must call after that"
    script = [standin.say(GOOD), look(), standin.say(GOOD)]
    watched.run(when, script, contract_of(require_tools=("look_at_crates",)))
    if not watched.hopeless and not watched.ran:
        watched.add(
            "requirement_ignored",
            "Its contract requires look_at_crates, and an answer without that call was taken.",
            "TurnConfig(require_tools=contract.require_tools, ...)",
        )


def _apart(watched: Subagents) -> None:
    before = threads()
    for word in ("amber", "cobalt", "cobalt"):
        done = watched.run("two tasks come one after another", [standin.say(GOOD)], contract_of(),
                           f"Count the {word} crates.")  # fmt: skip
        if done is None:
            return
    made = threads() - before
    if "amber" in str(watched.requests[-1]["messages"]) or len(made) != 3:
        _shared(watched)


def _shared(watched: Subagents) -> None:
    watched.add(
        "thread_shared",
        "Two tasks were done on one thread: the second subagent reads what the first was told.",
        "A thread that nobody else has: a uuid in its name.",
    )


def _rights(watched: Subagents) -> None:
    when = "the subagent makes a call that its envelope does not grant"
    greedy = contract_of(tools=("look_at_crates", "rebook_crates"), envelope=READS)
    rebook = standin.call("rebook_crates", row=1)
    with session(role="admin"):
        done = watched.run(when, [look(), rebook, standin.say(GOOD)], greedy)
    if done is None:
        return
    if not watched.ran and not done.ok:
        watched.add(
            "envelope_unread",
            "Its contract has an envelope that is a dict, and nothing ran: "
            f"{excerpt(done.why, 90)}",
            _AS,
        )
    if not watched.ran:
        return
    if watched.ran[0].agent != "counter" or len(watched.ran[0].runs) != 1:
        watched.add(
            "not_as_subagent",
            f"The tools ran for {watched.ran[0].agent!r}, and not for the subagent.",
            _AS,
        )
    elif len(watched.ran) > 1:
        watched.add("rights_ignored", f"When {when}, the tool ran.", _AS)
    elif done.ok and done.run != watched.ran[0].runs[0]:
        watched.add(
            "run_lost",
            f"The subagent ran as {watched.ran[0].runs[0]!r}, and the Delegated says {done.run!r}.",
            "Delegated(contract.name, output, run=run, result=result)",
        )


def _failures(watched: Subagents) -> None:
    prose = [standin.say("About seven."), standin.say("Seven or so.")]
    used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "rounds": 1}
    odd = TurnResult("Seven or so.", TurnStatus.COMPLETED, usage=used)
    late = TurnResult("Seven or so.", TurnStatus.ITERATION_CAP, usage=used)
    early = TurnResult(GOOD, TurnStatus.SAFETY_TRIP, usage=used)
    for when, script, instead, allowed in (
        ("the answer has another shape, twice", prose, None, ("schema", "turn")),
        ("the model has nothing to say", [standin.say("")] * 4, None, ("turn", "schema")),
        ("run_turn raises", [], raises(ConnectionError("the line is dead")), ("turn",)),
        ("run_turn raises an odd exception", [], raises(Odd("odd")), ("turn",)),
        ("the turn is cut off, with an answer of another shape", [], lambda: late, ("turn",)),
        ("the turn was stopped, and what it said fits", [], lambda: early, ("turn",)),
        ("the turn is completed with an answer of another shape", [], lambda: odd, ("schema",)),
    ):
        done = watched.run(when, script, contract_of(), instead=instead)
        if done is None:
            return
        if done.ok or done.boundary not in allowed or done.output is not None:
            watched.add(
                "failure_hidden",
                f"When {when}, the boundary is {done.boundary!r}, the output "
                f"{short_repr(done.output)}.",
                HINTS[2],
            )
        elif (
            "raises" in when
            and done.why.strip()
            and not any(word in done.why.lower() for word in _CAUSES)
        ):
            watched.add(
                "why_another",
                f"When {when}, `why` is {short_repr(done.why, 60)}, and not what was raised.",
                "why=repr(error): its class and what it says.",
            )
    again = [prose[0], standin.say(GOOD)]
    done = watched.run("the first answer has another shape", again, contract_of())
    if done is not None and not done.ok and not watched.found:
        watched.add(
            "no_second_try",
            "The first answer had another shape, and the subagent could not mend it.",
            "TurnConfig(answer_model=contract.output, ...): the turn itself asks for the shape.",
        )


def _judged(watched: Subagents) -> None:
    given: list[Any] = []

    def too_few(count: Any) -> str:
        given.append(count)
        return "too few" if count.crates < 10 else ""

    contract = contract_of(evaluate=too_few)
    done = watched.run("the evaluation is content", [standin.say('{"crates": 12}')], contract)
    if done is not None and any(not isinstance(each, Count) for each in given):
        watched.add(
            "evaluated_another",
            f"The evaluation was given {short_repr(given[0], 60)}, which is not the output.",
            "contract.evaluate(output): the object of contract.output.",
        )
    elif done is not None and not done.ok:
        watched.add("good_refused", "An output that passes the evaluation was refused.", HINTS[2])
    for when, evaluate, told in (
        ("the evaluation finds a fault", too_few, "too few"),
        ("the evaluation raises", lambda count: str(count.crates / 0), ""),
    ):
        if watched.found:
            return
        done = watched.run(when, [standin.say(GOOD)], contract_of(evaluate=evaluate))
        if done is None:
            return
        if done.boundary != "evaluation" or done.output is not None:
            watched.add(
                "not_evaluated",
                f"When {when}, the boundary is {done.boundary!r} and the output "
                f"{short_repr(done.output)}.",
                "contract.evaluate(output) returns what is wrong, or an empty text.",
            )
        elif done.why.strip() and told not in done.why:
            watched.add(
                "why_another",
                f"The evaluation returned {told!r}, and `why` is {short_repr(done.why, 60)}.",
                "why=fault: the caller reads what the evaluation found.",
            )


_SITUATIONS = (
    _good,
    _several_tools,
    _required,
    _apart,
    _rights,
    capped,
    depth,
    _failures,
    _judged,
)
