"""From and to, origin and destination, and the noun that a name belongs to."""

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.read.negation import Negation
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import playbook

_ARTICLES = frozenset("the a an of is are was were be been it that which in on at by as to".split())
_OWNING = frozenset(
    "of by the owned operated from belonging to in under that which are is were".split()
)


class Roles(Negation):
    """From and to, origin and destination, and the noun that a name belongs to."""

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

    def _noun_of(self, span: Span) -> list[str]:
        """The tables whose noun is beside a name: "vessels of X", "X vessels"."""
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
