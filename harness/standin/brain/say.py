"""Rows as sentences and small tables; every figure comes from an observation."""

from typing import Any

from harness.standin.brain.cells import SHOWN, brackets, cell, number, table, told
from harness.standin.brain.compose import TIES, Draft
from harness.standin.brain.tree import Query, Value
from harness.standin.brain.verdict import _holds
from harness.standin.brain.words import playbook, stem


def answer(
    query: Query,
    draft: Draft,
    columns: list[str],
    rows: list[list[Any]],
    unit: str = "",
    truncated: bool = False,
    total: int = 0,
) -> str:
    """The answer with the readings that it rests on; `total` counts the rows of a cut result."""
    made = _Answer(query, draft, columns, rows, unit, truncated, total)
    by_group = (query.groups and query.shape in ("value", "top", "compare")) or (
        draft.shape == "value" and draft.groups
    )
    shape = "groups" if by_group else query.shape
    return "\n".join([_SHAPES[shape](made), *dict.fromkeys(n for n in query.notes if n)])


class _Answer:
    """What an answer is made of."""

    def __init__(
        self,
        query: Query,
        draft: Draft,
        columns: list[str],
        rows: list[list[Any]],
        unit: str,
        truncated: bool,
        total: int,
    ) -> None:
        self.query, self.draft, self.columns, self.rows = query, draft, columns, rows
        self.unit, self.truncated, self.total = unit, truncated, total
        self.noun = query.source.rsplit(".", 1)[-1]
        self.plural = self.noun.replace("_", " ")
        self.where = brackets(query.where)
        self.kind = query.measures[0].kind if query.measures else ""

    def named(self, count: Any) -> str:
        """ "1 vessel", "3 cargo items"."""
        word = stem(self.noun) if count == 1 and "_" not in self.noun else self.plural
        return f"{number(count)} {word}"

    def figure(self, value: Any) -> str:
        """A figure with its unit."""
        if self.unit == "dollar" and value is not None:
            return f"${float(value):,.2f} (US dollars)"
        return f"{number(value)} {playbook()['shown_units'].get(self.unit, '')}".strip()

    def rank(self) -> str:
        """Which end of the order it is."""
        if self.query.word in ("latest", "earliest"):
            return self.query.word
        return "highest" if self.query.order is None or self.query.order.down else "lowest"


def _value(a: _Answer) -> str:
    row = a.rows[0] if a.rows else [None]
    if a.kind == "count" and len(row) == 1:
        return f"{a.named(row[0])}{a.where}."
    if a.kind == "distinct":
        value = a.query.measures[0].value
        assert value is not None
        return f"{number(row[0])} different values of {value.name} among the {a.plural}{a.where}."
    if row[0] is None:
        return f"Nothing to work it out from: no {a.plural} with a figure{a.where}."
    if len(a.query.measures) > 1:
        pairs = [f"{c.replace('_', ' ')} {number(v)}" for c, v in zip(a.columns, row, strict=False)]
        return f"{', '.join(pairs)}{a.where}."
    name = a.columns[0].replace("_", " ")
    return f"{name[0].upper()}{name[1:]}{a.where}: {a.figure(row[0])}.{_basis(a, row)}"


def _basis(a: _Answer, row: list[Any]) -> str:
    """How many rows a figure rests on."""
    if a.draft.shape == "values" and len(row) > 1:
        return f" It rests on {number(row[-1])} values."
    return f" It is over {number(row[1])} {a.columns[1]}." if a.query.per and len(row) > 1 else ""


def _groups(a: _Answer) -> str:
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


def _readable(a: _Answer, rows: list[list[Any]]) -> tuple[list[str], list[list[Any]]]:
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


def _group_cell(a: _Answer, value: Any, place: int) -> Any:
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


def _cut(a: _Answer, at: int) -> list[int]:
    """The rows that were asked for, and those that share the last one's figure."""
    last = a.query.skip + a.query.limit
    if a.query.skip:
        return list(range(a.query.skip, min(last, len(a.rows))))
    figure = a.rows[last - 1][at] if len(a.rows) >= last else None
    return [n for n, row in enumerate(a.rows) if n < last or row[at] == figure]


def _top_groups(a: _Answer, columns: list[str], rows: list[list[Any]]) -> str:
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


def _place(a: _Answer) -> str:
    words = list(playbook()["ordinals"])
    place = words[a.query.skip] if 0 < a.query.skip < len(words) else ""
    return f"{place} {a.rank()}".strip()


def _heading(a: _Answer, shown: int) -> str:
    limit = a.query.limit
    if shown == limit:
        return f"The {limit} {a.rank()}{a.where}:"
    if shown < limit:
        return f"There are only {shown}{a.where}:"
    more = " at least" if shown == limit + TIES else ""
    if limit == 1:
        return f"{shown}{more} share the {a.rank()} place{a.where}:"
    return f"The {limit} {a.rank()}{a.where}, and{more} {shown - limit} more with the same figure:"


def _top(a: _Answer) -> str:
    if not a.rows:
        return f"No {a.plural} with a figure{a.where}."
    assert a.query.order is not None and isinstance(a.query.order.by, Value)
    name = a.query.order.by.name.replace(" ", "_")
    at = a.columns.index(name) if name in a.columns else min(1, len(a.columns) - 1)
    kept = [a.rows[n] for n in _cut(a, at)]
    if not kept:
        return f"There are only {len(a.rows)}{a.where}."
    if len(kept) > 1:
        return f"{_heading(a, len(kept))}\n{table(a.columns, kept)}"
    row = kept[0]
    pairs = [
        f"{c} {cell(v)}"
        for n, (c, v) in enumerate(zip(a.columns, row, strict=True))
        if n not in (0, at)
    ]
    extra = f" ({', '.join(pairs)})" if pairs else ""
    first = cell(row[0]) if not a.columns[0].endswith("_id") else f"{a.columns[0]} {cell(row[0])}"
    return (
        f"{first}: {a.columns[at]} "
        f"{a.figure(row[at]) if not isinstance(row[at], str) else cell(row[at])}, "
        f"the {_place(a)}{a.where}{extra}."
    )


def _best(a: _Answer) -> str:
    if not a.rows:
        return f"No {a.plural}{a.where}."
    by = " and ".join(g.name.replace("_", " ") for g in a.query.groups)
    return f"The {a.rank()} of each {by}{a.where}:\n{table(a.columns, a.rows)}"


def _list(a: _Answer) -> str:
    if not a.rows:
        return f"None: there are no {a.plural}{a.where}."
    if a.truncated:
        many = a.named(a.total) if a.total else f"More than {len(a.rows)} {a.plural}"
        return f"{many}{a.where}; the first {SHOWN}:\n{table(a.columns, a.rows[:SHOWN])}"
    if len(a.columns) == 1 and len(a.rows) <= SHOWN:
        return f"{a.named(len(a.rows))}{a.where}: {', '.join(cell(r[0]) for r in a.rows)}."
    if len(a.rows) == 1:
        pairs = ", ".join(
            f"{c} {_with_unit(a, c, v)}" for c, v in zip(a.columns[1:], a.rows[0][1:], strict=True)
        )
        return f"{stem(a.noun).replace('_', ' ')} {cell(a.rows[0][0])}: {pairs}."
    return f"{a.named(len(a.rows))}{a.where}:\n{table(a.columns, a.rows)}"


def _exists(a: _Answer) -> str:
    """Yes or no, with how many, and which where they are few."""
    if not a.rows:
        return f"No: 0 {a.plural}{a.where}."
    many = a.named(a.total or len(a.rows))
    head = f"Yes: {'more than ' if a.truncated and not a.total else ''}{many}{a.where}"
    if len(a.rows) > SHOWN or a.truncated:
        return f"{head}."
    if len(a.columns) == 1:
        return f"{head}: {', '.join(cell(r[0]) for r in a.rows)}."
    return f"{head}:\n{table(a.columns, a.rows)}"


def _with_unit(a: _Answer, column: str, value: Any) -> str:
    if value is None:
        return "not given"
    known = next((v for v in a.query.select if v.name == column), None)
    shown = playbook()["shown_units"].get(known.unit, "") if known else ""
    return (
        f"{cell(value)} {shown}".strip()
        if shown and known and known.unit not in column.lower()
        else cell(value)
    )


def _truth(a: _Answer) -> str:
    """About one known thing: its values, and whether they are what was asked."""
    if not a.rows:
        return f"None: there is no such {stem(a.noun)}{a.where}."
    row = dict(zip(a.columns, a.rows[0], strict=True))
    verdict = all(_holds(c, row) for c in a.query.part)
    known = ", ".join(f"{c} {cell(v)}" for c, v in row.items())
    return f"{'Yes' if verdict else 'No'}: {known}."


def _share(a: _Answer) -> str:
    part = brackets(a.query.part)
    if a.draft.groups:
        columns, rows = _readable(a, a.rows)
        return f"Share of {a.plural}{part} in percent{a.where}:\n{table(columns, rows)}"
    if not a.rows or not a.rows[0][1]:
        return f"There are no {a.plural}{a.where}, so there is no share."
    got, whole, percent = a.rows[0][-3:]
    said = " and ".join(told(c) for c in a.query.part)
    return (
        f"{number(float(percent or 0))} %: {number(got)} of {number(whole)} "
        f"{a.plural}{a.where} have {said}."
    )


def _compare(a: _Answer) -> str:
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


def _distance(a: _Answer) -> str:
    value = a.rows[0][0] if a.rows else None
    names = " to ".join(str(name) for _, name in a.query.places)
    if isinstance(value, dict):
        miles, km = value.get("nautical_miles"), value.get("km")
        figure = f"{round(float(miles))} nautical miles" if miles is not None else ""
        figure += f" ({round(float(km))} km)" if km is not None else ""
    else:
        figure = number(value)
    return f"{names}: {figure.strip()} along a great circle; a ship sails farther."


def _where(a: _Answer) -> str:
    if not a.rows:
        return f"No position of {a.query.places[0][1]} is known."
    row = dict(zip(a.columns, a.rows[0], strict=True))
    extra = ", ".join(f"{c} {cell(v)}" for c, v in list(row.items())[3:])
    place = f"latitude {number(row['latitude'])}, longitude {number(row['longitude'])}"
    return f"{cell(a.rows[0][0])}: {place}{f' ({extra})' if extra else ''}."


_SHAPES = {
    "value": _value,
    "exists": _exists,
    "groups": _groups,
    "compare": _groups,
    "top": _top,
    "best": _best,
    "list": _list,
    "truth": _truth,
    "share": _share,
    "distance": _distance,
    "where": _where,
}
