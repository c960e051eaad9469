"""A drafted query."""

from dataclasses import dataclass, field

from harness.standin.brain.schema import Column

MAX_LIST = 200
TIES = 10  # rows beyond the limit, to see who shares the last place


@dataclass
class Draft:
    """A query: its text, the kind of its result, how many leading columns are groups."""

    sql: str
    shape: str
    groups: int = 0
    plain: bool = False  # so simple that it needs no draft in the scratchpad
    unit_columns: list[Column] = field(default_factory=list)
    max_rows: int = 50
