"""Ranking by a noun: most of something, by a column, by a count."""

from harness.standin.brain.ask.details import Details
from harness.standin.brain.intent import Filter, Intent, Measure, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span


class Ranks(Details):
    """Ranking by a noun: most of something, by a column, by a count."""

    def _top_by_noun(self, word: Span, order: str, limit: int) -> Intent:
        """ "most voyages", "highest average delay", "top 5 ports by voyages"."""
        asked = self._head(self.ask.end if self.ask is not None else 0)
        measured = [s for s in self.marks.spans if s.start >= word.end and not s.used]
        by = self.groups[:] if not self.marks.of("each") else []
        kind, percent = ("", 50.0)
        if self._aggregate("avg", "sum", "min", "max", "median") or self._first("percentile"):
            kind, percent = self._measure_kind()
        if asked is not None and asked.start > word.start and by:
            # "top 5 ports by (number of) voyages"
            entity, noun = asked, by[0]
            self.groups = []
        elif (
            asked is not None and asked.start > word.start and kind == "" and self.marks.of("busy")
        ):
            entity, noun = asked, None
        elif asked is not None and asked.start < word.start:
            entity = asked
            noun = next(
                (s for s in measured if s.kind in ("table", "column") and s is not asked), None
            )
        else:
            entity, noun = self._top_of_ask(word, asked, measured)
        for each in self.marks.of("ask"):
            each.used = True
        return self._ranked(word, entity, noun, order, limit, kind, percent)

    def _top_of_ask(
        self, word: Span, asked: Span | None, measured: list[Span]
    ) -> tuple[Span, Span | None]:
        """ "the highest speed", "top 3 vessels with the highest capacity", "longest delay of X"."""
        if asked is None:
            raise Problem("clarify", [self.r.words(word)], f"the {self.r.words(word)} what?")
        if asked.kind == "table":
            nouns = [s for s in measured if s.kind == "column" and s.start > asked.start]
            more = [s for s in self.marks.of("extreme") if s.start > asked.end and not s.used]
            for each in more:
                each.used = True
            if nouns:
                return asked, nouns[0]
            further = [s for s in measured if s.kind == "table" and s.start > asked.start and more]
            if further:
                return asked, further[0]
            role = next((s for s in self.marks.of("role") if not s.used), None)
            if role is not None and role.start > word.start and role.data[0].table == asked.data:
                return role, asked  # "top 5 destinations by number of voyages"
            tables = [s for s in measured if s.kind == "table" and s is not asked]
            if not tables and "common" in self.r.words(word):
                return asked, None
            if not tables:
                raise Problem("clarify", [self.r.words(word)], f"{self.r.words(word)} by what?")
            return tables[0], asked
        table = next((s for s in self.marks.of("table") if not s.used), None)
        if asked.kind == "role" and table is not None and table.data == asked.data[0].table:
            table.used = True  # "top 5 destinations by number of voyages"
            return asked, asked
        if table is None:
            return asked, asked
        return table, asked

    def _ranked(
        self,
        word: Span,
        entity: Span,
        noun: Span | None,
        order: str,
        limit: int,
        kind: str,
        percent: float,
    ) -> Intent:
        plural = self._plural(entity)
        limit = limit or (1 if not plural or kind or noun is not None else 5)
        entity.used = True
        if entity.kind == "column" and (noun is None or noun is entity):
            return self._extreme_value(entity, order)
        if kind and (noun is None or noun is entity or noun.kind != "column"):
            raise Problem("clarify", [self.r.words(word), kind], "of what?")
        if entity.kind == "role" and (noun is None or noun is entity):
            return self._common_role(entity, order, limit)
        if noun is None:
            label = self.schema.tables[entity.data].label if entity.kind == "table" else None
            if (
                label
                and "common" in self.r.words(word)
                and not self.schema.tables[label.table].named
            ):
                kinds = Span("column", entity.start, entity.end, [(label, 9)], used=True)
                return self._most_common(entity, kinds, order, limit)
            if not self.marks.of("busy"):
                raise Problem("clarify", [self.r.words(word)], f"{self.r.words(word)} by what?")
            return self._busiest(entity, order, limit)
        noun.used = True
        if noun.kind == "column" and noun.data[0][0].is_time and not kind:
            return self._ranked_events(word, entity, noun.data[0][0], order, limit)
        if noun.kind == "column":
            return self._ranked_by_column(word, entity, noun, order, limit, kind, percent)
        root = str(noun.data)
        if entity.kind == "table" and entity.data == root:
            raise Problem("clarify", [self.r.words(word)], f"{self.r.words(word)} by what?")
        self._conditions(root)
        self.groups = [entity]
        intent = self._fill(Intent("top", root, Measure("count"), order=order, limit=limit))
        intent.rank = self.r.words(word).lower()
        return intent

    def _ranked_events(
        self, word: Span, entity: Span, column: Column, order: str, limit: int
    ) -> Intent:
        """ "most departures": rows that have that time."""
        self.r.filters.append(
            Filter(column, "notnull", said=f"{column.name} given", place=word.end)
        )
        self._conditions(column.table)
        self.groups = [entity]
        intent = self._fill(Intent("top", column.table, Measure("count"), order=order, limit=limit))
        intent.rank = self.r.words(word).lower()
        return intent

    def _busiest(self, entity: Span, order: str, limit: int) -> Intent:
        """Counts rows of the table that refers to the entity and moves: it has dates."""
        target = (
            entity.data
            if entity.kind == "table"
            else entity.data[0].target
            if entity.kind == "role"
            else ""
        )
        busy = [
            r.table
            for r in self.schema.references
            if r.target == target
            and any(c.is_time for c in self.schema.tables[r.table].columns.values())
        ]
        if not busy:
            raise Problem("need", [self.r.words(entity), "references"], "what makes one busy")
        root = busy[0]
        if entity.kind == "role":
            follower = self.r.at(entity.end)
            if follower is not None and follower.kind == "table":
                follower.used = True
        self._conditions(root)
        self.groups = [entity]
        intent = self._fill(Intent("top", root, Measure("count"), order=order, limit=limit))
        self.r.notes.append(f"Busy by the number of {root.rsplit('.', 1)[-1]}.")
        return intent

    def _ranked_by_column(
        self,
        word: Span,
        entity: Span,
        noun: Span,
        order: str,
        limit: int,
        kind: str,
        percent: float,
    ) -> Intent:
        options = [
            (c, n)
            for c, n in noun.data
            if (c.is_number or c.is_time) and not self.schema.is_link(c)
        ]
        if not options:
            return self._most_common(entity, noun, order, limit)
        noun.data = options
        root = entity.data if entity.kind == "table" else options[0][0].table
        column = self._nearest(noun, root)
        if entity.kind == "table" and self._kinds(entity) and not kind:
            kind = "sum"
        elif (
            entity.kind == "table"
            and not self._far(root, column)
            and (not kind or (column.table == root and self.schema.tables[root].named))
        ):
            self._conditions(root)
            intent = self._fill(Intent("top", root, order=order, order_by=column, limit=limit))
            intent.groups = []
            intent.rank = self.r.words(word).lower()
            return intent
        if not kind:
            if column.is_time or self.r.dimension(column) in ("duration", "temperature", "speed"):
                raise Problem(
                    "clarify",
                    [self.r.words(word), self.r.words(noun)],
                    f"the total or the average {self.r.words(noun)}?",
                )
            kind = "sum"
            self.r.notes.append(f"By the total of {column.name}.")
        self._conditions(column.table)
        self._anchor_tables(column.table)
        self.groups = [entity]
        times = self._times_column(column, kind)
        unit = self._asked_unit()
        self._check_unit(column, unit)
        measure = Measure(kind, column, times, None, percent, unit)
        intent = self._fill(Intent("top", column.table, measure, order=order, limit=limit))
        intent.rank = self.r.words(word).lower()
        return intent

    def _most_common(self, entity: Span, noun: Span, order: str, limit: int) -> Intent:
        """ "the most common flag of vessels": a count for each value."""
        root = entity.data if entity.kind == "table" else noun.data[0][0].table
        self._conditions(root)
        self.groups = [noun]
        return self._fill(Intent("top", root, Measure("count"), order=order, limit=limit))

    def _plural(self, span: Span | None) -> bool:
        return span is not None and self.marks.tokens[span.end - 1].low.endswith("s")

    def _extreme_value(self, span: Span, order: str) -> Intent:
        """ "what is the highest speed?": the figure, and the row that has it."""
        options = [(c, n) for c, n in span.data if c.is_number or c.is_time]
        if not options:
            column = self._pick(span)
            self._conditions(column.table)
            self._anchor_tables(column.table)
            self.groups = [span]
            return self._fill(Intent("top", column.table, Measure("count"), order=order, limit=1))
        span.data = options
        column = self._pick(span)
        self._conditions(column.table)
        self._anchor_tables(column.table)
        return self._fill(Intent("top", column.table, order=order, order_by=column, limit=1))

    def _common_role(self, entity: Span, order: str, limit: int) -> Intent:
        """ "the most common destination": rows counted by the role that they refer to."""
        root = entity.data[0].table
        self._conditions(root)
        self._anchor_tables(root)
        self.groups = [entity]
        return self._fill(Intent("top", root, Measure("count"), order=order, limit=limit))
