"""Words for NULL and zero, and words that a correction or plain sense explains."""

import re
from dataclasses import dataclass

from harness.standin.brain.corrections import Definition
from harness.standin.brain.intent import Filter, Problem, Related
from harness.standin.brain.read.numbers import Numbers
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook

_ZERO_GLOSS = re.compile(r"\((\d+) when ([^)]+)\)")


@dataclass
class Sense:
    """A word that no fact defines, and how it was read."""

    word: str
    values: tuple[str, ...]


class Senses(Numbers):
    """Words for NULL and zero, and words that a correction or plain sense explains."""

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
                        said = f"{column.name} {'above' if negated else '='} {number}"
                        self.notes.append(f'I read "{" ".join(phrase)}" as {said}.')

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
