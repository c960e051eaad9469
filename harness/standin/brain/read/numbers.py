"""Comparisons with numbers: of a column, or of a count of related rows."""

from harness.standin.brain.intent import Filter, Problem, Related
from harness.standin.brain.read.values import Values
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Numeric, Span
from harness.standin.brain.words import playbook, word_set

_FLIP = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>"}
_FLIP_AGE = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "="}


class Numbers(Values):
    """Comparisons with numbers: of a column, or of a count of related rows."""

    def counted_rows(self) -> None:
        """ "more than 3 delayed voyages": a count of related rows, with its own conditions."""
        for span in self.marks.of("compare"):
            numeric: Numeric = span.data
            after = self.next_span(span.end, frozenset(("such", "different")))
            if after is not None and after.kind in ("value", "gloss", "sense", "null"):
                further = self.next_span(after.end, frozenset())
                after = further if further is not None and further.kind == "table" else after
            if not numeric.unit and not numeric.of and after is not None and after.kind == "table":
                self._counted(span, after)

    def numbers(self, root: str) -> None:
        """Comparisons of a column with numbers."""
        for span in self.marks.of("compare"):
            if span.used:
                continue
            numeric: Numeric = span.data
            column = self.numeric_column(numeric, root, span)
            self.filters.append(self.numeric_filter(numeric, column, span, span.negated))
            span.used = True

    def _counted(self, span: Span, table: Span) -> None:
        numeric: Numeric = span.data
        if numeric.op == "between":
            raise Problem("clarify", [self.words(span)], "I can't count between two numbers")
        number = len(self.scopes) + 100 + span.start
        self.scopes[number] = (span.end, self._clause_end(table.end))
        op = _FLIP[numeric.op] if span.negated else numeric.op
        self.related.append(Related(table.data, op, numeric.numbers[0], scope=number))
        table.used = span.used = True

    def _clause_end(self, start: int) -> int:
        for i in range(start, len(self.marks.tokens)):
            if self.marks.tokens[i].gap or self.marks.tokens[i].low in (
                "and",
                "but",
                "have",
                "has",
                "does",
            ):
                return i
        return len(self.marks.tokens)

    def numeric_column(self, numeric: Numeric, root: str, span: Span) -> Column:
        """The column of a comparison: by its adjective, a noun beside it, or its unit."""
        if numeric.of:
            found = self.columns_for(numeric.of, root)
            if found:
                self._use_nouns(span, found[0])
                return found[0]
            raise Problem("need", [*numeric.of], f'what "{self.words(span)}" measures')
        beside = self._noun_beside(span)
        if beside is not None:
            options = [c for c, _ in beside.data if c.is_number]
            if options:
                beside.used = True
                return min(options, key=lambda c: self.distance(root, c))
        if numeric.unit:
            return self.by_unit(numeric.unit, root, span)
        raise Problem("clarify", [self.words(span)], f'"{self.words(span)}" of what?')

    def _use_nouns(self, span: Span, column: Column) -> None:
        for noun in self.marks.of("column"):
            near = abs(noun.end - span.start) < 3 or abs(span.end - noun.start) < 3
            if near and column in [c for c, _ in noun.data]:
                noun.used = True

    def by_unit(self, unit: str, root: str, span: Span) -> Column:
        """The one column that is measured in a unit, nearest to what the question names."""
        dimension = playbook()["units"].get(unit, {}).get("dimension", unit)
        options = [
            c
            for c in self.schema.columns
            if c.is_number and not self.schema.is_link(c) and self.dimension(c) == dimension
        ]
        near = [c for c in options if c.table == root] or [
            c for c in options if c.table in self.mentioned()
        ]
        near = near or [c for c in options if self.distance(root, c) < 99]
        if len({c.table for c in near}) > 1:
            verbs = {t.low for t in self.marks.tokens if t.low in word_set("light")}
            said = [
                c for c in near if verbs & set(self.schema.tables[c.table].comment.lower().split())
            ]
            near = said or near
        if not near:
            raise Problem("need", [unit, self.words(span)], f"what is measured in {unit}")
        if len({c.table for c in near}) > 1:
            names = " or ".join(f"{c.table.rsplit('.', 1)[-1]}.{c.name}" for c in near)
            raise Problem(
                "clarify", [self.words(span)], f'"{self.words(span)}" may be about {names}'
            )
        return near[0]

    def numeric_filter(self, numeric: Numeric, column: Column, span: Span, negated: bool) -> Filter:
        """The condition of a comparison, its numbers converted to the column's own unit."""
        op, numbers = numeric.op, list(numeric.numbers)
        if numeric.unit == "year":
            if self.today is None:
                raise Problem("today", ["today"])
            op, numbers = (
                _FLIP_AGE[numeric.age or numeric.op],
                [self.today.year - n for n in numbers],
            )
        elif numeric.unit:
            numbers = [self.converted(n, numeric.unit, column, span) for n in numbers]
        if negated:
            if op == "between":
                raise Problem("clarify", [self.words(span)], "I can't leave out a range")
            op = _FLIP[op]
        values = tuple(int(n) if n == int(n) else n for n in numbers)
        shown = " and ".join(map(str, values))
        return Filter(
            column,
            op,
            values,
            said=f"{column.name} {op} {shown}",
            place=span.start,
            scope=self.scope_of(span.start),
        )
