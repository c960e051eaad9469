"""The stand-in asked: every answer agrees with SQL written by hand, or says what it can't place.

Every twelfth question is asked by default, all of them under the marker "full".
"""

from pathlib import Path

import pytest

from tests.standin_corpus import Case, asked, cases, faults

_EVERY = 12
ALL = cases()


def _marked(number: int, case: Case) -> object:
    marks = () if number % _EVERY == 0 else (pytest.mark.full,)
    return pytest.param(case, id=case.ask[:60], marks=marks)


@pytest.mark.parametrize("case", [_marked(n, case) for n, case in enumerate(ALL)])
def test_the_answer_is_that_of_the_sql(shared_home: Path, case: Case) -> None:
    made = asked(case)
    assert faults(case, made) == [], made.answer
    assert "(offline stand-in)" in made.answer
