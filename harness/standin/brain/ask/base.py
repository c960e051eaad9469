"""What all questions share: finding spans, heads, roots and columns."""

from harness.standin.brain.bind import Reader, Sense
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import word_set


class Base:
    """What all questions share: finding spans, heads, roots and columns."""

    def __init__(self, reader: Reader) -> None:
        self.r = reader
        self.marks = reader.marks
        self.schema = reader.schema
        self.ask = self._main_ask()
        self.groups: list[Span] = []
        self.sense: list[Sense] = []
        self.sorting: tuple[str, Span | None] | None = None

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
        return self._kind_word(head) or bool(
            set(self.r.words(head).lower().split()) & word_set("kinds")
        )

    def _kind_word(self, noun: Span) -> bool:
        """ "types of cargo", "cargo types"."""
        of = self._low(noun.start - 2) if self._low(noun.start - 1) == "of" else ""
        return bool({of, self._low(noun.end)} & word_set("kind_words"))

    def _no_kinds(self) -> None:
        """ "types of vessels": rows that have names of their own are of no kind."""
        for noun in self.marks.of("table"):
            if self._kind_word(noun) and self.schema.tables[noun.data].named:
                raise Problem("clarify", [self.r.words(noun)], f"no kinds of {self.r.words(noun)}")

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

    def _pick(self, span: Span) -> Column:
        """The candidate in a table that the question names, else the nearest to one."""
        if span.kind != "column":
            raise Problem("clarify", [self.r.words(span)], "I can't tell what is counted")
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

    def _anchor_tables(self, root: str) -> None:
        for span in self.marks.of("table"):
            if span.data == root:
                span.used = True

    def _labels(self, span: Span) -> str:
        """The table whose rows a name names, or ""."""
        for column, _ in span.data:
            table = self.schema.tables[column.table]
            if table.label == column and table.named:
                return table.name
        return ""

    def _far(self, root: str, column: Column) -> bool:
        try:
            return any(edge.many for edge in self.schema.path(root, column.table))
        except LookupError:
            return True

    def _free_verb(self, verb: Span) -> bool:
        """A direction that no name has taken: "ports that receive the most"."""
        return not set(range(verb.start, verb.end)) & self.r.overlay_used

    def _use_overlaid(self, verb: Span) -> None:
        for noun in self.marks.of("column"):
            if noun.start < verb.end and verb.start < noun.end:
                noun.used = True

    def _extreme(self) -> Span | None:
        return next((s for s in self.marks.of("extreme") if not s.used), None)

    def _how(self) -> Span | None:
        return self._first("how")

    def _tables_on(self, root: str, table: str, role: ReferenceFact | None) -> set[str]:
        through = (role.table, role.column) if role else None
        try:
            return {edge.target for edge in self.schema.path(root, table, through)}
        except LookupError:
            return set()

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

    def _verb_follows(self, span: Span) -> bool:
        return self._low(span.end) in ("have", "has", "is", "are", "do", "does")


def verb_root(word: str) -> str:
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
