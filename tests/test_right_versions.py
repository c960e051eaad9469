"""A check accepts every right way of writing a function, also those that nobody expects."""

import pytest

from harness.checks import evaluate
from harness.course.todos import TODOS
from tests.right import right_versions
from tests.slices import in_part
from tests.wrong import made

EACH = [(name, title) for name in TODOS for title in right_versions(name)]


@pytest.mark.parametrize(("name", "title"), in_part(EACH, 18))
def test_a_right_version_in_an_unusual_dress_passes(name, title):
    report = evaluate(name, made(name, right_versions(name)[title]))
    assert report.passed and report.owner == "yours", str(report)


def test_each_function_of_the_first_ten_parts_has_some():
    assert [
        name for name, todo in TODOS.items() if todo.part < "10" and not right_versions(name)
    ] == []
