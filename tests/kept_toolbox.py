"""A fixture: what a test registers is gone after it."""

from collections.abc import Iterator

import pytest

from harness.tools.toolbox import spare_toolbox


@pytest.fixture
def toolbox_kept() -> Iterator[None]:
    with spare_toolbox():
        yield
