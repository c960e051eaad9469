"""The mistakes that each rule of the system prompt prevents, made where the rule is missing."""

import re
from typing import Any

from harness.standin.brain.callforms import sql_call
from harness.standin.brain.cells import cell, number
from harness.standin.brain.compose import Draft
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.tree import Query
from harness.standin.brain.words import playbook, tidy, tokenise, word_set

Reply = dict[str, Any]


def heeds(situation: Situation, rule: str) -> bool:
    """Whether a rule is in force: what the numbered rules of the prompt say, and nothing else.

    Without a system message, and with one that numbers no rules, it keeps its own good habits; an
    empty prompt has none of the rules.
    """
    if situation.system is None:
        return True
    rules = re.findall(r"^\s*\d+\. (.*(?:\n(?!\s*\d+\. |\s*$).*)*)", situation.system, re.MULTILINE)
    if not rules:
        return bool(situation.system.strip())
    return any(str(playbook()["rules"][rule]) in text.lower() for text in rules)


def guessed(situation: Situation) -> Reply | None:
    """Without "search first": a table and a column as the question calls them."""
    words = [
        t
        for t in tokenise(tidy(situation.question))
        if t.low not in word_set("dull") | word_set("stop") | word_set("light")
    ]
    nouns = [t.low for t in words if t.low.endswith("s") and t.low.isalpha()]
    if not nouns or not situation.offered("run_sql"):
        return None
    rest = [t.low for t in words if t.low != nouns[0] and t.low.isalpha()]
    where = f" WHERE status = '{rest[-1]}'" if rest else ""
    return _told(situation, f"SELECT COUNT(*) FROM {nouns[0]}{where}", nouns[0])


def changed(situation: Situation) -> Reply | None:
    """Without "read only": the change is tried."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    verb = next((w for w in words if w in word_set("writes")), "")
    if not verb or not situation.offered("run_sql"):
        return None
    pasted = re.match(
        r"\s*(?:delete from|update|insert into|drop table|truncate)\b.*",
        situation.question,
        re.IGNORECASE | re.DOTALL,
    )
    noun = next((w for w in words if w.endswith("s") and w not in word_set("stop")), "rows")
    state = words[words.index(noun) - 1] if noun in words and words.index(noun) else ""
    sql = (
        situation.question.strip()
        if pasted
        else f"DELETE FROM {noun} WHERE status = '{state.upper()}'"
    )
    return _told(situation, sql, noun)


def invented(situation: Situation, words: list[str], tables: list[str]) -> Reply | None:
    """Without "invent nothing": a column of the name that nobody could place."""
    if not situation.offered("run_sql") or not tables or not words:
        return None
    column = re.sub(r"\W+", "_", words[0].lower()).strip("_") or "figure"
    return _told(
        situation,
        f"SELECT COUNT(*) FROM {tables[0]} WHERE {column} = 'yes'",
        tables[0].rsplit(".", 1)[-1],
    )


def _told(situation: Situation, sql: str, noun: str) -> Reply:
    """Run it, and tell what came back as if it were sure."""
    done = [s for s in situation.calls("run_sql") if s.arguments.get("sql") == sql]
    if not done:
        return {"content": None, "tool_calls": [sql_call(situation, sql)]}
    step = done[-1]
    if step.error:
        return refuse(
            str(playbook()["reasons"]["failed"]).format(error=" ".join(step.error.split())[:400])
        )
    rows = step.data.get("rows") or [[0]]
    return said(f"{cell(rows[0][0])} {noun}.")


def spoiled(made: Draft) -> str:
    """Without "draft what is not trivial": the SQL of the first go, with one slip in it."""
    lines = made.sql.split("\n")
    joins = [i for i, line in enumerate(lines) if line.startswith("JOIN ")]
    if joins:
        return "\n".join(line for i, line in enumerate(lines) if i != joins[-1])
    return made.sql[::-1].replace(")", "", 1)[::-1]


def estimated(query: Query, run: Step) -> Reply:
    """Without "compute with exec_js": worked out in the head, roughly."""
    rows = [r for r in run.data.get("rows") or [] if isinstance(r, list)]
    if query.shape == "distance" and len(rows) == 2:
        across = abs(float(rows[0][1]) - float(rows[1][1])) + abs(
            float(rows[0][2]) - float(rows[1][2])
        )
        return said(
            f"{rows[0][0]} to {rows[1][0]}: about {round(across * 60, -2):.0f} nautical miles."
        )
    values = [float(r[-2]) for r in rows if len(r) > 1 and r[-2] is not None]
    measure = query.measures[0]
    share = 0.5 if measure.kind == "weighted" else measure.percent / 100
    figure = min(values) + (max(values) - min(values)) * share if values else 0.0
    name = measure.value.name.replace("_", " ") if measure.value else "figure"
    return said(
        f"{measure.kind[0].upper()}{measure.kind[1:]} of {name}: about {number(round(figure))}."
    )


__all__ = ["changed", "estimated", "guessed", "heeds", "invented", "spoiled"]
