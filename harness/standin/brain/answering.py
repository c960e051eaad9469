"""What an answer is made of."""

from dataclasses import dataclass
from typing import Any

from harness.standin.brain.cells import brackets, number
from harness.standin.brain.compose import TIES, Draft
from harness.standin.brain.tree import Query
from harness.standin.brain.words import playbook, stem


@dataclass
class Answer:
    """A tree, its draft, and what came back; `total` counts the rows of a cut result."""

    query: Query
    draft: Draft
    columns: list[str]
    rows: list[list[Any]]
    unit: str = ""
    truncated: bool = False
    total: int = 0

    @property
    def noun(self) -> str:
        """The rows, as their table is called."""
        return self.query.source.rsplit(".", 1)[-1]

    @property
    def plural(self) -> str:
        """The rows, in words."""
        return self.noun.replace("_", " ")

    @property
    def where(self) -> str:
        """What restricts the rows, in brackets."""
        return brackets(self.query.where)

    @property
    def kind(self) -> str:
        """The kind of its first measure; "" for rows."""
        return self.query.measures[0].kind if self.query.measures else ""

    def named(self, count: Any) -> str:
        """ "1 vessel", "3 cargo items"."""
        word = stem(self.noun) if count == 1 and "_" not in self.noun else self.plural
        return f"{number(count)} {word}"

    def figure(self, value: Any) -> str:
        """A figure with its unit."""
        if self.unit == "dollar" and value is not None:
            return f"${float(value):,.2f} (US dollars)"
        return f"{number(value)} {playbook()['shown_units'].get(self.unit, '')}".strip()

    def rank(self) -> str:
        """Which end of the order it is."""
        if self.query.word in ("latest", "earliest"):
            return self.query.word
        return "highest" if self.query.order is None or self.query.order.down else "lowest"

    def place(self) -> str:
        """ "highest", "second highest"."""
        words = list(playbook()["ordinals"])
        place = words[self.query.skip] if 0 < self.query.skip < len(words) else ""
        return f"{place} {self.rank()}".strip()

    def asked_rows(self, at: int) -> list[int]:
        """The rows that were asked for, and those that share the last one's figure."""
        last = self.query.skip + self.query.limit
        if self.query.skip:
            return list(range(self.query.skip, min(last, len(self.rows))))
        figure = self.rows[last - 1][at] if len(self.rows) >= last else None
        return [n for n, row in enumerate(self.rows) if n < last or row[at] == figure]

    def heading(self, shown: int) -> str:
        """What is said above the first places."""
        limit, rank = self.query.limit, self.rank()
        if shown == limit:
            return f"The {limit} {rank}{self.where}:"
        if shown < limit:
            return f"There are only {shown}{self.where}:"
        more = " at least" if shown == limit + TIES else ""
        if limit == 1:
            return f"{shown}{more} share the {rank} place{self.where}:"
        tied = f"and{more} {shown - limit} more with the same figure"
        return f"The {limit} {rank}{self.where}, {tied}:"
