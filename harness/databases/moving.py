"""Moving the agent's state from one place to another: in batches, again if need be, counted."""

from collections.abc import Callable

from harness.databases.shelf import Shelf, key_of, other_rows
from harness.databases.state_tables import StateTable, state_tables
from harness.errors import WorkshopError

BATCH = 200


def move(source: Shelf, target: Shelf, say: Callable[[str], None], batch: int = BATCH) -> int:
    """Copy what `target` lacks; returns how many rows were copied. `source` stays as it is.

    A move that was interrupted goes on where it stopped: what is there already is compared and
    left out. Raises WorkshopError where something else is there, and when the counts differ at the
    end.
    """
    copied = 0
    wrong = []
    for table in state_tables().values():
        added, same = _move_table(source, target, table, batch)
        copied += added
        here, there = source.count(table), target.count(table)
        if added or same:
            again = f", {same} there already" if same else ""
            say(f"  {table.name}: {added} copied{again}")
        if here != there:
            wrong.append(f"{table.name} ({here} here, {there} there)")
    if wrong:
        raise WorkshopError(
            f"The counts differ: {', '.join(wrong)}.",
            "Did a kernel write meanwhile, or did the other place hold something before? Close "
            "kernels and move again.",
        )
    return copied


def _move_table(source: Shelf, target: Shelf, table: StateTable, batch: int) -> tuple[int, int]:
    added = same = 0
    after = None
    while rows := source.rows(table, after, batch):
        keys = [key_of(table, row) for row in rows]
        there = target.find(table, keys)
        if any(there.get(key, row) != row for key, row in zip(keys, rows, strict=True)):
            raise other_rows(table, target.name)
        new = [row for key, row in zip(keys, rows, strict=True) if key not in there]
        if new:
            target.add(table, new)
        added, same = added + len(new), same + len(rows) - len(new)
        after = keys[-1]
    return added, same
