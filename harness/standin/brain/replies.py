"""What a reply can be: an answer, a refusal, tool calls as their contracts ask for them, JSON."""

import json
import re
from typing import Any

from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.tree import Problem
from harness.standin.brain.words import pattern, phrase, playbook, tidy, tokenise, word_set

Reply = dict[str, Any]
Call = dict[str, Any]


class Settled(Exception):
    """The next message, as soon as it is known: calls that have to come first, or an answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self.reply = reply


def said(text: str) -> Reply:
    """A final answer, signed."""
    mark, body = playbook()["signature"], text.strip()
    return {"content": body if mark in body else f"{body}\n{mark}", "tool_calls": []}


def refuse(reason: str, near: str = "") -> Reply:
    """An honest refusal: the reason, a question near to it that works, and how to ask anything."""
    help_ = " ".join(part for part in (near, phrase("anything")) if part)
    return {**said(f"{reason}\n{help_}"), "refused": True}


def because(reason: str, near: str = "", **values: Any) -> Reply:
    """A refusal for one of the playbook's reasons."""
    return refuse(phrase(f"reasons.{reason}", **values), near)


def failed(error: str) -> Reply:
    """What a tool complained of."""
    return because("failed", error=" ".join(error.split())[:400])


def refuse_problem(problem: Problem, near: str = "") -> Reply:
    """The refusal that fits a problem."""
    words, reasons = quoted(problem.words), playbook()["reasons"]
    if problem.kind == "role":
        return said(f"{words}: {reasons['role']}" if words else str(reasons["role"]))
    if problem.kind == "trap":
        _, unit, name, table = problem.words
        asked, comment = playbook()["shown_units"].get(unit, unit), problem.text.rstrip(".")
        column = f"{table}.{name}"
        return said(phrase("reasons.trap", asked=asked, column=column, comment=comment))
    why = problem.text.rstrip(".") if problem.kind == "clarify" else problem.text
    kind = problem.kind if problem.kind in reasons else "unknown"
    return because(kind, near, words=words, why=why or words)


def quoted(words: list[str]) -> str:
    """Some words in quotes; of many the first few."""
    shown = [f'"{word}"' for word in dict.fromkeys(words)][:4]
    return ", ".join(shown) + (" ..." if len(set(words)) > 4 else "")


def call(tool: str, /, **arguments: Any) -> Call:
    """A tool call."""
    return {"name": tool, "arguments": arguments}


def act(*calls: Call) -> Reply:
    """A reply that calls tools."""
    return {"content": None, "tool_calls": list(calls)}


def made_before(situation: Situation, made: Call) -> Step | None:
    """The newest step that made a call."""
    done = [s for s in situation.calls(made["name"]) if s.arguments == made["arguments"]]
    return done[-1] if done else None


def observed(situation: Situation, made: Call) -> dict[str, Any]:
    """What a call brought. Raises Settled where it comes first, failed, or can't be read."""
    step = made_before(situation, made)
    return readable(step) if step else ask(made)


def ask(*calls: Call) -> Any:
    """Raises Settled: these calls come first."""
    raise Settled(act(*calls))


def readable(step: Step) -> dict[str, Any]:
    """The observation of a step. Raises Settled where it is an error, or is no JSON object."""
    if step.error:
        raise Settled(failed(step.error))
    if not step.data:
        raise Settled(because("unread", tool=step.name))
    return step.data


def rows_of(data: dict[str, Any], tool: str = "run_sql") -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a result. Raises Settled where it has none, and was not put aside."""
    rows = data.get("rows", [] if data.get("offloaded") else None)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise Settled(because("unread", tool=tool))
    return [str(c) for c in data.get("columns") or []], [list(row) for row in rows]


def query_text(situation: Situation, tool: str, parameter: str, sentence: str) -> str:
    """Keywords where the contract asks for them; a vague one gets the whole sentence."""
    described = str(situation.parameters(tool).get(parameter, {}).get("description") or "")
    whole = f"{described} {situation.tools.get(tool, {}).get('description') or ''}"
    if not pattern("keywords").search(whole):
        return " ".join(sentence.split())[:1500]
    few = pattern("few_words").search(whole)
    return " ".join(content_words(sentence)[: int(few.group(2)) if few else 10])


def content_words(text: str) -> list[str]:
    """The words that carry meaning, each once, in order."""
    quiet = word_set("stop") | word_set("dull")
    words = [t.text for t in tokenise(tidy(text)[:4000]) if t.low not in quiet]
    return list(dict.fromkeys(words)) or tidy(text).split()[:5]


def fitted(situation: Situation, made: Call, strict: bool = True, **more: Any) -> Call:
    """The call with those arguments that the contract knows, numbers within its bounds.

    Not strict: a contract that lists no parameters knows them all.
    """
    known = situation.parameters(made["name"])
    for name, value in more.items():
        most = known.get(name, {}).get("maximum")
        if value and (name in known or not (known or strict)):
            bounded = isinstance(most, (int, float)) and isinstance(value, int)
            made["arguments"][name] = min(value, int(most)) if bounded else value
    return made


def search_call(situation: Situation, query: str, k: int, kinds: list[str] | None = None) -> Call:
    """A search for facts, with the parameters that the contract has."""
    return fitted(situation, call("search_knowledge", query=query), False, k=k, kinds=kinds)


def sql_call(situation: Situation, sql: str, max_rows: int = 50) -> Call:
    """A query; max_rows only where more than the usual number is wanted."""
    return fitted(situation, call("run_sql", sql=sql), max_rows=max_rows if max_rows != 50 else 0)


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
    if isinstance(schema, dict) and "$ref" in schema:
        schema = whole.get("$defs", {}).get(str(schema["$ref"]).rsplit("/", 1)[-1], {})
    if not isinstance(schema, dict):
        return text
    if options := schema.get("enum"):
        return next((each for each in options if str(each).lower() in text.lower()), options[0])
    kind = "object" if "properties" in schema else schema.get("type")
    if kind == "object":
        fields = schema.get("properties") or {}
        return {name: _value(each, whole, text, numbers) for name, each in fields.items()}
    if kind in ("integer", "number"):
        found = numbers.pop(0) if numbers else 0
        return int(found) if kind == "integer" else found
    others = {"array": [], "boolean": not text.lower().startswith("no"), "null": None}
    return others.get(str(kind), text)
