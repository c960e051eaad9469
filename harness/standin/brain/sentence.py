"""A question being read: its items, the nouns and claims found in them, what is used up."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.link import Item, World
from harness.standin.brain.measures import figure_for
from harness.standin.brain.tree import Problem, Value
from harness.standin.brain.ways import time_columns
from harness.standin.brain.words import keys, playbook

CONTENT = tuple(
    """only per_unit howscale word noun col val role null empty zero term sense bound keyed equals
window weekday half rank agg percent unit quantity num verb event scale most pattern early
visit underway same lasting order kinds unit_of_time never not more tail percentile ordinal
times now lengths each pronoun ahead behind after_eta""".split()
)

_GRAMMAR = frozenset("light stop ask be do and or from to by".split())


@dataclass
class Noun:
    """A table that the question names: where, at which end, negated, with how many."""

    at: int
    table: str
    role: str = ""
    no: bool = False
    bound: Any = None
    claims: list[Claim] = field(default_factory=list)
    verb: str = ""


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

    def first(self, kind: str, *, after: int = -1, unused: bool = False) -> int:
        """The index of the first item with a sense; -1 for none."""
        for i, item in enumerate(self.items):
            if i > after and kind in item and not (unused and i in self.used):
                return i
        return -1

    def all(self, kind: str) -> Iterator[int]:
        """The indexes of the items with a sense."""
        return (i for i, item in enumerate(self.items) if kind in item)

    def asks(self, *kinds: str) -> int:
        """The first item that asks in one of these ways; -1 for none."""
        return next((i for i in self.all("ask") if self.items[i]["ask"] in kinds), -1)

    @property
    def past(self) -> bool:
        """Whether it speaks of what has been."""
        tenses = {self.items[i].senses.get(k) for k in ("be", "do") for i in self.all(k)}
        return bool(tenses & {"was", "did"})

    def words(self, i: int) -> str:
        """An item's words."""
        return self.items[i].words


def leftover(s: Sentence) -> None:
    """Raise Problem where a word that matters has had no part in the tree."""
    left = []
    for i, item in enumerate(s.items):
        if "only" in item and (i == 0 or i == len(s.items) - 1 or "rank" in s.items[i + 1]):
            continue
        if (
            "ask" in item
            and item["ask"] in ("count", "amount", "when", "where", "far", "long")
            and i not in s.used
        ):
            left.append(" ".join(x.words for x in s.items[i : i + 2]))
        if i in s.used or not set(item.senses) & set(CONTENT):
            continue
        if set(item.senses) & _GRAMMAR and not set(item.senses) & {"not", "never", "rank"}:
            continue
        left.append(item.words)
    if left:
        raise Problem("unused", left)


def head_of(s: Sentence, after: int = -1) -> int:
    """The first noun, column, role or unit of time that a question is about; -1 for none."""
    for i, item in enumerate(s.items):
        if i <= after or i in {c.start for c in s.claims}:
            continue
        if (
            set(item.senses) & {"noun", "role", "unit_of_time"}
            or ("col" in item and "agg" not in item)
            or (
                "event" in item
                and item.words.lower() in ("arrivals", "departures", "arrival", "departure")
            )
        ):
            return i
    return -1


def figure_column(s: Sentence, i: int, table: str, unit: str = "") -> Value | None:
    """The figure that an item names, seen from a table."""
    item = s.items[i]
    words = tuple(keys(item.words))
    columns = [c for c in item.senses.get("col", ()) if c.is_number]
    if "age" in item:
        found = figure_for((str(playbook()["events"]["built"]["of"]),), (), table, s.world)
        years: dict[str, Any] = {
            "how": "age",
            "unit": "year",
            "name": "age",
            "today": s.world.today,
        }
        found = (found[0], replace(found[1], **years)) if found and s.world.today else None
    elif "lasting" in item or ("ask" in item and item["ask"] == "long"):
        found = figure_for(("duration",), (), table, s.world)
    elif columns:
        found = figure_for(words, columns, table, s.world, unit)
    elif "scale" in item or "howscale" in item:
        scale = item.senses.get("howscale") or item["scale"]
        found = figure_for(scale[0], (), table, s.world, unit)
    else:
        found = None
    return found[1] if found else None


def event_times(s: Sentence, event: str) -> list[Any]:
    """The time columns of an event."""
    return time_columns(s.world.schema, "", playbook()["events"][event]["of"])
