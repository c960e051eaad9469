"""Handing work to a subagent, under a contract.

A subagent has its own tools, caps, output schema, evaluation and end, and a thread of its own. Its
envelope is the intersection of its caller's and its contract's; its budget is a share of what the
caller has left. Whatever happens, the caller gets a Delegated that says what came out or where it
failed.
"""

import contextvars
import uuid
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from harness import clock
from harness.config import TurnConfig, current_config
from harness.databases.state import state
from harness.errors import WorkshopError
from harness.guards import ledger
from harness.guards.effect import Effect
from harness.guards.envelope import Envelope, decide, share_of
from harness.guards.envelope_file import read_envelope
from harness.loop import run_turn
from harness.model.timeout import run_bounded
from harness.run import recorder
from harness.run.outcome import TurnResult, TurnStatus
from harness.session import as_subagent, current_session, deadline
from harness.tools.authority import account_of, granted

MAX_DEPTH = 2  # a subagent may have one of its own, and that one none
Boundary = Literal["", "authority", "turn", "schema", "evaluation"]


@dataclass(frozen=True)
class SubagentContract:
    """What is agreed with a subagent before it starts.

    `job` is told it with the system prompt. `tools` are all that it has; `envelope` is what it may
    do with them: an Envelope, a dict, or None for its caller's. It gives back JSON of the model
    `output`, within `max_turns` rounds, `seconds`, and `share` of the time, tokens and effects that
    its caller has left. `evaluate` returns what is wrong with an output, or "".
    """

    name: str
    job: str
    tools: tuple[str, ...]
    output: type[BaseModel]
    envelope: Envelope | Mapping[str, Any] | None = None
    max_turns: int = 5
    seconds: float = 60.0
    share: float = 0.5
    evaluate: Callable[[Any], str] | None = None
    require_tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Delegated:
    """What came of it: an `output` of the contract's model, or the `boundary` where it failed.

    Boundaries, in order: authority (it was not allowed), turn (it did not get to an answer), schema
    (the answer has another shape), evaluation (the output is not good enough).
    """

    subagent: str
    output: Any = None
    boundary: Boundary = ""
    why: str = ""
    run: str = ""
    result: TurnResult | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an output that passed."""
        return not self.boundary


def delegate(task: str, contract: SubagentContract) -> Delegated:
    """Have a subagent do a task. Raises WorkshopError for a faulty contract, and nothing else."""
    run, parent = f"{contract.name}-{uuid.uuid4().hex[:8]}", recorder.current_turn()
    envelope = _envelope(contract, run)
    if refused := _refused(contract):
        return _noted(Delegated(contract.name, None, "authority", refused, run))
    left = current_session().seconds_left()
    seconds = min(contract.seconds, left * contract.share)
    config = _config(contract, seconds, parent)
    thread = f"{contract.name}/{run}"
    with as_subagent(contract.name, run, envelope), deadline(seconds):
        try:  # in another thread: its turn is not this one's, and one that never ends is left
            result = run_bounded(lambda: run_turn(task, thread, config=config), seconds + 1)
        except TimeoutError:
            done = Delegated(contract.name, None, "turn", f"no answer in {seconds:g} s", run)
        except Exception as error:  # whatever it is, it must not cost the caller's turn
            why = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            done = Delegated(contract.name, None, "turn", why, run)
        else:
            done = _judged(contract, run, result)
    if parent is not None and done.result is not None:  # it draws on its caller's budget
        parent.prompt_tokens += done.result.usage["prompt_tokens"]
        parent.completion_tokens += done.result.usage["completion_tokens"]
    return _noted(done)


def delegate_all(work: Iterable[tuple[str, SubagentContract]]) -> list[Delegated]:
    """Several tasks at once, each with a run of its own; the results in the order of the tasks."""
    tasks = list(work)
    if not tasks:
        return []
    with ThreadPoolExecutor(max_workers=min(4, len(tasks))) as pool:
        waiting = [
            pool.submit(contextvars.copy_context().run, delegate, task, contract)
            for task, contract in tasks
        ]
        return [each.result() for each in waiting]


def failures() -> dict[str, dict[str, int]]:
    """How often each subagent was used and at which boundary it failed: the user's runs so far."""
    rows = state().read(
        "SELECT subagent, boundary, COUNT(*) AS n FROM delegations WHERE user_id = ?"
        " GROUP BY 1, 2 ORDER BY 1, 2",
        (current_session().user,),
    )
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        counts.setdefault(row["subagent"], {"runs": 0})
        counts[row["subagent"]]["runs"] += row["n"]
        counts[row["subagent"]][row["boundary"] or "ok"] = row["n"]
    return counts


def _envelope(contract: SubagentContract, run: str) -> Envelope:
    """The contract's own limits and the share of its caller's; the caller's stay as they are."""
    if not 0 < contract.share <= 1 or contract.max_turns < 1 or contract.seconds <= 0:
        raise WorkshopError(
            f"The contract of {contract.name} leaves it nothing.",
            "share is above 0 and at most 1; max_turns and seconds are above 0.",
        )
    shared = share_of(granted(current_session()), contract.share, run)
    if contract.envelope is None:
        return shared
    own = read_envelope(contract.envelope).model_copy(update={"account": run})
    return own & shared


def _refused(contract: SubagentContract) -> str:
    """Why the caller may not hand this on, or ""; what is handed on is charged."""
    session, at = current_session(), clock.utc()
    if len(session.runs) >= MAX_DEPTH:
        return f"{MAX_DEPTH} subagents deep already; do it here, or give it back"
    effect = Effect(f"subagent/{contract.name}", "delegate", "agent", unit="run")
    decision = ledger.charge(
        effect,
        account_of(session),
        at,
        lambda spent: decide(granted(session), effect, at=at, spent=spent),
    )
    return "" if decision.verdict == "allow" else f"{decision.axis}: {decision.why}"


def _config(contract: SubagentContract, seconds: float, parent: Any) -> TurnConfig:
    outer = current_config()
    used = parent.tokens if parent else 0
    return TurnConfig(
        model=outer.model,
        max_iterations=contract.max_turns,
        budget_seconds=seconds,
        token_cap=max(0, int((outer.token_limit - used) * contract.share)),
        tools=contract.tools,
        k_tools=len(contract.tools),
        require_tools=contract.require_tools,
        answer_model=contract.output,
        job=f"\n\nYour job here: {contract.job}" if contract.job else "",
    )


def _judged(contract: SubagentContract, run: str, result: TurnResult) -> Delegated:
    """The output of a finished turn, or the first boundary that it did not pass."""
    shaped, fault = None, ""
    try:
        shaped = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        first = error.errors()[0]
        fault = f"{'.'.join(map(str, first['loc'])) or 'the answer'}: {first['msg']}"
    if result.status is not TurnStatus.COMPLETED:
        boundary: Boundary = "schema" if fault and result.trip == "premature_stop" else "turn"
        why = fault if boundary == "schema" else f"{result.status}: {result.answer[:200]}"
        return Delegated(contract.name, None, boundary, why, run, result)
    if fault:
        return Delegated(contract.name, None, "schema", fault, run, result)
    wrong = _evaluated(contract, shaped)
    return Delegated(
        contract.name, None if wrong else shaped, "evaluation" if wrong else "", wrong, run, result
    )


def _evaluated(contract: SubagentContract, output: Any) -> str:
    try:
        return contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:  # an evaluation that fails has not passed
        return f"the evaluation raised {type(error).__name__}"


def _noted(done: Delegated) -> Delegated:
    session = current_session()
    tokens = done.result.usage["total_tokens"] if done.result else 0
    state().run(
        "INSERT INTO delegations VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
        (done.run, session.user, done.subagent, len(session.runs) + 1, done.boundary, tokens),
    )
    return done
