"""Sums, averages, percentiles, weighted means: what is measured, in which unit."""

from harness.standin.brain.ask.groups import Groups
from harness.standin.brain.corrections import never_units
from harness.standin.brain.intent import Intent, Measure, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook, stem, word_set


class Measures(Groups):
    """Sums, averages, percentiles, weighted means: what is measured, in which unit."""

    def _measure_kind(self) -> tuple[str, float]:
        percentile = self._first("percentile")
        if percentile is not None:
            percentile.used = True
            return "percentile", float(percentile.data)
        for kind in ("weighted", "median", "avg", "sum", "min", "max"):
            span = self._aggregate(kind)
            if span is not None:
                for each in self.marks.of("aggregate"):
                    each.used = each.used or each.data in (kind, "avg", "sum")
                return kind, 50.0
        return "sum", 50.0

    def _measured(self) -> Intent:
        kind, percent = self._measure_kind()
        if self.ask is not None:
            self.ask.used = self.ask.used or self.ask.data in ("amount", "list")
        if kind == "avg" and self._nested_count():
            return self._average_count(self._aggregate("avg").end)  # type: ignore[union-attr]
        if kind == "avg" and self.ask is not None and self.ask.data == "count" and self.groups:
            return self._average_count(self.ask.end)
        unit = self._asked_unit()
        column = self._measure_column(kind, unit)
        if column is None and kind == "sum" and self._value_table() and not unit:
            goods = self.schema.tables[self._value_table()]
            column = None if goods.named else self._only_amount(goods.name)
        if column is None:
            head = self._head(0)
            if kind == "sum" and head is not None and head.kind == "table" and not unit:
                root = self._root_of(head)
                assert root is not None
                if self.ask is not None and self.ask.data == "amount":
                    column = self._only_amount(root)
                else:
                    self._conditions(root)
                    for each in self.marks.of("ask"):
                        each.used = True
                    return self._fill(Intent("count", root))
            else:
                raise Problem(
                    "need",
                    [t.low for t in self.marks.tokens if t.low not in word_set("stop")][:6],
                    "what is to be measured",
                )
        root = column.table
        weight = self._weight_column(root) if kind == "weighted" else None
        if weight is not None and self._far(root, weight):
            raise Problem(
                "need", [root.rsplit(".", 1)[-1], weight.name, "references"], "one weight a row"
            )
        self._anchor_tables(root)
        self._conditions(root)
        self._check_unit(column, unit)
        named = self.schema.tables[root].named
        if kind == "avg" and [s.data for s in self.groups] == [root] and not named:
            self.groups = []  # "average weight per item": of all items
        if kind == "avg" and self._totalled(column):
            times = self._times_column(column, "sum")
            short = str(self.groups[0].data).rsplit(".", 1)[-1]
            self.r.notes.append(
                f"The totals of {column.name}, averaged over all {short}; without any counts as 0."
            )
            intent = self._fill(Intent("aggregate", root))
            intent.measure = Measure(kind, column, times, None, percent, unit, self.groups[0].data)
            return intent
        times = self._times_column(column, kind)
        measure = Measure(kind, column, times, weight, percent, unit)
        return self._fill(Intent("aggregate", root, measure))

    def _totalled(self, column: Column) -> bool:
        """ "average weight per container", of lines of cargo: one figure over their totals."""
        lines = not self.schema.tables[column.table].named
        summed = self.r.dimension(column) in ("mass", "money")
        said = any(self.r.words(s).lower() in ("per", "each") for s in self.marks.of("each"))
        one = len(self.groups) == 1 and self.groups[0].kind == "table"
        ends = one and self._low(self.groups[0].end - 1) == stem(self._low(self.groups[0].end - 1))
        return lines and summed and said and ends and self.groups[0].data != column.table

    def _nested_count(self) -> bool:
        average = self._aggregate("avg")
        assert average is not None
        following = [s for s in self.marks.spans if s.start >= average.end]
        if following and following[0].kind == "ask" and following[0].data == "count":
            following[0].used = True
            return True
        return bool(
            following
            and following[0].kind == "table"
            and self.groups
            and not any(s.kind == "column" and not s.used for s in self.marks.spans)
        )

    def _average_count(self, after: int) -> Intent:
        """ "average number of containers per voyage"."""
        head = self._head(after)
        if (
            head is None
            or head.kind != "table"
            or len(self.groups) != 1
            or self.groups[0].kind != "table"
        ):
            raise Problem("clarify", ["average"], "say an average of what, per what")
        root = self._root_of(head)
        if root is None or root == self.groups[0].data:
            raise Problem("clarify", ["average"], "say an average of what, per what")
        self._conditions(root)
        intent = self._fill(Intent("aggregate", root))
        intent.measure = Measure("avg", per=self.groups[0].data)
        return intent

    def _asked_unit(self) -> str:
        for span in self.marks.of("unit"):
            span.used = True
            return str(span.data)
        return ""

    def _measure_column(self, kind: str, unit: str) -> Column | None:
        weighted = self._aggregate("weighted")
        spans = [s for s in self.marks.of("column") if not s.used]
        if weighted is not None:
            before = [s for s in spans if s.end <= weighted.start]
            spans = before or spans
        numeric = [
            s for s in spans if any(c.is_number and not self.schema.is_link(c) for c, _ in s.data)
        ]
        if numeric:
            span = numeric[0]
            span.data = [(c, n) for c, n in span.data if c.is_number]
            span.used = True
            if unit:
                kinds = playbook()["units"][unit]["dimension"]
                fitting = [(c, n) for c, n in span.data if self.r.dimension(c) == kinds]
                span.data = fitting or span.data
            return self._pick(span)
        if unit and kind in ("sum", "avg", "max", "min", "median", "percentile"):
            marked = self.marks.of("unit")[0]
            self._trap(unit, marked)
            tables = list(self.r.mentioned())
            root = tables[0] if tables else (self._value_table() or "")
            if not root:
                raise Problem("clarify", [self.r.words(marked)], f"{self.r.words(marked)} of what?")
            return self.r.by_unit(unit, root, marked)
        return None

    def _value_table(self) -> str:
        for span in self.marks.of("value"):
            return str(span.data[0][0].table)
        return ""

    def _trap(self, unit: str, span: Span) -> None:
        """A unit that a comment rules out for the thing that is named."""
        mentioned = set(self.r.mentioned()) | (
            {self._value_table()} if self._value_table() else set()
        )
        for column in self.schema.columns:
            if (
                unit in never_units(column)
                and column.table in mentioned
                and self.r.dimension(column) != playbook()["units"][unit]["dimension"]
            ) and not any(
                self.r.dimension(c) == playbook()["units"][unit]["dimension"]
                and c.table in mentioned
                for c in self.schema.columns
            ):
                raise Problem("unit", [self.r.words(span), unit, column.name, column.table])

    def _check_unit(self, column: Column, unit: str) -> None:
        if unit:
            marked = self.marks.of("unit")[0]
            self.r.converted(1.0, unit, column, marked)

    def _only_amount(self, root: str) -> Column:
        """ "how much cargo": its weight, and the answer says so."""
        masses = [
            c for c in self.schema.tables[root].columns.values() if self.r.dimension(c) == "mass"
        ]
        if not masses:
            raise Problem("clarify", ["how much"], "how much of what: a weight, a value, a number?")
        self.r.notes.append(f"Measured by {masses[0].name}.")
        return masses[0]

    def _weight_column(self, root: str) -> Column:
        weighted = self._aggregate("weighted")
        assert weighted is not None
        for span in self.marks.of("column"):
            if span.start >= weighted.end and not span.used:
                span.used = True
                return self._nearest(span, root)
        for span in self.marks.of("unit"):
            if span.start >= weighted.end:
                return self.r.by_unit(str(span.data), root, span)
        raise Problem("clarify", ["weighted"], "weighted by what?")

    def _times_column(self, column: Column, kind: str) -> Column | None:
        """The units of a line, where a total is asked of a column that holds one unit's figure."""
        if kind != "sum" or "unit" not in (*column.parts, *column.clause.lower().split()):
            return None
        table = self.schema.tables[column.table]
        for other in table.columns.values():
            if (
                other != column
                and other.is_number
                and "unit" in other.head
                and not self.schema.is_link(other)
            ):
                self.r.notes.append(f"Each line counts {other.name} x {column.name}.")
                return other
        return None
