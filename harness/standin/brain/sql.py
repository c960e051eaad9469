"""From an Intent to one SELECT in the SQL that DuckDB and Oracle share."""

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.intent import Filter, Group, Intent, Measure, Related
from harness.standin.brain.schema import Column, Edge, Schema

MAX_LIST = 200
TIES = 10  # rows beyond the limit, to see who shares the last place
_FUNCTIONS = {"sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX"}


@dataclass
class Draft:
    """A query: its text, the kind of its result, how many leading columns are groups."""

    sql: str
    shape: str
    groups: int = 0
    plain: bool = False  # so simple that it needs no draft in the scratchpad
    unit_columns: list[Column] = field(default_factory=list)
    max_rows: int = 50


class Joins:
    """FROM with its joins; each table gets an alias, once for each way that leads to it."""

    def __init__(self, schema: Schema, root: str, taken: set[str] | None = None) -> None:
        self.schema = schema
        self.root = root
        self.taken = taken if taken is not None else set()
        self.aliases: dict[tuple[tuple[str, str], ...], str] = {(): self._alias(root)}
        self.lines: list[str] = []

    def _alias(self, table: str) -> str:
        short = table.rsplit(".", 1)[-1].lower()
        for name in (short[0], short[:2], *(f"{short[0]}{n}" for n in range(2, 99))):
            if name not in self.taken and name.isidentifier() and name not in _WORDS:
                self.taken.add(name)
                return name
        raise AssertionError("too many joins")

    @property
    def base(self) -> str:
        """The root's alias."""
        return self.aliases[()]

    def alias(self, way: list[Edge], outer: bool = False) -> str:
        """The alias of the table at the end of a way, joined on first use."""
        known: tuple[tuple[str, str], ...] = ()
        for edge in way:
            before = self.aliases[known]
            known = (*known, edge.reference)
            if known not in self.aliases:
                name = self.aliases[known] = self._alias(edge.target)
                self.lines.append(
                    f"{'LEFT ' if outer else ''}JOIN {edge.target} {name} "
                    f"ON {name}.{edge.target_column} = {before}.{edge.column}"
                )
        return self.aliases[known]

    def column(self, column: Column, role: ReferenceFact | None = None, outer: bool = False) -> str:
        """A column with its alias."""
        way = self.schema.path(self.root, column.table, _through(role))
        return f"{self.alias(way, outer)}.{column.name}"

    def text(self) -> str:
        """FROM and its joins."""
        return "\n".join([f"FROM {self.root} {self.base}", *self.lines])


_WORDS = {"as", "by", "in", "is", "on", "or", "to", "at", "of", "no", "if", "do"}


def compose(
    intent: Intent, schema: Schema, groups_of_names: list[Any], in_sql: bool = False
) -> Draft:
    """The query of an intent. `groups_of_names` are corrections that count names as one.

    `in_sql` lets the database work out percentiles and weighted means.
    """
    return _Composer(intent, schema, groups_of_names, in_sql).draft()


class _Composer:
    def __init__(
        self, intent: Intent, schema: Schema, name_groups: list[Any], in_sql: bool
    ) -> None:
        self.i = intent
        self.in_sql = in_sql
        self.schema = schema
        self.name_groups = name_groups
        self.joins = Joins(schema, intent.root)

    def draft(self) -> Draft:
        """One query, by the shape of the question."""
        shape, measure = self.i.shape, self.i.measure
        if shape == "distance":
            return self._distance()
        if shape == "locate":
            return self._locate()
        if shape == "share":
            return self._share()
        if measure.per:
            return self._average_count()
        if shape == "values":
            return self._values()
        if measure.kind in ("median", "percentile", "weighted") and not self.in_sql:
            return self._raw_rows()
        if shape == "list" or (shape == "top" and not self.i.groups):
            return self._list()
        if self.i.groups:
            return self._grouped()
        return self._single()

    # -- pieces ---------------------------------------------------------------------------------

    def _measure(self, joins: Joins) -> tuple[str, str]:
        """The measure's expression and the name of its result."""
        m: Measure = self.i.measure
        if m.kind == "count":
            return "COUNT(*)", _short(self.i.root)
        if m.kind == "distinct":
            assert m.column is not None
            return f"COUNT(DISTINCT {joins.column(m.column)})", f"distinct_{_plural(m.column)}"
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

    def _where(self, joins: Joins, filters: list[Filter], related: list[Related]) -> list[str]:
        """Conditions on the root's own row and what it refers to; EXISTS for the many side."""
        made: list[str] = []
        many: dict[tuple[str, str], list[Filter]] = {}
        negative: list[Filter] = []
        for each in filters:
            if each.scope:
                continue
            way = self.schema.path(joins.root, each.column.table, _through(each.role))
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
        made += [self._exists(joins, [_positive(each)], True) for each in negative]
        for each in related:
            if id(each) not in used:
                made.append(self._related(joins, each, filters))
        return made

    def _condition(self, each: Filter, joins: Joins) -> str:
        if each.either and each.role is not None:
            twins = self.schema.twins(each.role.table, each.role.target)
            sides = [condition(each, joins.column(each.column, twin)) for twin in twins]
            if len(each.values) > 1:
                first, second = each.values[:2]
                one = [
                    _in(joins.column(each.column, t), (v,))
                    for t, v in zip(twins, (first, second), strict=False)
                ]
                two = [
                    _in(joins.column(each.column, t), (v,))
                    for t, v in zip(twins, (second, first), strict=False)
                ]
                return f"({' AND '.join(one)} OR {' AND '.join(two)})"
            return f"({' OR '.join(sides)})"
        return condition(each, joins.column(each.column, each.role))

    def _exists(self, joins: Joins, group: list[Filter], negated: bool) -> str:
        """EXISTS over the first table on the many side, with all conditions on that one row."""
        way = self.schema.path(joins.root, group[0].column.table, _through(group[0].role))
        at = next(n for n, edge in enumerate(way) if edge.many)
        outer = joins.alias(way[:at])
        edge = way[at]
        inner = Joins(self.schema, edge.target, joins.taken)
        wheres = [f"{inner.base}.{edge.target_column} = {outer}.{edge.column}"]
        here = [_unscoped(f, edge.reference) for f in group]
        wheres += self._where(inner, here, [])
        body = f"SELECT 1 {_flat(inner.text())} WHERE {' AND '.join(wheres)}"
        return f"{'NOT ' if negated else ''}EXISTS ({body})"

    def _related(self, joins: Joins, each: Related, filters: list[Filter]) -> str:
        """Rows of another table that must be there, must not, or must be so many."""
        way = self.schema.path(joins.root, each.table, _through(each.role))
        inside = [_unscoped(f) for f in filters if each.scope and f.scope == each.scope]
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
        body = f"{_flat(inner.text())} WHERE {' AND '.join(wheres)}"
        if each.op in ("none", "some"):
            return f"{'NOT ' if each.op == 'none' else ''}EXISTS (SELECT 1 {body})"
        return f"(SELECT COUNT(*) {body}) {each.op} {_number(each.number)}"

    def _related_deep(self, joins: Joins, each: Related, inside: list[Filter]) -> str:
        """The same, from the far table's side: its way back has one row at each step."""
        inner = Joins(self.schema, each.table, joins.taken)
        back = self.schema.path(each.table, joins.root)
        last = inner.alias(back[:-1])
        key = back[-1]
        wheres = [f"{last}.{key.column} = {joins.base}.{key.target_column}"]
        wheres += self._where(inner, inside, [])
        body = f"{_flat(inner.text())} WHERE {' AND '.join(wheres)}"
        if each.op in ("none", "some"):
            return f"{'NOT ' if each.op == 'none' else ''}EXISTS (SELECT 1 {body})"
        return f"(SELECT COUNT(*) {body}) {each.op} {_number(each.number)}"

    def _tail(self, wheres: list[str]) -> str:
        return f"\nWHERE {' AND '.join(wheres)}" if wheres else ""

    # -- shapes ---------------------------------------------------------------------------------

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
            way = self.schema.path(self.i.root, groups[0].table, _through(groups[0].role))
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

    def _given(self, joins: Joins) -> list[str]:
        """Where the database works out a weighted mean: rows without a value have no weight."""
        column = self.i.measure.column
        if not self.in_sql or column is None:
            return []
        return [f"{joins.column(column)} IS NOT NULL"]

    def _flip(self, groups: list[Group]) -> Joins | None:
        """Where a group lies on the many side, start there and count distinct roots."""
        for group in groups:
            way = self.schema.path(self.i.root, group.table, _through(group.role))
            many = [edge for edge in way if edge.many]
            if many:
                return Joins(self.schema, many[-1].target)
        return None

    def _group(self, group: Group, joins: Joins) -> tuple[str, str]:
        """The name and the expression of a group."""
        if group.kind == "time":
            assert group.column is not None
            return group.unit, _period(joins.column(group.column), group.unit)
        if group.kind == "entity":
            label = self.schema.tables[group.table].label
            if label is None:
                raise LookupError(f"columns of {group.table}")
            name = _entity_name(group)
            return name, self._named(label, joins.column(label, group.role))
        assert group.column is not None
        expression = joins.column(group.column, group.role)
        return group.column.name, self._named(group.column, expression)

    def _named(self, column: Column, expression: str) -> str:
        """A name, or the group that a correction counts it to."""
        for group in self.name_groups:
            if group.column == column:
                return f"CASE WHEN {_in(expression, group.names)} THEN {_quote(group.label)} ELSE {expression} END"
        return expression

    def _with_zeros(self, group: Group, way: list[Edge]) -> Draft:
        """Counts for every row of a table, those without any included."""
        label = self.schema.tables[group.table].label
        if label is None or not self.schema.tables[self.i.root].key:
            raise LookupError(f"columns of {group.table}")
        outer = Joins(self.schema, group.table)
        own, inside = [], []
        for each in self.i.filters:
            mine = each.column.table == group.table and each.role == group.role
            mine = mine or (each.role is not None and each.role.table == group.table)
            (own if mine and not each.scope else inside).append(each)
        name = self._named(label, f"{outer.base}.{label.name}")
        measured = _short(self.i.root)
        inner = Joins(self.schema, self.i.root, outer.taken)
        link = f"{inner.alias(way[:-1])}.{way[-1].column}"
        wheres = self._where(inner, inside, self.i.related)
        heads = self._where(outer, own, [])
        head_name = _entity_name(group)
        if not inner.lines:
            conditions = [f"{link} = {outer.base}.{way[-1].target_column}", *wheres]
            key = self.schema.tables[self.i.root].key[0]
            sql = (
                f"SELECT {name} AS {head_name}, COUNT({inner.base}.{key}) AS {measured}\n{outer.text()}\n"
                f"LEFT JOIN {self.i.root} {inner.base} ON {' AND '.join(conditions)}{self._tail(heads)}\n"
                f"GROUP BY {name}\nORDER BY {self._order(measured, [head_name], [name])}"
            )
        else:
            counted = f"SELECT {link} AS k, COUNT(*) AS n {_flat(inner.text())}"
            counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
            sql = (
                f"SELECT {name} AS {head_name}, SUM(COALESCE(x.n, 0)) AS {measured}\n{outer.text()}\n"
                f"LEFT JOIN ({counted} GROUP BY {link}) x ON x.k = {outer.base}.{way[-1].target_column}"
                f"{self._tail(heads)}\nGROUP BY {name}\nORDER BY {self._order(measured, [head_name], [name])}"
            )
        return Draft(self._limited(sql), "grouped", 1)

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

    def _list(self) -> Draft:
        table = self.schema.tables[self.i.root]
        label = table.label
        if label is None:
            raise LookupError(f"columns of {table.short}")
        chosen: list[tuple[str, str]] = [(f"{self.joins.base}.{label.name}", label.name)]
        extra = [
            *([(self.i.order_by, self.i.order_role)] if self.i.order_by else []),
            *self.i.select,
        ]
        if not table.named and table.key:
            key = self.schema.column(table.name, table.key[0])
            if key is not None:
                chosen.insert(0, (f"{self.joins.base}.{key.name}", key.name))
        for column, role in extra:
            expression = self.joins.column(column, role)
            self._add(chosen, expression, column, role)
        for each in self.i.filters:
            if each.op in ("in", "=") and len(each.values) == 1 and not each.either:
                continue
            way = self.schema.path(self.i.root, each.column.table, _through(each.role))
            if each.scope or each.either or any(edge.many for edge in way):
                continue
            self._add(chosen, self.joins.column(each.column, each.role), each.column, each.role)
        if label.name in table.key and len(chosen) == 1:
            chosen += self._described(table.name)
        if label.name in table.key and self.i.shape == "top":
            self._add_owners(chosen)
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        selected = ", ".join(e if e.endswith(f".{n}") else f"{e} AS {n}" for e, n in chosen)
        base = f"{self.joins.base}.{label.name}"
        if self.i.order_by is not None:
            ordered = self.joins.column(self.i.order_by, self.i.order_role)
            order = f"{ordered} {(self.i.order or 'asc').upper()} NULLS LAST, {base}"
        else:
            order = f"{base}{' DESC' if self.i.order == 'desc' else ''}"
        if self.i.shape == "top" and self.i.order_by is not None:
            wheres.append(f"{self.joins.column(self.i.order_by, self.i.order_role)} IS NOT NULL")
        sql = f"SELECT {selected}\n{self.joins.text()}{self._tail(wheres)}\nORDER BY {order}"
        plain = not self.joins.lines and len(wheres) < 3 and "EXISTS" not in sql
        columns = [c for c, _ in extra]
        return Draft(self._limited(sql), "list", 1, plain, columns, max_rows=MAX_LIST)

    def _add_owners(self, chosen: list[tuple[str, str]]) -> None:
        """The names of what a row without a name refers to."""
        for edge in self.schema.edges(self.i.root):
            label = (
                self.schema.tables[edge.target].label if edge.target in self.schema.tables else None
            )
            twins = self.schema.twins(edge.table, edge.target)
            if (
                not edge.many
                and not twins
                and label
                and label.name not in self.schema.tables[edge.target].key
            ):
                self._add(chosen, self.joins.column(label), label, None)

    def _described(self, table: str) -> list[tuple[str, str]]:
        """What says most about a row without a name: its columns of few values."""
        return [
            (f"{self.joins.base}.{c.name}", c.name)
            for c in self.schema.tables[table].columns.values()
            if c.values and c.is_text
        ][:3]

    def _add(
        self,
        chosen: list[tuple[str, str]],
        expression: str,
        column: Column,
        role: ReferenceFact | None,
    ) -> None:
        if expression in [e for e, _ in chosen]:
            return
        name = column.name
        if column.table != self.i.root and (
            name in [n for _, n in chosen] or column == self.schema.tables[column.table].label
        ):
            name = _role_name(role, column.table)
        if name in [n for _, n in chosen]:
            name = f"{_short(column.table)}_{column.name}"
        chosen.append((expression, name))

    def _values(self) -> Draft:
        """Distinct values of a column with the number of rows that have each."""
        column = self.i.measure.column
        assert column is not None
        expression = self._named(column, self.joins.column(column))
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        sql = (
            f"SELECT {expression} AS {column.name}, COUNT(*) AS {_short(self.i.root)}\n"
            f"{self.joins.text()}{self._tail(wheres)}\nGROUP BY {expression}\n"
            f"ORDER BY {_short(self.i.root)} DESC, {column.name}"
        )
        return Draft(sql, "grouped", 1, plain=not self.joins.lines, max_rows=MAX_LIST)

    def _share(self) -> Draft:
        """The part and the whole; the division is for the answer."""
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        part = " AND ".join(self._where(self.joins, [_unscoped(f) for f in self.i.target], []))
        part = part or "1 = 1"
        names, expressions = [], []
        for group in self.i.groups:
            name, expression = self._group(group, self.joins)
            names.append(name)
            expressions.append(expression)
        whole = _short(self.i.root)
        counted = f"COUNT(CASE WHEN {part} THEN 1 END) AS part, COUNT(*) AS {whole}"
        rate = f"100.0 * COUNT(CASE WHEN {part} THEN 1 END) / COUNT(*) AS percent"
        heads = "".join(f"{e} AS {n}, " for e, n in zip(expressions, names, strict=True))
        if not self.i.target:
            counted, rate = (
                f"COUNT(*) AS {whole}",
                "100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent",
            )
        tail = (
            f"\nGROUP BY {', '.join(expressions)}\nORDER BY percent DESC, {', '.join(names)}"
            if names
            else ""
        )
        sql = f"SELECT {heads}{counted}, {rate}\n{self.joins.text()}{self._tail(wheres)}{tail}"
        return Draft(sql, "share", len(names))

    def _average_count(self) -> Draft:
        """Counts for each row of a table, zeros included, then their average."""
        per = self.i.measure.per
        outer = Joins(self.schema, per)
        key = self.schema.tables[per].key[0]
        way = self.schema.path(self.i.root, per, _through(self.i.groups[0].role))
        inner = Joins(self.schema, self.i.root, outer.taken)
        link = f"{inner.alias(way[:-1])}.{way[-1].column}"
        own = [f for f in self.i.filters if f.column.table == per]
        rest = [f for f in self.i.filters if f not in own]
        wheres = self._where(inner, rest, self.i.related)
        heads = self._where(outer, own, [])
        counted = f"SELECT {link} AS k, COUNT(*) AS n {_flat(inner.text())}"
        counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
        sql = (
            f"SELECT AVG(COALESCE(x.n, 0)) AS average_{_short(self.i.root)}, COUNT(*) AS {_short(per)}\n"
            f"{outer.text()}\nLEFT JOIN ({counted} GROUP BY {link}) x ON x.k = {outer.base}.{key}{self._tail(heads)}"
        )
        return Draft(sql, "single")

    def _raw_rows(self) -> Draft:
        """Values (and weights) for JavaScript, each with the number of rows that have it."""
        m = self.i.measure
        assert m.column is not None
        names, expressions = [], []
        for group in self.i.groups:
            name, expression = self._group(group, self.joins)
            names.append(name)
            expressions.append(expression)
        value = self.joins.column(m.column)
        picked = [*expressions, value]
        labels = [*names, "value"]
        if m.weight is not None:
            picked.append(self.joins.column(m.weight))
            labels.append("weight")
        wheres = [*self._where(self.joins, self.i.filters, self.i.related), f"{value} IS NOT NULL"]
        selected = ", ".join(f"{e} AS {n}" for e, n in zip(picked, labels, strict=True))
        sql = (
            f"SELECT {selected}, COUNT(*) AS times\n{self.joins.text()}{self._tail(wheres)}\n"
            f"GROUP BY {', '.join(picked)}\nORDER BY {', '.join(labels)}"
        )
        return Draft(sql, "rows", len(names), unit_columns=[m.column], max_rows=1000)

    # -- places ---------------------------------------------------------------------------------

    def _distance(self) -> Draft:
        parts = [_flat(self._point(place)) for place in self.i.places]
        return Draft("\nUNION ALL\n".join(parts), "places")

    def _locate(self) -> Draft:
        return Draft(self._point(self.i.places[0], more=True), "places")

    def _point(self, place: Filter, more: bool = False) -> str:
        """Name, latitude, longitude of a place, or of the latest position of what moves."""
        home = place.column.table
        table = next((t for t in [home, *self._referring(home)] if coordinates(self.schema, t)), "")
        pair = coordinates(self.schema, table)
        if pair is None:
            raise LookupError("latitude and longitude")
        joins = Joins(self.schema, table)
        named = joins.column(place.column)
        lat, lon = (f"{joins.base}.{c.name}" for c in pair)
        wheres = [_in(named, place.values)]
        seen = next((c for c in self.schema.tables[table].columns.values() if c.is_time), None)
        extra = ""
        if table != home and seen is not None:
            link = next(r for r in self.schema.references if r.table == table and r.target == home)
            inner = Joins(self.schema, table, joins.taken)
            wheres.append(
                f"{joins.base}.{seen.name} = (SELECT MAX({inner.base}.{seen.name}) {_flat(inner.text())} "
                f"WHERE {inner.base}.{link.column} = {joins.base}.{link.column})"
            )
            extra = f", {joins.base}.{seen.name}" if more else ""
            if more:
                extra += "".join(
                    f", {joins.base}.{c.name}"
                    for c in self.schema.tables[table].columns.values()
                    if c.is_number and c not in pair and not self.schema.is_link(c)
                )
        return (
            f"SELECT {named} AS place, {lat} AS latitude, {lon} AS longitude{extra}\n{joins.text()}\n"
            f"WHERE {' AND '.join(wheres)}"
        )

    def _referring(self, home: str) -> list[str]:
        return [r.table for r in self.schema.references if r.target == home]


def coordinates(schema: Schema, table: str) -> tuple[Column, Column] | None:
    """The columns of latitude and longitude, by what their comments call them."""
    columns = schema.tables[table].columns.values() if table in schema.tables else ()
    lat = next((c for c in columns if "latitude" in (*c.head, *c.parts)), None)
    lon = next((c for c in columns if "longitude" in (*c.head, *c.parts)), None)
    return (lat, lon) if lat and lon else None


def condition(each: Filter, expression: str) -> str:
    """One condition as SQL."""
    op, values = each.op, each.values
    if op == "null":
        return f"{expression} IS NULL"
    if op == "notnull":
        return f"{expression} IS NOT NULL"
    if op == "in":
        return _in(expression, values)
    if op == "not in":
        test = (
            f"{expression} <> {_literal(values[0])}"
            if len(values) == 1
            else f"{expression} NOT IN ({_literals(values)})"
        )
        return f"({test} OR {expression} IS NULL)" if each.column.nullable else test
    if op == "between":
        return f"{expression} BETWEEN {_literal(values[0])} AND {_literal(values[1])}"
    if op in ("range", "not range"):
        start, end = values
        tests = [f"{expression} >= {_literal(start)}"] if start else []
        tests += [f"{expression} < {_literal(end)}"] if end else []
        return " AND ".join(tests) if op == "range" else f"NOT ({' AND '.join(tests)})"
    return f"{expression} {op} {_literal(values[0])}"


def _in(expression: str, values: tuple[Any, ...]) -> str:
    if len(values) == 1:
        return f"{expression} = {_literal(values[0])}"
    return f"{expression} IN ({_literals(values)})"


def _literals(values: tuple[Any, ...]) -> str:
    return ", ".join(_literal(value) for value in values)


def _literal(value: Any) -> str:
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return _quote(value) if isinstance(value, str) else _number(value)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _period(expression: str, unit: str) -> str:
    year, month = f"EXTRACT(YEAR FROM {expression})", f"EXTRACT(MONTH FROM {expression})"
    if unit == "year":
        return year
    if unit == "month":
        return f"{year} * 100 + {month}"
    if unit == "quarter":
        return f"{year} * 10 + CEIL({month} / 3.0)"
    return f"CAST({expression} AS DATE)"


def _positive(each: Filter) -> Filter:
    return replace(each, op={"not in": "in", "<>": "=", "not range": "range"}[each.op])


def _unscoped(each: Filter, taken: tuple[str, str] | None = None) -> Filter:
    """The condition inside its own subquery; the reference that led there is behind it."""
    role = each.role
    if role is not None and taken == (role.table, role.column):
        role = None
    return replace(each, scope=0, role=role)


def _through(role: ReferenceFact | None) -> tuple[str, str] | None:
    return (role.table, role.column) if role else None


def _short(table: str) -> str:
    return table.rsplit(".", 1)[-1]


def _plural(column: Column) -> str:
    return column.name


def _flat(text: str) -> str:
    return " ".join(text.split())


def _entity_name(group: Group) -> str:
    return _role_name(group.role, group.table)


def _role_name(role: ReferenceFact | None, table: str) -> str:
    """What a column of labels is called: the role, or the table in the singular."""
    from harness.standin.brain.words import stem

    if role is not None:
        return role.column.lower().removesuffix("_id")
    return stem(_short(table).lower())
