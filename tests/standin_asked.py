"""What the tests of the stand-in's brain share: a whole turn asked, or a single reply."""

import json
import re
from typing import Any

from harness.config import TurnConfig
from harness.databases.business import business
from harness.loop import run_turn
from harness.run.outcome import TurnResult
from harness.standin.brain import reply


def ask(question: str, thread: str = "", **config: Any) -> TurnResult:
    """One turn, on a thread of its own unless one is named."""
    settled = TurnConfig(**config) if config else None
    return run_turn(question, thread or f"thread: {question}", config=settled)


def called(result: TurnResult) -> list[str]:
    return [step["tool"] for step in result.steps]


def shown(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def has(line: str, value: Any) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(shown(value))}(?![\w]|\.\d)", line) is not None


def as_floats(row: list[Any]) -> list[Any]:
    return [
        float(v) if hasattr(v, "as_integer_ratio") and not isinstance(v, int) else v for v in row
    ]


def one(sql: str) -> Any:
    return business().query(sql, 1).rows[0][0]


def last_sql(result: TurnResult) -> str:
    return [s["arguments"]["sql"] for s in result.steps if s["tool"] == "run_sql"][-1]


def tool(name: str, **described: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in described.items()}
    parameters = {"type": "object", "properties": properties}
    return {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": parameters},
    }


def said(
    question: str, *rounds: tuple[str, dict[str, Any], str], tools: Any = ()
) -> dict[str, Any]:
    """The reply to a question after these calls and observations."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"# Question\n{question}"}]
    for n, (name, arguments, content) in enumerate(rounds):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": content},
        ]
    return reply({"model": "standin", "messages": messages, "tools": list(tools)})


TABLE = {
    "kind": "table",
    "subject": "LAB.samples",
    "body": "Table LAB.samples, 9 rows. Samples of water. Key: sample_id. "
    "Columns: sample_id INTEGER, site VARCHAR, grade VARCHAR.",
}
COLUMN = {
    "kind": "column",
    "subject": "LAB.samples.grade",
    "body": "Column LAB.samples.grade VARCHAR. Grade of the sample. Values: CLEAR, CLOUDY.",
}
SITE = {
    "kind": "column",
    "subject": "LAB.samples.site",
    "body": "Column LAB.samples.site VARCHAR. Name of the site.",
}
FOUND = json.dumps({"status": "ok", "facts": [TABLE, COLUMN, SITE]})
SEARCHED = ("search_knowledge", {"query": "cloudy samples", "kinds": ["table"]}, FOUND)
SQL_TOOLS = [tool("search_knowledge", query="words"), tool("run_sql", sql="SQL")]
