"""A fixture: what a test registers is gone after it."""

from collections.abc import Iterator

import pytest

from harness import TOOLS
from harness.tools import toolbox


@pytest.fixture
def toolbox_kept() -> Iterator[None]:
    before = ((TOOLS, dict(TOOLS)), (toolbox._contracts, dict(toolbox._contracts)))
    yield
    for mapping, content in before:
        mapping.clear()
        mapping.update(content)
