"""A WORKSHOP_HOME of its own for an evaluation, so that nothing of the user changes."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.settings import reset_settings, settings


@contextmanager
def own_home(folder: Path) -> Iterator[Path]:
    """Run a block with the state of this process in `folder`: memories, threads, tickets, traces.

    It is for the whole process: other threads see that home too, as long as the block runs.
    """
    data = settings().home / "business"  # read-only, and named after what is in it
    if data.is_dir() and not (folder / "business").exists():
        shutil.copytree(data, folder / "business")
    before = os.environ.get("WORKSHOP_HOME")
    os.environ["WORKSHOP_HOME"] = str(folder)
    reset_settings()
    try:
        yield folder
    finally:
        if before is None:
            os.environ.pop("WORKSHOP_HOME", None)
        else:
            os.environ["WORKSHOP_HOME"] = before
        reset_settings()
