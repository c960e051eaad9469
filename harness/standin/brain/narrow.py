"""When run_sql is not offered: a narrow tool that covers the whole question, or an honest word."""

from typing import Any

from harness.standin.brain.cells import brackets, cell, table
from harness.standin.brain.factlines import short
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import (
    Call,
    Reply,
    because,
    bounded,
    call,
    failed,
    said,
    step_or_call,
)
from harness.standin.brain.tree import Condition, Query, Test
from harness.standin.brain.words import keys, stem


def narrow_reply(situation: Situation, query: Query, lead: str = "") -> Reply:
    """Call the tool whose parameters cover every condition, or say what is missing."""
    made = _fitting(situation, query)
    if made is None:
        return because("nosql")
    step = step_or_call(situation, made)
    if isinstance(step, dict):
        return step
    if step.error:
        return failed(step.error)
    return said(lead + "\n".join([_shown(step.data, query), *query.notes]))


def _fitting(situation: Situation, query: Query) -> Call | None:
    counted = all(m.kind == "count" for m in query.measures)
    if query.shape not in ("value", "list", "exists") or query.groups or not counted:
        return None
    noun = stem(short(query.source))
    for name in sorted(situation.tools):
        parameters = situation.parameters(name)
        arguments = _arguments(parameters, query.where)
        required = situation.tools[name].get("parameters", {}).get("required") or []
        named = noun in {stem(w) for w in name.split("_")}
        if named and arguments is not None and set(required) <= set(arguments):
            if "limit" in parameters and not required:
                arguments["limit"] = bounded(situation, name, "limit", 20)
            return call(name, **arguments)
    return None


def _arguments(parameters: dict[str, Any], where: tuple[Condition, ...]) -> dict[str, Any] | None:
    """A parameter for each condition; None where one finds none."""
    made: dict[str, Any] = {}
    for each in where:
        if not isinstance(each, Test) or each.op not in ("in", "=") or len(each.values) != 1:
            return None
        name = _parameter(parameters, each)
        if name is None or name in made:
            return None
        made[name] = each.values[0]
    return made


def _parameter(parameters: dict[str, Any], each: Test) -> str | None:
    """The parameter that takes a condition: by its column, its role or its table."""
    field = each.value.field
    role = set(keys(field.path[-1].column.replace("_", " "))) if field.path else set()
    table_word = stem(short(field.column.table))
    for name in sorted(parameters):
        own = set(keys(name.replace("_", " ")))
        if (own and own <= role) or name == field.column.name or own == {table_word}:
            return name
    return None


def _shown(data: dict[str, Any], query: Query) -> str:
    noun, total = short(query.source), data.get("total")
    if total is not None:
        verdict = f"{'Yes' if total else 'No'}: " if query.shape == "exists" else ""
        head = f"{verdict}{total} {noun}{brackets(query.where)}."
        rows = next((v for v in data.values() if isinstance(v, list)), [])
        if query.shape != "list" or not rows:
            return head
        columns = list(rows[0])[:6]
        return f"{head}\n{table(columns, [[row.get(c) for c in columns] for row in rows])}"
    inner = [pair for value in data.values() if isinstance(value, dict) for pair in value.items()]
    pairs = {k: f"{k} {cell(v)}" for k, v in inner if not isinstance(v, (dict, list))}
    wanted = [pairs[v.name] for v in query.select if v.name in pairs]
    return ", ".join(wanted or pairs.values()) + "."
