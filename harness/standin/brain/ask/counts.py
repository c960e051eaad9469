"""How many: rows, kinds, distinct values; whether there are any."""

from harness.standin.brain.ask.measures import Measures
from harness.standin.brain.intent import Filter, Intent, Measure, Problem
from harness.standin.brain.spot import Span


class Counts(Measures):
    """How many: rows, kinds, distinct values; whether there are any."""

    def _count(self) -> Intent:
        after = self.ask.end if self.ask is not None else 0
        head = self._head(after) or self._head(0)  # "vessels count", "ports in Italy: how many?"
        if self.ask is None or self.ask.data == "list":
            if self.ask is not None and self.r.words(self.ask).lower() == "which":
                raise Problem("clarify", ["which"], "a list for each of them is too much to read")
            return self._count_groups(head)
        if self._low(self.ask.start - 1) == "by" and not self.groups:
            before = [s for s in self.marks.of("table") if s.end <= self.ask.start - 1]
            if before:  # "carriers by number of voyages"
                self.groups.append(before[-1])
                before[-1].used = True
        if self._unit_head():
            return self._measured()
        if head is not None and head.kind == "column" and not self._between_value(head):
            column = head.data[0][0]
            if column.is_time:
                head.used = True
                self.r.filters.append(
                    Filter(column, "notnull", said=f"{column.name} given", place=head.start)
                )
                for verb in self.marks.dates:
                    if verb.start == head.start:
                        self.r.overlay_used |= set(range(verb.start, verb.end))
                self._conditions(column.table)
                return self._fill(Intent("count", column.table))
            return self._distinct()
        if head is not None and head.kind == "role":
            return self._distinct_role(head)
        if self._kinds(head):
            return self._distinct()
        if self._goods_first():
            return self._units_of_value()
        root = self._root_of(head)
        if root is None:
            return self._units_of_value()
        if self.ask.used:
            raise Problem("clarify", [self.r.words(self.ask)])
        self._conditions(root)
        return self._fill(Intent("count", root))

    def _count_groups(self, head: Span | None) -> Intent:
        """ "voyages per month": a count, though nothing says so."""
        root = self._root_of(head)
        if root is None:
            raise Problem("clarify", [self.marks.text.strip()], "I can't tell what to count")
        self._conditions(root)
        return self._fill(Intent("count", root))

    def _goods_first(self) -> bool:
        """ "how many laptops are on ...": the thing counted is a kind of goods."""
        assert self.ask is not None
        span = self.r.next_span(self.ask.end)
        if span is None or span.kind != "value":
            return False
        table = self.schema.tables[span.data[0][0].table]
        after = self.r.at(span.end)
        return (
            table.label == span.data[0][0]
            and not table.named
            and (after is None or after.kind != "table")
        )

    def _between_value(self, head: Span) -> bool:
        return head.used

    def _unit_head(self) -> bool:
        """ "how many TEU ...", "how many tons of cargo ..."."""
        assert self.ask is not None
        span = self.r.next_span(self.ask.end, frozenset(("the", "of", "total")))
        return span is not None and span.kind == "unit"

    def _units_of_value(self) -> Intent:
        """ "how many laptops": the units of the lines whose kind has that name."""
        for span in self.marks.of("value"):
            column = span.data[0][0]
            table = self.schema.tables[column.table]
            if table.label == column and not table.named:
                amount = next(
                    (
                        c
                        for c in table.columns.values()
                        if "unit" in c.head and c.is_number and not self.schema.is_link(c)
                    ),
                    None,
                )
                if amount is not None:
                    self._conditions(table.name)
                    self.r.notes.append(f"Units, the sum of {amount.name}.")
                    return self._fill(Intent("aggregate", table.name, Measure("sum", amount)))
        raise Problem("clarify", ["how many"], "I can't tell what to count")

    def _distinct_role(self, head: Span) -> Intent:
        reference = head.data[0]
        head.used = True
        follower = self.r.at(head.end)
        if follower is not None and follower.kind == "table":
            follower.used = True
        self._conditions(reference.table)
        column = self.schema.column(reference.table, reference.column)
        return self._fill(Intent("count", reference.table, Measure("distinct", column)))

    def _distinct(self) -> Intent:
        """ "how many different flags": distinct values of a column (or of a table's label)."""
        for span in self.marks.of("aggregate"):
            span.used = span.used or span.data == "distinct"
        head = self._head(self.ask.end if self.ask else 0)
        if head is None:
            raise Problem("clarify", ["different"], "I can't tell what to count")
        counting = self.ask is not None and self.ask.data == "count"
        if head.kind == "table":
            root = self._root_of(head)
            assert root is not None
            table = self.schema.tables[root]
            self._conditions(root)
            if table.named or table.label is None:
                return self._fill(Intent("count" if counting else "list", root))
            measure = Measure("distinct", table.label)
            return self._fill(Intent("count" if counting else "values", root, measure))
        head.used = True
        column = self._pick(head)
        self._conditions(column.table)
        self._anchor_tables(column.table)
        shape = "count" if counting else "values"
        return self._fill(Intent(shape, column.table, Measure("distinct", column)))
