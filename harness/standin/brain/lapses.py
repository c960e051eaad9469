"""The mistakes that each rule of the system prompt prevents, made where the rule is missing."""

import re

from harness.standin.brain.cells import cell, number
from harness.standin.brain.compose import Draft
from harness.standin.brain.factlines import short
from harness.standin.brain.reading import Situation, Step
from harness.standin.brain.replies import Reply, observed, said, sql_call
from harness.standin.brain.tree import Query
from harness.standin.brain.words import pattern, playbook, tidy, tokenise, word_set


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
    quiet = word_set("dull") | word_set("stop") | word_set("light")
    words = [t.low for t in tokenise(tidy(situation.question)) if t.low.isalpha()]
    words = [word for word in words if word not in quiet]
    noun = next((word for word in words if word.endswith("s")), "")
    rest = [word for word in words if word != noun]
    where = f" WHERE status = '{rest[-1]}'" if rest else ""
    return _told(situation, f"SELECT COUNT(*) FROM {noun}{where}", noun) if noun else None


def changed(situation: Situation) -> Reply | None:
    """Without "read only": the change is tried."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    if not set(words) & word_set("writes"):
        return None
    at = next((n for n, w in enumerate(words) if w.endswith("s") and w not in word_set("stop")), 0)
    noun, state = (words[at], words[at - 1].upper()) if at else ("rows", "")
    sql = f"DELETE FROM {noun} WHERE status = '{state}'"
    return _told(
        situation, situation.question if pattern("pasted").match(situation.question) else sql, noun
    )


def invented(situation: Situation, words: list[str], tables: list[str]) -> Reply | None:
    """Without "invent nothing": a column of the name that nobody could place."""
    column = re.sub(r"\W+", "_", words[0].lower()).strip("_") or "figure"
    sql = f"SELECT COUNT(*) FROM {tables[0]} WHERE {column} = 'yes'"
    return _told(situation, sql, short(tables[0]))


def _told(situation: Situation, sql: str, noun: str) -> Reply | None:
    """Run it, and tell what came back as if it were sure."""
    if not situation.offered("run_sql"):
        return None
    rows = observed(situation, sql_call(situation, sql)).get("rows") or [[0]]
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
        degrees = sum(abs(float(rows[0][n]) - float(rows[1][n])) for n in (1, 2))
        miles = f"about {round(degrees * 60, -2):.0f} nautical miles"
        return said(f"{rows[0][0]} to {rows[1][0]}: {miles}.")
    values = [float(r[-2]) for r in rows if len(r) > 1 and r[-2] is not None] or [0.0]
    measure = query.measures[0]
    share = 0.5 if measure.kind == "weighted" else measure.percent / 100
    figure = min(values) + (max(values) - min(values)) * share
    name = measure.value.name.replace("_", " ") if measure.value else "figure"
    return said(f"{measure.kind.capitalize()} of {name}: about {number(round(figure))}.")
