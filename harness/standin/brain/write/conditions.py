"""WHERE: conditions on a row and on what belongs to it, and literals."""

from dataclasses import replace
from datetime import date
from typing import Any

from harness.standin.brain.intent import Filter, Intent, Related
from harness.standin.brain.schema import Schema
from harness.standin.brain.write.joins import Joins, flat, through


class Conditions:
    """The conditions of an intent as SQL."""

    def __init__(
        self, intent: Intent, schema: Schema, name_groups: list[Any], in_sql: bool
    ) -> None:
        self.i = intent
        self.in_sql = in_sql
        self.schema = schema
        self.name_groups = name_groups
        self.joins = Joins(schema, intent.root)

    def _where(self, joins: Joins, filters: list[Filter], related: list[Related]) -> list[str]:
        """Conditions on the root's own row and what it refers to; EXISTS for the many side."""
        made: list[str] = []
        many: dict[tuple[str, str], list[Filter]] = {}
        negative: list[Filter] = []
        for each in filters:
            if each.scope:
                continue
            way = self.schema.path(joins.root, each.column.table, through(each.role))
            if not any(edge.many for edge in way):
                made.append(self._condition(each, joins))
            elif each.op in ("not in", "<>", "not range"):
                negative.append(each)
            else:
                first = next(edge for edge in way if edge.many)
                many.setdefault(first.reference, []).append(each)
        used = set()
        for reference, group in many.items():
            extra = [r for r in related if r.op == "some" and r.table == reference[0]]
            used |= {id(r) for r in extra}
            made.append(self._exists(joins, group, False))
        made += [self._exists(joins, [positive(each)], True) for each in negative]
        made += [self._related(joins, r, filters) for r in related if id(r) not in used]
        return made

    def _condition(self, each: Filter, joins: Joins) -> str:
        if each.either and each.role is not None:
            twins = self.schema.twins(each.role.table, each.role.target)
            sides = [condition(each, joins.column(each.column, twin)) for twin in twins]
            if len(each.values) > 1:
                first, second = each.values[:2]
                one = [
                    is_in(joins.column(each.column, t), (v,))
                    for t, v in zip(twins, (first, second), strict=False)
                ]
                two = [
                    is_in(joins.column(each.column, t), (v,))
                    for t, v in zip(twins, (second, first), strict=False)
                ]
                return f"({' AND '.join(one)} OR {' AND '.join(two)})"
            return f"({' OR '.join(sides)})"
        return condition(each, joins.column(each.column, each.role))

    def _exists(self, joins: Joins, group: list[Filter], negated: bool) -> str:
        """EXISTS over the first table on the many side, with all conditions on that one row."""
        way = self.schema.path(joins.root, group[0].column.table, through(group[0].role))
        at = next(n for n, edge in enumerate(way) if edge.many)
        outer = joins.alias(way[:at])
        edge = way[at]
        inner = Joins(self.schema, edge.target, joins.taken)
        wheres = [f"{inner.base}.{edge.target_column} = {outer}.{edge.column}"]
        here = [unscoped(f, edge.reference) for f in group]
        wheres += self._where(inner, here, [])
        body = f"SELECT 1 {flat(inner.text())} WHERE {' AND '.join(wheres)}"
        return f"{'NOT ' if negated else ''}EXISTS ({body})"

    def _related(self, joins: Joins, each: Related, filters: list[Filter]) -> str:
        """Rows of another table that must be there, must not, or must be so many."""
        way = self.schema.path(joins.root, each.table, through(each.role))
        inside = [unscoped(f) for f in filters if each.scope and f.scope == each.scope]
        at = next((n for n, edge in enumerate(way) if edge.many), 0)
        edge = way[at]
        outer = joins.alias(way[:at])
        inner = Joins(self.schema, edge.target, joins.taken)
        wheres = [f"{inner.base}.{edge.target_column} = {outer}.{edge.column}"]
        if inner.root != each.table:
            inner_way = self.schema.path(inner.root, each.table)
            if any(e.many for e in inner_way):
                return self._related_deep(joins, each, inside)
            inner.alias(inner_way)
        wheres += self._where(inner, inside, [])
        body = f"{flat(inner.text())} WHERE {' AND '.join(wheres)}"
        if each.op in ("none", "some"):
            return f"{'NOT ' if each.op == 'none' else ''}EXISTS (SELECT 1 {body})"
        return f"(SELECT COUNT(*) {body}) {each.op} {number(each.number)}"

    def _related_deep(self, joins: Joins, each: Related, inside: list[Filter]) -> str:
        """The same, from the far table's side: its way back has one row at each step."""
        inner = Joins(self.schema, each.table, joins.taken)
        back = self.schema.path(each.table, joins.root)
        last = inner.alias(back[:-1])
        key = back[-1]
        wheres = [f"{last}.{key.column} = {joins.base}.{key.target_column}"]
        wheres += self._where(inner, inside, [])
        body = f"{flat(inner.text())} WHERE {' AND '.join(wheres)}"
        if each.op in ("none", "some"):
            return f"{'NOT ' if each.op == 'none' else ''}EXISTS (SELECT 1 {body})"
        return f"(SELECT COUNT(*) {body}) {each.op} {number(each.number)}"

    def _tail(self, wheres: list[str]) -> str:
        return f"\nWHERE {' AND '.join(wheres)}" if wheres else ""


def condition(each: Filter, expression: str) -> str:
    """One condition as SQL."""
    op, values = each.op, each.values
    if op == "null":
        return f"{expression} IS NULL"
    if op == "notnull":
        return f"{expression} IS NOT NULL"
    if op == "in":
        return is_in(expression, values)
    if op == "not in":
        test = (
            f"{expression} <> {literal(values[0])}"
            if len(values) == 1
            else f"{expression} NOT IN ({literals(values)})"
        )
        return f"({test} OR {expression} IS NULL)" if each.column.nullable else test
    if op == "between":
        return f"{expression} BETWEEN {literal(values[0])} AND {literal(values[1])}"
    if op in ("range", "not range"):
        start, end = values
        tests = [f"{expression} >= {literal(start)}"] if start else []
        tests += [f"{expression} < {literal(end)}"] if end else []
        return " AND ".join(tests) if op == "range" else f"NOT ({' AND '.join(tests)})"
    return f"{expression} {op} {literal(values[0])}"


def is_in(expression: str, values: tuple[Any, ...]) -> str:
    """= for one value, IN for several."""
    if len(values) == 1:
        return f"{expression} = {literal(values[0])}"
    return f"{expression} IN ({literals(values)})"


def literals(values: tuple[Any, ...]) -> str:
    """Literals with commas."""
    return ", ".join(literal(value) for value in values)


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return quote(value) if isinstance(value, str) else number(value)


def quote(text: str) -> str:
    """A text literal."""
    return "'" + text.replace("'", "''") + "'"


def number(value: float) -> str:
    """A number literal."""
    return str(int(value)) if value == int(value) else repr(value)


def positive(each: Filter) -> Filter:
    """The condition without its "not"."""
    return replace(each, op={"not in": "in", "<>": "=", "not range": "range"}[each.op])


def unscoped(each: Filter, taken: tuple[str, str] | None = None) -> Filter:
    """The condition inside its own subquery; the reference that led there is behind it."""
    role = each.role
    if role is not None and taken == (role.table, role.column):
        role = None
    return replace(each, scope=0, role=role)
