"""Right versions of TODOs in unusual dress: classes, lambdas, recursion, tables, match statements.

A file a TODO, with a dict RIGHT of titles and texts. Plainer ones are in tests/test_checks_*.py.
"""

import importlib

from harness.course.todos import TODOS


def right_versions(name: str) -> dict[str, str]:
    """The texts of a TODO's right versions, by title; none where it has no file."""
    module = TODOS[name].check.rsplit(".", 1)[-1]
    try:
        return dict(importlib.import_module(f"tests.right.{module}").RIGHT)
    except ModuleNotFoundError:
        return {}
