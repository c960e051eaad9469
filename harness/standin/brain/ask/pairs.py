"""Shares of a whole and comparisons of two."""

import itertools

from harness.standin.brain.ask.tops import Tops
from harness.standin.brain.intent import Filter, Group, Intent, Measure, Problem


class Pairs(Tops):
    """Shares of a whole and comparisons of two."""

    def _share(self) -> Intent:
        span = self._aggregate("share")
        assert span is not None
        span.used = True
        for each in self.marks.of("ask"):
            each.used = True
        head = self._head(span.end)
        root = self._root_of(head)
        if root is None or head is None:
            raise Problem("clarify", ["share"], "a share of what?")
        before = [
            s
            for s in self.marks.of("null", "value", "sense", "term", "gloss", "compare", "time")
            if s.start < head.start
        ]
        split = head.end
        self._conditions(root)
        part = [f for f in self.r.filters if f.place >= split and not f.op.endswith("range")]
        whole = [f for f in self.r.filters if f not in part]
        if not part and not self.groups:
            part = [f for f in whole if not f.op.endswith("range")]
            whole = [f for f in whole if f not in part]
        if not part and not self.groups:
            raise Problem(
                "clarify",
                [self.r.words(span), *(self.r.words(s) for s in before)],
                "which part of them?",
            )
        if self.r.related:
            raise Problem("clarify", [self.r.words(span)], "a share of rows that have other rows")
        self.r.filters = whole
        intent = self._fill(Intent("share", root))
        intent.target = part
        return intent

    def _compare(self) -> Intent:
        """ "Which has more voyages, A or B?"."""
        named = self.marks.of("value")
        shared = None
        for first, second in itertools.pairwise(named):
            columns = [c for c, _ in first.data if c in [x for x, _ in second.data]]
            if columns:
                shared = (first, second, columns)
        if shared is None:
            raise Problem("clarify", ["more"], "more than what?")
        for each in self.marks.of("ask", "exists"):
            each.used = True
        more = next(s for s in self.marks.of("more", "compared"))
        start = more.end if more.kind == "more" else 0
        measured = next(
            (
                s
                for s in self.marks.spans
                if s.start >= start and s.kind in ("table", "column") and not s.used
            ),
            None,
        )
        first, second, columns = shared
        if measured is None:
            raise Problem("clarify", ["more"], "more of what?")
        measured.used = True
        if measured.kind == "table":
            root, measure = str(measured.data), Measure("count")
        else:
            kind, percent = (
                self._measure_kind()
                if self._aggregate("avg", "sum", "median", "max", "min")
                else ("", 50.0)
            )
            column = self._pick(measured)
            if not kind and self.r.dimension(column) in ("slots", "mass", "money"):
                kind = "sum"
            if not kind:
                one = self.schema.tables[column.table].label in columns
                kind = "max" if one else ""
            if not kind:
                raise Problem("clarify", [self.r.words(measured)], "the total or the average?")
            root, measure = (
                column.table,
                Measure(kind, column, self._times_column(column, kind), None, percent),
            )
        column = min(columns, key=lambda c: (self.r.distance(root, c), not self.r._is_label(c)))
        first.used = second.used = True
        values = tuple(dict.fromkeys(v for s in (first, second) for c, v in s.data if c == column))
        role = self._role_for(root, column.table, first)
        self._anchor_tables(root)
        for span in self.marks.of("table"):
            span.used = span.used or span.data == column.table
        self._conditions(root)
        self.r.filters.append(
            Filter(
                column, "in", values, role, said=f"{column.name} {' or '.join(values)}", place=-1
            )
        )
        intent = self._fill(
            Intent(
                "compare", root, measure, order="asc" if more.data in ("fewer", "less") else "desc"
            )
        )
        label = self.schema.tables[column.table].label == column
        kind = "entity" if label and measure.kind == "count" else "column"
        intent.groups = [Group(kind, column.table, column, role)]
        intent.rank = more.data
        return intent
