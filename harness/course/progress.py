"""What a learner has achieved, kept under WORKSHOP_HOME/progress so that it survives a restart.

For each TODO: <name>.json (what is known of it), <name>.py (the version that passed last, to read)
and <name>.pickle (the same, to run). A pickle that this Python can't load does no harm: the source
is there. What passes in solutions/ is ours, so it is kept for the process only: a solution must not
become somebody's progress, nor anybody's progress change what a solution prints.
"""

import atexit
import functools
import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness.course.runner import source, transfer
from harness.errors import WorkshopError
from harness.settings import settings


def folder() -> Path:
    """Where progress is kept; made if needed. Raises WorkshopError when it can't be."""
    if in_solutions():
        return _for_this_process()
    path = settings().home / "progress"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkshopError(
            f"Progress can't be kept in {path}: {error}.",
            "Set WORKSHOP_HOME to a folder that can be written.",
        ) from error
    return path


@functools.lru_cache(maxsize=1)
def _for_this_process() -> Path:
    path = tempfile.mkdtemp(prefix="workshop-solutions-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def save(name: str, fn: Any) -> str:
    """Keep a version that passed, and return a mark of it.

    Raises WorkshopError when the folder can't be written.
    """
    text = source.standalone(name, fn)
    try:
        data = transfer.dumps(fn)
        _write(f"{name}.pickle", data)
        if text is None:
            (folder() / f"{name}.py").unlink(missing_ok=True)
        else:
            _write(f"{name}.py", text.encode("utf-8", "replace"))
        mark = hashlib.sha256(data).hexdigest()[:16]
        _update(name, passed=True, python=list(sys.version_info[:2]), mark=mark)
        return mark
    except OSError as error:
        raise WorkshopError(
            f"{name} passed, but can't be kept in {folder()}: {error}.",
            "Set WORKSHOP_HOME to a folder that can be written.",
        ) from error


def load(name: str) -> tuple[Any, str]:
    """The version that passed last and a word about it; (None, why) when there is none."""
    record = _record(name)
    if not record.get("passed"):
        return None, "you have none that passed yet"
    if record.get("python") == list(sys.version_info[:2]):
        try:
            return transfer.loads((folder() / f"{name}.pickle").read_bytes()), "as it passed"
        except Exception:
            pass  # written by another version of something: the source may still do
    try:
        text = (folder() / f"{name}.py").read_text(encoding="utf-8")
        return source.rebuild(name, text), "rebuilt from its source"
    except Exception as error:
        return None, f"yours can't be loaded here ({type(error).__name__}: {error})"


def state(name: str) -> str:
    """The state of a TODO: "yours" once a version passed, "lent" after an attempt, else "open"."""
    record = _record(name)
    return "yours" if record.get("passed") else "lent" if record.get("attempts") else "open"


def in_solutions() -> bool:
    """Whether this runs in solutions/, where what passes is ours."""
    return Path.cwd().name == "solutions"


def mark(name: str) -> str:
    """The mark of the version that is kept now; "" when there is none."""
    return str(_record(name).get("mark", ""))


def tell_attempt(name: str, codes: list[str]) -> None:
    """Note a failed attempt and its findings, for whoever looks at progress."""
    record = _record(name)
    _update(name, attempts=int(record.get("attempts", 0)) + 1, codes=codes)


def next_hint(name: str) -> int:
    """How many hints were given before; one more is counted."""
    given = int(_record(name).get("hints", 0))
    _update(name, hints=given + 1)
    return given


def forget(name: str) -> None:
    """Forget everything about a TODO."""
    for suffix in (".json", ".py", ".pickle"):
        (folder() / f"{name}{suffix}").unlink(missing_ok=True)


def _record(name: str) -> dict[str, Any]:
    try:
        record = json.loads((folder() / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _update(name: str, **changes: Any) -> None:
    record = {**_record(name), **changes}
    _write(f"{name}.json", json.dumps(record, sort_keys=True).encode("utf-8"))


def _write(file: str, data: bytes) -> None:
    """All or nothing: written aside, then renamed."""
    handle, path = tempfile.mkstemp(dir=folder(), prefix=f".{file}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(path).replace(folder() / file)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
