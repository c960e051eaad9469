"""Which and what: lists, attributes of one thing, distinct values."""

from harness.standin.brain.ask.base import verb_root
from harness.standin.brain.ask.counts import Counts
from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Intent, Measure, Problem
from harness.standin.brain.schema import Column
from harness.standin.brain.spot import Span
from harness.standin.brain.words import word_set


class Lists(Counts):
    """Which and what: lists, attributes of one thing, distinct values."""

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
        label = self.schema.tables[root].label
        one = [f for f in self.r.filters if f.column == label and f.op == "in"]
        alone = len(one) == len(self.r.filters) == 1 and len(one[0].values) == 1
        if (head is None or (alone and self.schema.tables[root].named)) and not intent.select:
            intent.select = self._details(root)
        return self._fill(intent)

    def _contents(self, head: Span | None, root: str) -> str:
        """ "What is in container X?": the table of lines that belong to it, or ""."""
        low = {t.low for t in self.marks.tokens[:4]}
        asked = self.ask is not None and self.r.words(self.ask).lower() in ("what", "what is")
        known = head is None or any(head.data == self._labels(s) for s in self.marks.of("value"))
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
        """ "What is the cargo worth?" asks for a total, "list them with it" does not."""
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
        verbs = {verb_root(t.low) for t in self.marks.tokens}
        for reference in self.schema.references:
            column = self.schema.column(reference.table, reference.column)
            said = {verb_root(w) for w in (column.comment if column else "").lower().split()}
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

    def _order_list(self, intent: Intent) -> None:
        if self.sorting is None:
            return
        direction, noun = self.sorting
        intent.order = direction or "asc"
        if noun is not None and noun.kind == "column":
            intent.order_by = self._nearest(noun, intent.root)

    def _attributes(self, head: Span) -> Intent:
        """ "what is the capacity of X", "which flags are there"."""
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
            for span in self.marks.of("value"):
                if span.data[0][0].values and span.start > head.end:
                    self.r._look_up_first(span)  # it may be a name as well: Singapore
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
        if column.is_time and self.r.words(head).lower().endswith("s"):
            given = Filter(column, "notnull", said=f"{column.name} given", place=head.start)
            self.r.filters.append(given)
            for verb in self.marks.dates:
                if verb.start == head.start:
                    self.r.overlay_used |= set(range(verb.start, verb.end))
            self._conditions(column.table)
            self._anchor_tables(column.table)
            intent = Intent("list", column.table)
            intent.select = [(column, None)]
            return self._fill(intent)
        if not column.is_text and not column.values:
            raise Problem("clarify", [self.r.words(head)], f"{column.name} of which one?")
        self._conditions(column.table)
        self._anchor_tables(column.table)
        return self._fill(Intent("values", column.table, Measure("distinct", column)))

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

    def _yes_no(self, root: str) -> Intent:
        """About one known thing: show what is asked about; the rows say yes or no."""
        self._anchor_tables(root)
        self._conditions(root)
        own: list[Filter] = []
        rest: list[Filter] = []
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
