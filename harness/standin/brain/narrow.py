"""When run_sql is not offered: a narrow tool that covers the whole question, or an honest word."""

from typing import Any

from harness.standin.brain.callforms import bounded, call
from harness.standin.brain.cells import brackets, cell, table
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.tree import Condition, Query, Test
from harness.standin.brain.words import keys, playbook, stem


def narrow_reply(situation: Situation, query: Query, lead: str = "") -> dict[str, Any]:
    """Call the tool whose parameters cover every condition, or say what is missing."""
    found = _fitting(situation, query)
    if found is None:
        return refuse(playbook()["reasons"]["nosql"])
    name, arguments = found
    done = [s for s in situation.calls(name) if s.arguments == arguments]
    if not done:
        return {"content": None, "tool_calls": [call(name, **arguments)]}
    step = done[-1]
    if step.error:
        reason = " ".join(step.error.split())[:400]
        return refuse(playbook()["reasons"]["failed"].format(error=reason))
    return said(lead + "\n".join([_shown(step.data, query), *query.notes]))


def _fitting(situation: Situation, query: Query) -> tuple[str, dict[str, Any]] | None:
    counted = all(m.kind == "count" for m in query.measures)
    if query.shape not in ("value", "list", "exists") or query.groups or not counted:
        return None
    noun = stem(query.source.rsplit(".", 1)[-1])
    for name in sorted(situation.tools):
        if noun not in {stem(w) for w in name.split("_")}:
            continue
        parameters = situation.parameters(name)
        arguments = _arguments(parameters, query.where)
        required = situation.tools[name].get("parameters", {}).get("required") or []
        if arguments is not None and set(required) <= set(arguments):
            if "limit" in parameters and not required:
                arguments["limit"] = bounded(situation, name, "limit", 20)
            return name, arguments
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
    """The parameter that a condition goes into: by its column, its role or its table."""
    field = each.value.field
    role = set(keys(field.path[-1].column.replace("_", " "))) if field.path else set()
    table_word = stem(field.column.table.rsplit(".", 1)[-1])
    for name in sorted(parameters):
        own = set(keys(name.replace("_", " ")))
        if (own and own <= role) or name == field.column.name or own == {table_word}:
            return name
    return None


def _shown(data: dict[str, Any], query: Query) -> str:
    noun = query.source.rsplit(".", 1)[-1]
    if "total" in data:
        total = data["total"]
        if query.shape == "exists":
            return f"{'Yes' if total else 'No'}: {total} {noun}{brackets(query.where)}."
        head = f"{total} {noun}{brackets(query.where)}."
        listed = next((v for v in data.values() if isinstance(v, list)), [])
        if query.shape == "value" or not listed:
            return head
        columns = list(listed[0])[:6]
        return f"{head}\n{table(columns, [[row.get(c) for c in columns] for row in listed])}"
    pairs = [
        f"{k} {cell(v)}"
        for value in data.values()
        if isinstance(value, dict)
        for k, v in value.items()
        if not isinstance(v, (dict, list))
    ]
    wanted = [p for p in pairs if any(p.startswith(v.name + " ") for v in query.select)] or pairs
    return ", ".join(wanted) + "."
