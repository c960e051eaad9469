"""What "not", "without" and "except" leave out."""

from dataclasses import replace

from harness.standin.brain.intent import Filter, Problem, Related
from harness.standin.brain.read.names import Names
from harness.standin.brain.spot import Span
from harness.standin.brain.words import word_set

_JOINERS = frozenset(("or", "and", "nor"))
_ARTICLES = frozenset("the a an of is are was were be been it that which in on at by as to".split())


class Negation(Names):
    """What "not", "without" and "except" leave out."""

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
        elif (target.kind == "column" and absent) or (
            target.kind == "column" and target.data[0][0].is_time
        ):
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
            self._other_than(after)
            self._negate_joined(after)
        else:
            raise Problem("clarify", [self.words(negation)], "I can't tell what is left out")
        negation.used = True

    def _other_than(self, number: Span) -> None:
        """ "not voyage 1400": every other one."""
        for n, each in enumerate(self.filters):
            if each.place == number.start and each.op == "=":
                self.filters[n] = replace(each, op="<>", said=f"not {each.said}")

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
