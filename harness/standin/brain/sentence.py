"""A question being read: its items, the nouns and claims found in them, what is used up."""

from dataclasses import dataclass, field, replace
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column
from harness.standin.brain.link import Item, World
from harness.standin.brain.tree import Problem, Value
from harness.standin.brain.ways import figure_for, time_columns
from harness.standin.brain.words import keys, playbook, word_set

_CONTENT = frozenset(
    """only per_unit howscale word noun col val role null empty zero term sense bound keyed equals
window weekday half rank agg percent unit quantity num verb event scale most pattern early
visit underway same lasting order kinds unit_of_time never not more tail percentile ordinal
times now lengths each pronoun age ahead behind after_eta""".split()
)
_GRAMMAR = frozenset("light stop ask be do and or from to by".split())
_ASKED = ("count", "amount", "when", "where", "far", "long", "compare")


@dataclass
class Noun:
    """A table that the question names: where, at which end, negated, with how many."""

    at: int
    table: str
    role: str = ""
    no: bool = False
    bound: Any = None


@dataclass
class Sentence:
    """A question being read: its items, the nouns and claims found in them, what is used up."""

    text: str
    items: list[Item]
    world: World
    nouns: list[Noun] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def has(self, i: int, *kinds: str) -> bool:
        """Whether an item has one of these senses; also beyond the ends."""
        return 0 <= i < len(self.items) and any(kind in self.items[i] for kind in kinds)

    def get(self, i: int, kind: str) -> Any:
        """What a sense of an item says; None where it has none."""
        return self.items[i].senses.get(kind) if 0 <= i < len(self.items) else None

    def all(self, kind: str, *data: Any) -> list[int]:
        """The indexes of the items with a sense (that says one of these)."""
        found = [i for i, item in enumerate(self.items) if kind in item]
        return [i for i in found if self.items[i][kind] in data] if data else found

    def first(self, kind: str, *data: Any) -> int:
        """The index of the first item with a sense; -1 for none."""
        return next(iter(self.all(kind, *data)), -1)

    def asks(self, *kinds: str) -> int:
        """The first item that asks in one of these ways; -1 for none."""
        return self.first("ask", *kinds)

    def use(self, *what: int | str) -> None:
        """Items, or all items with a sense, have had their part."""
        for each in what:
            self.used |= {each} - {-1} if isinstance(each, int) else set(self.all(each))

    def copy(self) -> "Sentence":
        """The same sentence, to be tried."""
        nouns, used = [replace(noun) for noun in self.nouns], {*self.used}
        items, claims, notes = [*self.items], [*self.claims], [*self.notes]
        return replace(self, items=items, nouns=nouns, claims=claims, used=used, notes=notes)

    @property
    def tables(self) -> list[str]:
        """The tables that are named, in order."""
        return [noun.table for noun in self.nouns]

    def words(self, i: int) -> str:
        """An item's words."""
        return self.items[i].words

    def low(self, i: int) -> str:
        """An item's words in small letters."""
        return self.items[i].words.lower()

    def of(self, *kinds: str) -> list[Claim]:
        """The claims of some kinds."""
        return [c for c in self.claims if c.kind in kinds]

    @property
    def claimed(self) -> set[int]:
        """The items on which claims stand."""
        return {c.start for c in self.claims}

    @property
    def past(self) -> bool:
        """Whether it speaks of what has been."""
        return bool(self.all("be", "was") or self.all("do", "did"))

    def is_move(self, i: int) -> bool:
        """Whether an item is a noun for an event: arrivals, departures."""
        return self.has(i, "event") and self.low(i) in word_set("event_nouns")

    def is_figure(self, i: int) -> bool:
        """Whether an item names a figure of rows; also beyond the ends."""
        if not 0 <= i < len(self.items) or self.has(i, "val", "bound", "null", "equals", "keyed"):
            return False
        if self.has(i, "age", "lasting") or self.get(i, "ask") == "long":
            return True
        return any(self.is_measure(c) for c in self.get(i, "col") or ())

    @property
    def named_figures(self) -> list[int]:
        """The items that name a figure of rows."""
        return [i for i in range(len(self.items)) if self.is_figure(i)]

    def is_measure(self, column: Column) -> bool:
        """Whether a column holds figures, and no codes or keys."""
        return column.is_number and not (column.is_code or self.world.schema.is_link(column))

    def event_end(self, i: int) -> str:
        """from or to: the end that the verb of an event speaks of; "" for none."""
        return str(playbook()["events"][self.items[i]["event"]]["end"])

    def is_past_event(self, i: int) -> bool:
        """Whether the verb of an event says that it has been."""
        return bool(playbook()["events"][self.items[i]["event"]].get("past"))


def leftover(s: Sentence) -> None:
    """Raise Problem where a word that matters has had no part in the tree."""
    left = []
    for i, item in enumerate(s.items):
        senses = set(item.senses)
        if i in s.used or (
            "only" in senses and (i in (0, len(s.items) - 1) or s.has(i + 1, "rank"))
        ):
            continue
        if s.get(i, "ask") in _ASKED:
            left.append(" ".join(x.words for x in s.items[i : i + 2]))
        if senses & _CONTENT and (not senses & _GRAMMAR or senses & {"not", "never", "rank"}):
            left.append(item.words)
    if left:
        raise Problem("unused", left)


def head_of(s: Sentence, after: int = -1) -> int:
    """The first noun, column, role or unit of time that a question is about; -1 for none."""
    for i in range(after + 1, len(s.items)):
        column = s.has(i, "col") and not s.has(i, "agg")
        if i not in s.claimed and (
            column or s.has(i, "noun", "role", "unit_of_time") or s.is_move(i)
        ):
            return i
    return -1


def identity(s: Sentence) -> tuple[str, int] | None:
    """The table of a row that is named by its name or its key, and the claim's item."""
    for claim in s.of("keyed", "equals"):
        if not claim.no:
            return claim.data[0] if claim.kind == "keyed" else claim.data[0][0].table, claim.start
    for claim in s.of("val"):
        for column in dict.fromkeys(c for c, _ in claim.data if not (claim.no or claim.role)):
            table = s.world.schema.tables[column.table]
            named = table.label == column and table.named
            if named or {"code", "number"} & set(keys(column.comment)):
                return column.table, claim.start
    return None


def figure_column(s: Sentence, i: int, table: str, unit: str = "") -> Value | None:
    """The figure that an item names, seen from a table."""
    columns = [c for c in s.get(i, "col") or () if c.is_number]
    scale = s.get(i, "howscale") or s.get(i, "scale")
    if s.has(i, "age"):
        built = figure_for((str(playbook()["events"]["built"]["of"]),), (), table, s.world)
        if built is None or s.world.today is None:
            return None
        return replace(built[1], how="age", unit="year", name="age", today=s.world.today)
    if s.has(i, "lasting") or s.get(i, "ask") == "long":
        found = figure_for(("duration",), (), table, s.world)
    elif columns:
        found = figure_for(tuple(keys(s.words(i))), columns, table, s.world, unit)
    else:
        found = figure_for(scale[0], (), table, s.world, unit) if scale else None
    return found[1] if found else None


def event_times(s: Sentence, event: str) -> list[Column]:
    """The time columns of an event."""
    return time_columns(s.world.schema, "", playbook()["events"][event]["of"])


def event_table(s: Sentence, i: int) -> str:
    """The table whose rows have the time of an event: "arrivals"; "" for none."""
    found = event_times(s, s.items[i]["event"])
    return found[0].table if found else ""


def beside(s: Sentence, at: int) -> str:
    """The table of the noun right after a superlative; "" for none."""
    after = range(at + 1, len(s.items))
    stops = (j for j in after if j not in s.claimed and not s.has(j, "light"))
    end = next(stops, len(s.items))
    return next((s.items[j]["noun"] for j in after if s.has(j, "noun") and j <= end), "")
