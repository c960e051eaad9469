"""Groups, first places and two of a kind, in words."""

from typing import Any

from harness.standin.brain.answering import Answer
from harness.standin.brain.cells import SHOWN, cell, number, table
from harness.standin.brain.compose import TIES
from harness.standin.brain.words import playbook


def _groups(a: Answer) -> str:
    if not a.rows:
        return f"No {a.plural}{a.where}."
    if a.query.shape == "compare":
        return _compare(a)
    columns, rows = _readable(a, a.rows)
    if a.query.shape == "top":
        return _top_groups(a, columns, rows)
    at = a.draft.groups
    name = columns[at].split(" [")[0].replace("_", " ")
    by = " and ".join(c.replace("_", " ") for c in columns[:at])
    return f"{name[0].upper()}{name[1:]} by {by}{a.where}:\n{table(columns, rows, 2 * SHOWN)}"


def _readable(a: Answer, rows: list[list[Any]]) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows with units, months and missing groups in words."""
    columns, at = list(a.columns), a.draft.groups
    if a.unit and len(columns) > at:
        columns[at] = f"{columns[at]} [{playbook()['shown_units'].get(a.unit, a.unit)}]"
    made = []
    for row in rows:
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
    if unit == "weekday":
        return str(list(playbook()["weekdays"])[int(value) - 1]).title()
    return value


def _cut(a: Answer, at: int) -> list[int]:
    """The rows that were asked for, and those that share the last one's figure."""
    last = a.query.skip + a.query.limit
    if a.query.skip:
        return list(range(a.query.skip, min(last, len(a.rows))))
    figure = a.rows[last - 1][at] if len(a.rows) >= last else None
    return [n for n, row in enumerate(a.rows) if n < last or row[at] == figure]


def _top_groups(a: Answer, columns: list[str], rows: list[list[Any]]) -> str:
    at = a.draft.groups
    kept = [rows[n] for n in _cut(a, at)]
    if not kept:
        return f"There are only {len(rows)}{a.where}."
    if len(kept) == 1:
        value = a.rows[a.query.skip][at]
        shown = (
            a.named(value)
            if a.kind == "count"
            else f"{a.columns[at].replace('_', ' ')} {a.figure(value)}"
        )
        return f"{cell(kept[0][0])}: {shown}{a.where}, the {_place(a)}."
    return f"{_heading(a, len(kept))}\n{table(columns, kept)}"


def _place(a: Answer) -> str:
    words = list(playbook()["ordinals"])
    place = words[a.query.skip] if 0 < a.query.skip < len(words) else ""
    return f"{place} {a.rank()}".strip()


def _heading(a: Answer, shown: int) -> str:
    limit = a.query.limit
    if shown == limit:
        return f"The {limit} {a.rank()}{a.where}:"
    if shown < limit:
        return f"There are only {shown}{a.where}:"
    more = " at least" if shown == limit + TIES else ""
    if limit == 1:
        return f"{shown}{more} share the {a.rank()} place{a.where}:"
    return f"The {limit} {a.rank()}{a.where}, and{more} {shown - limit} more with the same figure:"


def _compare(a: Answer) -> str:
    at = a.draft.groups
    show = (lambda v: number(v)) if a.kind == "count" else a.figure
    shown = [f"{cell(r[0])} {show(r[at])}" for r in a.rows]
    if len(a.rows) == 1:
        return f"Only one of them has any: {shown[0]}{a.where}."
    if a.rows[0][at] == a.rows[1][at]:
        return f"They are equal: {', '.join(shown)} ({a.columns[at]})."
    what = a.columns[at].replace("_", " ")
    down = a.query.order is None or a.query.order.down
    gap = (
        f" The difference is {show(abs(float(a.rows[0][at]) - float(a.rows[1][at])))}."
        if len(a.rows) == 2
        and isinstance(a.rows[0][at], (int, float))
        and a.rows[1][at] is not None
        else ""
    )
    head = (
        f"{cell(a.rows[0][0])} is {a.query.word}"
        if a.query.word
        else f"{cell(a.rows[0][0])} has "
        f"{'more' if down else 'fewer' if a.kind == 'count' else 'less'} {what}"
    )
    return f"{head}: {', '.join(shown)}.{gap}"
