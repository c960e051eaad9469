"""Tool calls, with arguments as the tool's contract asks for them."""

import re
from typing import Any

from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import Reply
from harness.standin.brain.words import tidy, tokenise, word_set

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
