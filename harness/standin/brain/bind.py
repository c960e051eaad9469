"""From marks to conditions: which column a value, a number, a time or a name belongs to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from harness.standin.brain.corrections import Corrections, Definition, units_said
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Problem, Related
from harness.standin.brain.lexicon import Lexicon
from harness.standin.brain.schema import Column, Edge, Schema
from harness.standin.brain.spot import Marks, Numeric, Span
from harness.standin.brain.times import Range
from harness.standin.brain.words import keys, playbook, word_set

_ZERO_GLOSS = re.compile(r"\((\d+) when ([^)]+)\)")
_JOINERS = frozenset(("or", "and", "nor"))
_ARTICLES = frozenset("the a an of is are was were be been it that which in on at by as to".split())
_OWNING = frozenset(
    "of by the owned operated from belonging to in under that which are is were".split()
)
_FLIP = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>"}
_COUNTED = ("count", "number", "no")


@dataclass
class Sense:
    """A word that no fact defines, and how it was read."""

    word: str
    values: tuple[str, ...]


@dataclass
class Reader:
    """All that reading one question needs, and what has been read so far."""

    marks: Marks
    schema: Schema
    lexicon: Lexicon
    corrections: Corrections
    today: date | None
    filters: list[Filter] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    overlay_used: set[int] = field(default_factory=set)
    scopes: dict[int, tuple[int, int]] = field(default_factory=dict)

    # -- where things stand -------------------------------------------------------------------

    def between(self, first: Span, second: Span) -> list[str]:
        """The small letters between two spans."""
        return [t.low for t in self.marks.tokens[first.end : second.start]]

    def at(self, index: int) -> Span | None:
        """The span that owns a token."""
        return self.marks.owner[index] if 0 <= index < len(self.marks.owner) else None

    def next_span(self, after: int, skip: frozenset[str] = _ARTICLES) -> Span | None:
        """The span that begins next, with nothing but articles before it."""
        for i in range(after, len(self.marks.tokens)):
            span = self.at(i)
            if span is not None:
                return span
            if self.marks.tokens[i].low not in skip:
                return None
        return None

    def mentioned(self) -> list[str]:
        """The tables that the question names."""
        return [s.data for s in self.marks.of("table")]

    def words(self, span: Span) -> str:
        """A span's words as written."""
        return self.marks.words(span)

    # -- ways -----------------------------------------------------------------------------------

    def way(self, root: str, column_table: str, role: ReferenceFact | None) -> list[Edge]:
        """The joins from root to a table. Raises Problem: need, role."""
        through = (role.table, role.column) if role else None
        try:
            way = self.schema.path(root, column_table, through)
        except LookupError:
            words = [root.rsplit(".", 1)[-1], column_table.rsplit(".", 1)[-1]]
            raise Problem(
                "need", [*words, "references"], "no way to join " + " and ".join(words)
            ) from None
        if role is None:
            for edge in way:
                table, column = edge.reference
                one = edge.table if edge.many else edge.target
                if self.schema.twins(table, one):
                    raise Problem("role", [one], f"{column} or another")
        return way

    def distance(self, root: str, column: Column) -> float:
        """How far a column is from the root; far away when nothing joins them."""
        try:
            way = self.schema.path(root, column.table)
        except LookupError:
            return 99.0
        return sum(1.6 if edge.many else 1.0 for edge in way)

    def crosses_many(self, root: str, table: str, role: ReferenceFact | None) -> str:
        """The first table on the many side of the way, or ""."""
        way = self.schema.path(root, table, (role.table, role.column) if role else None)
        return next((edge.target for edge in way if edge.many), "")

    # -- reading --------------------------------------------------------------------------------

    def labels(self) -> None:
        """Narrow values by a column named beside them: "flag of Malta", "the PACIFIC region"."""
        for span in self.marks.of("column"):
            for value in self.marks.of("value"):
                first, second = sorted((span, value), key=lambda s: s.start)
                if any(w not in _ARTICLES for w in self.between(first, second)):
                    continue
                named = {column for column, _ in span.data}
                kept = [pair for pair in value.data if pair[0] in named]
                if kept and not span.used:
                    value.data, span.used = kept, True
                elif not kept and not span.used and self._could_hold(span, first is span):
                    column = span.data[0][0]
                    value.data, span.used = [(column, str(value.data[0][1]))], True

    def _could_hold(self, span: Span, before: bool) -> bool:
        """ "the flag of Norway": no sample says so, yet that is what is asked."""
        column = span.data[0][0]
        words = [t.low for t in self.marks.tokens[span.end : span.end + 1]]
        return (
            before
            and column.is_text
            and len(span.data) == 1
            and bool(column.values)
            and words == ["of"]
        )

    def ids(self) -> None:
        """ "voyage 1400", "IMO 9846782", "HS code 401110", "size 2"."""
        for number in self.marks.of("number"):
            before = self.at(number.start - 1)
            at = number.start - 1
            while (
                before is None
                and at >= 0
                and self.marks.tokens[at].low in ("id", "number", "no", "is", "key")
            ):
                at -= 1
                before = self.at(at)
            if before is None or number.used:
                continue
            if before.kind == "table":
                table = self.schema.tables[before.data]
                if table.key and before.data in self.schema.tables:
                    column = table.columns.get(table.key[0])
                    if column is not None:
                        self._equal(number, column)
            elif before.kind == "column" and not before.used:
                column = before.data[0][0]
                if column.is_text or column.is_number:
                    self._equal(number, column)
                    before.used = True

    def _equal(self, number: Span, column: Column) -> None:
        text = self.words(number)
        value: Any = (
            text
            if column.is_text
            else int(number.data)
            if number.data == int(number.data)
            else number.data
        )
        said = f"{column.name} {text}"
        self.filters.append(Filter(column, "=", (value,), said=said, place=number.start))
        number.used = True

    def negations(self) -> None:
        """Give every "not", "without" and "except" the thing that it negates."""
        for number, span in enumerate(self.marks.of("negation"), 1):
            self._negate(span, number)

    def _negate(self, negation: Span, number: int) -> None:
        target = self.next_span(
            negation.end,
            _ARTICLES | word_set("light") | word_set("after_not"),
        )
        while target is not None and target.kind in ("aggregate", "each", "ask"):
            target = self.next_span(target.end)
        if target is None:
            raise Problem("clarify", [self.words(negation)], "I can't tell what is left out")
        word = self.words(negation).lower()
        absent = word in ("without", "no", "lack", "lacks", "lacking")
        if target.kind in ("value", "gloss", "term", "sense", "null") and absent:
            after = self.next_span(target.end)
            if after is not None and after.kind == "table" and after.start - target.end < 2:
                self._absent(after, number, negation.end)
                negation.used = True
                return
        if target.kind == "table" and absent:
            self._absent(target, number, negation.end)
        elif target.kind == "column" and absent:
            self._null(target, "null")
        elif target.kind == "column" and target.data[0][0].is_time:
            self._null(target, "null")
        elif target.kind in ("value", "gloss", "term", "sense", "null", "time", "compare", "empty"):
            target.negated = True
            self._negate_joined(target)
        elif target.kind == "column" and word in ("except", "other than", "not", "excluding"):
            after = self.next_span(target.end)
            if (after is None or after.kind != "value") and target.data[0][0].nullable:
                self._null(target, "null")
                negation.used = True
                return
            if after is None or after.kind != "value":
                raise Problem(
                    "clarify",
                    [self.words(negation), self.words(target)],
                    "I can't tell what is left out",
                )
            after.negated = True
            self._negate_joined(after)
        elif target.kind == "table":
            after = self.next_span(target.end, _ARTICLES | {"with", "from", "to", "for"})
            if after is None or after.kind not in ("value", "gloss", "number", "time"):
                raise Problem(
                    "clarify",
                    [self.words(negation), self.words(target)],
                    "I can't tell what is left out",
                )
            after.negated = True
            self._negate_joined(after)
        else:
            raise Problem("clarify", [self.words(negation)], "I can't tell what is left out")
        negation.used = True

    def _negate_joined(self, target: Span) -> None:
        """ "except ARRIVED and CANCELLED": what is joined on is negated too."""
        last = target
        for span in self.marks.spans:
            if span.start < last.end or span.kind != target.kind:
                continue
            words = self.between(last, span)
            if not all(w in _JOINERS or w in _ARTICLES for w in words):
                return
            if not words and "," not in self.marks.tokens[span.start].gap:
                return
            span.negated = True
            last = span

    def _absent(self, table: Span, number: int, start: int) -> None:
        """ "without any delayed voyages to Hamburg": all up to the next break belongs to it."""
        end = len(self.marks.tokens)
        for i in range(table.end, end):
            if self.marks.tokens[i].gap or self.marks.tokens[i].low in ("and", "but"):
                end = i
                break
        self.scopes[number] = (start, end)
        self.related.append(Related(table.data, "none", 0, scope=number))
        table.used = True

    def _null(self, span: Span, op: str) -> None:
        column = span.data[0][0]
        said = f"{'no' if op == 'null' else 'with'} {column.name}"
        self.filters.append(Filter(column, op, said=said, place=span.start))
        span.used = True

    def scope_of(self, place: int) -> int:
        """The negated group that a token belongs to; 0 for none."""
        for number, (start, end) in sorted(self.scopes.items()):
            if start <= place < end:
                return number
        return 0

    # -- values ---------------------------------------------------------------------------------

    def role_near(self, span: Span) -> str:
        """from, to, both or "": the direction that was said before a name that can have one."""
        glossed = any("(" in column.comment for column, _ in span.data)
        if glossed and not any(self._has_roles(column) for column, _ in span.data):
            return ""
        best: Span | None = None
        for role in self.marks.roles:
            if role.end > span.start or span.start - role.end > 4:
                continue
            if all(self._may_stand_between(i) for i in range(role.end, span.start)):
                best = role
        if best is not None:
            self.overlay_used |= set(range(best.start, best.end))
            return str(best.data)
        for i in range(span.start - 1, max(-1, span.start - 7), -1):
            if self.marks.tokens[i].low == "between":
                return "both"
        return ""

    def _has_roles(self, column: Column) -> bool:
        return any(
            r.target == column.table and self.schema.twins(r.table, r.target)
            for r in self.schema.references
        )

    def _may_stand_between(self, i: int) -> bool:
        owner = self.at(i)
        if owner is not None:
            return owner.kind in ("table", "column", "role", "negation", "time")
        return self.marks.tokens[i].low in _ARTICLES | {"any", "either", "or", "and"} | {
            r for s in self.marks.roles for r in [self.marks.tokens[s.start].low]
        }

    def role_noun_near(self, span: Span) -> list[ReferenceFact]:
        """ "destination Hamburg", "with Hamburg as destination"."""
        for noun in self.marks.of("role"):
            first, second = sorted((noun, span), key=lambda s: s.start)
            gap = [
                w
                for i, w in enumerate(self.between(first, second))
                if self.at(first.end + i) is None
            ]
            spans = [self.at(i) for i in range(first.end, second.start)]
            if all(w in _ARTICLES for w in gap) and all(
                s is None or s.kind == "table" for s in spans
            ):
                noun.used = True
                for s in spans:
                    if s is not None:
                        s.used = True
                return list(noun.data)
        return []

    def roles_of(self, direction: str) -> list[ReferenceFact]:
        """The references that a direction means, by the words of their names and comments."""
        words = playbook()["role_words"].get(direction, ())
        found = [r for word in words for r in self.lexicon.roles.get((word,), [])]
        return list(dict.fromkeys(found))

    def values(self, root: str) -> None:
        """Every name and sample value becomes a condition; joined ones become one."""
        spans = [s for s in self.marks.of("value", "gloss") if not s.used]
        self._measured_words(spans)
        self._contradictions(spans)
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

    def _noun_of(self, span: Span) -> list[str]:
        """The tables whose noun stands right before or after a name: "vessels of X", "X vessels"."""
        found = []
        for table in self.marks.of("table"):
            gap = [t.low for t in self.marks.tokens[table.end : span.start]]
            follows = table.end <= span.start and len(gap) < 4 and all(w in _OWNING for w in gap)
            if follows or table.start == span.end:
                found.append(str(table.data))
        return found

    def _owner_of(self, span: Span, column: Column, root: str) -> ReferenceFact | None:
        """ "vessels of Corvane" in a question about voyages: the name belongs to the vessels."""
        for table in self._noun_of(span) if column.table != root else ():
            if table in (root, column.table):
                continue
            links = [
                r
                for r in self.schema.references
                if (r.table, r.target) in ((table, column.table), (column.table, table))
            ]
            if len(links) == 1:
                return links[0]
        return None

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
        if len(names) > 1 and span.kind == "value" and self._is_label(column):
            if self.schema.tables[column.table].named:
                raise Problem("clarify", [self.words(span)], f"which one: {', '.join(names)}?")

    def _is_label(self, column: Column) -> bool:
        return self.schema.tables[column.table].label == column

    @staticmethod
    def _texts(span: Span, column: Column) -> list[str]:
        return list(dict.fromkeys(value for c, value in span.data if c == column))

    def _measured_words(self, spans: list[Span]) -> None:
        """ "more than 2 days late": the word says what is measured, it is no status."""
        for compare in self.marks.of("compare"):
            for span in spans:
                gap = [t.low for t in self.marks.tokens[compare.end : span.start]]
                if span.start < compare.end or any(w not in ("too", "or", "more") for w in gap):
                    continue
                for column, _ in span.data:
                    if self._measure_of(span, column) is not None:
                        span.used = True

    def _contradictions(self, spans: list[Span]) -> None:
        """ "arrived late": two values of one column side by side; the second is a measure's word."""
        for first, second in zip(spans, spans[1:], strict=False):
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
            negated = late.negated
            op, sign = ("<=", "at most") if negated else (">", "over")
            self.filters.append(
                Filter(
                    measure,
                    op,
                    (0,),
                    said=f"{measure.name} {sign} 0",
                    place=late.start,
                    scope=self.scope_of(late.start),
                )
            )
            self.notes.append(f'I read "{self.words(late)}" as {measure.name} {op} 0.')
            late.used = True

    def _measure_of(self, span: Span, column: Column) -> Column | None:
        """The numeric column of the same table whose name begins like the value: delay, DELAYED."""
        word = self.marks.tokens[span.start].key
        for other in self.schema.tables[column.table].columns.values():
            if other.is_number and any(len(p) > 3 and word.startswith(p) for p in other.parts):
                return other
        return None

    def nulls(self) -> None:
        """ "reefers", "dry containers", "empty containers", "on time"."""
        for span in self.marks.of("null"):
            column, empty = span.data
            empty ^= span.negated
            self.filters.append(
                Filter(
                    column,
                    "null" if empty else "notnull",
                    said=f"{column.name} {'missing' if empty else 'given'}",
                    place=span.start,
                    scope=self.scope_of(span.start),
                )
            )
            span.used = True
        for span in self.marks.of("empty"):
            _, missing = span.data
            op = "some" if span.negated else "none"
            self.related.append(Related(missing, op, 0))
            span.used = True

    def zero_glosses(self) -> None:
        """ "(0 when on time or early)" lets "on time" be read as 0."""
        low = [t.low for t in self.marks.tokens]
        for column in self.schema.columns:
            match = _ZERO_GLOSS.search(column.comment)
            if not match:
                continue
            first = match.group(2).split(" or ")[0].split()
            for phrase in (match.group(2).split(), first):
                for i in range(len(low) - len(phrase) + 1):
                    if low[i : i + len(phrase)] == phrase and self.marks.free(i, i + len(phrase)):
                        span = self.marks.claim("zero", i, i + len(phrase), column)
                        span.used = True
                        negated = i > 0 and low[i - 1] == "not"
                        for n in self.marks.of("negation"):
                            if n.end == i:
                                n.used = negated = True
                        number = int(match.group(1))
                        op = ">" if negated else "="
                        self.filters.append(
                            Filter(
                                column,
                                op,
                                (number,),
                                said=f"{column.name} {op} {number}",
                                place=i,
                                scope=self.scope_of(i),
                            )
                        )
                        self.notes.append(
                            f'I read "{" ".join(phrase)}" as {column.name} {"above" if negated else "="} {number}.'
                        )

    def senses(self, root: str) -> list[Sense]:
        """Words that only a correction defines, or else the plain sense of a sample value."""
        found: list[Sense] = []
        for span in self.marks.of("term"):
            self._defined(span, span.data, root)
        for span in self.marks.of("sense"):
            options = playbook()["senses"][span.data]
            for option in options:
                pair = self.lexicon.values.get(tuple(option.split())) or self.lexicon.glosses.get(
                    tuple(option.split())
                )
                if pair:
                    pair = [p for p in pair if p[0] == pair[0][0]][:1]
                    break
            else:
                raise Problem(
                    "need", [self.words(span), *options], f'what "{self.words(span)}" means'
                )
            column, value = pair[0]
            op = "not in" if span.negated else "in"
            self.filters.append(
                Filter(
                    column,
                    op,
                    (value,),
                    said=f"{column.name} {value}",
                    place=span.start,
                    scope=self.scope_of(span.start),
                )
            )
            self.notes.append(
                f'Nothing here defines "{self.words(span)}"; I took it as {value}. '
                "Tell me if it means something else."
            )
            span.used = True
            found.append(Sense(span.data, (value,)))
        return found

    def _defined(self, span: Span, definition: Definition, root: str) -> None:
        negated = span.negated != definition.excluded
        if definition.numeric is not None:
            column = self.numeric_column(definition.numeric, root, span)
            self.filters.append(self.numeric_filter(definition.numeric, column, span, negated))
        else:
            columns = list(dict.fromkeys(c for c, _ in definition.values))
            column = min(columns, key=lambda c: self.distance(root, c))
            values = tuple(dict.fromkeys(v for c, v in definition.values if c == column))
            self.filters.append(
                Filter(
                    column,
                    "not in" if negated else "in",
                    values,
                    said=f"{column.name} {'not ' if negated else ''}{' or '.join(values)}",
                    place=span.start,
                    scope=self.scope_of(span.start),
                )
            )
        self.notes.append(f'By the correction: "{definition.said.strip(" .")}".')
        span.used = True

    # -- numbers --------------------------------------------------------------------------------

    def counted_rows(self) -> None:
        """ "more than 3 delayed voyages": a count of related rows, with its own conditions."""
        for span in self.marks.of("compare"):
            numeric: Numeric = span.data
            after = self.next_span(span.end, frozenset(("such", "different")))
            if after is not None and after.kind in ("value", "gloss", "sense", "null"):
                further = self.next_span(after.end, frozenset())
                after = further if further is not None and further.kind == "table" else after
            if not numeric.unit and not numeric.of and after is not None and after.kind == "table":
                self._counted(span, after)

    def numbers(self, root: str) -> None:
        """Comparisons of a column with numbers."""
        for span in self.marks.of("compare"):
            if span.used:
                continue
            numeric: Numeric = span.data
            column = self.numeric_column(numeric, root, span)
            self.filters.append(self.numeric_filter(numeric, column, span, span.negated))
            span.used = True

    def _counted(self, span: Span, table: Span) -> None:
        numeric: Numeric = span.data
        if numeric.op == "between":
            raise Problem("clarify", [self.words(span)], "I can't count between two numbers")
        number = len(self.scopes) + 100 + span.start
        self.scopes[number] = (span.end, self._clause_end(table.end))
        op = _FLIP[numeric.op] if span.negated else numeric.op
        self.related.append(Related(table.data, op, numeric.numbers[0], scope=number))
        table.used = span.used = True

    def _clause_end(self, start: int) -> int:
        for i in range(start, len(self.marks.tokens)):
            if self.marks.tokens[i].gap or self.marks.tokens[i].low in (
                "and",
                "but",
                "have",
                "has",
                "does",
            ):
                return i
        return len(self.marks.tokens)

    def numeric_column(self, numeric: Numeric, root: str, span: Span) -> Column:
        """The column that a comparison speaks of: by its adjective, a noun beside it, or its unit."""
        if numeric.of:
            found = self.columns_for(numeric.of, root)
            if found:
                self._use_nouns(span, found[0])
                return found[0]
            raise Problem("need", [*numeric.of], f'what "{self.words(span)}" measures')
        beside = self._noun_beside(span)
        if beside is not None:
            options = [c for c, _ in beside.data if c.is_number]
            if options:
                beside.used = True
                return min(options, key=lambda c: self.distance(root, c))
        if numeric.unit:
            return self.by_unit(numeric.unit, root, span)
        raise Problem("clarify", [self.words(span)], f'"{self.words(span)}" of what?')

    def _use_nouns(self, span: Span, column: Column) -> None:
        for noun in self.marks.of("column"):
            near = abs(noun.end - span.start) < 3 or abs(span.end - noun.start) < 3
            if near and column in [c for c, _ in noun.data]:
                noun.used = True

    def _noun_beside(self, span: Span) -> Span | None:
        before = [s for s in self.marks.of("column") if s.end <= span.start]
        after = self.next_span(span.end)
        if before:
            gap = [t.low for t in self.marks.tokens[before[-1].end : span.start]]
            if all(w in _ARTICLES or w in word_set("stop") for w in gap) and len(gap) < 4:
                return before[-1]
        if after is not None and after.kind == "column":
            return after
        return None

    def by_unit(self, unit: str, root: str, span: Span) -> Column:
        """The one column that is measured in a unit, nearest to what the question names."""
        dimension = playbook()["units"].get(unit, {}).get("dimension", unit)
        options = [
            c
            for c in self.schema.columns
            if c.is_number and not self.schema.is_link(c) and self.dimension(c) == dimension
        ]
        near = [c for c in options if c.table == root] or [
            c for c in options if c.table in self.mentioned()
        ]
        near = near or [c for c in options if self.distance(root, c) < 99]
        if len({c.table for c in near}) > 1:
            verbs = {t.low for t in self.marks.tokens if t.low in word_set("light")}
            said = [
                c for c in near if verbs & set(self.schema.tables[c.table].comment.lower().split())
            ]
            near = said or near
        if not near:
            raise Problem("need", [unit, self.words(span)], f"what is measured in {unit}")
        if len({c.table for c in near}) > 1:
            names = " or ".join(f"{c.table.rsplit('.', 1)[-1]}.{c.name}" for c in near)
            raise Problem(
                "clarify", [self.words(span)], f'"{self.words(span)}" may be about {names}'
            )
        return near[0]

    def dimension(self, column: Column) -> str:
        """slots, money, mass, duration ... of a column's unit; "" if it has none."""
        unit = units_said(column, self.corrections)
        return str(playbook()["units"][unit]["dimension"]) if unit else ""

    def numeric_filter(self, numeric: Numeric, column: Column, span: Span, negated: bool) -> Filter:
        """The condition of a comparison, its numbers converted to the column's own unit."""
        op, numbers = numeric.op, list(numeric.numbers)
        if numeric.unit == "year":
            if self.today is None:
                raise Problem("today", ["today"])
            op, numbers = (
                _FLIP_AGE[numeric.age or numeric.op],
                [self.today.year - n for n in numbers],
            )
        elif numeric.unit:
            numbers = [self.converted(n, numeric.unit, column, span) for n in numbers]
        if negated:
            if op == "between":
                raise Problem("clarify", [self.words(span)], "I can't leave out a range")
            op = _FLIP[op]
        values = tuple(int(n) if n == int(n) else n for n in numbers)
        shown = " and ".join(map(str, values))
        return Filter(
            column,
            op,
            values,
            said=f"{column.name} {op} {shown}",
            place=span.start,
            scope=self.scope_of(span.start),
        )

    def converted(self, number: float, unit: str, column: Column, span: Span) -> float:
        """A number in the column's unit. Raises Problem where the two are of different kinds."""
        own = units_said(column, self.corrections)
        table = playbook()["units"]
        if not own or table[own]["dimension"] != table[unit]["dimension"]:
            raise Problem(
                "unit",
                [self.words(span), unit, column.name, column.table],
                f"{column.name} is not in {unit}",
            )
        if "fahrenheit" in (own, unit) and own != unit:
            return (number - 32) / 1.8
        return round(number * table[unit]["factor"] / table[own]["factor"], 6)

    def columns_for(self, words: tuple[str, ...], root: str) -> list[Column]:
        """Numeric columns that these words describe, the nearest first."""
        scored: list[tuple[float, int, Column]] = []
        mentioned = self.mentioned()
        for word in words:
            for column, strength in self.lexicon.columns.get((word,), []):
                if column.is_number and not self.schema.is_link(column):
                    near = self.distance(root, column)
                    near -= 0.5 if column.table in mentioned else 0
                    scored.append((near, -strength, column))
        scored.sort(key=lambda each: (each[0], each[1], each[2].table, each[2].name))
        return [column for near, _, column in scored if near < 90]

    # -- times ----------------------------------------------------------------------------------

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

    def _years(self, column: Column, point: Range, span: Span) -> Filter:
        first = point.start.year if point.start else None
        last = point.end.year - (point.end.month == 1 and point.end.day == 1) if point.end else None
        if first is not None and last is not None:
            op, values = ("=", (first,)) if first == last else ("between", (first, last))
        else:
            op, values = (">=", (first,)) if last is None else ("<=", (last,))
        return Filter(column, op, values, said=f"{column.name} {point.label}", place=span.start)

    def date_column(self, span: Span, root: str) -> tuple[Column, bool]:
        """The column that a time speaks of, and whether its verb is in the past."""
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
        if self._undated(options[0]):
            names = ", ".join(c.name for c in options if c.table == options[0].table)
            raise Problem("clarify", [self.words(span)], f"name the time that counts: {names}")
        self.notes.append(f"The time is that of {options[0].name}.")
        return options[0], False

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

    def _undated(self, column: Column) -> bool:
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

    def time_columns(self, root: str, words: list[str] | tuple[str, ...]) -> list[Column]:
        """Date columns that the words describe, nearest first, in the table's own order."""
        found = []
        for position, column in enumerate(self.schema.columns):
            if not column.is_time or self.distance(root, column) > 6:
                continue
            said = {*column.parts, *column.head}
            if words and not said & set(words):
                continue
            found.append((self.distance(root, column), position, column))
        return [column for _, _, column in sorted(found, key=lambda each: each[:2])]

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

    def leftovers(self) -> Iterator[tuple[int, int]]:
        """Runs of tokens that nothing claimed and that carry meaning."""
        quiet = word_set("stop") | word_set("light")
        i, tokens = 0, self.marks.tokens
        while i < len(tokens):
            if self._loud(i, quiet):
                start = i
                while i < len(tokens) and (
                    i == start or (self._loud(i, quiet) and not tokens[i].gap)
                ):
                    i += 1
                yield self._widened(start, i)
            else:
                i += 1

    def _loud(self, i: int, quiet: frozenset[str]) -> bool:
        token = self.marks.tokens[i]
        if self.at(i) is not None or i in self.overlay_used:
            return False
        covered = any(s.start <= i < s.end for s in (*self.marks.roles, *self.marks.dates))
        return (
            token.low not in quiet and not covered and (len(token.low) > 1 or token.low.isdigit())
        )

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """Take capitalised neighbours in: "Auriga Container Line", "Port Said"."""
        tokens = self.marks.tokens
        if not tokens[start].capital:
            return start, end
        while (
            start > 0
            and tokens[start - 1].capital
            and not tokens[start].gap
            and not tokens[start - 1].first
            and self._noun_at(start - 1)
        ):
            start -= 1
        while (
            end < len(tokens) and tokens[end].capital and not tokens[end].gap and self._noun_at(end)
        ):
            end += 1
        return start, end

    def _noun_at(self, i: int) -> bool:
        owner = self.at(i)
        return owner is None or owner.kind in ("table", "column", "role")


_FLIP_AGE = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "="}


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
