"""For every pytest run in this folder, also a bare `pytest --nbval solutions`.

Tests and notebooks run on the stand-in, whatever .env and the shell say, and in a WORKSHOP_HOME
of their own unless one is given. Kernels are child processes and inherit this.
"""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent

os.environ["WORKSHOP_OFFLINE"] = "1"
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
os.environ["PYTHONUTF8"] = "1"
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
