"""When run_sql is not offered: a narrow tool that covers the whole question, or an honest word."""

from typing import Any

from harness.standin.brain.cells import brackets, cell, table
from harness.standin.brain.factlines import short
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import Call, Reply, because, call, fitted, observed, said
from harness.standin.brain.tree import Condition, Query, Test
from harness.standin.brain.words import keys, stem


def narrow_reply(situation: Situation, query: Query) -> Reply:
    """Call the tool whose parameters cover every condition, or say what is missing."""
    counted = all(m.kind == "count" for m in query.measures)
    if query.shape in ("value", "list", "exists") and not query.groups and counted:
        for name in sorted(situation.tools):
            if made := _fitting(situation, name, query):
                return said("\n".join([_shown(observed(situation, made), query), *query.notes]))
    return because("nosql")


def _fitting(situation: Situation, name: str, query: Query) -> Call | None:
    """The call of a tool with a parameter for each condition; None where one finds none."""
    parameters, arguments = situation.parameters(name), dict[str, Any]()
    for each in query.where:
        taken, value = _parameter(parameters, each)
        if not taken or taken in arguments:
            return None
        arguments[taken] = value
    required = situation.tools[name].get("parameters", {}).get("required") or []
    noun = stem(short(query.source))
    if noun not in {stem(w) for w in name.split("_")} or not set(required) <= set(arguments):
        return None
    return fitted(situation, call(name, **arguments), limit=0 if required else 20)


def _parameter(parameters: dict[str, Any], each: Condition) -> tuple[str, Any]:
    """The parameter that takes a condition, by its column, its role or its table; its value."""
    if not isinstance(each, Test) or each.op not in ("in", "=") or len(each.values) != 1:
        return "", None
    field = each.value.field
    role = set(keys(field.path[-1].column.replace("_", " "))) if field.path else set()
    table_word = stem(short(field.column.table))
    for name in sorted(parameters):
        own = set(keys(name.replace("_", " ")))
        if (own and own <= role) or name == field.column.name or own == {table_word}:
            return name, each.values[0]
    return "", None


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
