"""From the rows of a query to the answer."""

from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.answering import Answer
from harness.standin.brain.callforms import Reply, act, call, sql_call
from harness.standin.brain.cells import SHOWN
from harness.standin.brain.compose import Draft, measure_name
from harness.standin.brain.compute import Need, code_from, conversion, conversion_code
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.say import answer
from harness.standin.brain.tree import Query, Value
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.words import playbook


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
    return next(
        (s for s in situation.calls("load_skill") if s.arguments.get("name") == skill), None
    )


def _finish(work: Work, run: Step, need: Need | None, skill: str) -> Reply:
    """From the rows of a query to the answer; or the exec_js call that is still needed."""
    query, situation = work.query, work.situation
    columns = [str(c) for c in run.data.get("columns") or []]
    rows = [list(r) for r in run.data.get("rows") or []]
    if run.data.get("offloaded") and not rows and need is None:
        if run.arguments.get("max_rows") == SHOWN:
            return refuse(playbook()["reasons"]["toolong"])
        sql = str(run.arguments.get("sql"))
        return act(sql_call(situation, _total_of(sql)), sql_call(situation, sql, SHOWN))
    if query.shape == "distance" and len(rows) < 2 and not run.data.get("offloaded"):
        missing = [name for _, name in query.places if name not in [r[0] for r in rows]]
        return said(f"{work.lead}No position of {' and '.join(missing)} is known.")
    if query.word == "coordinates":
        lines = [f"{r[0]}: latitude {r[1]}, longitude {r[2]}" for r in rows]
        return said("\n".join([work.lead + "; ".join(lines) + ".", *query.notes]))
    if need is not None and (rows or run.data.get("offloaded")):
        body = loaded(situation, skill)
        code = code_from(str(body.data.get("body") or ""), need) if body and not body.error else ""
        if not code:
            return refuse(playbook()["reasons"]["nocode"].format(skill=skill))
        result = _javascript(situation, code, run)
        if isinstance(result, dict):
            return result
        columns, rows = _computed(result, columns, query, work.draft)
    return _converted(work, run, need, columns, rows)


def _converted(
    work: Work, run: Step, need: Need | None, columns: list[str], rows: list[list[Any]]
) -> Reply:
    """The answer, its figure in the unit that was asked for."""
    query, situation = work.query, work.situation
    value = _figure_of(query)
    own = (
        (value.unit or unit_of_column(value.field.column) if value.how == "column" else value.unit)
        if value
        else ""
    )
    measure = query.measures[0] if query.measures else None
    expression, shown = conversion(own, measure.unit if measure else "")
    at = (
        work.draft.groups
        if query.measures and query.shape != "best"
        else _place_of(query, columns, value)
    )
    wanted = (query.measures and query.shape != "share") or query.shape in ("top", "best")
    if expression and rows and wanted and at >= 0:
        if situation.offered("exec_js") and need is None:
            result = _javascript(situation, conversion_code(expression, at), run)
            if isinstance(result, dict):
                return result
            rows = [list(r) for r in result if isinstance(r, list)]
            query = replace(
                query, notes=(*query.notes, *_conversion_notes(query, value, own, shown))
            )
        else:
            shown = own
    unit = shown if wanted and not (measure and measure.kind in ("count", "distinct")) else ""
    total = _total(situation, run) if run.data.get("truncated") else 0
    cut = bool(run.data.get("truncated"))
    return said(work.lead + answer(Answer(query, work.draft, columns, rows, unit, cut, total)))


def _total_of(sql: str) -> str:
    return f"SELECT COUNT(*) AS total\nFROM ({sql}) counted"


def _total(situation: Situation, run: Step) -> int:
    """How many rows a shortened result has in all; 0 where nobody counted them."""
    sql = _total_of(str(run.arguments.get("sql")))
    done = [s for s in situation.calls("run_sql") if s.arguments.get("sql") == sql]
    return int(done[-1].data["rows"][0][0]) if done and done[-1].data.get("rows") else 0


def _figure_of(query: Query) -> Value | None:
    if query.measures:
        return query.measures[0].value if query.measures[0].kind != "distinct" else None
    return query.order.by if query.order and isinstance(query.order.by, Value) else None


def _place_of(query: Query, columns: list[str], value: Value | None) -> int:
    names = [value.name.replace(" ", "_")] if value else []
    names += [measure_name(query.measures[0], query.source)] if query.measures else []
    return next((columns.index(n) for n in names if n in columns), -1)


def _conversion_notes(query: Query, value: Value | None, own: str, shown: str) -> list[str]:
    names = playbook()["shown_units"]
    assert value is not None
    column = value.fields[-1].column.name if value.how == "product" else value.name
    notes = (
        [f"Each line counts {value.fields[0].column.name} x {column}."]
        if value.how == "product"
        else []
    )
    return [
        *notes,
        f"{column} is in {names.get(own, own)}; converted to {names.get(shown, shown)}.",
    ]


def _javascript(situation: Situation, code: str, run: Step) -> list[Any] | Reply:
    """The value that the code returned, as rows; or the call; or why it failed."""
    done = [s for s in situation.calls("exec_js") if s.arguments.get("code") == code]
    if not done:
        made = call("exec_js", code=code)
        if "input_from" in situation.parameters("exec_js"):
            made["arguments"]["input_from"] = run.id
        else:
            made["arguments"]["code"] = f"const input = {run.text};\n{code}"
        return act(made)
    step = done[-1]
    if step.error or step.data.get("ok") is False:
        reason = step.error or str(step.data.get("stderr") or "it did not run")
        return refuse(playbook()["reasons"]["failed"].format(error=" ".join(reason.split())[:400]))
    value = step.data.get("value")
    return value if isinstance(value, list) else [[value]]


def _computed(
    result: list[Any], columns: list[str], query: Query, made: Draft
) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a computation: groups, the figure, how many values it rests on."""
    rows = [list(r) for r in result if isinstance(r, list)]
    if query.shape == "distance":
        return ["distance"], rows
    return [*columns[: made.groups], measure_name(query.measures[0], query.source), "values"], rows
