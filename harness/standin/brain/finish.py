"""The last steps: compute what SQL should not, convert units, put the answer into words."""

from typing import Any

from harness.standin.brain.answer import Answer
from harness.standin.brain.arguments import Call, call
from harness.standin.brain.compute import (
    Need,
    code_from,
    conversion,
    conversion_code,
)
from harness.standin.brain.intent import Intent
from harness.standin.brain.knowing import (
    Knowing,
)
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.sql import Draft
from harness.standin.brain.words import playbook


def finish(
    situation: Situation,
    known: Knowing,
    intent: Intent,
    draft: Draft,
    run: Step,
    need: Need | None,
    skill: str,
    lead: str,
) -> dict[str, Any]:
    """From the rows of a query to the answer; or the exec_js call that is still needed."""
    columns = [str(c) for c in run.data.get("columns") or []]
    rows = [list(r) for r in run.data.get("rows") or []]
    truncated = bool(run.data.get("truncated"))
    if run.data.get("offloaded") and not rows and need is None:
        return refuse(playbook()["reasons"]["toolong"])
    expression, own, shown = conversion(intent, known.corrections)
    if intent.shape == "distance" and len(rows) < 2:
        missing = [p.said for p in intent.places if p.said not in [r[0] for r in rows]]
        return said(f"{lead}No position of {' and '.join(missing)} is known.")
    if draft.shape == "coordinates":
        lines = [f"{r[0]}: latitude {r[1]}, longitude {r[2]}" for r in rows]
        return said("\n".join([lead + "; ".join(lines) + ".", *intent.notes]))
    if need is not None and (rows or run.data.get("offloaded")):
        body = loaded(situation, skill)
        code = code_from(str(body.data.get("body") or ""), need) if body and not body.error else ""
        if not code:
            return refuse(playbook()["reasons"]["nocode"].format(skill=skill))
        result = _javascript(situation, code, run)
        if isinstance(result, dict):
            return result
        columns, rows = _computed(result, columns, intent, draft)
    if expression and rows and intent.shape not in ("list",):
        if (situation.offered("exec_js") and need is None and not draft.groups) or (
            draft.groups and situation.offered("exec_js") and need is None
        ):
            result = _javascript(situation, conversion_code(expression), run)
            if isinstance(result, dict):
                return result
            rows = [list(r) for r in result if isinstance(r, list)]
            intent.notes.append(_converted_note(intent, own, shown))
        else:
            shown = own
    text = Answer(
        intent,
        draft,
        known.schema,
        columns,
        rows,
        shown if intent.measure.kind not in ("count", "distinct") else _order_unit(intent, known),
        truncated,
    ).text()
    return said(lead + text)


def is_cut(run: Step) -> bool:
    """Whether there were more rows than came back, also where the result was stored aside."""
    ends = f"{run.data.get('head', '')}{run.data.get('tail', '')}"
    return bool(run.data.get("truncated")) or '"truncated": true' in ends


def loaded(situation: Situation, skill: str) -> Step | None:
    """The step that loaded a playbook."""
    return next(
        (s for s in situation.calls("load_skill") if s.arguments.get("name") == skill), None
    )


def _order_unit(intent: Intent, known: Knowing) -> str:
    from harness.standin.brain.corrections import units_said

    return units_said(intent.order_by, known.corrections) if intent.order_by is not None else ""


def _converted_note(intent: Intent, own: str, shown: str) -> str:
    names = playbook()["shown_units"]
    column = intent.measure.column
    assert column is not None
    return f"{column.name} is in {names.get(own, own)}; converted to {names.get(shown, shown)}."


def _javascript(situation: Situation, code: str, run: Step) -> list[Any] | dict[str, Any]:
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
    result: list[Any], columns: list[str], intent: Intent, draft: Draft
) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a computation: groups, the figure, how many values it rests on."""
    rows = [list(r) for r in result if isinstance(r, list)]
    if intent.shape == "distance":
        return ["distance"], rows
    m = intent.measure
    assert m.column is not None
    word = {"percentile": f"p{m.percent:g}", "median": "median", "weighted": "weighted_mean"}[
        m.kind
    ]
    return [*columns[: draft.groups], f"{word}_{m.column.name}", "values"], rows


def act(*calls: Call) -> dict[str, Any]:
    """A reply that calls tools."""
    return {"content": None, "tool_calls": list(calls)}
