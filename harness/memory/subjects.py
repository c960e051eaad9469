"""What a memory is about: resolved to something known, or left empty; never believed.

Known are the tables and columns that were scanned, the tools, and what the user's memories are
about already. Otherwise a subject consists of words of the sentence itself.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import regex

from harness.databases.state import StateDatabase
from harness.memory.folding import words
from harness.memory.quotation import quoted

_PATH = regex.compile(r"[\p{L}_]\w*(?:\.[\p{L}_]\w*)+|[\p{L}]\w*_\w+")
_MOST_CHARS = 120


def subject_key(subject: str) -> str:
    """What two subjects share when they are about the same thing: `SUPPLYCHAIN.t.col` and `t.col`
    do, and "active voyages" and "voyage, active". "" for no subject.
    """
    name = subject.strip().replace('"', "").casefold()
    if _PATH.fullmatch(name):
        return ".".join(name.split(".")[-2:])
    return " ".join(sorted({_singular(word) for word in words(name)}))


def resolve(
    database: StateDatabase,
    subject: str,
    sentence: str,
    user: str | None,
    names: Iterable[str] = (),
) -> str:
    """The subject as it is known; "" for one that is neither known nor in the sentence.

    `names` are known beside the tables and columns, such as those of the tools.
    """
    said = subject.strip()[:_MOST_CHARS]
    wanted = _parts(said)
    spoken = [match[0] for match in _PATH.finditer(sentence)]
    known = [*schema_names(database), *names, *spoken]
    if wanted:
        key = subject_key(said)
        exact = [name for name in known if subject_key(name) == key]
        close = [name for name in known if wanted <= _parts(name)]
        fewest = min((len(_parts(name)) for name in close), default=0)
        for found in (
            exact,
            [n for n in close if n in spoken],
            [n for n in close if len(_parts(n)) == fewest],
        ):
            if len({subject_key(name) for name in found}) == 1:
                return found[0]
        if _is_known(database, key, user) or wanted <= _parts(sentence) or quoted(said, sentence):
            return said
    mentioned = {subject_key(name): name for name in spoken}
    return next(iter(mentioned.values())) if len(mentioned) == 1 else ""


def canonical(database: StateDatabase, subject: str) -> str:
    """The subject that a program gives, by the name that the schema has for it if there is one."""
    key = subject_key(subject)
    same = (name for name in schema_names(database) if subject_key(name) == key)
    return next(same, subject.strip()[:_MOST_CHARS])


def schema_names(database: StateDatabase) -> tuple[str, ...]:
    """The scanned tables and columns, as `table` and `table.column` in lower case."""
    version = database.read("SELECT coalesce(max(version), 0) FROM facts_version")[0][0]
    return _schema_names(database.path, version, database)


@lru_cache(maxsize=8)
def _schema_names(path: Path, version: int, database: StateDatabase) -> tuple[str, ...]:
    rows = database.read("SELECT kind, subject FROM facts WHERE kind IN ('table', 'column')")
    keep = {"table": -1, "column": -2}
    names = (".".join(row[1].casefold().split(".")[keep[row[0]] :]) for row in rows)
    return tuple(dict.fromkeys(names))


def _is_known(database: StateDatabase, key: str, user: str | None) -> bool:
    found = database.read(
        "SELECT 1 FROM memories WHERE subject_key = ? AND user_id IS ? AND status = 'active'"
        " LIMIT 1",
        (key, user),
    )
    return bool(found)


@lru_cache(maxsize=4_096)
def _parts(text: str) -> frozenset[str]:
    """The words of a text or identifier, without a plural."""
    plain = text.replace("_", " ").replace(".", " ")
    return frozenset(_singular(word) for word in words(plain))


def _singular(word: str) -> str:
    if len(word) < 4 or word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
