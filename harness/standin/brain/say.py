"""The answer that a tree's rows are; every figure comes from an observation."""

from dataclasses import dataclass, field, replace
from typing import Any

from harness.standin.brain.cells import (
    SHOWN,
    brackets,
    cell,
    miles,
    number,
    period,
    table,
    told,
    words,
)
from harness.standin.brain.compose import TIES, Draft
from harness.standin.brain.factlines import short
from harness.standin.brain.tree import Query, Value
from harness.standin.brain.words import phrase, playbook, stem

_GREAT_CIRCLE = "along a great circle; a ship sails farther."
Rows = list[list[Any]]


@dataclass
class Answer:
    """A tree, its draft, and what came back; `total` counts the rows of a cut result."""

    query: Query
    draft: Draft
    columns: list[str]
    rows: Rows
    units: dict[int, str] = field(default_factory=dict)  # by column
    truncated: bool = False
    total: int = 0

    @property
    def plural(self) -> str:
        """The rows, as their table is called."""
        return short(self.query.source).replace("_", " ")

    @property
    def one(self) -> str:
        """One of the rows."""
        return self.plural if " " in self.plural else stem(self.plural)

    @property
    def where(self) -> str:
        """What restricts the rows, in brackets."""
        return brackets(self.query.where)

    @property
    def kind(self) -> str:
        """The kind of its first measure; "" for rows."""
        return self.query.measures[0].kind if self.query.measures else ""

    @property
    def at(self) -> int:
        """The place of the figure among the columns."""
        by = self.query.order.by if self.query.order else None
        name = by.name.replace(" ", "_") if isinstance(by, Value) else ""
        own = name in self.columns and not self.query.measures
        return self.columns.index(name) if own else min(self.draft.groups, len(self.columns) - 1)

    def named(self, count: Any) -> str:
        """ "1 vessel", "3 cargo items"."""
        return f"{number(count)} {self.one if count == 1 else self.plural}"

    def figure(self, value: Any, at: int = -1) -> str:
        """A figure with its unit; rows counted by their name."""
        unit = self.units.get(self.at if at < 0 else at, "")
        if self.kind == "count" and at in (-1, self.draft.groups):
            return self.named(value)
        if unit == "dollar" and value is not None:
            return f"${float(value):,.2f} (US dollars)"
        return f"{cell(value)} {playbook()['shown_units'].get(unit, '')}".strip()

    def rank(self) -> str:
        """Which end of the order it is."""
        if self.query.word in ("latest", "earliest"):
            return self.query.word
        return "highest" if self.query.order is None or self.query.order.down else "lowest"


def _large(column: str) -> str:
    """A column's name at the beginning of a sentence."""
    return f"{column[:1].upper()}{words(column[1:])}"


def answer(a: Answer) -> str:
    """The answer with the readings that it rests on."""
    shape = "groups" if a.query.shape == "value" and a.draft.groups else a.query.shape
    place = "".join(a.query.places[:1])
    nothing = phrase(f"none.{shape}", one=a.one, plural=a.plural, where=a.where, place=place)
    told = _TELLERS[shape](a) if a.rows else nothing
    return "\n".join([told, *dict.fromkeys(n for n in a.query.notes if n)])


def _value(a: Answer) -> str:
    """One figure, or several of the same rows."""
    row, measures = a.rows[0], a.query.measures
    if row[0] is None:
        return phrase("none.value", plural=a.plural, where=a.where)
    if a.kind == "count" and len(row) == 1:
        return f"{a.named(row[0])}{a.where}."
    if a.kind == "distinct" and measures[0].value:
        different = f"{number(row[0])} different values of {measures[0].value.name}"
        return f"{different} among the {a.plural}{a.where}."
    if len(measures) > 1:
        named = zip(measures, a.columns, [a.figure(v, n) for n, v in enumerate(row)], strict=False)
        pairs = [told if m.kind == "count" else f"{words(c)} {told}" for m, c, told in named]
        return f"{', '.join(pairs)}{a.where}."
    basis = ""
    if len(row) > 1 and a.draft.shape == "values":
        basis = f" It rests on {number(row[-1])} values."
    elif len(row) > 1 and a.query.per:
        basis = f" It is over {number(row[1])} {a.columns[1]}."
    return f"{_large(a.columns[0])}{a.where}: {a.figure(row[0])}.{basis}"


def _groups(a: Answer) -> str:
    """Figures by group."""
    columns, rows = _readable(a)
    name, by = a.columns[a.draft.groups], " and ".join(map(words, columns[: a.draft.groups]))
    return f"{_large(name)} by {by}{a.where}:\n{table(columns, rows, 2 * SHOWN)}"


def _readable(a: Answer) -> tuple[list[str], Rows]:
    """Columns and rows with units, months and missing groups in words."""
    columns, names = list(a.columns), playbook()["shown_units"]
    rows = [[*row] for row in a.rows]
    for at, unit in a.units.items() if a.query.measures else ():
        columns[at] = f"{columns[at]} [{names.get(unit, unit)}]" if unit else columns[at]
    for row in rows:
        for n, group in enumerate(a.query.groups):
            row[n] = f"(no {columns[n]})" if row[n] is None else period(row[n], group.unit)
        for at in (at for at, unit in a.units.items() if unit == "dollar" and row[at] is not None):
            row[at] = f"${float(row[at]):,.2f}"
    return columns, rows


def _top(a: Answer) -> str:
    """The first rows or groups, with those that share the last one's figure."""
    columns, rows = _readable(a)
    limit, skip, at = a.query.limit, a.query.skip, a.at
    last = a.rows[limit - 1][at] if len(rows) >= limit else None
    kept = [row for n, row in enumerate(rows) if n < limit or a.rows[n][at] == last]
    kept = rows[skip : skip + limit] if skip else kept
    if not kept:
        return f"There are only {len(rows)}{a.where}."
    if len(kept) > 1:
        return f"{_heading(a, len(kept))}\n{table(columns, kept)}"
    row, value = kept[0], a.rows[skip][at]
    name = words(a.columns[at]) if a.query.measures else a.columns[at]
    shown = a.figure(value) if a.kind == "count" else f"{name} {a.figure(value)}"
    pairs = [f"{words(c)} {cell(v)}" for c, v in zip(columns, row, strict=True)]
    others = ", ".join(pair for n, pair in enumerate(pairs) if n not in (0, at))
    first = pairs[0].replace(" ", "_", 1) if columns[0].endswith("_id") else cell(row[0])
    ordinals = list(playbook()["ordinals"])
    place = f"{ordinals[skip]} {a.rank()}" if 0 < skip < len(ordinals) else a.rank()
    return f"{first}: {shown}, the {place}{a.where}{f' ({others})' if others else ''}."


def _heading(a: Answer, shown: int) -> str:
    """What is said above the first places."""
    limit, rank = a.query.limit, a.rank()
    if shown == limit:
        return f"The {limit} {rank}{a.where}:"
    if shown < limit:
        return f"There are only {shown}{a.where}:"
    more = " at least" if shown == limit + TIES else ""
    if limit == 1:
        return f"{shown}{more} share the {rank} place{a.where}:"
    return f"The {limit} {rank}{a.where}, and{more} {shown - limit} more with the same figure:"


def _best(a: Answer) -> str:
    groups = a.query.groups[:-1] if a.query.measures else a.query.groups
    by = " and ".join(words(g.name) for g in groups)
    return f"The {a.rank()} of each {by}{a.where}:\n{table(*_readable(a))}"


def _compared(a: Answer) -> str:
    """Two of a kind: which has more, and by how much."""
    at, (_, named) = a.draft.groups, _readable(replace(a, units={}))
    show = number if a.kind == "count" else a.figure
    shown = ", ".join(
        f"{cell(name)} {show(r[at])}" for (name, *_), r in zip(named, a.rows, strict=True)
    )
    if len(a.rows) == 1:
        return f"Only one of them has any: {shown}{a.where}."
    first, second = a.rows[0][at], a.rows[1][at]
    if first == second:
        return f"They are equal: {shown} ({a.columns[at]})."
    less = "fewer" if a.kind == "count" else "less"
    more = "more" if a.query.order is None or a.query.order.down else less
    what = f"is {a.query.word}" if a.query.word else f"has {more} {words(a.columns[at])}"
    gap = ""
    if len(a.rows) == 2 and isinstance(first, (int, float)) and second is not None:
        gap = f" The difference is {show(abs(float(first) - float(second)))}."
    return f"{cell(named[0][0])} {what}: {shown}.{gap}"


def _list(a: Answer) -> str:
    many = a.named(a.total or len(a.rows))
    if a.truncated:
        many = many if a.total else f"More than {len(a.rows)} {a.plural}"
        return f"{many}{a.where}; the first {SHOWN}:\n{table(a.columns, a.rows[:SHOWN])}"
    if len(a.columns) == 1 and len(a.rows) <= SHOWN:
        return f"{many}{a.where}: {', '.join(cell(r[0]) for r in a.rows)}."
    if len(a.rows) == 1 and a.query.shape == "list":
        pairs = zip(a.columns[1:], a.rows[0][1:], strict=True)
        shown = ", ".join(f"{c} {_with_unit(a, c, v)}" for c, v in pairs)
        return f"{a.one} {cell(a.rows[0][0])}: {shown}."
    return f"{many}{a.where}:\n{table(a.columns, a.rows)}"


def _exists(a: Answer) -> str:
    """Yes or no, with how many, and which where they are few."""
    if len(a.rows) > SHOWN or a.truncated:
        more = "more than " if a.truncated and not a.total else ""
        return f"Yes: {more}{a.named(a.total or len(a.rows))}{a.where}."
    return f"Yes: {_list(a)}"


def _with_unit(a: Answer, column: str, value: Any) -> str:
    if value is None:
        return "not given"
    unit = next((v.unit for v in a.query.select if v.name == column), "")
    shown = playbook()["shown_units"].get(unit, "")
    return f"{cell(value)} {shown}".strip() if unit not in column.lower() else cell(value)


def _truth(a: Answer) -> str:
    """About one known thing: its values, and whether they are what was asked."""
    *row, holds = a.rows[0]
    known = ", ".join(f"{c} {cell(v)}" for c, v in zip(a.columns, row, strict=False))
    return f"{'Yes' if holds else 'No'}: {known}."


def _share(a: Answer) -> str:
    part = brackets(a.query.part)
    if a.draft.groups:
        columns, rows = _readable(a)
        return f"Share of {a.plural}{part} in percent{a.where}:\n{table(columns, rows)}"
    if not a.rows[0][1]:
        return phrase("none.share", plural=a.plural, where=a.where)
    got, whole, percent = a.rows[0][-3:]
    said = " and ".join(told(c) for c in a.query.part)
    summed = f"{words(a.columns[1])}, of {said}"
    told_of = f"{a.plural}{a.where} have {said}" if a.kind == "count" else summed
    return f"{number(float(percent or 0))} %: {number(got)} of {number(whole)} {told_of}."


def _distance(a: Answer) -> str:
    """How far two places are from each other, or which is nearest to one."""
    found = [row[0] for row in a.rows if row]
    if a.query.shape == "distance":
        return (
            f"{' to '.join(a.query.places)}: {miles(found[0] if found else None)} {_GREAT_CIRCLE}"
        )
    far = "; ".join(f"{each['place']}, {miles(each)}" for each in found)
    end = "Farthest from" if a.query.order and a.query.order.down else "Nearest to"
    return f"{end} {a.query.places[0]}: {far} {_GREAT_CIRCLE}"


def _where(a: Answer) -> str:
    row = dict(zip(a.columns, a.rows[0], strict=True))
    lat, lon, *others = [v.name for v in a.query.select]
    extra = ", ".join(f"{name} {cell(row[name])}" for name in others)
    place = f"latitude {number(row[lat])}, longitude {number(row[lon])}"
    return f"{a.query.places[0]}: {place}{f' ({extra})' if extra else ''}."


_TELLERS = {
    "value": _value,
    "exists": _exists,
    "groups": _groups,
    "top": _top,
    "best": _best,
    "compare": _compared,
    "list": _list,
    "truth": _truth,
    "share": _share,
    "distance": _distance,
    "nearest": _distance,
    "where": _where,
}
