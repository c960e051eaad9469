"""Times as ranges of the date that is meant."""

from dataclasses import replace

from harness.standin.brain.intent import Filter, Problem
from harness.standin.brain.read.senses import Senses
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.times import Range
from harness.standin.brain.words import keys, playbook, word_set


class Times(Senses):
    """Times as ranges of the date that is meant."""

    def times(self, root: str) -> None:
        """Every time becomes a range of a date column (or of a column of years)."""
        for span in self.marks.of("time"):
            point: Range = span.data
            if point.needs_today:
                raise Problem("today", [self.words(span)])
            column, past = self.date_column(span, root)
            if point.ahead and not past:
                point = point.ahead
            negated = span.negated
            if column.is_time:
                op = "not range" if negated else "range"
                made = Filter(
                    column,
                    op,
                    (point.start, point.end),
                    said=f"{column.name} {'not ' if negated else ''}{point.label}",
                    place=span.start,
                )
            else:
                made = self._years(column, point, span)
            self.filters.append(replace(made, scope=self.scope_of(span.start)))
            span.used = True
            self._still_open(column, point, root)

    def _still_open(self, column: Column, point: Range, root: str) -> None:
        """Of a time ahead: not what has happened already, nor what never will."""
        ahead = point.start is not None and self.today is not None and point.start >= self.today
        said = self.marks.of("value", "gloss", "sense", "term", "negation")
        if not ahead or said or column.table != root or column.nullable or not column.is_time:
            return
        for (*_, first), pairs in sorted(self.lexicon.glosses.items()):
            for stated, value in pairs:
                gloss = stated.comment.partition(f"{value} (")[2].partition(")")[0]
                if stated.table == root and first and gloss.startswith("never "):
                    made = Filter(stated, "not in", (value,), said=f"{stated.name} not {value}")
                    self.filters += [] if made in self.filters else [made]
        dull = word_set("stop") | {"time", "date"}
        for done in self.time_columns(root, [k for k in keys(column.clause) if k not in dull]):
            if done.nullable and done.table == root:
                self.filters.append(Filter(done, "null", said=f"no {done.name}"))

    def _years(self, column: Column, point: Range, span: Span) -> Filter:
        first = point.start.year if point.start else None
        last = point.end.year - (point.end.month == 1 and point.end.day == 1) if point.end else None
        values: tuple[int | None, ...]
        if first is not None and last is not None:
            op, values = ("=", (first,)) if first == last else ("between", (first, last))
        else:
            op, values = (">=", (first,)) if last is None else ("<=", (last,))
        return Filter(column, op, values, said=f"{column.name} {point.label}", place=span.start)

    def date_column(self, span: Span, root: str) -> tuple[Column, bool]:
        """The column that a time speaks of, and whether its verb is in the past."""
        named = self._date_beside(span)
        if named is not None:
            return named, True
        verb = self._verb_near(span)
        if verb is not None:
            words, past = (
                playbook()["dates"][verb.data]["of"],
                playbook()["dates"][verb.data].get("past", False),
            )
            self.overlay_used |= set(range(verb.start, verb.end))
            options = self.time_columns(root, words)
            options = self._still_to_come(options, root, words, span)
            if options:
                for noun in self.marks.of("column"):
                    if noun.start < verb.end and verb.start < noun.end:
                        noun.used = True
                return options[0], bool(past)
        beside = self._noun_beside(span)
        if beside is not None:
            for column, _ in beside.data:
                if column.is_time or (
                    column.is_number and ("year" in column.parts or "year" in column.head)
                ):
                    beside.used = True
                    return column, True
        options = self.time_columns(root, ())
        if not options:
            raise Problem("need", ["date", "time", self.words(span)], "no column with a date")
        if self.undated(options[0]):
            names = ", ".join(c.name for c in options if c.table == options[0].table)
            raise Problem("clarify", [self.words(span)], f"name the time that counts: {names}")
        self.notes.append(f"The time is that of {options[0].name}.")
        return options[0], False

    def _date_beside(self, span: Span) -> Column | None:
        """ "an eta before today": the date that is named right before the time."""
        noun = self.at(span.start - 1)
        if noun is None or noun.kind != "column":
            return None
        overlaid = any(v.start < noun.end and noun.start < v.end for v in self.marks.dates)
        dates = [c for c, _ in noun.data if c.is_time]
        if overlaid or len(dates) != 1:
            return None
        noun.used = True
        return dates[0]

    def _still_to_come(
        self, options: list[Column], root: str, words: list[str], span: Span
    ) -> list[Column]:
        """For a time ahead, not what is only known once it has happened, but what is planned."""
        point: Range = span.data
        start = (point.ahead or point).start
        if self.today is None or start is None or start <= self.today or not options:
            return options
        planned = [
            c
            for c in self.time_columns(root, ())
            if not c.nullable and set(words) & set(keys(c.clause)) and c.table == options[0].table
        ]
        if planned or not options[0].nullable:
            return planned or options
        names = ", ".join(c.name for c in options[:1])
        raise Problem("clarify", [self.words(span)], f"{names} is not known before it has happened")

    def undated(self, column: Column) -> bool:
        """Rows of a status of their own may have no such time at all."""
        stated = [s for s in self.marks.of("value", "gloss", "sense", "term") if not s.negated]
        return column.nullable and any(
            any("(" in c.comment for c, _ in s.data) for s in stated if isinstance(s.data, list)
        )

    def _verb_near(self, span: Span) -> Span | None:
        def gap(verb: Span) -> int:
            return span.start - verb.end if verb.end <= span.start else verb.start - span.end + 2

        near = [v for v in self.marks.dates if gap(v) < 9]
        return min(near, key=gap) if near else None

    def past_verbs(self, root: str) -> None:
        """ "voyages that departed (from ...)": there is a time of departure."""
        for verb in self.marks.dates:
            if not playbook()["dates"][verb.data].get("past"):
                continue
            if set(range(verb.start, verb.end)) & self.overlay_used and any(
                f.op in ("range", "not range") for f in self.filters
            ):
                continue
            owner = self.at(verb.start)
            if owner is not None and (owner.kind != "column" or owner.used):
                continue
            options = self.time_columns(root, playbook()["dates"][verb.data]["of"])
            if not options:
                continue
            self.filters.append(
                Filter(
                    options[0],
                    "notnull",
                    said=f"{options[0].name} given",
                    place=verb.start,
                    scope=self.scope_of(verb.start),
                )
            )
            self.overlay_used |= set(range(verb.start, verb.end))
            if owner is not None:
                owner.used = True
