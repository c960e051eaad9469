"""Each statement that a notebook makes about a TODO is held by its check."""

from collections.abc import Iterator

import pytest

from harness.checks import evaluate
from harness.course.todos import TODOS
from tests.wrong import Wrong, build, statements, wrong_versions


def _default_and_more(name: str) -> Iterator[tuple[Wrong, bool]]:
    """Each wrong version, and whether it is the first that breaks some statement."""
    held: set[str] = set()
    said = statements(name)
    for wrong in wrong_versions(name):
        breaks = {each for each in said for phrase in wrong.phrases if phrase in each}
        yield wrong, not breaks <= held
        held |= breaks


EACH = [
    pytest.param(
        name, wrong, id=f"{name}-{wrong.title}", marks=() if first else (pytest.mark.full,)
    )
    for name in TODOS
    for wrong, first in _default_and_more(name)
]


@pytest.mark.parametrize(("name", "wrong"), EACH)
def test_a_version_that_breaks_one_thing_gets_the_finding_about_it(name: str, wrong: Wrong) -> None:
    report = evaluate(name, build(name, wrong.changes))
    assert report.codes == [wrong.code, *wrong.also], str(report)
    assert report.findings[0].message and not report.passed


@pytest.mark.parametrize("name", TODOS)
def test_each_statement_of_the_notebook_has_a_version_that_breaks_it(name: str) -> None:
    said = statements(name)
    phrases = [phrase for wrong in wrong_versions(name) for phrase in wrong.phrases]
    unheld = [each for each in said if not any(phrase in each for phrase in phrases)]
    assert unheld == []
    unsaid = [phrase for phrase in phrases if not any(phrase in each for each in said)]
    assert unsaid == []
