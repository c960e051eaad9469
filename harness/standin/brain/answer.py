"""Rows to text: short sentences and small tables; every figure comes from an observation."""

from typing import Any

from harness.standin.brain.intent import Intent
from harness.standin.brain.schema import Schema
from harness.standin.brain.sql import TIES, Draft
from harness.standin.brain.words import playbook, stem
from harness.standin.brain.write.text import SHOWN, cell, conditions, holds, money, number, table


class Answer:
    """The text for one intent over its rows."""

    def __init__(
        self,
        intent: Intent,
        draft: Draft,
        schema: Schema,
        columns: list[str],
        rows: list[list[Any]],
        unit: str = "",
        truncated: bool = False,
    ) -> None:
        self.i = intent
        self.draft = draft
        self.schema = schema
        self.columns = columns
        self.rows = rows
        self.unit = unit
        self.truncated = truncated
        self.noun = intent.root.rsplit(".", 1)[-1]
        self.plural = self.noun.replace("_", " ")
        self.where = conditions(intent.filters, intent.related)

    def text(self) -> str:
        """The answer with the readings that it rests on."""
        body = self._body()
        return "\n".join([body, *dict.fromkeys(self.i.notes)])

    def _body(self) -> str:
        i, shape = self.i, self.draft.shape
        if i.shape == "distance":
            return self._distance()
        if i.shape == "locate":
            return self._locate()
        if shape == "share":
            return self._share()
        if i.shape == "compare":
            return self._compare()
        if shape == "list":
            return self._yes_no() if i.yes_no else self._top() if i.shape == "top" else self._list()
        if shape == "grouped" or (shape == "rows" and self.draft.groups):
            return self._grouped()
        return self._single()

    def figure(self, value: Any) -> str:
        """A figure with its unit."""
        if self.unit == "dollar":
            return f"{money(value)} (US dollars)"
        unit = playbook()["shown_units"].get(self.unit, "")
        return f"{number(value)} {unit}".strip()

    def _named(self, noun: str, count: Any) -> str:
        words = stem(noun) if count == 1 and "_" not in noun else noun.replace("_", " ")
        return f"{number(count)} {words}"

    def _single(self) -> str:
        value = self.rows[0][0] if self.rows else None
        kind = self.i.measure.kind
        if self.i.shape == "exists":
            yes = "Yes" if value else "No"
            return f"{yes}: {self._named(self.noun, value)}{self.where}."
        if kind == "count" and not self.i.measure.per:
            return f"{self._named(self.noun, value)}{self.where}."
        if kind == "distinct":
            column = self.i.measure.column
            assert column is not None
            among = f"{column.name} among the {self.plural}{self.where}"
            return f"{number(value)} different values of {among}."
        if value is None:
            return f"Nothing to work it out from: no {self.plural} with a figure{self.where}."
        name = self.columns[0].replace("_", " ")
        return f"{name[0].upper()}{name[1:]}{self.where}: {self.figure(value)}.{self._basis()}"

    def _basis(self) -> str:
        """How many rows a figure of exec_js rests on, or an average over counts."""
        if self.draft.shape == "rows" and len(self.rows[0]) > 1:
            return f" It rests on {number(self.rows[0][-1])} values."
        if self.i.measure.per and len(self.rows[0]) > 1:
            return f" It is over {number(self.rows[0][1])} {self.columns[1]}."
        return ""

    def _grouped(self) -> str:
        if not self.rows:
            return f"No {self.plural}{self.where}."
        if self.i.shape == "top" and self.i.limit:
            return self._top_groups()
        columns, rows = list(self.columns), self.rows
        at = self.draft.groups
        if self.unit:
            unit = playbook()["shown_units"].get(self.unit, self.unit)
            columns[at] = (
                f"{columns[at]} [{unit}]"
                if self.unit != "dollar"
                else f"{columns[at]} [US dollars]"
            )
            rows = [
                [*r[:at], money(r[at]) if self.unit == "dollar" else r[at], *r[at + 1 :]]
                for r in rows
            ]
        rows = [[self._group_cell(value, n) for n, value in enumerate(row)] for row in rows]
        name = columns[at].split(" [")[0].replace("_", " ")
        by = " and ".join(c.replace("_", " ") for c in columns[:at])
        return f"{name[0].upper()}{name[1:]} by {by}{self.where}:\n{table(columns, rows)}"

    def _group_cell(self, value: Any, place: int) -> Any:
        """Months and quarters readable; a missing group says so."""
        if place >= self.draft.groups:
            return value
        if value is None:
            return f"(no {self.columns[place]})"
        unit = self.columns[place]
        if isinstance(value, (int, float)) and unit == "month" and value > 9999:
            return f"{int(value) // 100}-{int(value) % 100:02d}"
        if isinstance(value, (int, float)) and unit == "quarter" and value > 9999:
            return f"{int(value) // 10} Q{int(value) % 10}"
        return value

    def _top_groups(self) -> str:
        at, limit = self.draft.groups, self.i.limit
        kept = [[self._group_cell(v, n) for n, v in enumerate(row)] for row in self._cut(at, limit)]
        if len(kept) == 1:
            value = kept[0][at]
            shown = (
                self.figure(value)
                if self.i.measure.kind != "count"
                else self._named(self.noun, value)
            )
            label = self.columns[at].replace("_", " ")
            label = "" if self.i.measure.kind == "count" else f"{label} "
            return f"{cell(kept[0][0])}: {label}{shown}{self.where}, the {self._rank()}."
        columns, rows = list(self.columns), kept
        if self.unit:
            unit = playbook()["shown_units"].get(self.unit, self.unit)
            columns[at] = f"{columns[at]} [{unit}]"
            rows = [[*r[:at], money(r[at]) if self.unit == "dollar" else r[at]] for r in rows]
        return f"{self._heading(limit, len(kept))}\n{table(columns, rows)}"

    def _heading(self, limit: int, shown: int) -> str:
        how = self._rank()
        if shown == limit:
            return f"The {limit} {how}{self.where}:"
        more = " at least" if shown == limit + TIES else ""
        if limit == 1:
            return f"{shown}{more} share the {how} place{self.where}:"
        return (
            f"The {limit} {how}{self.where}, and{more} {shown - limit} more with the same figure:"
        )

    def _rank(self) -> str:
        return "lowest" if self.i.order == "asc" else "highest"

    def _cut(self, at: int, limit: int) -> list[list[Any]]:
        """The rows asked for, and those that share the last one's figure."""
        last = self.rows[limit - 1][at] if len(self.rows) >= limit else None
        return [row for n, row in enumerate(self.rows) if n < limit or row[at] == last]

    def _top(self) -> str:
        if not self.rows:
            return f"No {self.plural} with a figure{self.where}."
        column = self.i.order_by
        assert column is not None
        at = self.columns.index(column.name) if column.name in self.columns else 1
        kept = self._cut(at, self.i.limit)
        if len(kept) == 1:
            row = kept[0]
            if self.i.rank == "latest":
                every = zip(self.columns[1:], row[1:], strict=True)
                return f"{', '.join(f'{c} {cell(v)}' for c, v in every)}{self.where}."
            pairs = [
                f"{c} {cell(v)}"
                for n, (c, v) in enumerate(zip(self.columns, row, strict=True))
                if n not in (0, at)
            ]
            extra = f" ({', '.join(pairs)})" if pairs else ""
            first = (
                cell(row[0])
                if not self.columns[0].endswith("_id")
                else f"{self.columns[0]} {cell(row[0])}"
            )
            figure = f"{column.name} {self.figure(row[at])}"
            return f"{first}: {figure}, the {self._rank()}{self.where}{extra}."
        return f"{self._heading(self.i.limit, len(kept))}\n{table(self.columns, kept)}"

    def _list(self) -> str:
        if not self.rows:
            return f"None: there are no {self.plural}{self.where}."
        count = f"more than {len(self.rows)}" if self.truncated else str(len(self.rows))
        if self.truncated:
            first = table(self.columns, self.rows[:SHOWN])
            return (
                f"More than {len(self.rows)} {self.noun}{self.where}; the first {SHOWN}:\n{first}"
            )
        noun = (
            stem(self.noun)
            if len(self.rows) == 1 and "_" not in self.noun
            else self.noun.replace("_", " ")
        )
        if len(self.columns) == 1 and len(self.rows) <= SHOWN:
            return f"{count} {noun}{self.where}: {', '.join(cell(r[0]) for r in self.rows)}."
        if len(self.rows) == 1:
            pairs = ", ".join(
                f"{c} {self._with_unit(c, v)}"
                for c, v in zip(self.columns[1:], self.rows[0][1:], strict=True)
            )
            return f"{stem(self.noun).replace('_', ' ')} {cell(self.rows[0][0])}: {pairs}."
        return f"{count} {noun}{self.where}:\n{table(self.columns, self.rows)}"

    def _with_unit(self, column: str, value: Any) -> str:
        from harness.standin.brain.corrections import Corrections, units_said

        known = next((c for c, _ in self.i.select if c.name == column), None)
        unit = units_said(known, Corrections()) if known is not None else ""
        shown = playbook()["shown_units"].get(unit, "")
        if value is None:
            return "not given"
        return (
            f"{cell(value)} {shown}".strip()
            if shown and column.lower().find(unit) < 0
            else cell(value)
        )

    def _yes_no(self) -> str:
        """About one known thing: its values, and whether they are what was asked."""
        if not self.rows:
            return f"None: there is no such {stem(self.noun)}{self.where}."
        row = dict(zip(self.columns, self.rows[0], strict=True))
        verdicts = []
        for each in self.i.target:
            value = row.get(each.column.name, self.rows[0][-1])
            verdicts.append(holds(each, value))
        known = ", ".join(f"{c} {cell(v)}" for c, v in row.items())
        return f"{'Yes' if all(verdicts) else 'No'}: {known}."

    def _share(self) -> str:
        part = conditions(self.i.target)
        if not self.i.target:
            return f"Share of {self.noun}{self.where} in percent:\n{table(self.columns, self.rows)}"
        if self.draft.groups:
            shown = table(self.columns, self.rows)
            return f"Share of {self.noun}{part} in percent{self.where}:\n{shown}"
        if not self.rows or not self.rows[0][1]:
            return f"There are no {self.noun}{self.where}, so there is no share."
        got, whole, percent = self.rows[0][-3:]
        said = " and ".join(f.said for f in self.i.target)
        counted = f"{number(got)} of {number(whole)} {self.plural}{self.where}"
        return f"{number(float(percent))} %: {counted} have {said}."

    def _compare(self) -> str:
        if not self.rows:
            return f"Neither has any{self.where}."
        at = self.draft.groups
        counted = self.i.measure.kind == "count"
        shown = [
            f"{cell(r[0])} {number(r[at]) if counted else self.figure(r[at])}" for r in self.rows
        ]
        if len(self.rows) > 1 and self.rows[0][at] == self.rows[1][at]:
            return f"They are equal: {', '.join(shown)} ({self.columns[at]})."
        more = "more" if self.i.order != "asc" else "fewer"
        what = self.columns[at].replace("_", " ")
        return f"{cell(self.rows[0][0])} has {more} {what}: {', '.join(shown)}."

    def _distance(self) -> str:
        value = self.rows[0][0] if self.rows else None
        names = " to ".join(p.said for p in self.i.places)
        if isinstance(value, dict):
            miles = value.get("nautical_miles")
            km = value.get("km")
            figure = f"{round(float(miles))} nautical miles" if miles is not None else ""
            figure += f" ({round(float(km))} km)" if km is not None else ""
        else:
            figure = number(value)
        return f"{names}: {figure.strip()} along a great circle; a ship sails farther."

    def _locate(self) -> str:
        if not self.rows:
            return f"No position of {self.i.places[0].said} is known."
        row = dict(zip(self.columns, self.rows[0], strict=True))
        extra = ", ".join(f"{c} {cell(v)}" for c, v in list(row.items())[3:])
        place = f"latitude {number(row['latitude'])}, longitude {number(row['longitude'])}"
        return f"{cell(self.rows[0][0])}: {place}{f' ({extra})' if extra else ''}."
