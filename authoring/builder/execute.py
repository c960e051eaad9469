"""Executing a notebook offline, in a home of its own, and keeping only outputs that last."""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbformat import NotebookNode, from_dict
from traitlets.config import Config

from authoring.builder.notebook import without_outputs

CELL_SECONDS = 120
# Kernels that talk to us in plain text say so on every start.
ENCRYPTED = Config({"KernelManager": {"transport_encryption": "auto"}})
WIDGET = "application/vnd.jupyter.widget-view+json"
IGNORED = "nbval-ignore-output"  # the tag of a cell that shows times, or waits for a click
OWN = ("WORKSHOP_", "OPENAI_", "ORACLE_")

# What changes from one run, or one machine, to the next.
PASSING = {
    "a path": re.compile(r"(?<![\w.:/])/(home|root|tmp|work|usr|var|Users|private|opt|mnt)/\w"),
    "a Windows path": re.compile(r"\b[A-Za-z]:\\{1,2}\w"),
    "an address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "a random id": re.compile(r"\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|[0-9a-f]{16,}\b)"),
    "a clock time": re.compile(r"\d\d:\d\d:\d\d(\.\d+|Z|[+-]\d\d:?\d\d)"),
}


def execute(notebook: NotebookNode, folder: Path, root: Path, **settings: str) -> NotebookNode:
    """A copy with outputs, executed in `folder`; `settings` are variables of the environment.

    What a cell shows that is another one each time, as its tag says, is not kept.

    Cells run against the stand-in in a fresh WORKSHOP_HOME. With WORKSHOP_STRICT, errors are
    kept as outputs; without, an error in a cell without the tag `raises-exception` ends it
    (nbclient's CellExecutionError).
    """
    copy = from_dict(without_outputs(notebook))
    # no trace of when cells ran, no widget state: neither would be the same next time
    client = NotebookClient(
        copy,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        config=ENCRYPTED,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        allow_errors="WORKSHOP_STRICT" in settings,
    )
    with tempfile.TemporaryDirectory(prefix="workshop-build-", ignore_cleanup_errors=True) as home:
        client.execute(env=_environment(root, home, settings))
    for cell in copy.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            kept = [] if IGNORED in cell.metadata.get("tags", []) else cell.outputs
            cell.outputs = [_lasting(output) for output in kept if not _is_widget(output)]
    copy.metadata = from_dict(dict(notebook.metadata))
    return copy


def passing(notebook: NotebookNode) -> list[str]:
    """What a reader should not find in stored outputs: `cell 3: an address (0x7f...)`."""
    found = []
    for number, cell in enumerate(notebook.cells):
        for text in _texts(cell):
            for kind, pattern in PASSING.items():
                if match := pattern.search(text):
                    found.append(f"cell {number}: {kind} ({match[0]})")
    return found


def _environment(root: Path, home: str, settings: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    paths = [str(root), *filter(None, [kept.get("PYTHONPATH")])]
    return {
        **kept,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUTF8": "1",
        "WORKSHOP_HOME": home,
        "WORKSHOP_OFFLINE": "1",
        **settings,
    }


def _is_widget(output: NotebookNode) -> bool:
    return WIDGET in output.get("data", {})


def _lasting(output: NotebookNode) -> NotebookNode:
    """Tracebacks name files of this machine: keep the last line's worth of them."""
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    return output


def _texts(cell: NotebookNode) -> Iterator[str]:
    """Every text in a cell's outputs, pictures left out."""
    for output in cell.get("outputs", []):
        values: list[Any] = [output.get("text", ""), output.get("evalue", "")]
        values += output.get("traceback", [])
        values += [
            value
            for kind, value in output.get("data", {}).items()
            if not kind.startswith("image/") or kind == "image/svg+xml"
        ]
        for value in values:
            yield value if isinstance(value, str) else str(value)
