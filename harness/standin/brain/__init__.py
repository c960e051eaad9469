"""The stand-in's brain: a chat completions request in, its next message out.

It is stateless and deterministic. What it knows of the data it reads from the request: the context,
the observations and the tools that were offered. `data/standin/` holds its general language.
"""

import re
from typing import Any

from harness.standin.brain.cells import table
from harness.standin.brain.clauses import parts_of
from harness.standin.brain.desk import documentation, ordered, ticket
from harness.standin.brain.lapses import changed, heeds
from harness.standin.brain.reading import Situation, Step, read_request
from harness.standin.brain.remember import forget, save, statement_in, still_said, withdrawal_in
from harness.standin.brain.replies import (
    Reply,
    as_json,
    failed,
    refuse,
    said,
    sql_call,
    step_or_call,
)
from harness.standin.brain.steps import answer_data
from harness.standin.brain.talk import about_itself, about_schema, small_talk
from harness.standin.brain.words import playbook, tidy, tokenise

_CHANGING = re.compile(
    r"\b(drop table|delete from|update \w+ set|insert into|truncate table)\b", re.IGNORECASE
)
_SELECTING = re.compile(r"(?:select|with)\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_LONGEST = 4000  # characters of a question that are read


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """The next message: {"content": str or None, "tool_calls": [{"name", "arguments"}, ...]}."""
    situation = read_request(request)
    try:
        made = _next(situation)
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # A model does not break the protocol over a question that confuses it.
        made = refuse(str(playbook()["confused"]))
    calls = [c for c in made["tool_calls"] if c["name"] in situation.tools]
    stopped = made.get("refused") and not situation.tools and situation.steps
    if (made["tool_calls"] and not calls) or stopped:
        return _forced(situation)
    content = made["content"] if calls else as_json(situation.nudge, str(made["content"] or ""))
    return {"content": content, "tool_calls": calls}


def _next(situation: Situation) -> Reply:
    """The reply of the first that knows what to do with the message."""
    situation.recent = still_said(situation.recent)
    for reader in _READERS:
        made = reader(situation)
        if made is not None:
            return made
    return _answered(situation, situation.question)


def _unreadable(situation: Situation) -> Reply | None:
    if len(situation.question) > _LONGEST:
        return refuse(str(playbook()["toolong"]))
    return None if tokenise(tidy(situation.question)) else said(str(playbook()["empty"]))


def _corrected(situation: Situation) -> Reply | None:
    """Save first; then answer what else was asked, with the correction in force."""
    statement = statement_in(situation.question)
    if statement is None:
        return None
    if not heeds(situation, "remember"):
        return said(str(playbook()["promised"]))
    made, text = save(situation, statement)
    if made is not None or not statement.question:
        return made or said(text)
    situation.memories.insert(0, statement.body)
    return _answered(situation, statement.question, lead=f"{text}\n")


def _withdrawn(situation: Situation) -> Reply | None:
    """Take back first; then go on with what else was said."""
    asked = withdrawal_in(situation.question)
    if asked is None:
        return None
    made, text = forget(situation, asked)
    if made is not None or not asked.question:
        return made or said(text)
    situation.question = asked.question
    made = _next(situation)
    return made if made["tool_calls"] else {**made, "content": f"{text}\n{made['content']}"}


def _answered(situation: Situation, question: str, lead: str = "") -> Reply:
    """The questions of a message in turn; one that was answered is behind the next one."""
    *before, last = parts_of(question)
    for part in before:
        made = answer_data(situation, part)
        if made["tool_calls"] or made.get("refused"):
            return made  # what follows may rest on it
        told = str(made["content"]).replace(str(playbook()["signature"]).strip(), "").strip()
        lead += f"{told}\n"
        situation.recent += [("user", part), ("assistant", told)]
    made = answer_data(situation, last)
    return made if made["tool_calls"] else {**made, "content": f"{lead}{made['content']}"}


def _written_sql(situation: Situation) -> Reply | None:
    """SQL pasted as a question: a SELECT is run as it is; what changes data is refused in words."""
    question = situation.question.strip().rstrip(";")
    if not heeds(situation, "readonly") and (made := changed(situation)):
        return made
    if _CHANGING.search(question):
        return refuse(str(playbook()["readonly"]))
    if not _SELECTING.match(question) or not situation.offered("run_sql"):
        return None
    step = step_or_call(situation, sql_call(situation, question))
    if isinstance(step, dict):
        return step
    columns = [str(c) for c in step.data.get("columns") or []]
    rows = [list(r) for r in step.data.get("rows") or []]
    return failed(step.error) if step.error else said(table(columns, rows))


def _forced(situation: Situation) -> Reply:
    """No tools (left): the best that the observations allow."""
    if not situation.steps:
        return refuse(str(playbook()["notools"]))
    lines = [line for line in (_gist(step) for step in situation.steps) if line]
    body = "\n".join(lines[-5:]) or str(playbook()["nothing"])
    return said(f"{playbook()['sofar']}\n{body}")


def _gist(step: Step) -> str:
    """One line for what a call brought."""
    if step.error:
        return f"- {step.name}: {' '.join(step.error.split())[:200]}"
    data = step.data
    if "rows" in data:
        rows = (data.get("rows") or [])[:10]
        shown = "; ".join(", ".join(str(v) for v in row) for row in rows)
        columns = ", ".join(map(str, data.get("columns") or []))
        return f"- {step.name} ({columns}): {shown or 'no rows'}"
    if "value" in data:
        return f"- {step.name}: {data['value']}"
    named = [str(f.get("subject")) for f in (data.get("facts") or [])[:6] if isinstance(f, dict)]
    return f"- {step.name}: facts about {', '.join(named)}" if named else ""


_READERS = (
    _unreadable,
    lambda situation: small_talk(situation.question),
    about_itself,
    ticket,
    _withdrawn,
    _corrected,
    _written_sql,
    ordered,
    documentation,
    about_schema,
)
