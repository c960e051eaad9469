"""The learner's own copies of the notebooks: in work/, which git ignores and nothing overwrites.

`workshop.py lab` opens this folder. A notebook that is missing there is copied from notebooks/. One
that is there is theirs: when the course has a newer version of it, that is put beside it, once,
and a line says so. A copy in which nothing was changed is simply renewed.
"""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from harness.commands.fitting import say


def refresh(shipped: Path, work: Path) -> list[str]:
    """Copy what is missing in `work`, offer what is newer; returns the names that were offered."""
    work.mkdir(exist_ok=True)
    offered = []
    for source in sorted(shipped.glob("*.ipynb")):
        theirs = work / source.name
        if not theirs.exists():
            shutil.copyfile(source, theirs)
        elif _version(theirs) != _version(source):
            if _untouched(theirs):
                shutil.copyfile(source, theirs)
                continue
            beside = work / f"{source.stem}.new-{_version(source)[:6]}.ipynb"
            if not beside.exists():
                shutil.copyfile(source, beside)
                offered.append(beside.name)
    for name in offered:
        say(f"The course has a new version of a notebook that you changed: work/{name}")
    return offered


def cells_sha256(notebook: Any) -> str:
    """The hash of what the cells say, whatever their outputs are."""
    cells = [[cell["cell_type"], _text(cell["source"])] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode("utf-8")).hexdigest()


def _text(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)


def _read(path: Path) -> dict[str, Any]:
    """A notebook; {} for a file that is none any more."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _about(path: Path) -> dict[str, Any]:
    return dict(_read(path).get("metadata", {}).get("workshop", {}))


def _version(path: Path) -> str:
    """What the build wrote into a notebook of its version; it stays when the notebook is saved."""
    return str(_about(path).get("cells_sha256", ""))


def _untouched(path: Path) -> bool:
    """Whether its cells are still as they were shipped; outputs don't count."""
    notebook = _read(path)
    try:
        return bool(notebook) and cells_sha256(notebook) == _version(path)
    except (KeyError, TypeError):
        return False
