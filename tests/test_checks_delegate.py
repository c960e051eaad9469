"""The check of delegate: right versions of another make pass."""

import uuid

import pytest
from pydantic import ValidationError

from harness import TurnConfig, run_turn
from harness.checks import evaluate
from harness.course.answers.answers_13 import delegate as ours
from harness.delegation import MAX_DEPTH, Delegated
from harness.delegation import delegate as the_harness_s
from harness.guards.envelope_file import read_envelope
from harness.session import as_subagent, current_session

RIGHT = """
def delegate(task, contract):
    run = str(uuid.uuid4())
    session = current_session()
    if len(session.runs) >= MAX_DEPTH:
        return Delegated(contract.name, boundary="authority", why="too deep")
    seconds = min(contract.seconds, contract.share * session.seconds_left())
    try:
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            config = TurnConfig(
                tools=contract.tools,
                k_tools=len(contract.tools),
                max_iterations=contract.max_turns,
                budget_seconds=seconds,
                require_tools=contract.require_tools,
                answer_model=contract.output,
                job=contract.job,
            )
            result = run_turn(task, f"thread-{run}", config=config)
    except Exception as error:
        return Delegated(contract.name, boundary="turn", why=str(error))
    if result.status != "completed":
        return Delegated(contract.name, boundary="turn", why=str(result.status))
    try:
        output = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        return Delegated(contract.name, boundary="schema", why=str(error))
    if contract.evaluate:
        try:
            fault = contract.evaluate(output)
        except Exception as error:
            fault = f"the evaluation failed: {error}"
        if fault:
            return Delegated(contract.name, boundary="evaluation", why=fault)
    return Delegated(contract.name, output, "", "", run, result)
"""


def in_steps():
    names = {
        "__name__": "__main__", "uuid": uuid, "ValidationError": ValidationError,
        "TurnConfig": TurnConfig, "run_turn": run_turn, "MAX_DEPTH": MAX_DEPTH,
        "Delegated": Delegated, "read_envelope": read_envelope, "as_subagent": as_subagent,
        "current_session": current_session,
    }  # fmt: skip
    exec(RIGHT, names)
    return names["delegate"]


@pytest.mark.parametrize("fn", [in_steps(), ours, the_harness_s])
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("delegate", fn)
    assert report.passed, str(report)


def test_a_second_check_in_the_same_process_finds_the_same():
    assert [evaluate("delegate", ours).codes for _ in range(2)] == [[], []]
