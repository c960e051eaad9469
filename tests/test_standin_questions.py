"""The stand-in asked: every answer agrees with SQL written by hand, or says what it can't place."""

from pathlib import Path

import pytest

from tests.slices import in_part
from tests.standin_corpus import Case, asked, cases, faults


@pytest.mark.parametrize("case", in_part(cases(), 40), ids=lambda case: case.ask[:60])
def test_the_answer_is_that_of_the_sql(shared_home: Path, case: Case) -> None:
    made = asked(case)
    assert faults(case, made) == [], made.answer
    assert "(offline stand-in)" in made.answer
