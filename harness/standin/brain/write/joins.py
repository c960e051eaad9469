"""FROM and its joins; names of tables and columns in results."""

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Group
from harness.standin.brain.schema import Column, Edge, Schema
from harness.standin.brain.words import stem

_RESERVED = {"as", "by", "in", "is", "on", "or", "to", "at", "of", "no", "if", "do"}


class Joins:
    """FROM with its joins; each table gets an alias, once for each way that leads to it."""

    def __init__(self, schema: Schema, root: str, taken: set[str] | None = None) -> None:
        self.schema = schema
        self.root = root
        self.taken = taken if taken is not None else set()
        self.aliases: dict[tuple[tuple[str, str], ...], str] = {(): self._alias(root)}
        self.lines: list[str] = []

    def _alias(self, table: str) -> str:
        short = table.rsplit(".", 1)[-1].lower()
        for name in (short[0], short[:2], *(f"{short[0]}{n}" for n in range(2, 99))):
            if name not in self.taken and name.isidentifier() and name not in _RESERVED:
                self.taken.add(name)
                return name
        raise AssertionError("too many joins")

    @property
    def base(self) -> str:
        """The root's alias."""
        return self.aliases[()]

    def alias(self, way: list[Edge], outer: bool = False) -> str:
        """The alias of the table at the end of a way, joined on first use."""
        known: tuple[tuple[str, str], ...] = ()
        for edge in way:
            before = self.aliases[known]
            known = (*known, edge.reference)
            if known not in self.aliases:
                name = self.aliases[known] = self._alias(edge.target)
                self.lines.append(
                    f"{'LEFT ' if outer else ''}JOIN {edge.target} {name} "
                    f"ON {name}.{edge.target_column} = {before}.{edge.column}"
                )
        return self.aliases[known]

    def column(self, column: Column, role: ReferenceFact | None = None, outer: bool = False) -> str:
        """A column with its alias."""
        way = self.schema.path(self.root, column.table, through(role))
        return f"{self.alias(way, outer)}.{column.name}"

    def text(self) -> str:
        """FROM and its joins."""
        return "\n".join([f"FROM {self.root} {self.base}", *self.lines])


def through(role: ReferenceFact | None) -> tuple[str, str] | None:
    """A role as the foreign key that a way must use."""
    return (role.table, role.column) if role else None


def short(table: str) -> str:
    """A table's name without its schema's."""
    return table.rsplit(".", 1)[-1]


def flat(text: str) -> str:
    """SQL on one line, for a subquery."""
    return " ".join(text.split())


def entity_name(group: Group) -> str:
    """What the column of a grouping by a table is called."""
    return role_name(group.role, group.table)


def role_name(role: ReferenceFact | None, table: str) -> str:
    """What a column of labels is called: the role, or the table in the singular."""
    if role is not None:
        return role.column.lower().removesuffix("_id")
    return stem(short(table).lower())
