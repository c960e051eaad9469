"""What an answer is made of."""

from typing import Any

from harness.standin.brain.cells import brackets, number
from harness.standin.brain.compose import Draft
from harness.standin.brain.tree import Query
from harness.standin.brain.words import playbook, stem


class Answer:
    """What an answer is made of."""

    def __init__(
        self,
        query: Query,
        draft: Draft,
        columns: list[str],
        rows: list[list[Any]],
        unit: str,
        truncated: bool,
        total: int,
    ) -> None:
        self.query, self.draft, self.columns, self.rows = query, draft, columns, rows
        self.unit, self.truncated, self.total = unit, truncated, total
        self.noun = query.source.rsplit(".", 1)[-1]
        self.plural = self.noun.replace("_", " ")
        self.where = brackets(query.where)
        self.kind = query.measures[0].kind if query.measures else ""

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
