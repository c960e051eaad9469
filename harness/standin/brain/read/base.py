"""Where things stand in a question, and how tables hang together."""

from dataclasses import dataclass, field
from datetime import date

from harness.standin.brain.corrections import Corrections, units_said
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Problem, Related
from harness.standin.brain.lexicon import Lexicon
from harness.standin.brain.schema import Column, Edge, Schema
from harness.standin.brain.spot import Marks, Span
from harness.standin.brain.words import playbook, word_set

_ARTICLES = frozenset("the a an of is are was were be been it that which in on at by as to".split())


@dataclass
class Place:
    """Where things stand in a question, and how tables hang together."""

    marks: Marks
    schema: Schema
    lexicon: Lexicon
    corrections: Corrections
    today: date | None
    filters: list[Filter] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    overlay_used: set[int] = field(default_factory=set)
    scopes: dict[int, tuple[int, int]] = field(default_factory=dict)

    def between(self, first: Span, second: Span) -> list[str]:
        """The small letters between two spans."""
        return [t.low for t in self.marks.tokens[first.end : second.start]]

    def at(self, index: int) -> Span | None:
        """The span that owns a token."""
        return self.marks.owner[index] if 0 <= index < len(self.marks.owner) else None

    def next_span(self, after: int, skip: frozenset[str] = _ARTICLES) -> Span | None:
        """The span that begins next, with nothing but articles before it."""
        for i in range(after, len(self.marks.tokens)):
            span = self.at(i)
            if span is not None:
                return span
            if self.marks.tokens[i].low not in skip:
                return None
        return None

    def mentioned(self) -> list[str]:
        """The tables that the question names."""
        return [s.data for s in self.marks.of("table")]

    def words(self, span: Span) -> str:
        """A span's words as written."""
        return self.marks.words(span)

    def way(self, root: str, column_table: str, role: ReferenceFact | None) -> list[Edge]:
        """The joins from root to a table. Raises Problem: need, role."""
        through = (role.table, role.column) if role else None
        try:
            way = self.schema.path(root, column_table, through)
        except LookupError:
            words = [root.rsplit(".", 1)[-1], column_table.rsplit(".", 1)[-1]]
            raise Problem(
                "need", [*words, "references"], "no way to join " + " and ".join(words)
            ) from None
        if role is None:
            for edge in way:
                table, column = edge.reference
                one = edge.table if edge.many else edge.target
                if self.schema.twins(table, one):
                    raise Problem("role", [one], f"{column} or another")
        return way

    def distance(self, root: str, column: Column) -> float:
        """How far a column is from the root; far away when nothing joins them."""
        try:
            way = self.schema.path(root, column.table)
        except LookupError:
            return 99.0
        return sum(1.6 if edge.many else 1.0 for edge in way)

    def crosses_many(self, root: str, table: str, role: ReferenceFact | None) -> str:
        """The first table on the many side of the way, or ""."""
        way = self.schema.path(root, table, (role.table, role.column) if role else None)
        return next((edge.target for edge in way if edge.many), "")

    def scope_of(self, place: int) -> int:
        """The negated group that a token belongs to; 0 for none."""
        for number, (start, end) in sorted(self.scopes.items()):
            if start <= place < end:
                return number
        return 0

    def _is_label(self, column: Column) -> bool:
        return self.schema.tables[column.table].label == column

    @staticmethod
    def _texts(span: Span, column: Column) -> list[str]:
        return list(dict.fromkeys(value for c, value in span.data if c == column))

    def _measure_of(self, span: Span, column: Column) -> Column | None:
        """The numeric column of the same table whose name begins like the value: delay, DELAYED."""
        word = self.marks.tokens[span.start].key
        for other in self.schema.tables[column.table].columns.values():
            if other.is_number and any(len(p) > 3 and word.startswith(p) for p in other.parts):
                return other
        return None

    def _noun_beside(self, span: Span) -> Span | None:
        before = [s for s in self.marks.of("column") if s.end <= span.start]
        after = self.next_span(span.end)
        if before:
            gap = [t.low for t in self.marks.tokens[before[-1].end : span.start]]
            if all(w in _ARTICLES or w in word_set("stop") for w in gap) and len(gap) < 4:
                return before[-1]
        if after is not None and after.kind == "column":
            return after
        return None

    def dimension(self, column: Column) -> str:
        """slots, money, mass, duration ... of a column's unit; "" if it has none."""
        unit = units_said(column, self.corrections)
        return str(playbook()["units"][unit]["dimension"]) if unit else ""

    def columns_for(self, words: tuple[str, ...], root: str) -> list[Column]:
        """Numeric columns that these words describe, the nearest first."""
        scored: list[tuple[float, int, Column]] = []
        mentioned = self.mentioned()
        for word in words:
            for column, strength in self.lexicon.columns.get((word,), []):
                if column.is_number and not self.schema.is_link(column):
                    near = self.distance(root, column)
                    near -= 0.5 if column.table in mentioned else 0
                    scored.append((near, -strength, column))
        scored.sort(key=lambda each: (each[0], each[1], each[2].table, each[2].name))
        return [column for near, _, column in scored if near < 90]

    def converted(self, number: float, unit: str, column: Column, span: Span) -> float:
        """A number in the column's unit. Raises Problem where the two are of different kinds."""
        own = units_said(column, self.corrections)
        table = playbook()["units"]
        if not own or table[own]["dimension"] != table[unit]["dimension"]:
            raise Problem(
                "unit",
                [self.words(span), unit, column.name, column.table],
                f"{column.name} is not in {unit}",
            )
        if "fahrenheit" in (own, unit) and own != unit:
            return (number - 32) / 1.8
        return round(number * table[unit]["factor"] / table[own]["factor"], 6)

    def time_columns(self, root: str, words: list[str] | tuple[str, ...]) -> list[Column]:
        """Date columns that the words describe, nearest first, in the table's own order."""
        found = []
        for position, column in enumerate(self.schema.columns):
            if not column.is_time or self.distance(root, column) > 6:
                continue
            said = {*column.parts, *column.head}
            if words and not said & set(words):
                continue
            found.append((self.distance(root, column), position, column))
        return [column for _, _, column in sorted(found, key=lambda each: each[:2])]
