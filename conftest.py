"""For every pytest run in this folder, also a bare `pytest --nbval solutions`.

Tests and notebooks run on the stand-in, whatever .env and the shell say, and in a WORKSHOP_HOME
of their own unless one is given. Kernels are child processes and inherit this.
"""

import atexit
import os
import shutil
import signal
import tempfile
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
STARTS = {"subprocess", "NotebookClient", "worker", "python", "printed", "terminal"}

os.environ["WORKSHOP_OFFLINE"] = "1"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
os.environ["PYTHONUTF8"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile everything again
os.environ.pop("COLUMNS", None)  # processes side by side have one; what is said would wrap at it
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
)
if not os.environ.get("WORKSHOP_HOME"):
    os.environ["WORKSHOP_HOME"] = tempfile.mkdtemp(prefix="workshop-pytest-")
    atexit.register(shutil.rmtree, os.environ["WORKSHOP_HOME"], ignore_errors=True)
if os.environ.get("PYTEST_XDIST_WORKER"):  # processes side by side: each has its own within that
    os.environ["WORKSHOP_HOME"] += os.sep + os.environ["PYTEST_XDIST_WORKER"]
    Path(os.environ["WORKSHOP_HOME"]).mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by xdist; tests need it


@pytest.hookimpl(trylast=True)  # what is deselected does not count
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest files first, so that processes side by side end together; notebooks/ is not compared.

    Longest are files that run whole notebooks, then those that start processes, then those with
    many tests. What a cell of notebooks/ shows depends on what its reader wrote: that it runs is
    all that is asked of it.
    """
    count = Counter(item.path for item in items)
    notebooks = {item.path for item in items if item.get_closest_marker("kernels")}
    processes = {item.path for item in items if STARTS & set(dir(getattr(item, "module", None)))}
    items.sort(
        key=lambda item: (item.path not in notebooks, item.path not in processes, -count[item.path])
    )
    for item in items:
        if item.path.parent == ROOT / "notebooks":
            item.options["check"] = False  # type: ignore[attr-defined] # as --nbval-lax has it
