"""Starting JupyterLab: a free port, no questions."""

import json
import os
import socket
from pathlib import Path

from harness.commands.fitting import say
from harness.errors import WorkshopError

TRIES = 50
# Neither the question about news at the first start nor a request for it or for newer versions.
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}


def command(python: Path, notebooks: Path, port: int, no_browser: bool) -> list[str]:
    """The command line that serves `notebooks`; says so when `port` is busy and takes the next.

    Raises WorkshopError where there are no notebooks or no port is free.
    """
    if not any(notebooks.glob("*.ipynb")):
        raise WorkshopError(
            "There are no notebooks in notebooks/.", "Make them: python workshop.py build"
        )
    _override_settings(python)
    free = free_port(port)
    if free != port:
        say(f"Port {port} is busy; using {free}. (Another port: workshop.py lab --port N)")
    say(f"JupyterLab starts on port {free}. Ctrl-C, twice, stops it.")
    line = [str(python), "-m", "jupyterlab", f"--ServerApp.root_dir={notebooks}"]
    line += [f"--ServerApp.port={free}", "--ServerApp.port_retries=0"]
    line += ["--ServerApp.log_level=ERROR", "--LabApp.log_level=ERROR"]  # the address is left
    line += ["--KernelManager.transport_encryption=auto"]  # kernels complain about plain text
    line += ["--LabApp.news_url=None"]
    line += [
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate"
    ]
    if no_browser:
        line.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        line.append("--allow-root")  # containers; Jupyter refuses otherwise
    return line


def _override_settings(python: Path) -> None:
    """Write our defaults for JupyterLab's settings into the environment that `python` is of."""
    folder = python.parent.parent / "share" / "jupyter" / "lab" / "settings" / "overrides.d"
    wanted = json.dumps(OVERRIDES)
    file = folder / "workshop.json"
    if not file.exists() or file.read_text(encoding="utf-8") != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(wanted, encoding="utf-8")


def free_port(first: int) -> int:
    """The first port from `first` upwards that nothing on this machine listens on."""
    for port in range(first, min(first + TRIES, 65536)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if os.name != "nt":  # on Windows this option would share a port that is in use
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise WorkshopError(
        f"No port from {first} to {min(first + TRIES, 65536) - 1} is free.",
        "Name another one: python workshop.py lab --port 9999",
    )
