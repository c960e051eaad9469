"""What a question asks, as slots. No words of the question are left in here but for answers."""

from dataclasses import dataclass, field
from typing import Any

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.schema import Column


class Problem(Exception):
    """A question that can't be read (yet). `kind` says why, `words` what about.

    Kinds: unknown (words that name nothing seen), need (something that a search could bring),
    role (from or to?), clarify, unit, today, refuse.
    """

    def __init__(self, kind: str, words: list[str], text: str = "") -> None:
        super().__init__(text or " ".join(words))
        self.kind = kind
        self.words = words
        self.text = text


@dataclass(frozen=True)
class Filter:
    """A condition on a column, reached through `role` where there are several ways.

    op: in, not in, =, <>, >, <, >=, <=, between, null, notnull, range, not range. `scope` numbers
    the negated "without any ..." group that it belongs to; 0 = the question itself.
    """

    column: Column
    op: str
    values: tuple[Any, ...] = ()
    role: ReferenceFact | None = None
    said: str = ""
    place: int = 0
    scope: int = 0
    either: bool = False


@dataclass(frozen=True)
class Related:
    """Rows of another table that must (not) be there: `op` `number` of them."""

    table: str
    op: str = ">"
    number: float = 0
    scope: int = 0
    role: ReferenceFact | None = None


@dataclass(frozen=True)
class Group:
    """What results are grouped by: a column, a table's rows (by label), or a unit of time."""

    kind: str  # column, entity, time
    table: str
    column: Column | None = None
    role: ReferenceFact | None = None
    unit: str = ""


@dataclass(frozen=True)
class Measure:
    """What is worked out: count, distinct, sum, avg, min, max, median, percentile, weighted."""

    kind: str
    column: Column | None = None
    times: Column | None = None  # multiplied by this one: units of a line
    weight: Column | None = None
    percent: float = 50.0
    unit: str = ""  # asked for
    per: str = ""  # a table: the figure is worked out over counts for each of its rows


@dataclass
class Intent:
    """One question. shape: count, aggregate, list, exists, top, share, compare, distance, locate,
    values."""

    shape: str
    root: str
    measure: Measure = field(default_factory=lambda: Measure("count"))
    groups: list[Group] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    target: list[Filter] = field(default_factory=list)  # of a share: the part
    select: list[tuple[Column, ReferenceFact | None]] = field(default_factory=list)
    order: str = ""  # asc, desc
    order_by: Column | None = None
    order_role: ReferenceFact | None = None
    limit: int = 0
    rank: str = ""  # for "which ... most": the word that asked
    notes: list[str] = field(default_factory=list)
    places: list[Filter] = field(default_factory=list)  # of a distance: its two ends
    unit: str = ""
    yes_no: bool = False
