"""Groups, first places and two of a kind, in words."""

from typing import Any

from harness.standin.brain.answering import Answer
from harness.standin.brain.cells import SHOWN, cell, number, table
from harness.standin.brain.words import playbook


def groups(a: Answer) -> str:
    """Figures by group."""
    if not a.rows:
        return f"No {a.plural}{a.where}."
    if a.query.shape == "compare":
        return _compared(a)
    columns, rows = readable(a)
    if a.query.shape == "top":
        return _top_groups(a, columns, rows)
    at = a.draft.groups
    name = columns[at].split(" [")[0].replace("_", " ")
    by = " and ".join(c.replace("_", " ") for c in columns[:at])
    return f"{name[0].upper()}{name[1:]} by {by}{a.where}:\n{table(columns, rows, 2 * SHOWN)}"


def readable(a: Answer) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows with units, months and missing groups in words."""
    columns, at = list(a.columns), a.draft.groups
    if a.unit and len(columns) > at:
        columns[at] = f"{columns[at]} [{playbook()['shown_units'].get(a.unit, a.unit)}]"
    made = []
    for row in a.rows:
        cells = [_group_cell(a, value, n) if n < at else value for n, value in enumerate(row)]
        if a.unit == "dollar" and len(cells) > at and cells[at] is not None:
            cells[at] = f"${float(cells[at]):,.2f}"
        made.append(cells)
    return columns, made


def _group_cell(a: Answer, value: Any, place: int) -> Any:
    unit = a.query.groups[place].unit if place < len(a.query.groups) else ""
    if value is None:
        return f"(no {a.columns[place]})"
    if unit in ("month", "week"):
        return f"{int(value) // 100}-{'W' if unit == 'week' else ''}{int(value) % 100:02d}"
    if unit == "quarter":
        return f"{int(value) // 10} Q{int(value) % 10}"
    return str(list(playbook()["weekdays"])[int(value) - 1]).title() if unit == "weekday" else value


def _top_groups(a: Answer, columns: list[str], rows: list[list[Any]]) -> str:
    at = a.draft.groups
    kept = [rows[n] for n in a.asked_rows(at)]
    if not kept:
        return f"There are only {len(rows)}{a.where}."
    if len(kept) > 1:
        return f"{a.heading(len(kept))}\n{table(columns, kept)}"
    value = a.rows[a.query.skip][at]
    shown = f"{a.columns[at].replace('_', ' ')} {a.figure(value)}"
    shown = a.named(value) if a.kind == "count" else shown
    others = zip(a.columns[at + 1 :], a.rows[a.query.skip][at + 1 :], strict=True)
    beside = "".join(f"; {name.replace('_', ' ')} {number(v)}" for name, v in others)
    return f"{cell(kept[0][0])}: {shown}{a.where}, the {a.place()}{beside}."


def _compared(a: Answer) -> str:
    at = a.draft.groups
    show = number if a.kind == "count" else a.figure
    shown = [f"{cell(r[0])} {show(r[at])}" for r in a.rows]
    first, second = a.rows[0][at], a.rows[1][at] if len(a.rows) > 1 else None
    if len(a.rows) == 1:
        return f"Only one of them has any: {shown[0]}{a.where}."
    if first == second:
        return f"They are equal: {', '.join(shown)} ({a.columns[at]})."
    more = "more" if a.query.order is None or a.query.order.down else "less"
    more = "fewer" if more == "less" and a.kind == "count" else more
    what = f"is {a.query.word}" if a.query.word else f"has {more} {a.columns[at].replace('_', ' ')}"
    gap = ""
    if len(a.rows) == 2 and isinstance(first, (int, float)) and second is not None:
        gap = f" The difference is {show(abs(float(first) - float(second)))}."
    return f"{cell(a.rows[0][0])} {what}: {', '.join(shown)}.{gap}"
