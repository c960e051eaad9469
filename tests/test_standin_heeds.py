"""The stand-in heeds its prompt: without a rule it makes the mistake that the rule prevents."""

import json
import re
from typing import Any

import pytest

from harness.context import system_prompt
from harness.standin.brain import reply
from tests.standin_asked import FOUND, tool

TOOLS = [
    tool("search_knowledge", query="words"),
    tool("run_sql", sql="SQL"),
    tool("exec_js", code="code", input_from="id"),
    tool("load_skill", **{"skill": "name"}),
    tool("scratch_write", path="path", content="text"),
    tool("scratch_read", path="path"),
    tool("remember", subject="word", body="text", quote="text"),
]
DEPTH = {
    "kind": "column",
    "subject": "LAB.samples.depth_m",
    "body": "Column LAB.samples.depth_m DOUBLE. Depth of the sample in metres.",
}
COLUMNS = FOUND.replace("grade VARCHAR.", "grade VARCHAR, depth_m DOUBLE.", 1)
KNOWN = json.dumps({"status": "ok", "facts": [*json.loads(COLUMNS)["facts"], DEPTH]})


def without(rule: int) -> str:
    """The system prompt with one of its numbered rules taken out."""
    text = re.sub(
        rf"^{rule}\. (?:.|\n)*?(?=^\d+\. |^\s*$)", "", system_prompt(), flags=re.MULTILINE
    )
    assert text != system_prompt()
    return text


def first_calls(question: str, system: str, rows: Any = None) -> list[dict[str, Any]]:
    """Every call that it makes, with facts for its searches and these rows for its SQL."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": f"# Skills\n- percentile: percentiles\n# Question\n{question}"},
    ]
    made: list[dict[str, Any]] = []
    for n in range(8):
        said = reply({"messages": messages, "tools": TOOLS})
        if not said["tool_calls"]:
            return [*made, {"name": "", "arguments": {"text": said["content"]}}]
        for k, call in enumerate(said["tool_calls"]):
            made.append(call)
            at = f"c{n}{k}"
            function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
            messages.append({"role": "assistant", "tool_calls": [{"id": at, "function": function}]})
            messages.append({"role": "tool", "tool_call_id": at, "content": _result(call, rows)})
    return made


def _result(call: dict[str, Any], rows: Any) -> str:
    if call["name"] == "search_knowledge":
        return KNOWN
    if call["name"] == "run_sql" and rows is not None:
        return json.dumps({"status": "ok", "columns": ["a"] * len(rows[0]), "rows": rows})
    return "ERROR: that does not work here"


def names(calls: list[dict[str, Any]]) -> list[str]:
    return [call["name"] for call in calls]


def sql(calls: list[dict[str, Any]]) -> list[str]:
    return [c["arguments"]["sql"] for c in calls if c["name"] == "run_sql"]


COUNT = "How many cloudy samples are there?"


@pytest.mark.parametrize("system", [without(1), ""])
def test_without_search_first_it_guesses_a_table(system: str) -> None:
    calls = first_calls(COUNT, system, [[4]])
    assert "search_knowledge" not in names(calls)
    assert "FROM samples" in sql(calls)[0] and "LAB." not in sql(calls)[0]
    assert names(first_calls(COUNT, system_prompt(), [[4]]))[0] == "search_knowledge"


def test_without_read_only_it_tries_the_change() -> None:
    question = "Delete all cloudy samples."
    assert sql(first_calls(question, without(2)))[0].startswith("DELETE FROM samples")
    assert sql(first_calls(question, system_prompt())) == []


def test_without_compute_it_estimates_a_percentile() -> None:
    question = "What is the 90th percentile of depth?"
    rows = [[0, 1], [100, 1]]
    calls = first_calls(question, without(3), rows)
    assert "exec_js" not in names(calls)
    assert "about 90" in calls[-1]["arguments"]["text"]
    assert "load_skill" in names(first_calls(question, system_prompt(), rows))


def test_without_draft_it_sends_a_long_query_with_an_error() -> None:
    from harness.standin.brain.compose import Draft
    from harness.standin.brain.lapses import spoiled

    long = "SELECT COUNT(*)\nFROM a a\nJOIN b b ON b.id = a.id\nWHERE b.x = 1"
    assert spoiled(Draft(long)) == "SELECT COUNT(*)\nFROM a a\nWHERE b.x = 1"


def test_without_remember_it_only_says_that_it_will() -> None:
    question = "Note that murky means CLOUDY."
    calls = first_calls(question, without(5))
    assert names(calls) == [""] and "will remember" in calls[0]["arguments"]["text"]
    assert "remember" in names(first_calls(question, system_prompt()))


def test_without_invent_nothing_it_makes_a_column_up() -> None:
    question = "How many insured samples are there?"
    tried = [
        text for text in sql(first_calls(question, without(6))) if "matched_column" not in text
    ]
    assert "insured = 'yes'" in tried[0]
    kept = sql(first_calls(question, system_prompt()))
    assert all("matched_column" in text for text in kept)
