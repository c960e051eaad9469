"""What a reply can be: an answer, a refusal, tool calls as their contracts ask for them, JSON."""

import json
import re
from typing import Any

from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.tree import Problem
from harness.standin.brain.words import playbook, tidy, tokenise, word_set

Reply = dict[str, Any]


def said(text: str) -> Reply:
    """A final answer, signed."""
    mark = playbook()["signature"]
    body = text.strip()
    return {"content": body if mark in body else f"{body}\n{mark}", "tool_calls": []}


def refuse(reason: str, near: str = "") -> Reply:
    """An honest refusal: the reason, a question near to it that works, and how to ask anything."""
    help_ = " ".join(part for part in (near, str(playbook()["anything"])) if part)
    return {**said(f"{reason}\n{help_}"), "refused": True}


def because(reason: str, near: str = "", **values: object) -> Reply:
    """A refusal for one of the playbook's reasons."""
    return refuse(str(playbook()["reasons"][reason]).format(**values), near)


def failed(error: str) -> Reply:
    """What a tool complained of."""
    return because("failed", error=" ".join(error.split())[:400])


def refuse_problem(problem: Problem, near: str = "") -> Reply:
    """The refusal that fits a problem."""
    words, reasons, shown = quoted(problem.words), playbook()["reasons"], playbook()["shown_units"]
    if problem.kind == "role":
        return said(f"{words}: {reasons['role']}" if words else str(reasons["role"]))
    if problem.kind == "trap":
        _, unit, name, table = problem.words
        asked, comment = shown.get(unit, unit), problem.text.rstrip(".")
        return said(reasons["trap"].format(asked=asked, column=f"{table}.{name}", comment=comment))
    why = problem.text.rstrip(".") if problem.kind == "clarify" else problem.text
    kind = problem.kind if problem.kind in reasons else "unknown"
    return because(kind, near, words=words, why=why or words)


def quoted(words: list[str]) -> str:
    """Some words in quotes; of many the first few."""
    shown = [f'"{word}"' for word in dict.fromkeys(words)][:4]
    return ", ".join(shown) + (" ..." if len(set(words)) > 4 else "")


Call = dict[str, Any]
_FEW = re.compile(r"(\d+)\s*(?:to|-|–)\s*(\d+)\s+(?:key|search )?(?:words|terms)", re.IGNORECASE)
_WORDS = re.compile(r"key ?words?|search terms|few words|a few terms", re.IGNORECASE)


def call(tool: str, /, **arguments: Any) -> Call:
    """A tool call."""
    return {"name": tool, "arguments": arguments}


def act(*calls: Call) -> Reply:
    """A reply that calls tools."""
    return {"content": None, "tool_calls": list(calls)}


def step_or_call(situation: Situation, made: Call) -> Step | Reply:
    """The newest step that made a call; or the reply that makes it now."""
    done = [s for s in situation.calls(made["name"]) if s.arguments == made["arguments"]]
    return done[-1] if done else act(made)


def query_text(situation: Situation, tool: str, parameter: str, sentence: str) -> str:
    """Keywords where the contract asks for them; a vague one gets the whole sentence."""
    described = str(situation.parameters(tool).get(parameter, {}).get("description") or "")
    whole = f"{described} {situation.tools.get(tool, {}).get('description') or ''}"
    if not _WORDS.search(whole):
        return " ".join(sentence.split())[:1500]
    few = _FEW.search(whole)
    return " ".join(content_words(sentence)[: int(few.group(2)) if few else 10])


def content_words(text: str) -> list[str]:
    """The words that carry meaning, each once, in order."""
    quiet = word_set("stop") | word_set("dull")
    words = [t.text for t in tokenise(tidy(text)[:4000]) if t.low not in quiet]
    return list(dict.fromkeys(words)) or tidy(text).split()[:5]


def bounded(situation: Situation, tool: str, parameter: str, wanted: int) -> int:
    """A number within what the contract allows."""
    most = situation.parameters(tool).get(parameter, {}).get("maximum")
    return min(wanted, int(most)) if isinstance(most, (int, float)) else wanted


def search_call(situation: Situation, query: str, k: int, kinds: list[str] | None = None) -> Call:
    """A search for facts, with the parameters that the contract has."""
    known = situation.parameters("search_knowledge")
    made = call("search_knowledge", query=query)
    if "k" in known or not known:
        made["arguments"]["k"] = bounded(situation, "search_knowledge", "k", k)
    if kinds and ("kinds" in known or not known):
        made["arguments"]["kinds"] = kinds
    return made


def sql_call(situation: Situation, sql: str, max_rows: int = 50) -> Call:
    """A query; max_rows only where more than the usual number is wanted."""
    made = call("run_sql", sql=sql)
    if max_rows != 50 and "max_rows" in situation.parameters("run_sql"):
        made["arguments"]["max_rows"] = bounded(situation, "run_sql", "max_rows", max_rows)
    return made


_ASK = re.compile(r"must be JSON that fits its schema.*?(\{.*)\Z", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def as_json(nudge: str, text: str) -> str:
    """The answer in the form that the nudge asks for; the text as it is if it asks for none."""
    match = _ASK.search(nudge)
    if not match:
        return text
    try:
        schema, _ = json.JSONDecoder().raw_decode(match.group(1))
    except ValueError:
        return text
    numbers = [float(n) for n in _NUMBER.findall(text.splitlines()[0])]
    return json.dumps(_value(schema, schema, text, numbers), ensure_ascii=False)


def _value(schema: Any, whole: Any, text: str, numbers: list[float]) -> Any:
    """Something of the schema's type, taken from the answer; numbers in the order they stand."""
    if not isinstance(schema, dict):
        return text
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return _value(whole.get("$defs", {}).get(name, {}), whole, text, numbers)
    if schema.get("enum"):
        named = [option for option in schema["enum"] if str(option).lower() in text.lower()]
        return (named or schema["enum"])[0]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties") or {}
        return {name: _value(each, whole, text, numbers) for name, each in fields.items()}
    if kind in ("integer", "number"):
        found = numbers.pop(0) if numbers else 0
        return int(found) if kind == "integer" else found
    if kind == "array":
        return []
    if kind == "boolean":
        return not text.lower().startswith("no")
    return None if kind == "null" else text
