"""The stand-in asked by a newcomer: every answer agrees with SQL, or says what it can't place."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.databases.business import business
from harness.loop import run_turn
from tests.standin_asked import as_floats, has

_HERE = Path(__file__).parent
CASES: dict[str, list[dict[str, Any]]] = {
    kind: [
        case
        for name in ("standin_newcomer", "standin_asked", "standin_newcomer_refused")
        for case in yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8")).get(
            kind, []
        )
    ]
    for kind in ("answered", "refused")
}


def asked(case: dict[str, Any]) -> str:
    """The answer to the last question of a thread of its own."""
    questions = [*case.get("before", []), case["ask"]]
    thread = f"newcomer: {' / '.join(questions)}"
    return [run_turn(question, thread).answer for question in questions][-1]


@pytest.mark.parametrize("case", CASES["answered"], ids=lambda case: case["ask"][:60])
def test_every_row_of_the_sql_is_in_the_answer(shared_home: Path, case: dict[str, Any]) -> None:
    answer = asked(case)
    rows = business().query(case["sql"], 100).rows if "sql" in case else []
    assert rows or "says" in case
    for row in rows:
        lines = [answer] if case.get("parts") else answer.splitlines()
        assert any(all(has(line, v) for v in as_floats(row)) for line in lines), (row, answer)
    for text in case.get("says", []):
        assert text in answer


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["ask"][:60])
def test_what_is_not_answered_is_said(shared_home: Path, case: dict[str, Any]) -> None:
    answer = asked(case)
    assert case["says"] in answer
    assert "(offline stand-in)" in answer
