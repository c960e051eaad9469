"""From the rows of a query to the answer: computed, converted, told."""

import json
import re
from dataclasses import dataclass, replace
from string import Template
from typing import Any

from harness.standin.brain.cells import SHOWN
from harness.standin.brain.compose import Draft, measure_name
from harness.standin.brain.factlines import measures, unit_of_column
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.replies import (
    Reply,
    Settled,
    ask,
    because,
    call,
    failed,
    made_before,
    observed,
    rows_of,
    said,
    sql_call,
)
from harness.standin.brain.say import Answer, answer
from harness.standin.brain.tree import Query, Value
from harness.standin.brain.words import playbook

_BLOCK = re.compile(r"```(?:js|javascript)\s*\n(.*?)```", re.DOTALL)
_FUNCTION = re.compile(r"function\s+(\w+)\s*\(([^)]*)\)")
Rows = list[list[Any]]


@dataclass
class Work:
    """A tree on its way to an answer."""

    situation: Situation
    known: Knowing
    query: Query
    draft: Draft

    def noted(self, *notes: str, **changes: Any) -> None:
        """Change the tree, and say why."""
        self.query = replace(self.query, notes=(*self.query.notes, *notes), **changes)


@dataclass(frozen=True)
class Need:
    """A computation: its purpose, the words of a playbook for it, how its function is used."""

    purpose: str
    skills: tuple[str, ...]
    parameters: str
    use: str

    def code(self, body: str) -> str:
        """The playbook's function with the lines that use it; "" where it has none that fits."""
        for block in _BLOCK.findall(body):
            for name, parameters in _FUNCTION.findall(block):
                if re.search(self.parameters, parameters):
                    return f"{block.strip()}\n\n{self.use.replace('$f', name)}"
        return ""


def needed(query: Query, groups: int) -> Need | None:
    """The computation that a tree needs a playbook for; None if it needs none."""
    measure = query.measures[0] if query.measures else None
    kind = measure.kind if measure and query.shape == "value" and query.per is None else query.shape
    if kind not in playbook()["computations"]:
        return None
    found = playbook()["computations"][kind]
    use = Template(found["use"]).safe_substitute(
        place=json.dumps(query.places[0] if query.places else ""),
        order="b, a" if query.order and query.order.down else "a, b",
        limit=query.limit,
        groups=groups,
        weights=groups + 1,
        part=f"{measure.percent / 100:g}" if measure else "",
    )
    return Need(found["purpose"], tuple(found["skills"]), found["parameters"], use)


def skill_for(need: Need, situation: Situation) -> str:
    """The name of a playbook that fits, from the manifest or from list_skills; or ""."""
    known = situation.known_skills
    for step in situation.calls("load_skill"):  # an unknown name is answered with the nearest ones
        near = re.search(r"Nearest: ([\w, -]+)", step.error)
        known += [(name.strip(), "") for name in near.group(1).split(",")] if near else []
    by_name = [name for word in need.skills for name, _ in known if word in name.lower()]
    by_text = [name for word in need.skills for name, text in known if word in text.lower()]
    return next(iter([*by_name, *by_text]), "")


def loaded(situation: Situation, skill: str) -> Step | None:
    """The step that loaded a playbook."""
    steps = situation.calls("load_skill")
    return next((s for s in steps if s.arguments.get("name") == skill), None)


def finish(work: Work, run: Step, need: Need | None, skill: str) -> Reply:
    """From the rows of a query to the answer. Raises Settled where a call comes first."""
    query, situation, aside = work.query, work.situation, run.data.get("offloaded")
    columns, rows = rows_of(run.data)
    if aside and not rows and need is None:
        if run.arguments.get("max_rows") == SHOWN:
            return because("toolong")
        sql = str(run.arguments.get("sql"))
        ask(sql_call(situation, _total_of(sql)), sql_call(situation, sql, SHOWN))
    missing = [name for name in query.places if name not in [r[0] for r in rows if r]]
    if missing and not aside and query.shape in ("distance", "nearest"):
        return said(f"No position of {' and '.join(missing)} is known.")
    if query.word == "coordinates":
        lines = "; ".join(f"{r[0]}: latitude {r[1]}, longitude {r[2]}" for r in rows)
        return said("\n".join([f"{lines}.", *query.notes]))
    if need is not None and (rows or aside):
        body = loaded(situation, skill)
        code = need.code(str(body.data.get("body") or "")) if body and not body.error else ""
        if not code:
            return because("nocode", skill=skill)
        rows = _javascript(situation, code, run)
        if query.measures:
            name = measure_name(query.measures[0], query.source)
            columns = [*columns[: work.draft.groups], name, "values"]
    rows, units = _converted(work, run, need, columns, rows)
    cut = bool(run.data.get("truncated"))
    total = _total(situation, run) if cut else 0
    return said(answer(Answer(work.query, work.draft, columns, rows, units, cut, total)))


def _converted(
    work: Work, run: Step, need: Need | None, columns: list[str], rows: Rows
) -> tuple[Rows, dict[int, str]]:
    """The rows with figures in the units that were asked for, and the units by column."""
    units: dict[int, str] = {}
    for at, value, asked in _figures(work.query, work.draft, columns):
        own = value.unit or (unit_of_column(value.field.column) if value.how == "column" else "")
        own = "" if (own, value.how) == ("year", "column") else own  # a date, and no amount
        expression, units[at] = conversion(own, asked if measures(own, asked) else "")
        if not expression or not rows:
            continue
        if not work.situation.offered("exec_js") or need is not None:
            units[at] = own
            continue
        template = Template(playbook()["conversion"])
        code = template.substitute(at=at, after=at + 1, expression=expression)
        new = _javascript(work.situation, code, run)
        rows = [[*row[:at], n[at], *row[at + 1 :]] for row, n in zip(rows, new, strict=False)]
        work.noted(*_conversion_notes(value, own, units[at]))
    return rows, units


def conversion(own: str, wanted: str) -> tuple[str, str]:
    """(JavaScript for a figure x, the unit to show); "" where there is nothing to convert."""
    wanted = wanted or ("dollar" if own == "cent" else own)
    if not own or wanted == own:
        return "", own
    if wanted == "fahrenheit":
        return "x * 9 / 5 + 32", wanted
    up, down = (float(playbook()["units"][unit]["factor"]) for unit in (own, wanted))
    exact = up == 1.0 and down >= 1
    return f"x / {down:g}" if exact else f"x * {up / down:.9g}", wanted


def _figures(query: Query, made: Draft, columns: list[str]) -> list[tuple[int, Value, str]]:
    """The columns that may need another unit: their places, what they hold, the unit asked for."""
    if query.measures:
        plain = () if query.shape == "share" else enumerate(query.measures, made.groups)
        counting = ("count", "distinct")
        return [(at, m.value, m.unit) for at, m in plain if m.value and m.kind not in counting]
    value = query.order.by if query.order and isinstance(query.order.by, Value) else None
    name = value.name.replace(" ", "_") if value else ""
    shown = value and query.shape in ("top", "best") and name in columns
    return [(columns.index(name), value, query.unit)] if value and shown else []


def _total_of(sql: str) -> str:
    return f"SELECT COUNT(*) AS total\nFROM ({sql}) counted"


def _total(situation: Situation, run: Step) -> int:
    """How many rows a shortened result has in all; 0 where nobody counted them."""
    counted = sql_call(situation, _total_of(str(run.arguments.get("sql"))))
    done = made_before(situation, counted)
    return int(done.data["rows"][0][0]) if done and done.data.get("rows") else 0


def _conversion_notes(value: Value, own: str, shown: str) -> list[str]:
    names, notes = playbook()["shown_units"], []
    column = value.name
    if value.how == "product":
        column = value.fields[-1].column.name
        notes = [f"Each line counts {value.fields[0].column.name} x {column}."]
    converted = f"converted to {names.get(shown, shown)}"
    return [*notes, f"{column} is in {names.get(own, own)}; {converted}."]


def _javascript(situation: Situation, code: str, run: Step) -> Rows:
    """The rows that the code returned. Raises Settled with the call, or why it failed."""
    made = call("exec_js", code=code, input_from=run.id)
    if "input_from" not in situation.parameters("exec_js"):
        made = call("exec_js", code=f"const input = {run.text};\n{code}")
    data = observed(situation, made)
    if data.get("ok") is False:
        raise Settled(failed(str(data.get("stderr") or "it did not run")))
    if "value" not in data:
        raise Settled(because("unread", tool="exec_js"))
    value = data["value"]
    return [list(r) for r in value if isinstance(r, list)] if isinstance(value, list) else [[value]]
