"""Corpora in part: an ordinary run takes some cases of each; `workshop.py test --full`, all."""

from collections.abc import Iterable
from typing import Any

import pytest


def in_part(cases: Iterable[Any], keep: int) -> list[Any]:
    """All cases; all but `keep` of them, spread evenly from the first on, are for full runs."""
    cases = list(cases)
    kept = {i * len(cases) // keep for i in range(keep)} if keep < len(cases) else range(len(cases))
    return [case if i in kept else _for_full_runs(case) for i, case in enumerate(cases)]


def _for_full_runs(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):  # it has an id or marks of its own
        return case._replace(marks=[*case.marks, pytest.mark.full])
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.full)
