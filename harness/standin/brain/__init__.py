"""The stand-in's brain: a chat completions request in, its next message out.

It is stateless and deterministic. What it knows of the data it reads from the request: the context,
the observations and the tools that were offered. `data/standin/` holds its general language.
"""

from typing import Any

from harness.standin.brain.cells import table
from harness.standin.brain.clauses import parts_of
from harness.standin.brain.desk import documentation, ordered, ticket
from harness.standin.brain.lapses import changed, heeds
from harness.standin.brain.reading import Situation, Step, read_request
from harness.standin.brain.remember import forget, save, statement_in, still_said, withdrawal_in
from harness.standin.brain.replies import (
    Reply,
    Settled,
    as_json,
    observed,
    refuse,
    rows_of,
    said,
    sql_call,
)
from harness.standin.brain.steps import answer_data
from harness.standin.brain.talk import about_itself, about_schema, small_talk
from harness.standin.brain.words import pattern, phrase, tidy, tokenise

_LONGEST = 4000  # characters of a question that is read


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """The next message: {"content": str or None, "tool_calls": [{"name", "arguments"}, ...]}."""
    situation = read_request(request)
    try:
        made = _next(situation)
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # A model does not break the protocol over a question that confuses it.
        made = refuse(phrase("confused"))
    calls = [c for c in made["tool_calls"] if c["name"] in situation.tools]
    stopped = made.get("refused") and not situation.tools and situation.steps
    if (made["tool_calls"] and not calls) or stopped:
        return _forced(situation)
    content = made["content"] if calls else as_json(situation.nudge, str(made["content"] or ""))
    return {"content": content, "tool_calls": calls}


def _next(situation: Situation) -> Reply:
    """The reply of the first that knows what to do with the message."""
    situation.recent = still_said(situation.recent)
    try:
        made = next((m for reader in _READERS if (m := reader(situation)) is not None), None)
        return made or _answered(situation, situation.question)
    except Settled as early:
        return early.reply


def _led(lead: str, made: Reply) -> Reply:
    """An answer with what goes before it."""
    return made if made["tool_calls"] else {**made, "content": f"{lead}{made['content']}"}


def _unreadable(situation: Situation) -> Reply | None:
    if len(situation.question) > _LONGEST:
        return refuse(phrase("toolong"))
    return None if tokenise(tidy(situation.question)) else said(phrase("empty"))


def _corrected(situation: Situation) -> Reply | None:
    """Save first; then answer what else was asked, with the correction in force."""
    statement = statement_in(situation.question)
    if statement is None:
        return None
    if not heeds(situation, "remember"):
        return said(phrase("promised"))
    text = save(situation, statement)
    if not statement.question:
        return said(text)
    situation.memories.insert(0, statement.body)
    return _answered(situation, statement.question, lead=f"{text}\n")


def _withdrawn(situation: Situation) -> Reply | None:
    """Take back first; then go on with what else was said."""
    asked = withdrawal_in(situation.question)
    if asked is None:
        return None
    text = forget(situation, asked)
    situation.question = asked.question
    return _led(f"{text}\n", _next(situation)) if asked.question else said(text)


def _answered(situation: Situation, question: str, lead: str = "") -> Reply:
    """The questions of a message in turn; one that was answered is behind the next one."""
    *before, last = parts_of(question)
    for part in before:
        made = answer_data(situation, part)
        if made["tool_calls"] or made.get("refused"):
            return made  # what follows may rest on it
        told = str(made["content"]).replace(phrase("signature"), "").strip()
        lead += f"{told}\n"
        situation.recent += [("user", part), ("assistant", told)]
    try:
        return _led(lead, answer_data(situation, last))
    except Settled as early:
        return _led(lead, early.reply)


def _written_sql(situation: Situation) -> Reply | None:
    """SQL pasted as a question: a SELECT is run as it is; what changes data is refused in words."""
    question = situation.question.strip().rstrip(";")
    if not heeds(situation, "readonly") and (made := changed(situation)):
        return made
    if pattern("changing").search(question):
        return refuse(phrase("readonly"))
    if not pattern("selecting").match(question) or not situation.offered("run_sql"):
        return None
    return said(table(*rows_of(observed(situation, sql_call(situation, question)))))


def _forced(situation: Situation) -> Reply:
    """No tools (left): the best that the observations allow."""
    if not situation.steps:
        return refuse(phrase("notools"))
    lines = [line for line in map(_gist, situation.steps) if line]
    return said("\n".join([phrase("sofar"), *(lines[-5:] or [phrase("nothing")])]))


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
