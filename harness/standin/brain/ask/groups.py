"""What a question groups by and how it wants it sorted; words that are left over."""

from harness.standin.brain.ask.base import Base
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Group, Intent, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook, word_set

_TIME_UNITS = ("day", "week", "month", "quarter", "year")


class Groups(Base):
    """What a question groups by and how it wants it sorted; words that are left over."""

    def _no_strangers(self) -> None:
        self._no_reasons()
        words = []
        for start, end in self.r.leftovers():
            code = self.r.at(end)
            if end - start == 1 and self._low(start) == "code" and code and code.kind == "value":
                continue
            if self._low(start) in ("code", "number", "numbered") and end - start > 1:
                start += 1  # "code NLRTM": the code itself is what to look up
            first, last = self.marks.tokens[start], self.marks.tokens[end - 1]
            words.append(self.marks.text[first.start : last.end])
        words = [playbook()["demonyms"].get(w.lower(), w) for w in words if not self._time_word(w)]
        never = [w for w in words if set(w.lower().split()) & word_set("unanswerable")]
        if never:
            raise Problem("refuse", never)
        if words:
            raise Problem("unknown", words)

    def _no_reasons(self) -> None:
        """Why something is so is in no data: an answer to "what" would be one to something else."""
        text = f" {' '.join(t.low for t in self.marks.tokens)} "
        for phrase in sorted(word_set("reasons_asked")):
            if f" {phrase} " in text:
                raise Problem("refuse", [phrase])

    def _time_word(self, word: str) -> bool:
        """ "by month", "monthly": a unit of time to group by."""
        return word.lower().removesuffix("s") in (
            *_TIME_UNITS,
            "monthly",
            "yearly",
            "weekly",
            "daily",
        )

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

    def _group_spans(self) -> None:
        """Nouns after "per", "each", "by": what to group by."""
        for each in self.marks.of("each"):
            if self._all_of_them(each):
                each.used = True
                continue
            span = self._group_noun(each.end)
            if span is None and self._low(each.end) in ("year", "month"):
                continue
            if span is not None:
                self._take_group(span)
                each.used = True
        self._asked_period()
        self._averaged_noun()
        for i, token in enumerate(self.marks.tokens):
            if token.low == "by" and self.r.at(i) is None and not self._passive(i):
                span = self._group_noun(i + 1)
                if span is not None and span not in self.groups:
                    self._take_group(span)
            elif token.low in ("monthly", "yearly", "weekly", "daily"):
                unit = {"daily": "day"}.get(token.low, token.low.removesuffix("ly"))
                span = self.marks.claim("period", i, i + 1, unit)
                self._take_group(span)

    def _averaged_noun(self) -> None:
        """ "How many containers does a voyage carry on average?": an average per voyage."""
        if not self._aggregate("avg") or self.ask is None or self.ask.data != "count":
            return
        for span in self.marks.of("table"):
            article = self._low(span.start - 1) in ("a", "an", "one", "the")
            if article and self._low(span.start - 2) in ("does", "do", "did", "has", "have"):
                self._take_group(span)

    def _all_of_them(self, each: Span) -> bool:
        """ "list every carrier in ...": all of them, no grouping."""
        listing = self.ask is not None and self.ask.data == "list" and each.start - self.ask.end < 1
        return listing and self.r.words(each).lower() in ("every", "each")

    def _asked_period(self) -> None:
        """ "which month had the most ...": the unit of time is what is ranked."""
        asked = self.ask is not None and self.ask.data == "list"
        if asked and self.ask is not None and self._low(self.ask.end) in _TIME_UNITS:
            span = self._group_noun(self.ask.end)
            if span is not None:
                self._take_group(span)

    def _passive(self, i: int) -> bool:
        """ "operated by", "owned by", "delayed by": no grouping."""
        before = self._low(i - 1)
        owner = self.r.at(i - 1)
        weighted = owner is not None and owner.kind == "aggregate" and owner.data == "weighted"
        return (before.endswith("ed") and before not in ("grouped",) and owner is None) or weighted

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
                there = next((c for c, _ in columns if c.table == roles[0].target), None)
                if there is None:
                    raise Problem("clarify", [self.r.words(span)])
                return Group("column", there.table, there, roles[0])
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
        if self.r.undated(found[0]):
            always = [c for c in found if c.table == found[0].table and not c.nullable]
            found = always or found
        self.r.notes.append(f"The time is that of {found[0].name}.")
        return found[0]

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

    def _fill(self, intent: Intent) -> Intent:
        intent.groups = self._groups(intent.root)
        intent.filters = self.r.filters
        intent.related = self.r.related
        intent.notes = self.r.notes
        return intent
