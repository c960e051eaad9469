"""Names and sample values as conditions on the column that can be meant."""

import itertools
from dataclasses import replace
from typing import Any

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Problem
from harness.standin.brain.read.roles import Roles
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import stem, word_set

_JOINERS = frozenset(("or", "and", "nor"))


class Values(Roles):
    """Names and sample values as conditions on the column that can be meant."""

    def values(self, root: str) -> None:
        """Every name and sample value becomes a condition; joined ones become one."""
        spans = [s for s in self.marks.of("value", "gloss") if not s.used]
        self._measured_words(spans)
        self._contradictions(spans)
        self._past_words(spans)
        made: list[Filter] = []
        for span in spans:
            if not span.used:
                made.append(self._value(span, root))
                span.used = True
        self.filters += _joined(made)

    def _value(self, span: Span, root: str) -> Filter:
        direction = self.role_near(span)
        nouns = self.role_noun_near(span) if not direction else []
        column, values, role, either = self._choose(span, root, direction, nouns)
        negated = span.negated
        op = "not in" if negated else "in"
        if span.kind == "gloss" or len(values) > 1:
            self.notes.append(f'I read "{self.words(span)}" as {" or ".join(values)}.')
        where = "either end " if either else _role_word(role)
        said = f"{where}{column.name} {'not ' if negated else ''}{' or '.join(map(str, values))}"
        return Filter(
            column, op, tuple(values), role, said, span.start, self.scope_of(span.start), either
        )

    def _choose(
        self, span: Span, root: str, direction: str, nouns: list[ReferenceFact]
    ) -> tuple[Column, list[str], ReferenceFact | None, bool]:
        columns = list(dict.fromkeys(column for column, _ in span.data))
        roles = nouns or (self.roles_of(direction) if direction in ("from", "to") else [])
        either = direction == "both"
        beside = [c for c in columns if c.table in self._noun_of(span) and c.table != root]
        if beside and not any(c.table == r.target for c in beside for r in roles):
            return beside[0], self._texts(span, beside[0]), None, False
        if roles:
            aimed = [c for c in columns if c.table in {r.target for r in roles}]
            if aimed:
                column = min(aimed, key=lambda c: not self._is_label(c))
                self._one_name(span, column)
                role = next(r for r in roles if r.target == column.table)
                if column.table != root:
                    return column, self._texts(span, column), role, False
            elif span.kind == "value" and not {r.target for r in roles} & {root}:
                self._look_up_first(span)
        ranked = sorted(columns, key=lambda c: (self.distance(root, c), not self._is_label(c)))
        column = self._fitting(span, ranked, root)
        self._one_name(span, column)
        owner = self._owner_of(span, column, root)
        if owner is not None:
            return column, self._texts(span, column), owner, False
        if either and any(
            r.target == column.table
            for r in self.schema.references
            if self.schema.twins(r.table, r.target)
        ):
            role = next(
                r
                for r in self.schema.references
                if r.target == column.table and self.schema.twins(r.table, r.target)
            )
            return column, self._texts(span, column), role, True
        return column, self._texts(span, column), None, False

    def _fitting(self, span: Span, ranked: list[Column], root: str) -> Column:
        """The nearest column that can be meant: a flag is no place to be in."""
        before = [t.low for t in self.marks.tokens[max(0, span.start - 2) : span.start]]
        located = bool({"in", "at", "near"} & set(before)) and span.kind == "value"
        unplaced = word_set("unplaced")
        for column in ranked:
            if located and not self._is_label(column) and unplaced & {*column.parts, *column.head}:
                continue
            if self.distance(root, column) < 99:
                return column
        if located:
            self._look_up_first(span)
        if self.distance(root, ranked[0]) >= 99:
            short = ranked[0].table.rsplit(".", 1)[-1]
            raise Problem(
                "need", [short, root.rsplit(".", 1)[-1], "references"], f"no way to {short}"
            )
        raise Problem(
            "clarify",
            [self.words(span)],
            f'"{self.words(span)}" is a {ranked[0].name} in this data, not a place',
        )

    def _look_up_first(self, span: Span) -> None:
        """A known value that can't be meant here may also be a name that no sample shows."""
        if (
            tuple(t.key for t in self.marks.tokens[span.start : span.end])
            not in self.lexicon.searched
        ):
            raise Problem("unknown", [self.words(span)])

    def _one_name(self, span: Span, column: Column) -> None:
        """A part of several names is no name: "Amber" may be seven vessels."""
        names = self._texts(span, column)
        several = len(names) > 1 and span.kind == "value" and self._is_label(column)
        if several and self.schema.tables[column.table].named:
            raise Problem("clarify", [self.words(span)], f"which one: {', '.join(names)}?")

    def _measured_words(self, spans: list[Span]) -> None:
        """ "more than 2 days late": the word says what is measured, it is no status."""
        for compare in self.marks.of("compare"):
            for span in spans:
                first, last = sorted((compare, span), key=lambda s: s.start)
                gap = self.between(first, last)
                if any(w not in ("too", "or", "more", "by", "for") for w in gap):
                    continue
                for column, _ in span.data:
                    if self._measure_of(span, column) is not None:
                        span.used = True

    def _past_words(self, spans: list[Span]) -> None:
        """ "was it late?", "those were late": of what is over, a measure says it, no status.

        Only where the word is another than the sample value's own: DELAYED is not "late".
        """
        low = {t.low for t in self.marks.tokens}
        for span in spans:
            own = stem(self.marks.tokens[span.start].low)
            column, value = span.data[0]
            if span.used or own[:4] == str(value).lower()[:4] or "(" not in column.comment:
                continue
            measure = self._measure_of(span, column)
            if measure is None:
                continue
            single = any(f.op == "=" for f in self.filters)  # of one row that has its number
            if single or low & {"was", "were", "been", "did", "went", "had"}:
                self._above_zero(span, measure)
            else:
                self.notes.append(f'I read "{self.words(span)}" as {value}.')

    def _above_zero(self, span: Span, measure: Column) -> None:
        op, sign = ("<=", "at most") if span.negated else (">", "over")
        said = f"{measure.name} {sign} 0"
        scope = self.scope_of(span.start)
        made = Filter(measure, op, (0,), said=said, place=span.start, scope=scope)
        self.filters.append(made)
        self.notes.append(f'I read "{self.words(span)}" as {measure.name} {op} 0.')
        span.used = True

    def _contradictions(self, spans: list[Span]) -> None:
        """ "arrived late": two values of one column; the second is a measure's word."""
        for first, second in itertools.pairwise(spans):
            shared = {c for c, _ in first.data} & {c for c, _ in second.data}
            words = self.between(first, second)
            if not shared or any(w in _JOINERS for w in words) or second.start - first.end > 3:
                continue
            if "," in self.marks.tokens[second.start].gap or self.role_near(second):
                continue
            column = sorted(shared, key=lambda c: (c.table, c.name))[0]
            late, kept = (first, second) if self._measure_of(first, column) else (second, first)
            measure = self._measure_of(late, column)
            if measure is None or kept.used:
                raise Problem(
                    "clarify",
                    [self.words(first), self.words(second)],
                    "these two exclude each other here",
                )
            self._above_zero(late, measure)


def _role_word(role: ReferenceFact | None) -> str:
    if role is None:
        return ""
    target = role.target.rsplit(".", 1)[-1].rstrip("s")
    word = role.column.removesuffix("_id").replace("_", " ").removesuffix(target).strip()
    return f"{word} " if word else ""


def _joined(filters: list[Filter]) -> list[Filter]:
    """Values of one column in one role, one sign and one scope become one condition."""
    made: dict[tuple[Any, ...], Filter] = {}
    for each in filters:
        spot = (each.column, each.role, each.op, each.scope, each.either and each.place)
        known = made.get(spot)
        if known is None:
            made[spot] = each
        else:
            values = tuple(dict.fromkeys(known.values + each.values))
            made[spot] = replace(
                known, values=values, said=f"{known.said} or {' or '.join(map(str, each.values))}"
            )
    return list(made.values())
