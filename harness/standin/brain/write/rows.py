"""Rows: lists, the top of a list, values for JavaScript, shares, places."""

from harness.standin.brain.facts import ReferenceFact
from harness.standin.brain.schema import Column
from harness.standin.brain.write.conditions import unscoped
from harness.standin.brain.write.draft import MAX_LIST, Draft
from harness.standin.brain.write.groups import Groups
from harness.standin.brain.write.joins import Joins, flat, role_name, short, through


class Rows(Groups):
    """Whatever is no plain figure."""

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
            way = self.schema.path(self.i.root, each.column.table, through(each.role))
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
            name = role_name(role, column.table)
        if name in [n for _, n in chosen]:
            name = f"{short(column.table)}_{column.name}"
        chosen.append((expression, name))

    def _share(self) -> Draft:
        """The part and the whole; the division is for the answer."""
        wheres = self._where(self.joins, self.i.filters, self.i.related)
        part = " AND ".join(self._where(self.joins, [unscoped(f) for f in self.i.target], []))
        part = part or "1 = 1"
        names, expressions = [], []
        for group in self.i.groups:
            name, expression = self._group(group, self.joins)
            names.append(name)
            expressions.append(expression)
        whole = short(self.i.root)
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
        way = self.schema.path(self.i.root, per, through(self.i.groups[0].role))
        inner = Joins(self.schema, self.i.root, outer.taken)
        link = f"{inner.alias(way[:-1])}.{way[-1].column}"
        own = [f for f in self.i.filters if f.column.table == per]
        rest = [f for f in self.i.filters if f not in own]
        wheres = self._where(inner, rest, self.i.related)
        heads = self._where(outer, own, [])
        figure, name = "COUNT(*)", f"average_{short(self.i.root)}"
        basis = f", COUNT(*) AS {short(per)}"
        if self.i.measure.column is not None:
            inside = inner.column(self.i.measure.column)
            if self.i.measure.times is not None:
                inside = f"{inner.column(self.i.measure.times)} * {inside}"
            figure, name = f"SUM({inside})", f"average_{self.i.measure.column.name}"
            basis = ""
        counted = f"SELECT {link} AS k, {figure} AS n {flat(inner.text())}"
        counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
        sql = (
            f"SELECT AVG(COALESCE(x.n, 0)) AS {name}{basis}\n{outer.text()}\n"
            f"LEFT JOIN ({counted} GROUP BY {link}) x ON x.k = {outer.base}.{key}"
            f"{self._tail(heads)}"
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
