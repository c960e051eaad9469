"""Noticing that a function looks at its check: at the frames around it, or into our answers.

Python tells an audit hook of such a look whatever words were used for it, so a name that is put
together while it runs is noticed as well.
"""

import functools
import inspect
import io
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from harness.course.report import Finding

_LOOKS = {"sys._getframe", "sys._current_frames", "sys._current_exceptions", "sys.settrace"}
_LOOKS |= {"sys.setprofile", "gc.get_objects", "gc.get_referrers", "gc.get_referents"}
_FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
_HERE = Path(__file__).resolve().parents[2]  # harness/
_SECRET = tuple(f"harness.course.{part}" for part in ("answers", "exercises", "staging", "runner"))
_FOLDERS = (
    *(str(_HERE / "course" / name.rsplit(".", 1)[1]) for name in _SECRET),
    str(_HERE.parent / "solutions"),
)
_SKIPPED = {inspect.__file__, traceback.__file__}  # they look in somebody's name
_INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
_LIBRARY = (str(_HERE), str(Path(io.__file__).resolve().parent), "<frozen", *_INSTALLED)
_ANSWERS = "harness.course.answers."
_MINE = str(_HERE / "course" / "api.py")  # mine() may: it says whose it is

_watching = False
_seen: list[str] = []


@functools.cache
def install() -> None:
    """Begin to listen, once in a process: a hook can't be taken off again."""
    sys.addaudithook(_hook)


@contextmanager
def looked_at() -> Iterator[list[str]]:
    """For a block, a list of what a learner's function looked at in it.

    Our answers are taken out of sys.modules before, so that reading them is seen.
    """
    global _watching
    for name in [name for name in sys.modules if name.startswith(_ANSWERS)]:
        sys.modules.pop(name)
        vars(sys.modules[_ANSWERS.rstrip(".")]).pop(name.removeprefix(_ANSWERS), None)
    _seen.clear()
    _watching = True
    try:
        yield _seen
    finally:
        _watching = False


def is_answer(look: str) -> bool:
    """Whether it was our answer that was looked at: who calls that has written nothing."""
    return look.startswith((_ANSWERS, "answers_"))


def found_out(looks: list[str]) -> Finding:
    """The finding about such a look."""
    return Finding(
        "looks_around",
        f"It looks at what is around it ({looks[0]}); there it would find the check.",
        "Write it from what it is given: its arguments and the notebook's names.",
    )


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    global _watching
    if not _watching:
        return
    what = _look(event, arguments)
    if not what:
        return
    _watching = False  # what is called below is told to this hook too
    try:
        if _by_learner(sys._getframe(1), event, what):
            _seen.append(what)
    finally:
        _watching = True


def _by_learner(frame: FrameType | None, event: str, what: str) -> bool:
    """Whether the learner's code did it, or had the library do it; mine() and the checks may."""
    if event not in ("open", "import"):
        own = event == "object.__getattr__"  # an error's text is made of frames too
        while frame and not own and frame.f_code.co_filename in _SKIPPED:
            frame = frame.f_back
        return frame is not None and not _is_library(frame)
    while frame and _is_library(frame):
        file = frame.f_code.co_filename
        if file == _MINE or (file.startswith(str(_HERE)) and not is_answer(what)):
            return False
        frame = frame.f_back
    return frame is not None


def _look(event: str, arguments: tuple[Any, ...]) -> str:
    """What this event looks at, in a word; "" for any other event."""
    if event in _LOOKS:
        return event
    if event == "object.__getattr__":
        return str(arguments[1]) if arguments[1] in _FRAMES else ""
    if event == "import":
        return str(arguments[0]) if str(arguments[0]).startswith(_SECRET) else ""
    if event == "open":
        return Path(arguments[0]).name if str(arguments[0]).startswith(_FOLDERS) else ""
    return ""


def _is_library(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_LIBRARY)
