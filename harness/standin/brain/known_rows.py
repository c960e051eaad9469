"""Conditions that compare with a named row, or with the letters of a name."""

from harness.standin.brain.claims import Claim
from harness.standin.brain.link import World
from harness.standin.brain.measures import figure_for
from harness.standin.brain.tree import (
    Both,
    Field,
    Not,
    Option,
    Query,
    Test,
)
from harness.standin.brain.ways import (
    _in,
    nearest,
    plain,
)


def _versus(claim: Claim, table: str, world: World) -> Option | None:
    """More, or less, than a named row has."""
    (of, side, _, years), (column, name) = claim.data
    found = figure_for(of, (), table, world)
    other = figure_for(of, (), column.table, world)
    if found is None or other is None:
        return None
    row = Query(column.table, "list", (_in(Field(column), (name,), str(name)),), select=(other[1],))
    op = ">" if (side == "more") != years else "<"
    return found[0], Test(found[1], op, (row,), f"{found[1].name} {op} that of {name}")


def _same_as(claim: Claim, table: str, world: World) -> Option | None:
    """As a named row has it; that row itself is left out."""
    columns, (column, name) = claim.data
    found = nearest(world.schema, table, [c for c in columns if c.table == table] or columns)
    other = nearest(world.schema, column.table, [found[1].column]) if found else None
    if found is None or other is None:
        return None
    row = Query(
        column.table,
        "list",
        (_in(Field(column), (name,), str(name)),),
        select=(plain(other[1], world),),
    )
    own = found[1].column.name
    test = Test(plain(found[1], world), "=", (row,), f"{own} as {name}")
    itself = nearest(world.schema, table, [column])
    return found[0], Both(
        (test, Not(_in(itself[1], (name,), f"{column.name} {name}")))
    ) if itself else test


def _pattern(claim: Claim, table: str, world: World) -> Option | None:
    how, text = claim.data
    label = world.schema.tables[table].label
    if label is None:
        return None
    like = {"begins": f"{text}%", "ends": f"%{text}", "holds": f"%{text}%"}[how]
    said = f"{label.name} {how} {text}"
    return 0.0, Test(plain(Field(label), world), "like", (like.lower(),), said)
