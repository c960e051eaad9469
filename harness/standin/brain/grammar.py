"""The small grammar: a question to an Intent, or a Problem that says what is missing."""

from dataclasses import replace
from datetime import date

from harness.standin.brain.bind import Reader, Sense
from harness.standin.brain.corrections import Corrections, never_units
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Group, Intent, Measure, Problem, Related
from harness.standin.brain.lexicon import Lexicon
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.spot import Span, spot, unit_of
from harness.standin.brain.words import playbook, tidy, tokenise, word_set

_TIME_UNITS = ("day", "week", "month", "quarter", "year")
_NOUNS = ("table", "column", "role", "null", "empty")
_NUMERIC = ("sum", "avg", "min", "max", "median")


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


class _Question:
    """One question being read. The steps are in the order of `read`."""

    def __init__(self, reader: Reader) -> None:
        self.r = reader
        self.marks = reader.marks
        self.schema = reader.schema
        self.ask = self._main_ask()
        self.groups: list[Span] = []
        self.sense: list[Sense] = []

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
        if not self.r.filters and not self.groups and not self.r.related and not counting:
            raise Problem("clarify", [self.marks.text.strip()], "I can't tell what changes")
        intent.filters = [*kept, *self.r.filters]
        intent.related = [*before.related, *self.r.related]
        intent.notes = self.r.notes
        self._settle(intent)
        return intent

    # -- helpers --------------------------------------------------------------------------------

    def _first(self, *kinds: str) -> Span | None:
        found = self.marks.of(*kinds)
        return found[0] if found else None

    def _main_ask(self) -> Span | None:
        """The word that asks; "give me the number of" asks for a number."""
        asks = self.marks.of("ask")
        strong = [s for s in asks if s.data != "list"]
        return (
            strong[0]
            if strong and asks[0].data == "list" and strong[0].start - asks[0].end < 2
            else (asks[0] if asks else None)
        )

    def _low(self, i: int) -> str:
        return self.marks.tokens[i].low if 0 <= i < len(self.marks.tokens) else ""

    def _aggregate(self, *names: str) -> Span | None:
        return next((s for s in self.marks.of("aggregate") if s.data in names), None)

    def _no_strangers(self) -> None:
        words = []
        for start, end in self.r.leftovers():
            first, last = self.marks.tokens[start], self.marks.tokens[end - 1]
            words.append(self.marks.text[first.start : last.end])
        words = [playbook()["demonyms"].get(w.lower(), w) for w in words if not self._time_word(w)]
        never = [w for w in words if set(w.lower().split()) & word_set("unanswerable")]
        if never:
            raise Problem("refuse", never)
        if words:
            raise Problem("unknown", words)

    def _time_word(self, word: str) -> bool:
        """ "by month", "monthly": a unit of time to group by."""
        return word.lower().removesuffix("s") in (
            *_TIME_UNITS,
            "monthly",
            "yearly",
            "weekly",
            "daily",
        )

    # -- groups ---------------------------------------------------------------------------------

    def _group_spans(self) -> None:
        """Nouns after "per", "each", "by": what to group by."""
        for each in self.marks.of("each"):
            span = self._group_noun(each.end)
            if span is None and self._low(each.end) in ("year", "month"):
                continue
            if span is not None:
                self._take_group(span)
                each.used = True
        for i, token in enumerate(self.marks.tokens):
            if token.low == "by" and self.r.at(i) is None and not self._passive(i):
                span = self._group_noun(i + 1)
                if span is not None and span not in self.groups:
                    self._take_group(span)
            elif token.low in ("monthly", "yearly", "weekly", "daily"):
                unit = {"daily": "day"}.get(token.low, token.low.removesuffix("ly"))
                span = self.marks.claim("period", i, i + 1, unit)
                self._take_group(span)

    def _passive(self, i: int) -> bool:
        """ "operated by", "owned by", "delayed by": no grouping."""
        before = self._low(i - 1)
        owner = self.r.at(i - 1)
        weighted = owner is not None and owner.kind == "aggregate" and owner.data == "weighted"
        return before.endswith("ed") and before not in ("grouped",) and owner is None or weighted

    def _group_noun(self, start: int) -> Span | None:
        i = start
        while (
            self._low(i) in ("the", "of", "a", "each", "calendar", "their", "its")
            and self.r.at(i) is None
        ):
            i += 1
        low = self._low(i).removesuffix("s")
        if low in _TIME_UNITS and (self.r.at(i) is None or self.r.at(i).kind in ("column", "unit")):  # type: ignore[union-attr]
            owner = self.r.at(i)
            if owner is not None:
                self.marks.spans.remove(owner)
                self.marks.owner[i] = None
            return self.marks.claim("period", i, i + 1, low)
        span = self.r.at(i)
        if span is None or span.start != i or span.kind not in ("table", "column", "role"):
            return None
        return span

    def _take_group(self, span: Span) -> None:
        self.groups.append(span)
        span.used = True
        i = span.end
        follower = self.r.at(i)
        if span.kind == "role" and follower is not None and follower.kind in ("table", "column"):
            if follower.kind == "column":
                span.data = ("column", span.data, follower.data)
            follower.used = True
            i = follower.end
        elif (
            span.kind == "table"
            and follower is not None
            and follower.kind == "column"
            and follower.start == i
        ):
            named = [c for c, _ in follower.data if c.table == span.data]
            if named:
                self.groups[-1] = follower
                follower.data = [(c, 9) for c in named]
                follower.used = True
                i = follower.end
        if self._low(i) in ("and",) or (
            i < len(self.marks.tokens) and "," in self.marks.tokens[i].gap
        ):
            nxt = self._group_noun(i + (self._low(i) == "and"))
            if nxt is not None and nxt not in self.groups and not self._verb_follows(nxt):
                self._take_group(nxt)

    def _verb_follows(self, span: Span) -> bool:
        return self._low(span.end) in ("have", "has", "is", "are", "do", "does")

    def _groups(self, root: str) -> list[Group]:
        return [self._group(span, root) for span in self.groups]

    def _group(self, span: Span, root: str) -> Group:
        if span.kind == "period":
            if span.data == "week":
                raise Problem("clarify", ["week"], "I can group by day, month, quarter or year")
            column = self._period_column(root)
            return Group("time", column.table, column, unit=span.data)
        if span.kind == "table":
            if span.data == root:
                return Group("entity", root)
            role = self._role_for(root, span.data, span)
            return Group("entity", span.data, role=role)
        if span.kind == "role":
            if span.data and span.data[0] == "column":
                _, roles, columns = span.data
                column = next((c for c, _ in columns if c.table == roles[0].target), None)
                if column is None:
                    raise Problem("clarify", [self.r.words(span)])
                return Group("column", column.table, column, roles[0])
            return Group("entity", span.data[0].target, role=span.data[0])
        column = self._nearest(span, root)
        role = self._role_for(root, column.table, span)
        return Group("column", column.table, column, role)

    def _period_column(self, root: str) -> Column:
        for verb in self.marks.dates:
            words = playbook()["dates"][verb.data]["of"]
            found = self.r.time_columns(root, words)
            if found:
                self.r.overlay_used |= set(range(verb.start, verb.end))
                self._use_overlaid(verb)
                return found[0]
        found = self.r.time_columns(root, ())
        if not found:
            raise Problem("need", ["date", "time"], "no column with a date")
        self.r.notes.append(f"The time is that of {found[0].name}.")
        return found[0]

    def _use_overlaid(self, verb: Span) -> None:
        for noun in self.marks.of("column"):
            if noun.start < verb.end and verb.start < noun.end:
                noun.used = True

    def _nearest(self, span: Span, root: str) -> Column:
        mentioned = set(self.r.mentioned())
        ranked = sorted(
            span.data,
            key=lambda each: (
                self.r.distance(root, each[0]) - 0.3 * (each[0].table in mentioned),
                -each[1],
            ),
        )
        return ranked[0][0]

    def _role_for(self, root: str, table: str, span: Span) -> ReferenceFact | None:
        """The reference to go through where there are two; from a role noun or a verb."""
        try:
            way = self.schema.path(root, table)
        except LookupError:
            short = table.rsplit(".", 1)[-1]
            raise Problem(
                "need", [root.rsplit(".", 1)[-1], short, "references"], f"no way to {short}"
            ) from None
        for edge in way:
            source, _ = edge.reference
            one = edge.table if edge.many else edge.target
            twins = self.schema.twins(source, one)
            if not twins:
                continue
            said = [r for s in self.marks.of("role") for r in s.data if r in twins]
            for noun in self.marks.of("role"):
                noun.used = noun.used or any(r in twins for r in noun.data)
            for direction in [] if said else ["from", "to"]:
                verbs = [v for v in self.marks.roles if v.data == direction and self._free_verb(v)]
                if verbs:
                    self.r.overlay_used |= {i for v in verbs for i in range(v.start, v.end)}
                    said += [r for r in self.r.roles_of(direction) if r in twins]
            chosen = list(dict.fromkeys(said))
            if len(chosen) != 1:
                raise Problem("role", [self.r.words(span)], "from or to")
            return chosen[0]
        return None

    def _free_verb(self, verb: Span) -> bool:
        """A direction that no name has taken: "ports that receive the most"."""
        return not set(range(verb.start, verb.end)) & self.r.overlay_used

    # -- sorting --------------------------------------------------------------------------------

    def _sorting(self) -> tuple[str, Span | None] | None:
        """ "sorted by count desc": direction and the noun, with their words used up."""
        span = self._first("sorting")
        direction = self._first("direction")
        if span is None and direction is None:
            return None
        noun = None
        if span is not None:
            span.used = True
            i = span.end
            while (
                self._low(i) in ("the", "by", "their", "number", "of", "total")
                and self.r.at(i) is None
            ):
                i += 1
            owner = self.r.at(i)
            if owner is not None and owner.kind == "ask" and owner.data == "count":
                owner.used = True
                i = owner.end
                owner = self.r.at(i)
            if owner is not None and owner.kind in ("column", "table"):
                noun, owner.used = owner, True
        if direction is not None:
            direction.used = True
        return (direction.data if direction else ""), noun

    # -- shape ----------------------------------------------------------------------------------

    def _shape(self) -> str:
        if self._how():
            return "how"
        if self.ask is not None and self.ask.data in ("far", "where", "when"):
            return {"far": "distance", "where": "locate", "when": "when"}[self.ask.data]
        if self._aggregate("share"):
            return "share"
        if self.marks.of("more") or self._first("compared"):
            return "compare"
        ranking = self._extreme() is not None and self._first("table") is not None
        measured = self._first("percentile") or self._aggregate("weighted", "median", "avg")
        if measured and not ranking:
            return "aggregate"
        if self._first("superlative", "busy") or self._extreme() is not None:
            return "top"
        if self._aggregate("sum", "min", "max") or (self.ask and self.ask.data == "amount"):
            return "aggregate"
        if self._aggregate("distinct"):
            return "distinct"
        if self.ask is not None and self.ask.data == "count" and not self.ask.used:
            return "count"
        if self._first("exists") or self._low(0) in (
            "is",
            "are",
            "does",
            "do",
            "did",
            "has",
            "have",
            "was",
            "were",
        ):
            return "exists"
        return "list"

    def _how(self) -> Span | None:
        return self._first("how")

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

    def _extreme(self) -> Span | None:
        return next((s for s in self.marks.of("extreme") if not s.used), None)

    def _claim_more(self) -> None:
        """ "more ... than", in a question that compares two: "more" takes a noun, not a number."""
        low = [t.low for t in self.marks.tokens]
        words = ("more", "fewer", "less", "larger", "bigger", "greater", "higher", "longer")
        marks = [i for i, w in enumerate(low) if w in words and self.r.at(i) is None]
        for i in marks:
            self.marks.claim("more", i, i + 1, low[i]).used = True
        for i, w in enumerate(low):
            if w in ("compare", "versus", "vs") and self.r.at(i) is None:
                self.marks.claim("compared", i, i + 1, w).used = True
        for i, w in enumerate(low):
            if marks and w == "than" and self.r.at(i) is None:
                self.marks.claim("than", i, i + 1, "than").used = True

    # -- building -------------------------------------------------------------------------------

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

    def _head(self, after: int) -> Span | None:
        """The noun that is asked for: the last of "cargo containers", the first otherwise."""
        spans = [
            s for s in self.marks.spans if s.start >= after and not (s.used and s in self.groups)
        ]
        for i, span in enumerate(spans):
            if span.kind in ("table", "column", "role") and not span.used:
                follower = spans[i + 1] if i + 1 < len(spans) else None
                while (
                    follower is not None
                    and follower.kind == "table"
                    and span.kind in ("table", "role")
                    and follower.start == span.end
                    and not follower.used
                ):
                    span = follower
                    i += 1
                    follower = spans[i + 1] if i + 1 < len(spans) else None
                return span
        return None

    def _kinds(self, head: Span | None) -> bool:
        """Whether a noun means kinds of things, not lines: goods, products."""
        if head is None or head.kind != "table" or self.schema.tables[head.data].named:
            return False
        return bool(set(self.r.words(head).lower().split()) & word_set("kinds"))

    def _root_of(self, head: Span | None) -> str | None:
        for span in self.marks.of("null"):
            if head is None or (
                span.start < head.start
                and head.start > span.end
                and not span.negated
                and (self.ask is None or span.start >= self.ask.end)
            ):
                return str(span.data[0].table)
        if head is not None and head.kind == "table":
            head.used = True
            return str(head.data)
        for span in self.marks.of("empty"):
            return str(span.data[0])
        return None

    def _conditions(self, root: str) -> None:
        """Everything that restricts rows."""
        self.r.times(root)
        self.r.values(root)
        self.r.nulls()
        self.sense = self.r.senses(root)
        self.r.numbers(root)
        self.r.past_verbs(root)

    def _fill(self, intent: Intent) -> Intent:
        intent.groups = self._groups(intent.root)
        intent.filters = self.r.filters
        intent.related = self.r.related
        intent.notes = self.r.notes
        return intent

    def _count(self) -> Intent:
        assert self.ask is not None
        head = self._head(self.ask.end)
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

    def _pick(self, span: Span) -> Column:
        """The candidate in a table that the question names, else the nearest to one."""
        mentioned = self.r.mentioned()
        best = [c for c, _ in span.data if c.table in mentioned]
        if best:
            return min(best, key=lambda c: mentioned.index(c.table))
        top = max(strength for _, strength in span.data)
        strong = [c for c, s in span.data if s == top]
        if mentioned:
            return min(strong, key=lambda c: min(self.r.distance(m, c) for m in mentioned))
        if len({c.table for c in strong}) > 1 and not self._same_kind(strong):
            names = " or ".join(sorted(f"{c.table.rsplit('.', 1)[-1]}.{c.name}" for c in strong))
            raise Problem("clarify", [self.r.words(span)], f'"{self.r.words(span)}" may be {names}')
        return strong[0]

    def _same_kind(self, columns: list[Column]) -> bool:
        values = {c.values for c in columns}
        return len(values) == 1 and bool(columns[0].values)

    def _anchor_tables(self, root: str) -> None:
        for span in self.marks.of("table"):
            if span.data == root:
                span.used = True

    def _exists(self) -> Intent:
        head = self._head(0)
        if head is None or head.kind != "table":
            named = [s for s in self.marks.of("value") if self._labels(s)]
            if named:
                return self._yes_no(self._labels(named[0]))
        ids = [f for f in self.r.filters if f.op == "="]
        root = self._root_of(head)
        if root is None:
            if head is not None and head.kind == "column":
                return self._list()
            if ids:
                return self._yes_no(ids[0].column.table)
            raise Problem("clarify", [self.marks.text.strip()], "I can't tell what is asked")
        named = [s for s in self.marks.of("value") if self._labels(s) == root]
        if named or any(f.column.table == root for f in ids):
            return self._yes_no(root)
        self._conditions(root)
        span = self._first("exists")
        if span:
            span.used = True
        return self._fill(Intent("exists", root, yes_no=True))

    def _labels(self, span: Span) -> str:
        """The table whose rows a name names, or ""."""
        for column, _ in span.data:
            table = self.schema.tables[column.table]
            if table.label == column and table.named:
                return table.name
        return ""

    def _yes_no(self, root: str) -> Intent:
        """About one known thing: show what the question is about, and let the rows say yes or no."""
        self._anchor_tables(root)
        self._conditions(root)
        own, rest = [], []
        for each in self.r.filters:
            label = self.schema.tables[each.column.table].label
            mine = each.column.table == root and (
                each.column == label or each.column.name in self.schema.tables[root].key
            )
            (own if mine and each.op in ("in", "=") else rest).append(each)
        if not own:
            return self._fill(Intent("exists", root, yes_no=True))
        one = all(not self.r.crosses_many(root, f.column.table, f.role) for f in rest)
        if not rest or not one:
            return self._fill(Intent("exists", root, yes_no=True))
        self.r.filters = own
        intent = self._fill(Intent("list", root, yes_no=True))
        intent.select = [(f.column, f.role) for f in rest]
        intent.target = rest
        return intent

    # -- lists ----------------------------------------------------------------------------------

    def _list(self) -> Intent:
        head = self._head(self.ask.end if self.ask else 0)
        if head is not None and head.kind == "column" and not head.used:
            return self._attributes(head)
        if head is not None and head.kind == "role":
            return self._attributes(head)
        if self._kinds(head):
            return self._distinct()
        if self.ask is not None and self.r.words(self.ask).lower() == "who":
            return self._who()
        root = self._root_of(head)
        if root is None:
            named = [self._labels(s) for s in self.marks.of("value") if self._labels(s)]
            if self.r.filters and not named:
                named = [self.r.filters[0].column.table]
            if not named:
                raise Problem("clarify", [self.marks.text.strip()], "I can't tell what is asked")
            root = named[0]
        inside = self._contents(head, root)
        if inside:
            root = inside
        if head is not None and self._worth(root):
            head.used = False
            return self._measured()
        self._conditions(root)
        intent = Intent("list", root)
        intent.select = self._selected(root)
        self._order_list(intent)
        if head is None and not intent.select:
            intent.select = self._details(root)
        return self._fill(intent)

    def _contents(self, head: Span | None, root: str) -> str:
        """ "What is in container X?": the table of lines that belong to it, or ""."""
        low = {t.low for t in self.marks.tokens[:4]}
        asked = self.ask is not None and self.r.words(self.ask).lower() in (
            "what",
            "what is",
            "show",
        )
        known = head is None or any(head.data in self.r._noun_of(s) for s in self.marks.of("value"))
        if not known or not asked or not low & {"in", "inside", "aboard", "on"}:
            return ""
        lines = [
            r.table
            for r in self.schema.references
            if r.target == root and not self.schema.tables[r.table].named
        ]
        if not lines:
            raise Problem("clarify", [self.marks.text.strip()], "I can't tell what is asked")
        return lines[0]

    def _details(self, root: str) -> list[tuple[Column, ReferenceFact | None]]:
        """Everything that a row says of itself."""
        table = self.schema.tables[root]
        return [
            (c, None)
            for c in table.columns.values()
            if not self.schema.is_link(c) and c != table.label
        ]

    def _worth(self, root: str) -> bool:
        """ "What is the cargo worth?" asks for a total, "list the cargo with its value" does not."""
        if self.ask is None or not self.r.words(self.ask).lower().startswith("what"):
            return False
        for span in self.marks.of("column"):
            summed = any(
                self.r.dimension(c) in ("mass", "money") and c.table == root for c, _ in span.data
            )
            if (
                summed
                and not span.used
                and self._low(span.start - 1) not in ("with", "their", "its", "and")
            ):
                return not self.schema.tables[root].named
        return False

    def _who(self) -> Intent:
        """ "Who owns X?": the reference whose comment has the verb says who."""
        verbs = {_verb(t.low) for t in self.marks.tokens}
        for reference in self.schema.references:
            column = self.schema.column(reference.table, reference.column)
            said = {_verb(w) for w in (column.comment if column else "").lower().split()}
            if said & verbs & word_set("telling"):
                self._anchor_tables(reference.table)
                self._conditions(reference.table)
                label = self.schema.tables[reference.target].label
                intent = self._fill(Intent("list", reference.table))
                if label is not None:
                    intent.select = [(label, reference)]
                return intent
        raise Problem("clarify", ["who"], "I can't tell who is asked for")

    def _selected(self, root: str) -> list[tuple[Column, ReferenceFact | None]]:
        """Columns and tables named beside the main noun: "with their capacity and carrier"."""
        chosen: list[tuple[Column, ReferenceFact | None]] = []
        for span in self.marks.of("column", "role", "table"):
            if span.used:
                continue
            if span.kind == "role":
                reference = span.data[0]
                label = self.schema.tables[reference.target].label
                if label is not None:
                    chosen.append((label, reference))
                    span.used = True
            elif span.kind == "column":
                column = self._nearest(span, root)
                if self.r.crosses_many(root, column.table, None):
                    continue
                chosen.append((column, None))
                span.used = True
            elif span.data != root and self._alone(span.data, root):
                label = self.schema.tables[span.data].label
                if label is not None:
                    chosen.append((label, None))
                    span.used = True
        return chosen

    def _alone(self, table: str, root: str) -> bool:
        """A to-one table that no condition speaks of."""
        if any(f.column.table == table for f in self.r.filters):
            return False
        try:
            way = self.schema.path(root, table)
        except LookupError:
            return False
        twins = any(self.schema.twins(e.table, e.target) for e in way)
        return not twins and not any(edge.many for edge in way)

    def _order_list(self, intent: Intent) -> None:
        if self.sorting is None:
            return
        direction, noun = self.sorting
        intent.order = direction or "asc"
        if noun is not None and noun.kind == "column":
            intent.order_by = self._nearest(noun, intent.root)

    def _attributes(self, head: Span) -> Intent:
        """ "what is the capacity of X", "which flags are there": of one thing, or distinct values."""
        nouns = [s for s in self.marks.of("role") if not s.used]
        named = [s for s in self.marks.of("value") if self._labels(s)]
        ids = [f for f in self.r.filters if f.op == "="]
        if head.kind == "role":
            root = head.data[0].table
        elif named or ids:
            start = self._labels(named[0]) if named else ids[0].column.table
            column = self._nearest(head, start)
            summed = self.r.dimension(column) in ("mass", "money") and column.table != start
            if summed and not self.schema.tables[column.table].named:
                self.r.notes.append(f"The total of {column.name}.")
                return self._measured()
            root = start if not self.r.crosses_many(start, column.table, None) else column.table
        else:
            return self._value_list(head)
        self._anchor_tables(root)
        if head.kind == "role":
            self._drop_role_table(nouns)
        intent = Intent("list", root)
        self._conditions(root)
        intent.select = self._selected(root)
        self._order_list(intent)
        return self._fill(intent)

    def _drop_role_table(self, nouns: list[Span]) -> None:
        for noun in nouns:
            follower = self.r.at(noun.end)
            if noun.kind == "role" and follower is not None and follower.kind == "table":
                follower.used = True

    def _value_list(self, head: Span) -> Intent:
        """The distinct values of a column, with how many rows have each."""
        column = self._pick(head)
        head.used = True
        if column.is_number and self.r.dimension(column) in ("mass", "money"):
            head.used = False
            self.r.notes.append(f"The total of {column.name}.")
            return self._measured()
        if not column.is_text and not column.values:
            raise Problem("clarify", [self.r.words(head)], f"{column.name} of which one?")
        self._conditions(column.table)
        self._anchor_tables(column.table)
        return self._fill(Intent("values", column.table, Measure("distinct", column)))

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
        if not self.r.time_columns(root, ()) or self.r.time_columns(root, ())[0].table != root:
            if not ids:
                raise Problem(
                    "clarify", ["when"], "ask about one voyage or the like, by its number"
                )
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
            span.used = (
                span.used
                or not self._labels(span)
                and any(span.start == v.start for v in self.marks.dates)
            )
        self._conditions(root)
        intent = Intent("list", root)
        intent.select = [(c, None) for c in columns]
        return self._fill(intent)

    # -- measures -------------------------------------------------------------------------------

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
        times = self._times_column(column, kind)
        measure = Measure(kind, column, times, weight, percent, unit)
        return self._fill(Intent("aggregate", root, measure))

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
        assert root is not None
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
            tables = [t for t in self.r.mentioned()]
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
            ):
                if not any(
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

    # -- top ------------------------------------------------------------------------------------

    def _top(self) -> Intent:
        superlative = self._first("superlative")
        extreme = self._extreme()
        busy = self._first("busy")
        limit = self._limit(superlative or extreme or busy)
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

    def _plural(self, span: Span | None) -> bool:
        return span is not None and self.marks.tokens[span.end - 1].low.endswith("s")

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

    def _far(self, root: str, column: Column) -> bool:
        try:
            return any(edge.many for edge in self.schema.path(root, column.table))
        except LookupError:
            return True

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
            tables = [s for s in measured if s.kind == "table" and s is not asked]
            if not tables:
                raise Problem("clarify", [self.r.words(word)], f"{self.r.words(word)} by what?")
            return tables[0], asked
        table = next((s for s in self.marks.of("table") if not s.used), None)
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
        elif entity.kind == "table" and not self._far(root, column):
            if not kind or column.table == root and self.schema.tables[root].named:
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

    # -- share, compare -------------------------------------------------------------------------

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
        for first, second in zip(named, named[1:], strict=False):
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

    # -- places ---------------------------------------------------------------------------------

    def _place(self, span: Span) -> Filter:
        """A name whose table, or a table that refers to it, has coordinates."""
        labels = [(c, v) for c, v in span.data if self.r._is_label(c)]
        if not labels:
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
        chosen = []
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

    # -- the end --------------------------------------------------------------------------------

    def _settle(self, intent: Intent) -> None:
        """Every word must have been used: a question is answered whole or not at all."""
        self._direct(intent)
        self._check_rows(intent)
        self._check_many(intent)
        self._anchors(intent)
        self._check_verbs(intent)
        for span in self.marks.spans:
            if span.used or span.kind in ("layout", "more", "than", "zero"):
                continue
            if span.kind == "ask" and (span is self.ask or span.data == "list"):
                continue
            if span.kind in ("exists", "each"):
                if (
                    span.kind == "each"
                    and not span.used
                    and self._low(span.start) in ("per", "each", "every")
                ):
                    raise Problem("clarify", [self.r.words(span)], "per what?")
                continue
            if span.kind == "column" and self._idle(span, intent):
                continue
            raise Problem("clarify", [self.r.words(span)], f'I can\'t place "{self.r.words(span)}"')
        self._idle_overlays()

    def _idle(self, span: Span, intent: Intent) -> bool:
        """A noun that only repeats what is asked: "names", or a nullable one after "with"."""
        column = self._nearest(span, intent.root)
        label = self.schema.tables[intent.root].label
        if column == label or any(column == f.column for f in intent.filters):
            return True
        if column.nullable and self._low(span.start - 1) in (
            "with",
            "an",
            "a",
            "have",
            "has",
            "any",
        ):
            intent.filters.append(
                Filter(column, "notnull", said=f"{column.name} given", place=span.start)
            )
            return True
        return False

    def _idle_overlays(self) -> None:
        """ "arriving" and its like must have taken part."""
        quiet = word_set("stop") | word_set("light")
        for overlay in (*self.marks.roles, *self.marks.dates):
            for i in range(overlay.start, overlay.end):
                if (
                    self.r.at(i) is None
                    and i not in self.r.overlay_used
                    and self._low(i) not in quiet
                ):
                    raise Problem("clarify", [self._low(i)], f'I can\'t place "{self._low(i)}"')

    def _anchors(self, intent: Intent) -> None:
        """Tables that are named and not yet used: on the way, or "with at least one of them"."""
        on_way = {intent.root}
        for each in (*intent.filters, *intent.target):
            on_way |= self._tables_on(intent.root, each.column.table, each.role)
        for group in intent.groups:
            on_way |= self._tables_on(intent.root, group.table, group.role)
        for column in (intent.order_by, intent.measure.weight):
            if column is not None:
                on_way |= self._tables_on(intent.root, column.table, None)
        for span in self.marks.of("table"):
            if span.used:
                continue
            span.used = True
            if span.data in on_way or intent.shape in ("distance", "locate"):
                continue
            if self.r.crosses_many(intent.root, span.data, None):
                intent.related.append(Related(span.data, "some", 0))
        for noun in self.marks.of("role"):
            if not noun.used and any(f.role in noun.data for f in intent.filters):
                noun.used = True

    def _tables_on(self, root: str, table: str, role: ReferenceFact | None) -> set[str]:
        through = (role.table, role.column) if role else None
        try:
            return {edge.target for edge in self.schema.path(root, table, through)}
        except LookupError:
            return set()

    def _check_verbs(self, intent: Intent) -> None:
        """ "operate" and "own" are different references: the way taken must be the one said."""
        said = {_verb(t.low) for t in self.marks.tokens} & word_set("telling")
        used: set[str] = set()
        meant: set[str] = set()
        for reference in self.schema.references:
            column = self.schema.column(reference.table, reference.column)
            verbs = {_verb(w) for w in (column.comment if column else "").lower().split()} & said
            meant |= verbs
            if verbs and self._on_way(intent, (reference.table, reference.column)):
                used |= verbs
        if said & meant and not said & used and len(self.marks.of("table", "value")) > 1:
            word = sorted(said & meant)[0]
            raise Problem("clarify", [word], f'"{word}" is said of something else in this data')

    def _on_way(self, intent: Intent, reference: tuple[str, str]) -> bool:
        goals = [(f.column.table, f.role) for f in intent.filters]
        goals += [(g.table, g.role) for g in intent.groups]
        goals += [(c.table, role) for c, role in intent.select]
        goals += [(r.table, None) for r in intent.related]
        for table, role in goals:
            try:
                way = self.schema.path(
                    intent.root, table, (role.table, role.column) if role else None
                )
            except LookupError:
                continue
            if reference in [edge.reference for edge in way]:
                return True
        return False

    def _direct(self, intent: Intent) -> None:
        """A direction that no name took ("which port does it leave from") settles a double way."""
        said = {str(v.data) for v in self.marks.roles if self._free_verb(v)}
        self._direct_related(intent, said)
        if len(said) != 1:
            return
        for n, each in enumerate(intent.filters):
            if each.role is not None:
                continue
            try:
                self.r.way(intent.root, each.column.table, None)
            except Problem as problem:
                roles = self.r.roles_of(next(iter(said)))
                if problem.kind != "role" or not roles:
                    continue
                intent.filters[n] = replace(each, role=roles[0])
                for verb in self.marks.roles:
                    self.r.overlay_used |= set(range(verb.start, verb.end))

    def _direct_related(self, intent: Intent, said: set[str]) -> None:
        """ "ports without voyages": from there, or to there?"""
        for n, each in enumerate(intent.related):
            try:
                self.r.way(intent.root, each.table, None)
            except Problem as problem:
                roles = self.r.roles_of(next(iter(said))) if len(said) == 1 else []
                if problem.kind != "role" or not roles:
                    raise
                intent.related[n] = replace(each, role=roles[0])
                for verb in self.marks.roles:
                    self.r.overlay_used |= set(range(verb.start, verb.end))

    def _check_rows(self, intent: Intent) -> None:
        """A figure of a row must not be counted several times for rows that belong to it."""
        reached = (
            [(g.table, g.role) for g in intent.groups]
            if intent.measure.kind not in ("count", "distinct")
            else []
        )
        reached += [(c.table, role) for c, role in intent.select]
        reached += [
            (c.table, None) for c in (intent.order_by, intent.measure.weight) if c is not None
        ]
        for table, role in reached:
            if self.r.crosses_many(intent.root, table, role):
                names = f"{intent.root.rsplit('.', 1)[-1]} and {table.rsplit('.', 1)[-1]}"
                raise Problem(
                    "clarify", [names], f"joining {names} would count rows more than once"
                )

    def _moves(self, role: ReferenceFact) -> bool:
        """Whether a verb says that something goes there: a bare "from" may mean anything."""
        if not self.schema.twins(role.table, role.target):
            return True
        verbs = [v for v in self.marks.roles if set(range(v.start, v.end)) & self.r.overlay_used]
        return any(self.r.words(v).lower() not in ("from", "to", "into") for v in verbs)

    def _check_many(self, intent: Intent) -> None:
        """A condition on the many side needs its noun, a status, or a direction to be meant."""
        mentioned = set(self.r.mentioned())
        for each in intent.filters:
            self.r.way(intent.root, each.column.table, each.role)
            many = self.r.crosses_many(intent.root, each.column.table, each.role)
            if not many or each.scope:
                continue
            tables = self._tables_on(intent.root, each.column.table, each.role)
            if tables & mentioned - {intent.root} or "(" in each.column.comment:
                continue
            if each.role is not None and self._moves(each.role):
                continue
            if each.op in ("notnull", "range") and self.r.overlay_used:
                continue
            carrying = {self._low(i) for i in range(max(0, each.place - 3), each.place)}
            if each.op == "in" and carrying & word_set("carrying"):
                continue
            short = many.rsplit(".", 1)[-1]
            raise Problem(
                "clarify",
                [each.said],
                f"only its {short} say that; name the {short} if you mean them",
            )


def _verb(word: str) -> str:
    """A verb without its ending: owns, owned, owner -> own."""
    for ending in ("ated", "ates", "ate", "ating", "ator", "ned", "ning", "ns", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return {
                "ated": word[:-1],
                "ates": word[:-1],
                "ating": word[:-3] + "e",
                "ator": word[:-2] + "e",
                "ate": word,
                "ned": word[:-2],
                "ning": word[:-3],
                "ns": word[:-1],
            }.get(ending, word[: -len(ending)])
    return word


__all__ = ["read_followup", "read_question", "unit_of"]
