# ruff: noqa: E501  (the versions stand as learners write them)
"""The check of delegate: wrong versions, made of a right one, and right ones of another make."""

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
        fault = contract.evaluate(output)
        if fault:
            return Delegated(contract.name, boundary="evaluation", why=fault)
    return Delegated(contract.name, output)
"""
WITH = "with as_subagent(contract.name, run, read_envelope(contract.envelope)):"
WRONG = {
    "not_written": (("    run = str", "    raise NotImplementedError('yours')\n    run = str"),),
    "signature": (("(task, contract)", "(contract)"),),
    "shape": (("return Delegated(contract.name, output)", "return output"),),
    "shape nothing": (("    return Delegated(contract.name, output)\n", ""),),
    "nobody_asked": (
        (
            '            result = run_turn(task, f"thread-{run}", config=config)',
            "            return Delegated(contract.name, contract.output(crates=7))",
        ),
    ),
    "output_lost": (
        (
            "return Delegated(contract.name, output)",
            "return Delegated(contract.name, result.answer)",
        ),
    ),
    "other_tools": (
        (
            "                tools=contract.tools,\n                k_tools=len(contract.tools),\n",
            "",
        ),
    ),
    "not_told": (("                job=contract.job,\n", ""),),
    "not_told task": (("run_turn(task,", "run_turn('Do your job.',"),),
    "thread_shared": (('f"thread-{run}"', '"subagent"'),),
    "thread_shared default": (('f"thread-{run}", ', ""),),
    "not_as_subagent": ((WITH, "if read_envelope(contract.envelope):"),),
    "cap_ignored": (("                max_iterations=contract.max_turns,\n", ""),),
    "cap_ignored by one": (("contract.max_turns", "contract.max_turns + 1"),),
    "share_ignored": (
        ("min(contract.seconds, contract.share * session.seconds_left())", "contract.seconds"),
    ),
    "seconds_ignored": (
        (
            "min(contract.seconds, contract.share * session.seconds_left())",
            "contract.share * session.seconds_left()",
        ),
    ),
    "too_deep": (("if len(session.runs) >= MAX_DEPTH:", "if len(session.runs) > MAX_DEPTH:"),),
    "too_deep never": (("if len(session.runs) >= MAX_DEPTH:", "if False:"),),
    "failure_hidden": (
        (
            '    if result.status != "completed":\n        return Delegated(contract.name, boundary="turn", why=str(result.status))\n',
            '    if result.status != "completed":\n        return Delegated(contract.name, result.answer)\n',
        ),
    ),
    "raised": (
        (
            '    if result.status != "completed":\n        return Delegated(contract.name, boundary="turn", why=str(result.status))\n    try:',
            "    if True:",
        ),
        (
            '    except ValidationError as error:\n        return Delegated(contract.name, boundary="schema", why=str(error))\n',
            "",
        ),
    ),
    "not_evaluated": (("if contract.evaluate:", "if False:"),),
    "not_evaluated but told": (
        (
            '        if fault:\n            return Delegated(contract.name, boundary="evaluation", why=fault)\n',
            "        return Delegated(contract.name, output, why=fault)\n",
        ),
    ),
    "good_refused": (("        if fault:\n", "        if True:\n"),),
}


def made(*changes):
    text = RIGHT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    names = {
        "__name__": "__main__", "uuid": uuid, "ValidationError": ValidationError,
        "TurnConfig": TurnConfig, "run_turn": run_turn, "MAX_DEPTH": MAX_DEPTH,
        "Delegated": Delegated, "read_envelope": read_envelope, "as_subagent": as_subagent,
        "current_session": current_session,
    }  # fmt: skip
    exec(text, names)
    return names["delegate"]


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding(title):
    report = evaluate("delegate", made(*WRONG[title]))
    assert not report.passed and report.codes[0] == title.split()[0], str(report)
    assert report.findings[0].message


@pytest.mark.parametrize("fn", [made(), ours, the_harness_s])
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("delegate", fn)
    assert report.passed, str(report)
