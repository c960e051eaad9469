"""When run_sql is not offered: a narrow tool that covers the whole question, or an honest word."""

from typing import Any

from harness.standin.brain.arguments import bounded, call
from harness.standin.brain.intent import Filter, Intent
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.words import keys, playbook, stem
from harness.standin.brain.write.text import cell, conditions, table


def narrow_reply(situation: Situation, intent: Intent, lead: str = "") -> dict[str, Any]:
    """Call the tool whose parameters cover every condition, or say what is missing."""
    found = _fitting(situation, intent)
    if found is None:
        return refuse(playbook()["reasons"]["nosql"])
    name, arguments = found
    done = [s for s in situation.calls(name) if s.arguments == arguments]
    if not done:
        return {"content": None, "tool_calls": [call(name, **arguments)]}
    step = done[-1]
    if step.error:
        return refuse(
            playbook()["reasons"]["failed"].format(error=" ".join(step.error.split())[:400])
        )
    return said(lead + "\n".join([_shown(step.data, intent), *intent.notes]))


def _fitting(situation: Situation, intent: Intent) -> tuple[str, dict[str, Any]] | None:
    plain = intent.shape in ("count", "list", "exists") and not intent.related and not intent.groups
    if not plain or intent.measure.kind != "count" or (intent.select and intent.shape != "list"):
        return None
    noun = stem(intent.root.rsplit(".", 1)[-1])
    for name in sorted(situation.tools):
        if noun not in {stem(w) for w in name.split("_")}:
            continue
        parameters = situation.parameters(name)
        arguments = _arguments(parameters, intent)
        required = situation.tools[name].get("parameters", {}).get("required") or []
        if arguments is not None and set(required) <= set(arguments):
            if "limit" in parameters and not required:
                arguments["limit"] = bounded(situation, name, "limit", 20)
            return name, arguments
    return None


def _arguments(parameters: dict[str, Any], intent: Intent) -> dict[str, Any] | None:
    made: dict[str, Any] = {}
    for each in intent.filters:
        name = _parameter(parameters, each)
        if name is None or each.op not in ("in", "=") or len(each.values) != 1 or name in made:
            return None
        made[name] = each.values[0]
    return made


def _parameter(parameters: dict[str, Any], each: Filter) -> str | None:
    """The parameter that a condition goes into: by its column, its role or its table."""
    words = set(keys(each.role.column.replace("_", " "))) if each.role else set()
    table_word = stem(each.column.table.rsplit(".", 1)[-1])
    for name in sorted(parameters):
        own = set(keys(name.replace("_", " ")))
        if each.role is not None:
            if own & words and own <= words:
                return name
        elif name == each.column.name or own == {table_word}:
            return name
    return None


def _shown(data: dict[str, Any], intent: Intent) -> str:
    noun = intent.root.rsplit(".", 1)[-1]
    where = conditions(intent.filters)
    if "total" in data:
        total = data["total"]
        if intent.shape == "exists":
            return f"{'Yes' if total else 'No'}: {total} {noun}{where}."
        head = f"{total} {noun}{where}."
        listed = next((v for v in data.values() if isinstance(v, list)), [])
        if intent.shape == "count" or not listed:
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
    wanted = [
        p for p in pairs if any(p.startswith(c.name + " ") for c, _ in intent.select)
    ] or pairs
    return ", ".join(wanted) + "."
