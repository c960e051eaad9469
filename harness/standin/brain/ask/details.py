"""When, how late, how old, where to: one thing that is known by name or number."""

from harness.standin.brain.ask.lists import Lists
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Intent, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook


class Details(Lists):
    """When, how late, how old, where to: one thing that is known by name or number."""

    def _when(self) -> Intent:
        assert self.ask is not None
        self.ask.used = True
        ids = [f.column.table for f in self.r.filters if f.op == "="]
        named = [self._labels(s) for s in self.marks.of("value") if self._labels(s)]
        head = self._head(self.ask.end)
        root = (
            ids[0]
            if ids
            else (
                head.data
                if head is not None and head.kind == "table"
                else named[0]
                if named
                else ""
            )
        )
        if not root:
            raise Problem("clarify", ["when"], "I can't tell whose time is asked")
        if head is not None and head.kind == "table":
            head.used = True
        known = self.r.time_columns(root, ())
        year = self._year(root)
        if year is not None and (not known or known[0].table != root):
            self._anchor_tables(root)
            self._conditions(root)
            intent = Intent("list", root)
            intent.select = [(year, None)]
            return self._fill(intent)
        if not ids and (not known or known[0].table != root):
            raise Problem("clarify", ["when"], "ask about one row that has dates, by its number")
        columns = [
            c
            for c in self.r.time_columns(root, ())
            if c.table == self.r.time_columns(root, ())[0].table
        ]
        for verb in self.marks.dates:
            self.r.overlay_used |= set(range(verb.start, verb.end))
            self._use_overlaid(verb)
        for span in self.marks.of("column"):
            span.used = span.used or any(c.is_time for c, _ in span.data)
        for span in self.marks.of("value"):
            span.used = span.used or (
                not self._labels(span) and any(span.start == v.start for v in self.marks.dates)
            )
        self._conditions(root)
        intent = Intent("list", root)
        intent.select = [(c, None) for c in columns]
        return self._fill(intent)

    def _year(self, root: str) -> Column | None:
        """The column of years that a word of the question names: "built"."""
        for span in self.marks.of("column"):
            for column, _ in span.data:
                if column.table == root and column.is_number and "year" in column.parts:
                    span.used = True
                    return column
        return None

    def _how_much(self) -> Intent:
        """ "how old is X", "how late is voyage 7": one measure of one known thing."""
        span = self._how()
        assert span is not None
        span.used = True
        ids = [f.column.table for f in self.r.filters if f.op == "="]
        named = [self._labels(s) for s in self.marks.of("value") if self._labels(s)]
        root = (ids or named or [""])[0]
        if not root:
            raise Problem("clarify", [self.r.words(span)], "name the one that you mean")
        words = tuple(playbook()["how"][span.data])
        columns = self.r.columns_for(words, root)
        if not columns:
            raise Problem("need", [*words, root.rsplit(".", 1)[-1]], f'what "{span.data}" measures')
        column = columns[0]
        if self._far(root, column):
            times = [c for c in self.r.time_columns(column.table, ()) if c.table == column.table]
            if not times:
                raise Problem("clarify", [self.r.words(span)], "there are several")
            self._anchor_tables(root)
            self._conditions(column.table)
            intent = Intent("top", column.table, order="desc", order_by=times[0], limit=1)
            intent.select, intent.rank = [(column, None)], "latest"
            self.r.notes.append(f"The latest by {times[0].name}.")
            return self._fill(intent)
        self._anchor_tables(root)
        self._conditions(root)
        intent = Intent("list", root)
        intent.select = [(column, None)]
        return self._fill(intent)

    def _place(self, span: Span) -> Filter:
        """A name whose table, or a table that refers to it, has coordinates."""
        labels = [(c, v) for c, v in span.data if self.r._is_label(c)]
        if not labels:
            self.r._look_up_first(span)  # a country or a flag may be a name as well
            raise Problem(
                "clarify", [self.r.words(span)], f'"{self.r.words(span)}" is no name of one'
            )
        column, value = labels[0]
        span.used = True
        return Filter(column, "in", (value,), said=value, place=span.start)

    def _distance(self) -> Intent:
        assert self.ask is not None
        self.ask.used = True
        named = self.marks.of("value")
        if len(named) != 2:
            raise Problem("clarify", [self.r.words(self.ask)], "name the two places")
        for each in (*self.marks.of("table"), *self.marks.of("ask")):
            each.used = True
        for verb in self.marks.roles:
            self.r.overlay_used |= set(range(verb.start, verb.end))
        places = [self._place(s) for s in named]
        unit = (
            "km"
            if any(w.low in ("km", "kilometres", "kilometers") for w in self.marks.tokens)
            else ""
        )
        intent = Intent("distance", places[0].column.table, places=places, unit=unit)
        return self._fill(intent)

    def _locate(self) -> Intent:
        assert self.ask is not None
        for each in self.marks.of("ask"):
            each.used = True
        named = self.marks.of("value")
        ids = [f for f in self.r.filters if f.op == "="]
        if ids and not named:
            return self._route(ids[0].column.table)
        for each in self.marks.of("table", "column"):
            each.used = True
        if len(named) != 1:
            raise Problem("clarify", [self.r.words(self.ask)], "name one vessel or place")
        for verb in self.marks.dates:
            self.r.overlay_used |= set(range(verb.start, verb.end))
        place = self._place(named[0])
        return self._fill(Intent("locate", place.column.table, places=[place]))

    def _route(self, root: str) -> Intent:
        """ "Where does voyage 1400 end?": the names at the ends of it."""
        self._anchor_tables(root)
        said = {str(v.data) for v in self.marks.roles}
        for verb in (*self.marks.roles, *self.marks.dates):
            self.r.overlay_used |= set(range(verb.start, verb.end))
        for span in self.marks.of("role", "column", "gloss"):
            span.used = True
        chosen: list[tuple[Column, ReferenceFact | None]] = []
        for reference in [
            r
            for r in self.schema.references
            if r.table == root and self.schema.twins(root, r.target)
        ]:
            label = self.schema.tables[reference.target].label
            directions = [d for d in ("from", "to") if reference in self.r.roles_of(d)]
            if label is not None and (not said or len(said) > 1 or said & set(directions)):
                chosen.append((label, reference))
        if not chosen:
            raise Problem(
                "need", [root.rsplit(".", 1)[-1], "references"], "where it begins and ends"
            )
        self._conditions(root)
        intent = self._fill(Intent("list", root))
        intent.select = chosen
        return intent
