"""Rows as sentences and small tables; every figure comes from an observation."""

import operator
from typing import Any

from harness.standin.brain.answering import Answer
from harness.standin.brain.cells import SHOWN, brackets, cell, number, table, told
from harness.standin.brain.say_groups import groups, readable
from harness.standin.brain.tree import Both, Condition, Either, Not, Test, Value
from harness.standin.brain.words import playbook, stem

_GREAT_CIRCLE = "along a great circle; a ship sails farther."


def answer(a: Answer) -> str:
    """The answer with the readings that it rests on."""
    grouped = bool(a.query.groups) and a.query.shape in ("value", "top", "compare")
    grouped = grouped or (a.draft.shape == "value" and a.draft.groups > 0)
    shape = "groups" if grouped else a.query.shape
    return "\n".join([_SHAPES[shape](a), *dict.fromkeys(n for n in a.query.notes if n)])


def _value(a: Answer) -> str:
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


def _basis(a: Answer, row: list[Any]) -> str:
    """How many rows a figure rests on."""
    if a.draft.shape == "values" and len(row) > 1:
        return f" It rests on {number(row[-1])} values."
    return f" It is over {number(row[1])} {a.columns[1]}." if a.query.per and len(row) > 1 else ""


def _top(a: Answer) -> str:
    if not a.rows:
        return f"No {a.plural} with a figure{a.where}."
    assert a.query.order is not None and isinstance(a.query.order.by, Value)
    name = a.query.order.by.name.replace(" ", "_")
    at = a.columns.index(name) if name in a.columns else min(1, len(a.columns) - 1)
    kept = [a.rows[n] for n in a.asked_rows(at)]
    if not kept:
        return f"There are only {len(a.rows)}{a.where}."
    if len(kept) > 1:
        return f"{a.heading(len(kept))}\n{table(a.columns, kept)}"
    shown = [f"{c} {cell(v)}" for c, v in zip(a.columns, kept[0], strict=True)]
    others = [pair for n, pair in enumerate(shown) if n not in (0, at)]
    extra = f" ({', '.join(others)})" if others else ""
    first = shown[0] if a.columns[0].endswith("_id") else cell(kept[0][0])
    figure = kept[0][at] if isinstance(kept[0][at], str) else a.figure(kept[0][at])
    return f"{first}: {a.columns[at]} {cell(figure)}, the {a.place()}{a.where}{extra}."


def _best(a: Answer) -> str:
    if not a.rows:
        return f"No {a.plural}{a.where}."
    by = " and ".join(g.name.replace("_", " ") for g in a.query.groups)
    return f"The {a.rank()} of each {by}{a.where}:\n{table(a.columns, a.rows)}"


def _list(a: Answer) -> str:
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


def _exists(a: Answer) -> str:
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


def _with_unit(a: Answer, column: str, value: Any) -> str:
    if value is None:
        return "not given"
    unit = next((v.unit for v in a.query.select if v.name == column), "")
    shown = playbook()["shown_units"].get(unit, "")
    return f"{cell(value)} {shown}".strip() if unit not in column.lower() else cell(value)


def _truth(a: Answer) -> str:
    """About one known thing: its values, and whether they are what was asked."""
    if not a.rows:
        return f"None: there is no such {stem(a.noun)}{a.where}."
    row = dict(zip(a.columns, a.rows[0], strict=True))
    verdict = all(_holds(c, row) for c in a.query.part)
    known = ", ".join(f"{c} {cell(v)}" for c, v in row.items())
    return f"{'Yes' if verdict else 'No'}: {known}."


def _share(a: Answer) -> str:
    part = brackets(a.query.part)
    if a.draft.groups:
        columns, rows = readable(a)
        return f"Share of {a.plural}{part} in percent{a.where}:\n{table(columns, rows)}"
    if not a.rows or not a.rows[0][1]:
        return f"There are no {a.plural}{a.where}, so there is no share."
    got, whole, percent = a.rows[0][-3:]
    said = " and ".join(told(c) for c in a.query.part)
    return (
        f"{number(float(percent or 0))} %: {number(got)} of {number(whole)} "
        f"{a.plural}{a.where} have {said}."
    )


def _nearest(a: Answer) -> str:
    """The places nearest to one, or farthest from it."""
    found = [row[0] for row in a.rows if row and isinstance(row[0], dict)]
    far = [f"{each['place']}, {_miles(each)}" for each in found]
    end = "Farthest from" if a.query.order and a.query.order.down else "Nearest to"
    return f"{end} {a.query.places[0][1]}: {'; '.join(far)} {_GREAT_CIRCLE}"


def _miles(value: dict[str, Any]) -> str:
    miles, km = value.get("nautical_miles"), value.get("km")
    figure = f"{round(float(miles))} nautical miles" if miles is not None else ""
    return f"{figure} ({round(float(km))} km)".strip() if km is not None else figure


def _distance(a: Answer) -> str:
    value = a.rows[0][0] if a.rows else None
    names = " to ".join(str(name) for _, name in a.query.places)
    figure = _miles(value) if isinstance(value, dict) else number(value)
    return f"{names}: {figure} {_GREAT_CIRCLE}"


def _where(a: Answer) -> str:
    if not a.rows:
        return f"No position of {a.query.places[0][1]} is known."
    row = dict(zip(a.columns, a.rows[0], strict=True))
    extra = ", ".join(f"{c} {cell(v)}" for c, v in list(row.items())[3:])
    place = f"latitude {number(row['latitude'])}, longitude {number(row['longitude'])}"
    return f"{cell(a.rows[0][0])}: {place}{f' ({extra})' if extra else ''}."


def _holds(each: Condition, row: dict[str, Any]) -> bool:
    """Whether a row meets a condition, as the database would say."""
    if isinstance(each, Not):
        return not _holds(each.part, row)
    if isinstance(each, Both):
        return all(_holds(part, row) for part in each.parts)
    if isinstance(each, Either):
        return any(_holds(part, row) for part in each.parts)
    return isinstance(each, Test) and _test_holds(each, row)


def _test_holds(test: Test, row: dict[str, Any]) -> bool:
    ending = next((v for k, v in row.items() if k.endswith(test.value.name)), [*row.values()][-1])
    value = row.get(test.value.name, ending)
    if test.op in ("null", "given"):
        return (value is None) == (test.op == "null")
    if value is None:
        return False
    if test.op == "in":
        return value in test.values
    if test.op == "range":
        start, end = (v.isoformat() if v else None for v in test.values)
        return (start is None or str(value)[:10] >= start) and (
            end is None or str(value)[:10] < end
        )
    low: Any = row.get(test.values[0].name) if isinstance(test.values[0], Value) else test.values[0]
    if test.op == "between":
        return bool(low <= value <= test.values[1])
    return test.op in _OPERATORS and bool(_OPERATORS[test.op](value, low))


_OPERATORS = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
}
_SHAPES = {
    "value": _value,
    "exists": _exists,
    "groups": groups,
    "top": _top,
    "best": _best,
    "list": _list,
    "truth": _truth,
    "share": _share,
    "distance": _distance,
    "nearest": _nearest,
    "where": _where,
}
