"""A run's trace: its tool calls, and whether each layer of the harness did its part."""

import json
from typing import Any

import sqlglot
from pydantic import BaseModel, ConfigDict
from sqlglot import exp

from harness.databases.business import business
from harness.evals.goals import Miss, Run, true_rows, unsaid
from harness.evals.tasks import Task
from harness.model.tool_calls import canonical
from harness.tools.toolbox import contract

LAYERS = ("retrieve", "select", "call", "validate", "answer")
REFUSED = ("bad_arguments", "unknown_tool", "cut_off")  # calls that their contract turned away


class Call(BaseModel):
    """One tool call. `again` says that it brought nothing new: the same, with no write between.

    `status` is ok, repeated or the kind of the error; `tokens` are those of its observation.
    """

    model_config = ConfigDict(extra="ignore")

    tool: str
    arguments: str = ""
    status: str = ""
    again: bool = False
    tokens: int = 0
    milliseconds: float = 0.0


def calls_of(events: list[dict[str, Any]]) -> list[Call]:
    """The calls of a run, in order."""
    given = {_key(e): e["input"] for e in events if e["phase"] == "TOOL_SELECTION"}
    took = {_key(e): e["latency_ms"] or 0.0 for e in events if e["phase"] == "EXECUTION"}
    calls: list[Call] = []
    seen: set[tuple[str, str, str]] = set()  # since the last write
    for event in events:
        if event["phase"] != "OBSERVING":
            continue
        arguments = given.get(_key(event))
        text = canonical(arguments) if isinstance(arguments, dict) else str(arguments)
        call = (event["trace_id"], str(event["tool"]), text)
        again = event["status"] == "repeated" or call in seen
        known = contract(str(event["tool"]))
        if event["status"] == "ok" and (known is None or known.tier != "read") and not again:
            seen.clear()
        seen.add(call)
        calls.append(
            Call(
                tool=str(event["tool"]),
                arguments=text,
                status=str(event["status"]),
                again=again and not (known and known.repeatable),
                tokens=(event["tokens"] or {}).get("prompt", 0),
                milliseconds=took.get(_key(event), 0.0),
            )
        )
    return calls


def _key(event: dict[str, Any]) -> tuple[str, str]:
    return str(event["trace_id"]), str(event["tool_call_id"])


def layers_of(task: Task, run: Run, missed: list[Miss]) -> dict[str, bool | None]:
    """Whether each layer did its part; None where the task asks nothing of it.

    retrieve: the model was shown the tables that the truth rests on, and offered the tools;
    select: it called each tool that the task needs; call: no call was turned away by its contract;
    validate: the truth stands in what the tools returned; answer: it stands in the answer.
    """
    if not task.tools.expected:
        return dict.fromkeys(LAYERS)
    calls = calls_of(run.events)
    done = {call.tool for call in calls}
    return {
        "retrieve": _retrieved(task, run.events),
        "select": set(task.tools.expected) <= done,
        "call": not any(call.status in REFUSED for call in calls),
        "validate": _held(task, run, calls),
        "answer": not any(miss.side == "answer" for miss in missed) and bool(run.answer),
    }


def _retrieved(task: Task, events: list[dict[str, Any]]) -> bool:
    offered = {name for event in events for name in event.get("offered") or ()}
    read = "\n".join(_texts(events)).lower()
    return set(task.tools.expected) <= offered and all(
        table in read for table in _tables(task.goal.rows)
    )


def _texts(events: list[dict[str, Any]]) -> list[str]:
    """All that the model was shown, without the system prompt."""
    found: list[str] = []
    for event in events:
        sent = event["input"] if event["operation"] == "chat" else None
        added = (sent or {}).get("added", ())
        found += [str(m.get("content")) for m in added if m.get("role") in ("user", "tool")]
    return found


def _tables(sql: str) -> set[str]:
    if not sql:
        return set()
    tree = sqlglot.parse_one(sql, dialect=business().dialect)
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    return {table.name.lower() for table in tree.find_all(exp.Table)} - own


def _held(task: Task, run: Run, calls: list[Call]) -> bool:
    """Whether the tools that the task needs brought what its goal asks for."""
    worked = {call.tool for call in calls if call.status in ("ok", "repeated")}
    if not set(task.tools.expected) <= worked:
        return False
    if not task.goal.rows:
        return True
    seen = [e["output"] for e in run.events if e["phase"] == "OBSERVING" and e["status"] == "ok"]
    try:
        return not unsaid(true_rows(task.goal), "\n".join(map(_as_lines, seen)))
    except Exception:  # a goal that can't be judged holds nothing
        return False


def _as_lines(output: Any) -> str:
    """A tool's result with a line for each row, and a line for all of it."""
    try:
        value = json.loads(output) if isinstance(output, str) else output
    except ValueError:
        return str(output)
    rows = value.get("rows") if isinstance(value, dict) else None
    lines = [" | ".join(map(str, row)) for row in rows or () if isinstance(row, list)]
    return "\n".join([*lines, json.dumps(value, ensure_ascii=False)])
