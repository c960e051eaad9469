"""From the rows of a query to the answer: computed, converted, told."""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.cells import SHOWN
from harness.standin.brain.compose import Draft, measure_name
from harness.standin.brain.factlines import measures, unit_of_column
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.replies import (
    Reply,
    act,
    because,
    call,
    failed,
    said,
    sql_call,
    step_or_call,
)
from harness.standin.brain.say import Answer, answer
from harness.standin.brain.tree import Query, Value
from harness.standin.brain.words import playbook

_BLOCK = re.compile(r"```(?:js|javascript)\s*\n(.*?)```", re.DOTALL)
_FUNCTION = re.compile(r"function\s+(\w+)\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Need:
    """A computation: its purpose, the words of a playbook for it, and how its function is used.

    `use` is JavaScript with {f} for the function; `pattern` is what its parameters look like.
    """

    purpose: str
    words: tuple[str, ...]
    pattern: str
    use: str


def needed(query: Query, groups: int) -> Need | None:
    """The computation that a tree needs a playbook for; None if it needs none."""
    measure = query.measures[0] if query.measures else None
    kind = measure.kind if measure and query.shape == "value" and query.per is None else ""
    if query.shape == "distance":
        use = "const [a, b] = input.rows;\nreturn {f}(a[1], a[2], b[1], b[2]);"
        return Need("a distance", ("distance", "haversine"), r"lat", use)
    if query.shape == "nearest":
        name, sign = (
            json.dumps(query.places[0]),
            "b, a" if query.order and query.order.down else "a, b",
        )
        use = (
            f"const from = input.rows.find((row) => row[0] === {name});\n"
            "const far = (row) => ({ ...{f}(from[1], from[2], row[1], row[2]), place: row[0] });\n"
            "const all = input.rows.filter((row) => row !== from).map(far);\n"
            f"all.sort(({sign}) => a.km - b.km);\n"
            f"return all.slice(0, {query.limit}).map((each) => [each]);"
        )
        return Need("a distance", ("distance", "haversine"), r"lat", use)
    if measure is not None and kind in ("percentile", "median"):
        words = ("percentile", "median", "quantile")
        use = f"return all.map(([k, v]) => [...k, {{f}}(v, {measure.percent / 100:g}), v.length]);"
        return Need("a percentile", words, r"values?", _lists(groups) + use)
    if kind == "weighted":
        use = "return all.map(([k, v, w]) => [...k, {f}(v, w), v.length]);"
        return Need("a weighted mean", ("weighted",), r"weights?", _lists(groups, True) + use)
    return None


def _lists(groups: int, weights: bool = False) -> str:
    """Collect the values (and weights) of each group; the last column: how often."""
    extra = "\n  if (!lists.has(key + 'w')) lists.set(key + 'w', []);" if weights else ""
    push = f"\n    lists.get(key + 'w').push(row[{groups + 1}]);" if weights else ""
    pick = "[JSON.parse(key), lists.get(key)"
    pick += ", lists.get(key + 'w')]" if weights else "]"
    return (
        "const lists = new Map(), order = [];\n"
        "for (const row of input.rows) {\n"
        f"  const key = JSON.stringify(row.slice(0, {groups}));\n"
        f"  if (!lists.has(key)) {{ lists.set(key, []); order.push(key); }}{extra}\n"
        "  for (let i = 0; i < Number(row[row.length - 1]); i++) {\n"
        f"    lists.get(key).push(row[{groups}]);{push}\n"
        "  }\n}\n"
        f"const all = order.map((key) => {pick});\n"
    )


def skill_for(need: Need, situation: Situation) -> str:
    """The name of a playbook that fits, from the manifest or from list_skills; or ""."""
    known = situation.known_skills
    for step in situation.calls("load_skill"):  # an unknown name is answered with the nearest ones
        near = re.search(r"Nearest: ([\w, -]+)", step.error)
        known += [(name.strip(), "") for name in near.group(1).split(",")] if near else []
    by_name = [name for word in need.words for name, _ in known if word in name.lower()]
    by_text = [name for word in need.words for name, text in known if word in text.lower()]
    return next(iter([*by_name, *by_text]), "")


def code_from(body: str, need: Need) -> str:
    """The playbook's function with the lines that use it; "" where it has none that fits."""
    for block in _BLOCK.findall(body):
        for match in _FUNCTION.finditer(block):
            if re.search(need.pattern, match.group(2)):
                return block.strip() + "\n\n" + need.use.replace("{f}", match.group(1))
    return ""


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


def conversion_code(expression: str, at: int) -> str:
    """JavaScript that converts one column of every row."""
    return (
        "return input.rows.map((row) => {\n"
        f"  const x = row[{at}] === null ? null : Number(row[{at}]);\n"
        f"  return [...row.slice(0, {at}), x === null ? null : {expression}, "
        f"...row.slice({at + 1})];\n}});"
    )


Rows = list[list[Any]]


@dataclass
class Work:
    """A tree on its way to an answer."""

    situation: Situation
    known: Knowing
    query: Query
    draft: Draft
    lead: str = ""


def loaded(situation: Situation, skill: str) -> Step | None:
    """The step that loaded a playbook."""
    steps = situation.calls("load_skill")
    return next((s for s in steps if s.arguments.get("name") == skill), None)


def finish(work: Work, run: Step, need: Need | None, skill: str) -> Reply:
    """From the rows of a query to the answer; or the exec_js call that is still needed."""
    query, situation, aside = work.query, work.situation, run.data.get("offloaded")
    columns = [str(c) for c in run.data.get("columns") or []]
    rows = [list(r) for r in run.data.get("rows") or []]
    if aside and not rows and need is None:
        if run.arguments.get("max_rows") == SHOWN:
            return because("toolong")
        sql = str(run.arguments.get("sql"))
        return act(sql_call(situation, _total_of(sql)), sql_call(situation, sql, SHOWN))
    wanted = query.places if query.shape in ("distance", "nearest") else ()
    missing = [name for name in wanted if name not in [r[0] for r in rows]]
    if missing and not aside:
        return said(f"{work.lead}No position of {' and '.join(missing)} is known.")
    if query.word == "coordinates":
        lines = "; ".join(f"{r[0]}: latitude {r[1]}, longitude {r[2]}" for r in rows)
        return said("\n".join([f"{work.lead}{lines}.", *query.notes]))
    if need is not None and (rows or aside):
        body = loaded(situation, skill)
        code = code_from(str(body.data.get("body") or ""), need) if body and not body.error else ""
        if not code:
            return because("nocode", skill=skill)
        result = _javascript(situation, code, run)
        if isinstance(result, dict):
            return result
        rows = result
        if query.measures:
            name = measure_name(query.measures[0], query.source)
            columns = [*columns[: work.draft.groups], name, "values"]
    return _converted(work, run, need, columns, rows)


def _converted(work: Work, run: Step, need: Need | None, columns: list[str], rows: Rows) -> Reply:
    """The answer, its figures in the units that were asked for."""
    query, situation, units = work.query, work.situation, dict[int, str]()
    for at, value, asked in _figures(query, work.draft, columns):
        own = value.unit or (unit_of_column(value.field.column) if value.how == "column" else "")
        own = "" if (own, value.how) == ("year", "column") else own  # a date, and no amount
        expression, units[at] = conversion(own, asked if measures(own, asked) else "")
        if not expression or not rows:
            continue
        if not situation.offered("exec_js") or need is not None:
            units[at] = own
            continue
        result = _javascript(situation, conversion_code(expression, at), run)
        if isinstance(result, dict):
            return result
        pairs = zip(rows, result, strict=False)
        rows = [[*row[:at], new[at], *row[at + 1 :]] for row, new in pairs]
        query = replace(query, notes=(*query.notes, *_conversion_notes(value, own, units[at])))
    cut = bool(run.data.get("truncated"))
    total = _total(situation, run) if cut else 0
    return said(work.lead + answer(Answer(query, work.draft, columns, rows, units, cut, total)))


def _figures(query: Query, made: Draft, columns: list[str]) -> list[tuple[int, Value, str]]:
    """The columns that may need another unit: their places, what they hold, the unit asked for."""
    if query.measures:
        found = [(made.groups + n, m.value, m.unit, m.kind) for n, m in enumerate(query.measures)]
        counting = ("count", "distinct")
        kept = [(at, v, unit) for at, v, unit, kind in found if v and kind not in counting]
        return kept if query.shape != "share" else []
    value = query.order.by if query.order and isinstance(query.order.by, Value) else None
    name = value.name.replace(" ", "_") if value else ""
    shown = value and query.shape in ("top", "best") and name in columns
    return [(columns.index(name), value, query.unit)] if value and shown else []


def _total_of(sql: str) -> str:
    return f"SELECT COUNT(*) AS total\nFROM ({sql}) counted"


def _total(situation: Situation, run: Step) -> int:
    """How many rows a shortened result has in all; 0 where nobody counted them."""
    counted = sql_call(situation, _total_of(str(run.arguments.get("sql"))))
    done = step_or_call(situation, counted)
    return int(done.data["rows"][0][0]) if isinstance(done, Step) and done.data.get("rows") else 0


def _conversion_notes(value: Value, own: str, shown: str) -> list[str]:
    names, notes = playbook()["shown_units"], []
    column = value.name
    if value.how == "product":
        column = value.fields[-1].column.name
        notes = [f"Each line counts {value.fields[0].column.name} x {column}."]
    converted = f"converted to {names.get(shown, shown)}"
    return [*notes, f"{column} is in {names.get(own, own)}; {converted}."]


def _javascript(situation: Situation, code: str, run: Step) -> Rows | Reply:
    """The rows that the code returned; or the call; or why it failed."""
    made = call("exec_js", code=code, input_from=run.id)
    if "input_from" not in situation.parameters("exec_js"):
        made = call("exec_js", code=f"const input = {run.text};\n{code}")
    step = step_or_call(situation, made)
    if isinstance(step, dict):
        return step
    if step.error or step.data.get("ok") is False:
        return failed(step.error or str(step.data.get("stderr") or "it did not run"))
    value = step.data.get("value")
    return [list(r) for r in value if isinstance(r, list)] if isinstance(value, list) else [[value]]
