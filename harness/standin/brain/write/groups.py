"""Figures, one or one a group."""

from harness.standin.brain.intent import Filter, Group, Measure
from harness.standin.brain.schema import Column, Edge
from harness.standin.brain.write.conditions import Conditions, is_in, quote
from harness.standin.brain.write.draft import MAX_LIST, TIES, Draft
from harness.standin.brain.write.joins import Joins, entity_name, flat, short, through

_FUNCTIONS = {"sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX"}


class Groups(Conditions):
    """Counts and aggregates, grouped or not."""

    def _measure(self, joins: Joins) -> tuple[str, str]:
        """The measure's expression and the name of its result."""
        m: Measure = self.i.measure
        if m.kind == "count":
            return "COUNT(*)", short(self.i.root)
        if m.kind == "distinct":
            assert m.column is not None
            return f"COUNT(DISTINCT {joins.column(m.column)})", f"distinct_{m.column.name}"
        assert m.column is not None
        inner = joins.column(m.column)
        if m.kind in ("percentile", "median"):
            name = (
                f"p{m.percent:g}_{m.column.name}"
                if m.kind == "percentile"
                else f"median_{m.column.name}"
            )
            return f"PERCENTILE_CONT({m.percent / 100:g}) WITHIN GROUP (ORDER BY {inner})", name
        if m.kind == "weighted":
            assert m.weight is not None
            weight = joins.column(m.weight)
            expression = f"SUM({inner} * {weight}) * 1.0 / NULLIF(SUM({weight}), 0)"
            return expression, f"weighted_mean_{m.column.name}"
        if m.times is not None:
            inner = f"{joins.column(m.times)} * {inner}"
        word = {"sum": "total", "avg": "average", "min": "lowest", "max": "highest"}[m.kind]
        name = (
            f"{word}_{m.column.name}"
            if m.times is None
            else f"{word}_{m.times.name}_x_{m.column.name}"
        )
        return f"{_FUNCTIONS[m.kind]}({inner})", name

    def _group(self, group: Group, joins: Joins) -> tuple[str, str]:
        """The name and the expression of a group."""
        if group.kind == "time":
            assert group.column is not None
            return group.unit, period(joins.column(group.column), group.unit)
        if group.kind == "entity":
            label = self.schema.tables[group.table].label
            if label is None:
                raise LookupError(f"columns of {group.table}")
            name = entity_name(group)
            return name, self._named(label, joins.column(label, group.role))
        assert group.column is not None
        expression = joins.column(group.column, group.role)
        return group.column.name, self._named(group.column, expression)

    def _named(self, column: Column, expression: str) -> str:
        """A name, or the group that a correction counts it to."""
        for group in self.name_groups:
            if group.column == column:
                test = is_in(expression, group.names)
                return f"CASE WHEN {test} THEN {quote(group.label)} ELSE {expression} END"
        return expression

    def _order(self, measure: str, names: list[str], expressions: list[str]) -> str:
        if self.i.shape in ("top", "compare"):
            direction = self.i.order or "desc"
            return f"{measure} {direction.upper()} NULLS LAST, {', '.join(names)}"
        if self.i.order_by is not None or (self.i.order and self.i.rank == "label"):
            return f"{names[0]} {self.i.order.upper()}"
        if any(g.kind == "time" for g in self.i.groups):
            return ", ".join(names)
        if len(names) > 1:
            return ", ".join([names[0], f"{measure} DESC NULLS LAST", *names[1:]])
        direction = (self.i.order or "desc").upper()
        return f"{measure} {direction} NULLS LAST, {', '.join(names)}"

    def _limited(self, sql: str) -> str:
        """Some rows more than asked for, so that ties at the edge are seen."""
        return f"{sql}\nFETCH FIRST {self.i.limit + TIES} ROWS ONLY" if self.i.limit else sql

    def _given(self, joins: Joins) -> list[str]:
        """Where the database works out a weighted mean: rows without a value have no weight."""
        column = self.i.measure.column
        if not self.in_sql or column is None:
            return []
        return [f"{joins.column(column)} IS NOT NULL"]

    def _flip(self, groups: list[Group]) -> Joins | None:
        """Where a group lies on the many side, start there and count distinct roots."""
        for group in groups:
            way = self.schema.path(self.i.root, group.table, through(group.role))
            many = [edge for edge in way if edge.many]
            if many:
                return Joins(self.schema, many[-1].target)
        return None

    def _single(self) -> Draft:
        expression, name = self._measure(self.joins)
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        wheres += self._given(self.joins)
        sql = f"SELECT {expression} AS {name}\n{self.joins.text()}{self._tail(wheres)}"
        column = self.i.measure.column
        plain = (
            not self.joins.lines
            and len(wheres) < 3
            and "EXISTS" not in sql
            and "(SELECT" not in sql
        )
        return Draft(sql, "single", plain=plain, unit_columns=[column] if column else [])

    def _grouped(self) -> Draft:
        groups = self.i.groups
        if len(groups) == 1 and groups[0].kind == "entity" and self.i.measure.kind == "count":
            way = self.schema.path(self.i.root, groups[0].table, through(groups[0].role))
            if way and not any(edge.many for edge in way):
                return self._with_zeros(groups[0], way)
        names, expressions = [], []
        flipped = self._flip(groups)
        joins = flipped or self.joins
        for group in groups:
            name, expression = self._group(group, joins)
            names.append(name)
            expressions.append(expression)
        expression, label = self._measure(joins)
        if flipped is not None and self.i.measure.kind == "count":
            key = self.schema.tables[self.i.root].key[0]
            column = self.schema.column(self.i.root, key)
            assert column is not None
            expression = f"COUNT(DISTINCT {joins.column(column)})"
        wheres = self._where(joins, self.i.filters, self.i.related)
        wheres += self._given(joins)
        selected = ", ".join(f"{e} AS {n}" for e, n in zip(expressions, names, strict=True))
        sql = (
            f"SELECT {selected}, {expression} AS {label}\n{joins.text()}{self._tail(wheres)}\n"
            f"GROUP BY {', '.join(expressions)}\nORDER BY {self._order(label, names, expressions)}"
        )
        column = self.i.measure.column
        plain = not joins.lines and len(groups) == 1 and "CASE" not in sql and not wheres
        return Draft(self._limited(sql), "grouped", len(groups), plain, [column] if column else [])

    def _with_zeros(self, group: Group, way: list[Edge]) -> Draft:
        """Counts for every row of a table, those without any included."""
        label = self.schema.tables[group.table].label
        if label is None or not self.schema.tables[self.i.root].key:
            raise LookupError(f"columns of {group.table}")
        outer = Joins(self.schema, group.table)
        own: list[Filter] = []
        inside: list[Filter] = []
        for each in self.i.filters:
            mine = each.column.table == group.table and each.role == group.role
            mine = mine or (each.role is not None and each.role.table == group.table)
            (own if mine and not each.scope else inside).append(each)
        name = self._named(label, f"{outer.base}.{label.name}")
        measured = short(self.i.root)
        inner = Joins(self.schema, self.i.root, outer.taken)
        link = f"{inner.alias(way[:-1])}.{way[-1].column}"
        wheres = self._where(inner, inside, self.i.related)
        heads = self._where(outer, own, [])
        head_name = entity_name(group)
        tail = f"{self._tail(heads)}\nGROUP BY {name}\n"
        tail += f"ORDER BY {self._order(measured, [head_name], [name])}"
        if not inner.lines:
            conditions = [f"{link} = {outer.base}.{way[-1].target_column}", *wheres]
            key = self.schema.tables[self.i.root].key[0]
            sql = (
                f"SELECT {name} AS {head_name}, COUNT({inner.base}.{key}) AS {measured}\n"
                f"{outer.text()}\n"
                f"LEFT JOIN {self.i.root} {inner.base} ON {' AND '.join(conditions)}{tail}"
            )
        else:
            counted = f"SELECT {link} AS k, COUNT(*) AS n {flat(inner.text())}"
            counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
            sql = (
                f"SELECT {name} AS {head_name}, SUM(COALESCE(x.n, 0)) AS {measured}\n"
                f"{outer.text()}\nLEFT JOIN ({counted} GROUP BY {link}) x "
                f"ON x.k = {outer.base}.{way[-1].target_column}{tail}"
            )
        return Draft(self._limited(sql), "grouped", 1)

    def _values(self) -> Draft:
        """Distinct values of a column with the number of rows that have each."""
        column = self.i.measure.column
        assert column is not None
        expression = self._named(column, self.joins.column(column))
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        sql = (
            f"SELECT {expression} AS {column.name}, COUNT(*) AS {short(self.i.root)}\n"
            f"{self.joins.text()}{self._tail(wheres)}\nGROUP BY {expression}\n"
            f"ORDER BY {short(self.i.root)} DESC, {column.name}"
        )
        return Draft(sql, "grouped", 1, plain=not self.joins.lines, max_rows=MAX_LIST)


def period(expression: str, unit: str) -> str:
    """The unit of time that a date lies in, as a number (202605, 20262) or a day."""
    year, month = f"EXTRACT(YEAR FROM {expression})", f"EXTRACT(MONTH FROM {expression})"
    if unit == "year":
        return year
    if unit == "month":
        return f"{year} * 100 + {month}"
    if unit == "quarter":
        return f"{year} * 10 + CEIL({month} / 3.0)"
    return f"CAST({expression} AS DATE)"
