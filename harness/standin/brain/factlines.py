"""What facts say of a database: tables, columns, references and units, read from one line each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from harness.standin.brain.words import Token, keys, playbook, tidy, tokenise

_TABLE = re.compile(
    r"Table (?P<table>[\w$.]+)(?:, (?P<rows>\d+) rows)?\.\s*(?P<comment>.*?)\s*"
    r"(?:Key: (?P<key>[\w, $]+)\.\s*)?Columns: (?P<columns>.+?)\.?\s*$"
)
_COLUMN = re.compile(
    r"Column (?P<column>[\w$.]+) (?P<type>[A-Z][\w() ,]*?)\.(?:\s+(?P<comment>.*?))?"
    r"(?:\s*Values: (?P<values>.+?))?\.?\s*$"
)
_REFERENCE = re.compile(r"(?P<column>[\w$.]+) references (?P<target>[\w$.]+?)\.?\s*$")
_TODAY = re.compile(r"today is (\d{4}-\d\d-\d\d)", re.IGNORECASE)
_TEXT = re.compile(r"CHAR|TEXT|STRING|CLOB", re.IGNORECASE)
_TIME = re.compile(r"DATE|TIME", re.IGNORECASE)
_GLOSS = re.compile(r"\b([A-Z][A-Z_]{2,})\s*\(([^)]*)\)")
_HEAD_ENDS = frozenset(
    "of in on at for to with inside against that where which as from by it and or".split()
)
_GENERIC = frozenset("time date year number day key what identifier code".split())
_NAMING = (("name", "title", "label"), ("what",), ("number", "no"), ("code",))


def short(table: str) -> str:
    """A table's name without its schema's."""
    return table.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Fact:
    """One fact as it was seen: kind, subject, body."""

    kind: str
    subject: str
    body: str


@dataclass(frozen=True)
class Column:
    """A column with what its facts say about it. `table` is the full name of its table."""

    table: str
    name: str
    type: str = ""
    comment: str = ""
    values: tuple[str, ...] = ()
    seen: bool = False  # whether a fact of its own was seen, not only its table's

    @property
    def is_text(self) -> bool:
        """Whether it holds text."""
        return bool(_TEXT.search(self.type))

    @property
    def is_time(self) -> bool:
        """Whether it holds dates or times."""
        return bool(_TIME.search(self.type))

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return bool(self.type) and not self.is_text and not self.is_time

    @property
    def is_code(self) -> bool:
        """Whether its digits name something, and so don't add up."""
        return bool({"digit", "code"} & set(keys(self.comment)))

    @property
    def parts(self) -> tuple[str, ...]:
        """The keys of its name's words."""
        return keys(self.name.replace("_", " "))

    @property
    def clause(self) -> str:
        """The comment's first clause."""
        return re.split(r"[.;:,]\s|[.;:]$", self.comment, maxsplit=1)[0]

    @property
    def head(self) -> tuple[str, ...]:
        """The keys of what the comment calls it: "Capacity", "Flag state", "departure"."""
        return _head(self.clause)

    @property
    def glosses(self) -> list[tuple[str, str]]:
        """Values that the comment explains, each with what it says of it."""
        return _GLOSS.findall(self.comment)

    @property
    def nullable(self) -> bool:
        """Whether its comment speaks of NULL."""
        return "NULL" in self.comment


@lru_cache(maxsize=1024)
def _head(clause: str) -> tuple[str, ...]:
    words = keys(clause)
    cut = next((i for i, word in enumerate(words) if word in _HEAD_ENDS), len(words))
    head = [word for word in words[:cut] if word != "null"]
    rest = [w for w in words[cut:] if w not in _HEAD_ENDS]
    if head and rest and all(word in _GENERIC for word in head):
        head += rest[1:2] if rest[0] in ("the", "a", "an") else rest[:1]
    elif head[-1:] == ["time"] and len(head) > 1:
        head = head[:-1]
    return tuple(head)


@dataclass(frozen=True)
class Reference:
    """A foreign key."""

    table: str
    column: str
    target: str
    target_column: str


@dataclass
class Table:
    """A table with its columns in order."""

    name: str
    comment: str = ""
    key: tuple[str, ...] = ()
    rows: int | None = None
    described: bool = False
    columns: dict[str, Column] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """Its name without the schema's."""
        return short(self.name)

    @cached_property
    def label(self) -> Column | None:
        """The column that people call its rows by."""
        texts = [each for each in self.columns.values() if each.is_text]
        for words in _NAMING:
            for column in texts:
                if set(words) & {*column.parts, *keys(column.clause)}:
                    return column
        return self.columns.get(self.key[0]) if self.key else None

    @property
    def named(self) -> bool:
        """Whether the label is a name of the row itself, and not of a kind of thing."""
        return self.label is not None and "what" not in keys(self.label.clause)

    @property
    def is_of_kinds(self) -> bool:
        """Whether its rows are known by what kind of thing they are, such as lines of goods."""
        return not self.named and self.label is not None and self.label.name not in self.key


@lru_cache(maxsize=4096)
def read_fact(fact: Fact) -> Table | Column | Reference | None:
    """What a fact says of a schema; None for other kinds and for text that does not fit."""
    body = " ".join(fact.body.split())
    reader = {"table": _table, "column": _column, "relationship": _reference}.get(fact.kind)
    return reader(body) if reader else None


def _table(body: str) -> Table | None:
    match = _TABLE.match(body)
    if not match:
        return None
    name, rows = match["table"], int(match["rows"]) if match["rows"] else None
    columns = [each.strip().split(" ", 1) for each in match["columns"].split(",")]
    known = {c[0]: Column(name, c[0], c[1].strip()) for c in columns if len(c) == 2}
    return Table(name, match["comment"], _listed(match["key"]), rows, True, known)


def _column(body: str) -> Column | None:
    match = _COLUMN.match(body)
    if not match:
        return None
    table, name = match["column"].rsplit(".", 1)
    values = _listed(match["values"], ", ")
    return Column(table, name, match["type"], match["comment"] or "", values, True)


def _reference(body: str) -> Reference | None:
    match = _REFERENCE.search(body)
    if not match:
        return None
    return Reference(*match["column"].rsplit(".", 1), *match["target"].rsplit(".", 1))


def _listed(text: str | None, between: str = ",") -> tuple[str, ...]:
    return tuple(each.strip() for each in (text or "").split(between) if each.strip())


def today_in(bodies: list[str]) -> str | None:
    """The day of the snapshot, where a fact states it."""
    return next((match.group(1) for body in bodies if (match := _TODAY.search(body))), None)


def unit_of(token: Token, words: str = "words") -> str:
    """The unit that a word names, or ""."""
    for name, unit in playbook()["units"].items():
        if token.key in {k for word in unit[words] for k in keys(str(word))}:
            return str(name)
    return ""


def unit_of_column(column: Column, corrected: Mapping[tuple[str, str], str] | None = None) -> str:
    """The unit of a column: as a correction says, else as its name or comment says; or ""."""
    if corrected and (column.table, column.name) in corrected:
        return corrected[(column.table, column.name)]
    if not column.is_number:
        return ""
    text = re.split(r"\bnever\b", f"{column.name.replace('_', ' ')} {column.comment}")[0]
    return next((u for token in tokenise(tidy(text)) if (u := unit_of(token, "said"))), "")


def never_units(column: Column) -> list[str]:
    """The units that a column's comment rules out."""
    said = re.findall(r"\bnever (?:in )?(\w+)", column.comment)
    return [unit for word in said for unit in [unit_of(tokenise(word)[0])] if unit]


def units_of(numbers: Sequence[float], given: str, own: str) -> tuple[float, ...] | None:
    """Numbers of one unit in another; None where they don't fit each other."""
    table = playbook()["units"]
    if given == own:
        return tuple(numbers)
    if not own or table[given]["dimension"] != table[own]["dimension"]:
        return None
    if given == "fahrenheit":
        return tuple((n - 32) * 5 / 9 for n in numbers)
    return tuple(n * float(table[given]["factor"]) / float(table[own]["factor"]) for n in numbers)


def measures(own: str, unit: str) -> bool:
    """Whether two units measure the same."""
    units = playbook()["units"]
    return bool(own) and bool(unit) and units[own]["dimension"] == units[unit]["dimension"]
