"""Our solutions of part 13, generated from authoring/13_delegation.py."""

# mypy: ignore-errors
import uuid

from pydantic import ValidationError

from harness import TurnConfig, run_turn
from harness.delegation import MAX_DEPTH, Delegated, SubagentContract
from harness.guards.envelope_file import read_envelope
from harness.session import as_subagent, current_session


def delegate(task: str, contract: SubagentContract) -> Delegated:
    """Have a subagent do a task. Whatever goes wrong comes back as a boundary, never raised."""
    here, run = current_session(), f"{contract.name}-{uuid.uuid4().hex[:8]}"
    if len(here.runs) >= MAX_DEPTH:
        return Delegated(contract.name, None, "authority", "too many subagents deep", run)
    config = TurnConfig(
        tools=contract.tools,
        k_tools=len(contract.tools),
        require_tools=contract.require_tools,
        max_iterations=contract.max_turns,
        budget_seconds=min(contract.seconds, here.seconds_left() * contract.share),
        answer_model=contract.output,
        job=f"\n\n{contract.job}",
    )
    try:
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            result = run_turn(task, run, config=config)
    except Exception as error:
        return Delegated(contract.name, None, "turn", repr(error), run)
    if result.status != "completed":
        return Delegated(contract.name, None, "turn", result.status, run, result)
    try:
        output = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        return Delegated(contract.name, None, "schema", str(error), run, result)
    try:
        fault = contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:
        fault = repr(error)
    if fault:
        return Delegated(contract.name, None, "evaluation", fault, run, result)
    return Delegated(contract.name, output, run=run, result=result)
