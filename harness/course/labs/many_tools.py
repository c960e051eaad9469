"""The laboratory of part 06: an office with a dozen tools and skills, and one with hundreds."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from harness.knowledge.skillbox import use_skills
from harness.settings import root
from harness.tools.toolbox import TOOLS, contracts, register, spare_toolbox

_DESK = "scan_database find_voyages voyage_status query_internal_kb submit_support_ticket".split()
_VERBS = ("approve", "archive", "assign", "cancel", "compare", "export")
_THINGS = """invoice contract shift employee badge meeting printer parcel customer refund newsletter
budget supplier laptop survey""".split()
_PLACES = ("", "-in-oslo", "-in-lima")


@contextmanager
def small_office(skills: int = 12) -> Iterator[None]:
    """For a block, the tools of a shipping desk and so many of its skills, and no others."""
    with _skills_folder() as folder:
        for path in sorted(folder.glob("*.md"))[skills:]:
            path.unlink()
        with spare_toolbox(), use_skills(folder):
            for each in contracts():
                if not each.always and each.name not in _DESK:
                    del TOOLS[each.name]
            yield


@contextmanager
def large_office(tools: int = 100, skills: int = 200) -> Iterator[None]:
    """For a block, all tools and skills, and what fills them up to so many."""
    with _skills_folder() as folder:
        names = (f"{verb}-{thing}{at}" for at, thing, verb in product(_PLACES, _THINGS, _VERBS))
        for _ in range(skills - len(list(folder.glob("*.md")))):
            _office_skill(folder, next(names))
        pairs = product(_THINGS, _VERBS)
        with spare_toolbox(), use_skills(folder):
            while len(TOOLS) < tools:
                thing, verb = next(pairs)
                _office_tool(verb, thing)
            yield


@contextmanager
def _skills_folder() -> Iterator[Path]:
    """A copy of our skills that may be changed."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copytree(root() / "data" / "skills", Path(folder) / "skills"))


def _office_tool(verb: str, thing: str) -> None:
    """Register a tool that nobody at a shipping desk needs."""

    def tool(number: int) -> dict[str, int]:
        return {"number": number}

    tool.__doc__ = f"{verb.title()} the {thing} that has this number."
    register(
        name=f"{verb}_{thing}",
        when=f"somebody in the office asks to {verb} one {thing} and names its number.",
        returns="'number' is the number that was given.",
    )(tool)


def _office_skill(folder: Path, name: str) -> None:
    """Write a playbook that nobody at a shipping desk needs."""
    about = f"How to {name.replace('-', ' ')}: the forms, the deadlines, whom to ask."
    text = f"---\nname: {name}\ndescription: {about}\n---\nAsk at the office.\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
