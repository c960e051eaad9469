"""The skillbox: playbooks in Markdown, found by meaning and word, read only when asked for.

A skill is one file, `data/skills/<name>.md`: front matter with a name and a description, then the
body. The manifest in the context shows descriptions; `load_skill` shows a body.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory.storable_text import one_line
from harness.retrieval.embedding import embed_if_possible
from harness.retrieval.fusion import reciprocal_rank_fusion
from harness.retrieval.lexical_search import rank_by_words
from harness.settings import root, settings

MAX_DESCRIPTION = 200  # characters: three of them must stay near 200 tokens
MAX_BODY = 12_000  # characters
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n(.*))?\Z", re.DOTALL)
_folder: ContextVar[Path | None] = ContextVar("workshop_skills", default=None)


@dataclass(frozen=True)
class Skill:
    """One playbook. The description is one line that says what it is for."""

    name: str
    description: str
    body: str

    @property
    def line(self) -> str:
        """The skill in a manifest."""
        return f"- {self.name}: {self.description}"

    @property
    def text(self) -> str:
        """What it is found by."""
        return f"{self.name.replace('-', ' ')}: {self.description}"


def skills() -> list[Skill]:
    """Every skill of the folder in force, by name. Raises WorkshopError naming a broken file."""
    folder = (_folder.get() or home_skills()).resolve()
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        files = sorted((e.path, *_stamp(e)) for e in entries if _is_skill(e, folder))
    return list(_read_all(tuple(files)))


def home_skills() -> Path:
    """The folder of this home's skills: its own if it has one, else those that are shipped."""
    own = settings().home / "skillbox"
    return own if own.is_dir() else root() / "data" / "skills"


def get_skill(name: str) -> Skill:
    """The skill with this name. Raises WorkshopError with the nearest names where there is none."""
    known = {skill.name: skill for skill in skills()}
    if name in known:
        return known[name]
    near = get_close_matches(str(name).lower(), known, n=3, cutoff=0.4) or list(known)[:3]
    raise WorkshopError(
        f"There is no skill named {one_line(str(name), 60)!r}.",
        f"Nearest: {', '.join(near)}." if near else "The skill folder is empty.",
    )


def find_skills(query: str, k: int = 5) -> list[Skill]:
    """The `k` skills that fit a question best, best first; without words in it, none."""
    found = {skill.name: skill for skill in skills()}
    if not query.strip() or not found or k < 1:
        return []
    texts = {name: skill.text for name, skill in found.items()}
    rankings = [rank_by_words(query, texts)]
    vectors = embed_if_possible([query, *texts.values()])
    if vectors is not None:
        cosines = (vectors[1:] @ vectors[0]).tolist()
        by_name = {name: round(c, 5) for name, c in zip(texts, cosines, strict=True)}
        rankings.insert(0, sorted(texts, key=lambda name: (-by_name[name], name)))
    ranked = reciprocal_rank_fusion(rankings)
    return [found[name] for name, _ in ranked[:k]]


@contextmanager
def use_skills(folder: Path | str) -> Iterator[Path]:
    """Take the skills from another folder for a block, in this context only."""
    token = _folder.set(Path(folder))
    try:
        yield Path(folder)
    finally:
        _folder.reset(token)


def parse_skill(text: str, file: str) -> Skill:
    """A skill from the text of its file. Raises WorkshopError that names the file and the fault."""
    match = _FRONT_MATTER.match(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    if not match:
        raise _broken(file, "it does not begin with front matter between two lines of ---")
    fields = _fields(match[1], file)
    name, description = (fields.get(key, "") for key in ("name", "description"))
    body = (match[2] or "").strip()
    if not _NAME.fullmatch(name) or f"{name}.md" != file:
        raise _broken(file, f"its name must be {file.removesuffix('.md')!r} in small letters")
    if not description or len(description) > MAX_DESCRIPTION:
        raise _broken(file, f"its description must have 1 to {MAX_DESCRIPTION} characters")
    if not body or len(body) > MAX_BODY:
        raise _broken(file, f"its body must have 1 to {MAX_BODY} characters")
    return Skill(name, one_line(description, MAX_DESCRIPTION), body)


def _fields(front_matter: str, file: str) -> dict[str, str]:
    """The `key: value` lines. Not YAML: there a colon in a description would need quotes."""
    fields: dict[str, str] = {}
    for line in filter(str.strip, front_matter.split("\n")):
        key, colon, value = line.partition(":")
        if not colon or not key.strip().isidentifier():
            raise _broken(
                file, f"its front matter has a line that is not 'key: value' ({short_repr(line)})"
            )
        value = value.strip()
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        fields[key.strip()] = value[1:-1] if quoted else value
    return fields


@lru_cache(maxsize=8)
def _read_all(files: tuple[tuple[str, int, int], ...]) -> tuple[Skill, ...]:
    return tuple(_read(Path(file)) for file, _, _ in files)


def _read(file: Path) -> Skill:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _broken(file.name, f"it can't be read ({type(error).__name__})") from error
    return parse_skill(text, file.name)


def _stamp(file: os.DirEntry[str]) -> tuple[int, int]:
    """What changes when a file does, so that an edited skill is read again."""
    status = file.stat()
    return status.st_mtime_ns, status.st_size


def _is_skill(file: os.DirEntry[str], folder: Path) -> bool:
    """Whether this is a skill in the folder itself, as resolved: a link out of it is none."""
    return (
        file.name.endswith(".md")
        and file.is_file()
        and (not file.is_symlink() or Path(file).resolve().parent == folder)
    )


def _broken(file: str, fault: str) -> WorkshopError:
    return WorkshopError(
        f"The skill file {file} is broken: {fault}.",
        "A skill begins: ---, name: its-file-name, description: its use, ---, then its text.",
    )
