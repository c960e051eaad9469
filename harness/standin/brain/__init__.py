"""The stand-in's brain: a chat completions request in, its next message out.

It is stateless and deterministic. What it knows of the data it reads from the request: the context,
the observations and the tools that were offered. `data/standin/` holds its general language.
"""

import re
from typing import Any

from harness.standin.brain.about import about_itself
from harness.standin.brain.callforms import sql_call
from harness.standin.brain.cells import table
from harness.standin.brain.clauses import parts_of
from harness.standin.brain.docdesk import asks_documentation, asks_ticket, documentation, ticket
from harness.standin.brain.lapses import changed, heeds
from harness.standin.brain.orders import ordered
from harness.standin.brain.reading import Situation, read_request
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.remember import save, statement_in
from harness.standin.brain.smalltalk import small_talk
from harness.standin.brain.steps import answer_data
from harness.standin.brain.structured import as_json
from harness.standin.brain.takeback import Withdrawal, forget, still_said, withdrawal_in
from harness.standin.brain.talk import about_schema
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
    if (made["tool_calls"] and not calls) or (
        made.get("refused") and not situation.tools and situation.steps
    ):
        return _forced(situation)
    content = made["content"] if calls else as_json(situation.nudge, str(made["content"] or ""))
    return {"content": content, "tool_calls": calls}


def _next(situation: Situation) -> dict[str, Any]:
    question = situation.question
    situation.recent = still_said(situation.recent)
    if len(question) > _LONGEST:
        return refuse(str(playbook()["toolong"]))
    if not tokenise(tidy(question)):
        return said(str(playbook()["empty"]))
    talk = small_talk(question)
    if talk is not None:
        return talk
    itself = about_itself(situation)
    if itself is not None:
        return itself
    if asks_ticket(situation):
        return ticket(situation)
    withdrawn = withdrawal_in(question)
    if withdrawn is not None:
        return _withdrawn(situation, withdrawn)
    statement = statement_in(question)
    if statement is not None and not heeds(situation, "remember"):
        return said(str(playbook()["promised"]))
    if statement is not None:
        return _corrected(situation, statement)
    order = (
        (None if heeds(situation, "readonly") else changed(situation))
        or _written_sql(situation)
        or ordered(situation)
    )
    if order is not None:
        return order
    if asks_documentation(situation):
        return documentation(situation)
    schema = about_schema(situation)
    if schema is not None:
        return schema
    return _answered(situation, question)


def _corrected(situation: Situation, statement: Any) -> dict[str, Any]:
    """Save first; then answer what else was asked, with the correction in force."""
    made, text = save(situation, statement)
    if made is not None:
        return made
    if not statement.question:
        return said(text)
    situation.memories.insert(0, statement.body)
    return _answered(situation, statement.question, lead=f"{text}\n")


def _withdrawn(situation: Situation, asked: Withdrawal) -> dict[str, Any]:
    """Take back first; then go on with what else was said."""
    made, text = forget(situation, asked)
    if made is not None:
        return made
    if not asked.question:
        return said(text)
    situation.question = asked.question
    made = _next(situation)
    return made if made["tool_calls"] else {**made, "content": f"{text}\n{made['content']}"}


def _answered(situation: Situation, question: str, lead: str = "") -> dict[str, Any]:
    """The questions of a message in turn; one that was answered is behind the next one."""
    parts = parts_of(question)
    for part in parts[:-1]:
        made = answer_data(situation, part)
        if made["tool_calls"]:
            return made
        if made.get("refused"):
            return made  # what follows may rest on it
        lead += _unsigned(str(made["content"])) + "\n"
        situation.recent += [("user", part), ("assistant", _unsigned(str(made["content"])))]
    made = answer_data(situation, parts[-1])
    return made if made["tool_calls"] else {**made, "content": f"{lead}{made['content']}"}


def _unsigned(text: str) -> str:
    """An answer without what every answer ends with."""
    return text.replace(str(playbook()["signature"]).strip(), "").strip()


def _written_sql(situation: Situation) -> dict[str, Any] | None:
    """SQL pasted as a question: a SELECT is run as it is; what changes data is refused in words."""
    question = situation.question.strip().rstrip(";")
    if _CHANGING.search(question):
        return refuse(str(playbook()["readonly"]))
    if not _SELECTING.match(question) or not situation.offered("run_sql"):
        return None
    done = [s for s in situation.calls("run_sql") if s.arguments.get("sql") == question]
    if not done:
        return {"content": None, "tool_calls": [sql_call(situation, question)]}
    step = done[-1]
    if step.error:
        return refuse(
            str(playbook()["reasons"]["failed"]).format(error=" ".join(step.error.split())[:400])
        )
    return said(
        table(
            [str(c) for c in step.data.get("columns") or []],
            [list(r) for r in step.data.get("rows") or []],
        )
    )


def _forced(situation: Situation) -> dict[str, Any]:
    """No tools (left): the best that the observations allow."""
    if not situation.steps:
        return refuse(str(playbook()["notools"]))
    lines = [line for line in (_gist(step) for step in situation.steps) if line]
    body = "\n".join(lines[-5:]) or str(playbook()["nothing"])
    return said(f"{playbook()['sofar']}\n{body}")


def _gist(step: Any) -> str:
    """One line for what a call brought."""
    if step.error:
        return f"- {step.name}: {' '.join(step.error.split())[:200]}"
    data = step.data
    if "rows" in data:
        rows = data.get("rows") or []
        shown = "; ".join(", ".join(str(v) for v in row) for row in rows[:10])
        columns = ", ".join(map(str, data.get("columns") or []))
        return f"- {step.name} ({columns}): {shown or 'no rows'}"
    if "value" in data:
        return f"- {step.name}: {data['value']}"
    if "facts" in data:
        named = [str(f.get("subject")) for f in data["facts"][:6] if isinstance(f, dict)]
        return f"- {step.name}: facts about {', '.join(named)}" if named else ""
    return ""
