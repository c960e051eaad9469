"""Values next to a column, numbers next to a noun, and words that name nothing known."""

from collections.abc import Iterator
from typing import Any

from harness.standin.brain.intent import Filter
from harness.standin.brain.read.base import Place
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import word_set

_ARTICLES = frozenset("the a an of is are was were be been it that which in on at by as to".split())


class Names(Place):
    """Values next to a column, numbers next to a noun, and words that name nothing known."""

    def labels(self) -> None:
        """Narrow values by a column named beside them: "flag of Malta", "the PACIFIC region"."""
        for span in self.marks.of("column"):
            for value in self.marks.of("value"):
                first, second = sorted((span, value), key=lambda s: s.start)
                if any(w not in _ARTICLES for w in self.between(first, second)):
                    continue
                named = {column for column, _ in span.data}
                kept = [pair for pair in value.data if pair[0] in named]
                if kept and not span.used:
                    value.data, span.used = kept, True
                elif not kept and not span.used and self._could_hold(span, first is span):
                    column = span.data[0][0]
                    value.data, span.used = [(column, str(value.data[0][1]))], True

    def _could_hold(self, span: Span, before: bool) -> bool:
        """ "the flag of Norway": no sample says so, yet that is what is asked."""
        column = span.data[0][0]
        words = [t.low for t in self.marks.tokens[span.end : span.end + 1]]
        return (
            before
            and column.is_text
            and len(span.data) == 1
            and bool(column.values)
            and words == ["of"]
        )

    def ids(self) -> None:
        """ "voyage 1400", "IMO 9846782", "HS code 401110", "size 2"."""
        for number in self.marks.of("number"):
            before = self.at(number.start - 1)
            at = number.start - 1
            while (
                before is None
                and at >= 0
                and self.marks.tokens[at].low in ("id", "number", "no", "is", "key")
            ):
                at -= 1
                before = self.at(at)
            if before is None or number.used:
                continue
            if before.kind == "table":
                table = self.schema.tables[before.data]
                if table.key and before.data in self.schema.tables:
                    column = table.columns.get(table.key[0])
                    if column is not None:
                        self._equal(number, column)
            elif before.kind == "column" and not before.used:
                column = before.data[0][0]
                if column.is_text or column.is_number:
                    self._equal(number, column)
                    before.used = True

    def _equal(self, number: Span, column: Column) -> None:
        text = self.words(number)
        value: Any = (
            text
            if column.is_text
            else int(number.data)
            if number.data == int(number.data)
            else number.data
        )
        said = f"{column.name} {text}"
        self.filters.append(Filter(column, "=", (value,), said=said, place=number.start))
        number.used = True

    def leftovers(self) -> Iterator[tuple[int, int]]:
        """Runs of tokens that nothing claimed and that carry meaning."""
        quiet = word_set("stop") | word_set("light")
        i, tokens = 0, self.marks.tokens
        while i < len(tokens):
            if self._loud(i, quiet):
                start = i
                while i < len(tokens) and (
                    i == start or (self._loud(i, quiet) and not tokens[i].gap)
                ):
                    i += 1
                yield self._widened(start, i)
            else:
                i += 1

    def _loud(self, i: int, quiet: frozenset[str]) -> bool:
        token = self.marks.tokens[i]
        if self.at(i) is not None or i in self.overlay_used:
            return False
        covered = any(s.start <= i < s.end for s in (*self.marks.roles, *self.marks.dates))
        return (
            token.low not in quiet and not covered and (len(token.low) > 1 or token.low.isdigit())
        )

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """Take capitalised neighbours in: "Auriga Container Line", "Port Said"."""
        tokens = self.marks.tokens
        if not tokens[start].capital:
            return start, end
        while (
            start > 0
            and tokens[start - 1].capital
            and not tokens[start].gap
            and not tokens[start - 1].first
            and self._noun_at(start - 1)
        ):
            start -= 1
        while (
            end < len(tokens) and tokens[end].capital and not tokens[end].gap and self._noun_at(end)
        ):
            end += 1
        return start, end

    def _noun_at(self, i: int) -> bool:
        owner = self.at(i)
        return owner is None or owner.kind in ("table", "column", "role")
