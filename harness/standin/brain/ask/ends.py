"""The last look: every word used, nothing counted twice, one way where there are two."""

import itertools
from dataclasses import replace

from harness.standin.brain.ask.base import verb_root
from harness.standin.brain.ask.pairs import Pairs
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Intent, Problem, Related
from harness.standin.brain.spot import Span
from harness.standin.brain.words import word_set


class Ends(Pairs):
    """The last look: every word used, nothing counted twice, one way where there are two."""

    def _settle(self, intent: Intent) -> None:
        """Every word must have been used: a question is answered whole or not at all."""
        if intent.shape in ("compare", "distance", "locate"):
            for span in self.marks.spans:
                if span.negated:
                    raise Problem("clarify", [self.r.words(span)], "I can't tell what is left out")
        self._no_only()
        self._no_kinds()
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
        for i, token in enumerate(self.marks.tokens):
            if self.r.at(i) is None and token.low.removesuffix("s") in (
                "day",
                "week",
                "month",
                "quarter",
                "year",
            ):
                raise Problem("clarify", [token.text], f'I can\'t place "{token.text}"')

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
            if self.ask is not None and span.end <= self.ask.start:
                raise Problem(
                    "clarify", [self.r.words(span)], f'I can\'t place "{self.r.words(span)}"'
                )
            if self.r.crosses_many(intent.root, span.data, None):
                if not self._had(span):
                    word = self.r.words(span)
                    raise Problem("clarify", [word], f'I can\'t tell what "{word}" says of them')
                intent.related.append(Related(span.data, "some", 0))
        for noun in self.marks.of("role"):
            if not noun.used and any(f.role in noun.data for f in intent.filters):
                noun.used = True

    def _had(self, span: Span) -> bool:
        """ "with voyages", "that carry cargo": a verb or a "with" before the noun."""
        before = {self._low(i) for i in range(max(0, span.start - 5), span.start)}
        return bool(before & (word_set("carrying") | word_set("light") | {"have", "has", "had"}))

    def _check_verbs(self, intent: Intent) -> None:
        """ "operate" and "own" are different references: the way taken must be the one said."""
        said = {verb_root(t.low) for t in self.marks.tokens} & word_set("telling")
        used: set[str] = set()
        meant: set[str] = set()
        for reference in self.schema.references:
            column = self.schema.column(reference.table, reference.column)
            verbs = {
                verb_root(w) for w in (column.comment if column else "").lower().split()
            } & said
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

    def _moves(self, role: ReferenceFact) -> bool:
        """Whether a verb says that something goes there: a bare "from" may mean anything."""
        if not self.schema.twins(role.table, role.target):
            return True
        verbs = [v for v in self.marks.roles if set(range(v.start, v.end)) & self.r.overlay_used]
        moving = {t.low for t in self.marks.tokens} & word_set("moving")
        return bool(moving) or any(
            self.r.words(v).lower() not in ("from", "to", "into") for v in verbs
        )

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
            if each.table == intent.root:
                raise Problem("clarify", [each.table.rsplit(".", 1)[-1]], "of themselves?")
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

    def _no_only(self) -> None:
        """ "have only cancelled voyages" speaks of the other rows as well."""
        for i, token in enumerate(self.marks.tokens):
            verbs = word_set("carrying") | word_set("light") | {"have", "has", "had"}
            beside = {self._low(i - 1), self._low(i + 1)}
            if token.low in ("only", "exclusively") and beside & verbs:
                raise Problem("clarify", ["only"], 'I can\'t place "only"; ask without it')

    def _check_all(self, each: Filter) -> None:
        """One that has been to A and to B is not one that has been to A or to B."""
        both = any(t.low == "both" for t in self.marks.tokens)
        named = [s for s in self.marks.of("value") if s.start >= each.place >= 0]
        joined = any(
            "and" in self.r.between(a, b) for a, b in itertools.pairwise(named) if a.used and b.used
        )
        if len(each.values) > 1 and (both or joined) and each.op == "in":
            raise Problem("clarify", ["and"], 'all of these at once? Say "or" if one is enough')

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
            self._check_all(each)
            carrying = {self._low(i) for i in range(max(0, each.place - 3), each.place)}
            if each.op == "in" and carrying & word_set("carrying"):
                continue
            short = many.rsplit(".", 1)[-1]
            raise Problem(
                "clarify",
                [each.said],
                f"only its {short} say that; name the {short} if you mean them",
            )
