"""The most, the largest, the top five."""

from harness.standin.brain.ask.ranks import Ranks
from harness.standin.brain.intent import Filter, Intent, Measure, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook


class Tops(Ranks):
    """The most, the largest, the top five."""

    def _top(self) -> Intent:
        superlative = self._first("superlative")
        extreme = self._extreme()
        busy = self._first("busy")
        limit = self._limit(superlative or extreme or busy)
        if extreme is not None and self.groups and self._counted_groups():
            return self._top_counted(extreme, limit)
        if (
            extreme is not None
            and self.groups
            and self._aggregate("avg", "sum", "median", "min", "max")
        ):
            return self._top_measured(extreme, limit)
        if superlative is not None and not (
            superlative.data in ("largest", "smallest") and self._noun_follows(superlative)
        ):
            return self._top_by_adjective(superlative, limit)
        word = superlative or extreme or busy
        assert word is not None
        word.used = True
        if busy is not None:
            order = "desc" if busy.data == "busiest" else "asc"
        elif superlative is not None:
            order = playbook()["superlatives"][superlative.data]["order"]
        else:
            order = str(extreme.data)  # type: ignore[union-attr]
        return self._top_by_noun(word, order, limit)

    def _counted_groups(self) -> bool:
        """A count by group that is cut to its top, or a period that has the most of something."""
        counting = (
            self.ask is not None
            and self.ask.data == "count"
            and self.ask.start < self.groups[0].start
        )
        return counting or self.groups[0].kind == "period"

    def _top_counted(self, extreme: Span, limit: int) -> Intent:
        """ "number of cancelled voyages by carrier, top 3"; "which month had the most arrivals"."""
        extreme.used = True
        for each in self.marks.of("ask"):
            each.used = True
        head = self._head(0)
        if head is None or head.kind not in ("table", "column"):
            raise Problem("clarify", [self.r.words(extreme)], f"{self.r.words(extreme)} of what?")
        head.used = True
        if head.kind == "column":
            column = head.data[0][0]
            if not column.is_time or self.marks.of("aggregate"):
                raise Problem("clarify", [self.r.words(head)], "a total or an average, of what?")
            root = column.table
            given = Filter(column, "notnull", said=f"{column.name} given", place=head.start)
            self.r.filters.append(given)
        else:
            root = str(head.data)
        self._conditions(root)
        plural = self.groups[0].kind != "period"
        intent = self._fill(
            Intent("top", root, order=str(extreme.data), limit=limit or (5 if plural else 1))
        )
        intent.rank = self.r.words(extreme).lower()
        for group in intent.groups:
            if group.kind == "time" and group.column is not None:
                intent.filters.append(Filter(group.column, "notnull"))
        return intent

    def _top_measured(self, extreme: Span, limit: int) -> Intent:
        """ "average weight by code, top 5"."""
        extreme.used = True
        intent = self._measured()
        if not intent.groups or intent.measure.per:
            raise Problem("clarify", [self.r.words(extreme)], "one figure has no first place")
        intent.shape, intent.order, intent.limit = "top", str(extreme.data), limit or 5
        return intent

    def _noun_follows(self, span: Span) -> bool:
        """ "largest capacity", "largest number of": the noun is the measure."""
        nxt = self.r.next_span(span.end)
        return nxt is not None and nxt.kind in ("column", "ask") and not nxt.used

    def _limit(self, span: Span | None) -> int:
        """The n of "top 5", "the three largest"; 0 where none is said."""
        assert span is not None
        for i in (span.start - 1, span.end):
            owner = self.r.at(i)
            if owner is not None and owner.kind == "number" and not owner.used:
                owner.used = True
                return max(1, int(owner.data))
        for table in self.marks.of("table", "column", "role"):
            owner = self.r.at(table.start - 1)
            if owner is not None and owner.kind == "number" and not owner.used:
                owner.used = True
                return max(1, int(owner.data))
        return 0

    def _top_by_adjective(self, span: Span, limit: int) -> Intent:
        entry = playbook()["superlatives"][span.data]
        span.used = True
        head = self._head(span.end) if self._table_after(span) else self._head(0)
        if head is None or head.kind != "table":
            head = next((s for s in self.marks.of("table") if not s.used), head)
        if (
            head is not None
            and head.kind == "table"
            and self.r.words(head).lower().startswith("fleet")
        ):
            return self._largest_fleet(span, head, str(entry["order"]), limit)
        kinds = self._kinds(head)
        root = self._root_of(head)
        if root is None:
            raise Problem("clarify", [self.r.words(span)], f"the {self.r.words(span)} what?")
        if entry["of"] == ["when"]:
            return self._top_by_time(span, root, str(entry["order"]), limit)
        known = self.r.columns_for(tuple(entry["of"]), root)
        columns = [c for c in known if not self._far(root, c)]
        if known and head is not None and (kinds or not columns):
            return self._top_of_many(span, head, known[0], entry["order"], limit)
        if not columns:
            raise Problem(
                "need",
                [*entry["of"], root.rsplit(".", 1)[-1]],
                f'what "{self.r.words(span)}" measures',
            )
        column = columns[0]
        for noun in self.marks.of("column"):
            if column in [c for c, _ in noun.data]:
                noun.used = True
        self._conditions(root)
        intent = Intent("top", root, order=entry["order"], order_by=column, limit=limit or 1)
        intent.select = self._selected(root)
        intent.rank = self.r.words(span).lower()
        if len(self.groups) == 1:
            raise Problem(
                "clarify", [self.r.words(span), "each"], "one per group is more than I can read"
            )
        return self._fill(intent)

    def _largest_fleet(self, span: Span, head: Span, order: str, limit: int) -> Intent:
        entity = next((s for s in self.marks.of("table") if s is not head and not s.used), None)
        if entity is None:
            raise Problem("clarify", [self.r.words(span)], "whose fleet?")
        self.r.notes.append("A fleet is measured by its number of vessels.")
        return self._ranked(span, entity, head, order, limit or 1, "", 50.0)

    def _top_by_time(self, span: Span, root: str, order: str, limit: int) -> Intent:
        """ "the most recent voyages": by the date that the verb names, else the table's first."""
        words: list[str] = []
        for verb in self.marks.dates:
            words = playbook()["dates"][verb.data]["of"]
            self.r.overlay_used |= set(range(verb.start, verb.end))
            self._use_overlaid(verb)
        columns = [c for c in self.r.time_columns(root, words) if c.table == root]
        if not columns:
            raise Problem("clarify", [self.r.words(span)], "there is no date to go by")
        self.r.notes.append(f"By {columns[0].name}.")
        self._conditions(root)
        intent = Intent("top", root, order=order, order_by=columns[0], limit=limit or 1)
        intent.rank = self.r.words(span).lower()
        intent.select = self._selected(root)
        return self._fill(intent)

    def _top_of_many(
        self, span: Span, head: Span, column: Column, order: str, limit: int
    ) -> Intent:
        """ "the fastest vessel", "the heaviest container": over the rows that belong to each."""
        for noun in self.marks.of("column"):
            noun.used = noun.used or column in [c for c, _ in noun.data]
        summed = self.r.dimension(column) in ("mass", "money")
        kind = "sum" if summed else "max" if order == "desc" else "min"
        shown = {"sum": "total", "max": "highest", "min": "lowest"}[kind]
        self.r.notes.append(f"By the {shown} {column.name} of each.")
        self._conditions(column.table)
        self._anchor_tables(column.table)
        self.groups = [head]
        measure = Measure(kind, column, self._times_column(column, kind))
        intent = self._fill(Intent("top", column.table, measure, order=order, limit=limit or 1))
        intent.rank = self.r.words(span).lower()
        return intent

    def _table_after(self, span: Span) -> bool:
        return any(
            s.kind == "table" and s.start >= span.end and not s.used for s in self.marks.spans
        )
