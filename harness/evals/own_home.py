"""A WORKSHOP_HOME of its own for an evaluation, so that nothing of the user changes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.settings import home_at, settings


@contextmanager
def own_home(folder: Path) -> Iterator[Path]:
    """Run a block with what this process keeps in `folder`: memories, threads, tickets, traces."""
    data = settings().home / "business"  # read-only, and named after what is in it
    if data.is_dir() and not (folder / "business").exists():
        shutil.copytree(data, folder / "business")
    with home_at(folder):
        yield folder
