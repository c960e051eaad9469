"""What a memory is about: resolved to something known, or left empty; never believed.

Known are the tables and columns that were scanned, the tools, and what the user's memories are
about already. Otherwise a subject consists of words of the sentence itself.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import regex

from harness.databases.state import StateDatabase
from harness.memory.folding import words
from harness.memory.quotation import quoted

_PATH = regex.compile(r"[\p{L}_]\w*(?:\.[\p{L}_]\w*)+|[\p{L}]\w*_\w+")
_APART = regex.compile(r"[_.]|(?<=\b\p{L}{1,2})['’]")  # also the article in "l'escale"
_MOST_CHARS = 120
_SHORT_WORD = 3  # letters, up to which a word may only join others
_MANY_WORDS = 6  # in a subject, from which its parts are not looked for


def subject_key(subject: str) -> str:
    """What two subjects share when they are about the same thing: `SUPPLYCHAIN.t.col` and `t.col`
    do, and "active voyages" and "voyage, active". "" for no subject.
    """
    name = _plain(subject)
    if _PATH.fullmatch(name):
        return ".".join(name.split(".")[-2:])
    return " ".join(sorted({_singular(word) for word in words(name)}))


def same_thing(one: str, other: str) -> bool:
    """Whether two subjects surely name one thing: they share a key; one is the other's column; or
    one is an identifier and the other consists of words of it ("vessel capacity").
    """
    if subject_key(one) == subject_key(other):
        return True
    names = [_PATH.fullmatch(_plain(each)) is not None for each in (one, other)]
    if all(names):
        short, long = sorted(map(_plain, (one, other)), key=len)
        return "." not in short and long.endswith(f".{short}")
    spoken, name = (one, other) if names[1] else (other, one)
    return any(names) and len(_parts(spoken)) > 1 and _parts(spoken) <= _parts(name)


def may_be_one(one: str, other: str) -> bool:
    """Whether one subject has nothing but short words more ("storage fee", "fee for storage")."""
    fewer, more = sorted((_parts(one), _parts(other)), key=len)
    return fewer <= more and all(
        word.isalpha() and len(word) <= _SHORT_WORD for word in more - fewer
    )


def is_part(word: str, subject: str) -> bool:
    """Whether a word or identifier consists of words of a subject."""
    return _parts(word) <= _parts(subject)


def keys_within(subject: str) -> set[str]:
    """The keys of all subjects that consist of words of this one; itself, where it has many."""
    found = {subject_key(subject), _plain(subject).rpartition(".")[2]}
    parts = sorted(_parts(subject))
    if len(parts) <= _MANY_WORDS:
        sizes = range(1, len(parts) + 1)
        found |= {" ".join(some) for size in sizes for some in combinations(parts, size)}
    return found - {""}


def spoken_words(subject: str) -> list[str]:
    """The words of a subject, those of an identifier too."""
    return words(_APART.sub(" ", subject))


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
    return frozenset(_singular(word) for word in spoken_words(text))


def _plain(subject: str) -> str:
    return subject.strip().replace('"', "").casefold()


def _singular(word: str) -> str:
    if len(word) < 4 or word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
