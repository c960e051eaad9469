"""The small grammar: a question to an Intent, or a Problem that says what is missing."""

from datetime import date

from harness.standin.brain.ask.ends import Ends
from harness.standin.brain.bind import Reader
from harness.standin.brain.corrections import Corrections
from harness.standin.brain.intent import Intent, Measure, Problem
from harness.standin.brain.lexicon import Lexicon
from harness.standin.brain.schema import Schema
from harness.standin.brain.spot import spot
from harness.standin.brain.words import tidy, tokenise, word_set

_YES_NO = ("is", "are", "does", "do", "did", "has", "have", "was", "were")


def read_question(
    text: str, schema: Schema, lexicon: Lexicon, corrections: Corrections, today: date | None
) -> Intent:
    """Read one question. Raises Problem for what can't be placed: nothing is guessed."""
    text = tidy(text)
    marks = spot(text, tokenise(text), schema, lexicon, dict(corrections.terms), today)
    reader = Reader(marks, schema, lexicon, corrections, today)
    return _Question(reader).read()


def read_followup(
    text: str,
    before: Intent,
    schema: Schema,
    lexicon: Lexicon,
    corrections: Corrections,
    today: date | None,
) -> Intent:
    """Read "and in the PACIFIC?" as a change of the question before it. Raises Problem."""
    text = tidy(text)
    marks = spot(text, tokenise(text), schema, lexicon, dict(corrections.terms), today)
    reader = Reader(marks, schema, lexicon, corrections, today)
    return _Question(reader).changed(before)


class _Question(Ends):
    """One question being read. The steps are in the order of `read`."""

    def read(self) -> Intent:
        """Shape, root, groups, conditions, measure; then nothing may be left over."""
        self._claim_more()
        self.r.zero_glosses()
        self._no_strangers()
        self.r.labels()
        self.r.ids()
        self._group_spans()
        self.sorting = self._sorting()
        self.r.negations()
        self.r.counted_rows()
        shape = self._shape()
        intent = self._built(shape)
        self._settle(intent)
        return intent

    def changed(self, before: Intent) -> Intent:
        """The question before with this one's conditions, groups and count in place of its own."""
        self._claim_more()
        self.r.zero_glosses()
        self._no_strangers()
        self.r.labels()
        self.r.ids()
        self._group_spans()
        self.sorting = self._sorting()
        self.r.negations()
        self.r.counted_rows()
        counting = self.ask is not None and self.ask.data == "count"
        head = self._head(self.ask.end) if counting and self.ask is not None else None
        root = self._root_of(head) if head is not None and head.kind == "table" else before.root
        assert root is not None
        if self.marks.of("superlative", "aggregate", "percentile", "extreme", "busy"):
            raise Problem("clarify", [self.marks.text.strip()], "ask it as a whole question")
        self._conditions(root)
        intent = Intent(before.shape, root, before.measure, list(before.groups))
        intent.order, intent.order_by, intent.limit = before.order, before.order_by, before.limit
        intent.select, intent.rank, intent.unit = list(before.select), before.rank, before.unit
        fresh = {(f.column.name, f.role) for f in self.r.filters}
        turned = {(f.column.name, f.values) for f in self.r.filters if f.role}
        kept = [
            f
            for f in before.filters
            if (f.column.name, f.role) not in fresh and (f.column.name, f.values) not in turned
        ]
        if counting or root != before.root:
            kept = before.filters if counting else kept
            intent.shape, intent.measure, intent.groups = "count", Measure("count"), []
            intent.order_by, intent.limit, intent.select = None, 0, []
        if before.target and not counting:
            touched = {f.column for f in before.target} & {f.column for f in self.r.filters}
            intent.target = [f for f in self.r.filters if f.column in touched] or before.target
            self.r.filters = [f for f in self.r.filters if f.column not in touched]
        if self.groups:
            intent.groups = self._groups(root)
            intent.shape = "count" if intent.shape in ("list", "exists", "top") else intent.shape
            intent.order_by, intent.limit = None, 0
        if self._same_rows() and before.shape == "count" and not before.groups:
            intent.shape, intent.measure = "list", Measure("count")
        elif not self.r.filters and not self.groups and not self.r.related and not counting:
            raise Problem("clarify", [self.marks.text.strip()], "I can't tell what changes")
        intent.filters = [*kept, *self.r.filters]
        intent.related = [*before.related, *self.r.related]
        intent.notes = self.r.notes
        self._settle(intent)
        return intent

    def _same_rows(self) -> bool:
        """ "which ones?", "list them": the rows that were counted."""
        return {t.low for t in self.marks.tokens} <= word_set("same_rows")

    def _shape(self) -> str:
        if self._how():
            return "how"
        if self.ask is not None and self.ask.data in ("far", "where", "when"):
            return {"far": "distance", "where": "locate", "when": "when"}[self.ask.data]
        if self._aggregate("share"):
            return "share"
        if self.marks.of("more") or self._first("compared"):
            return "compare"
        extreme = self._extreme()
        ranking = extreme is not None and any(
            s.start < extreme.start or s.kind == "table"
            for s in self.marks.of("table", "column", "role")
        )
        measured = self._first("percentile") or self._aggregate("weighted", "median", "avg")
        if measured and not ranking:
            return "aggregate"
        if self._first("superlative", "busy") or extreme is not None:
            return "top"
        if self._aggregate("sum", "min", "max") or (self.ask and self.ask.data == "amount"):
            return "aggregate"
        if self._aggregate("distinct"):
            return "distinct"
        if self.ask is not None and self.ask.data == "count" and not self.ask.used:
            return "count"
        if self._first("exists") or self._low(0) in _YES_NO:
            if {"all", "every"} & {t.low for t in self.marks.tokens}:
                raise Problem("clarify", ["all"], "ask how many are, and how many there are")
            return "exists"
        return "count" if self.groups else "list"

    def _built(self, shape: str) -> Intent:
        method = {
            "count": self._count,
            "aggregate": self._measured,
            "exists": self._exists,
            "list": self._list,
            "top": self._top,
            "share": self._share,
            "distinct": self._distinct,
            "compare": self._compare,
            "distance": self._distance,
            "locate": self._locate,
            "when": self._when,
            "how": self._how_much,
        }[shape]
        return method()
