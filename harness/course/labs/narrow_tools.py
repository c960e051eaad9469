"""Narrow tools against run_sql: the same questions, asked with one set of tools and the other.

A goal is reached when the figures of the answer are those that the database gives; nothing is
taken from what the answer claims about itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness import standin
from harness.config import TurnConfig
from harness.course.notebook import fresh_user
from harness.databases.business import business
from harness.errors import ToolError
from harness.evals.goals import says
from harness.loop import run_turn
from harness.tools.toolbox import TOOLS

GENERAL = ("search_knowledge", "run_sql")
NARROW = ("search_knowledge", "find_voyages", "voyage_status")


@dataclass(frozen=True)
class Question:
    """What is asked, the SQL whose values the answer must contain, and the narrow call for it.

    `narrow` is (tool, arguments), None where no narrow tool covers the question.
    """

    text: str
    sql: str
    narrow: tuple[str, dict[str, Any]] | None = None


QUESTIONS = (
    Question(
        "How many voyages are delayed?",
        "SELECT COUNT(*) FROM voyages WHERE status = 'DELAYED'",
        ("find_voyages", {"status": "DELAYED", "limit": 1}),
    ),
    Question(
        "How many delayed voyages are there in the PACIFIC?",
        "SELECT COUNT(*) FROM voyages WHERE status = 'DELAYED' AND ocean_region = 'PACIFIC'",
        ("find_voyages", {"status": "DELAYED", "ocean_region": "PACIFIC", "limit": 1}),
    ),
    Question(
        "Which voyages of Kestrel Ocean are in transit?",
        "SELECT voyage_id FROM voyages v JOIN carriers c ON c.carrier_id = v.carrier_id"
        " WHERE c.name = 'Kestrel Ocean' AND status = 'IN_TRANSIT' ORDER BY voyage_id",
        ("find_voyages", {"status": "IN_TRANSIT", "carrier": "Kestrel Ocean"}),
    ),
    Question(
        "What is the status of voyage 1400?",
        "SELECT status FROM voyages WHERE voyage_id = 1400",
        ("voyage_status", {"voyage_id": 1400}),
    ),
    Question(
        "Which carrier has the most voyages?",
        "SELECT c.name FROM voyages v JOIN carriers c ON c.carrier_id = v.carrier_id"
        " GROUP BY c.name ORDER BY COUNT(*) DESC, c.name FETCH FIRST 1 ROWS ONLY",
    ),
    Question(
        "What is the average delay of arrived voyages?",
        "SELECT ROUND(AVG(delay_hours), 2) FROM voyages WHERE status = 'ARRIVED'",
    ),
)


@dataclass(frozen=True)
class Try:
    """One question with one set of tools."""

    question: Question
    reached: bool
    steps: int
    tokens: int
    answer: str


@dataclass(frozen=True)
class Comparison:
    """Both ways, question by question; `str()` is the table that a notebook prints."""

    general: tuple[Try, ...]
    narrow: tuple[Try, ...]

    def __str__(self) -> str:
        head = f"{'':<52}{'run_sql':<22}narrow tools"
        columns = f"{'question':<52}{'goal':<6}{'steps':<7}{'tokens':<9}"
        lines = [head, columns + f"{'goal':<6}{'steps':<7}tokens"]
        for one, other in zip(self.general, self.narrow, strict=True):
            lines.append(f"{one.question.text:<52}{_cells(one)}{_cells(other)}".rstrip())
        total = f"{'together':<52}{_total(self.general)}{_total(self.narrow)}"
        return "\n".join([*lines, total.rstrip()])


def _cells(one: Try) -> str:
    return f"{'yes' if one.reached else 'no':<6}{one.steps:<7}{one.tokens:<9,}"


def _total(tries: Sequence[Try]) -> str:
    reached = sum(one.reached for one in tries)
    steps, tokens = sum(one.steps for one in tries), sum(one.tokens for one in tries)
    return f"{f'{reached}/{len(tries)}':<6}{steps:<7}{tokens:<9,}"


def compare(questions: Sequence[Question] = QUESTIONS) -> Comparison:
    """Ask every question both ways, each on a thread of its own."""
    with fresh_user("comparing"):
        general = tuple(_ask(question, GENERAL) for question in questions)
        return Comparison(general, tuple(_ask(question, NARROW) for question in questions))


def compare_at_best(questions: Sequence[Question] = QUESTIONS) -> Comparison:
    """The same with a scripted model that makes no call too many, where both ways are open.

    For run_sql it has to search once: nothing else tells it tables, columns and values. What a
    narrow tool takes is said in its contract. Tools, results and token counts are real.
    """
    with fresh_user("comparing"):
        tries = [_at_best(question, *question.narrow) for question in questions if question.narrow]
    return Comparison(tuple(one for one, _ in tries), tuple(other for _, other in tries))


def _at_best(question: Question, tool: str, arguments: dict[str, Any]) -> tuple[Try, Try]:
    answer = standin.say(", ".join(map(str, _wanted(question))))
    search = standin.call("search_knowledge", query=question.text)
    with standin.script([search, standin.call("run_sql", sql=question.sql), answer]):
        general = _ask(question, GENERAL)
    with standin.script([standin.call(tool, **arguments), answer]):
        return general, _ask(question, NARROW[1:])


def _wanted(question: Question) -> list[Any]:
    return [row[0] for row in business().query(question.sql, 1000).rows]


def _ask(question: Question, tools: tuple[str, ...]) -> Try:
    turn = run_turn(
        question.text,
        thread_id=f"with {tools[-1]}: {question.text}",
        config=TurnConfig(tools=tools),
    )
    wanted = _wanted(question)
    reached = bool(wanted) and says(turn.answer, *wanted)
    return Try(question, reached, len(turn.steps), turn.usage["total_tokens"], turn.answer)


# what a model gets wrong, as SQL, and as arguments of a narrow tool
MISTAKES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "a status that isn't one",
        "SELECT COUNT(*) AS n FROM voyages WHERE status = 'LATE'",
        "find_voyages",
        {"status": "LATE"},
    ),
    (
        "a region in small letters",
        "SELECT COUNT(*) AS n FROM voyages WHERE ocean_region = 'pacific'",
        "find_voyages",
        {"ocean_region": "pacific"},
    ),
    (
        "a name that is misspelt",
        "SELECT COUNT(*) AS n FROM voyages v JOIN carriers c ON c.carrier_id = v.carrier_id"
        " WHERE c.name = 'Kestral Ocean'",
        "find_voyages",
        {"carrier": "Kestral Ocean"},
    ),
    (
        "a voyage that isn't there",
        "SELECT status FROM voyages WHERE voyage_id = 14000",
        "voyage_status",
        {"voyage_id": 14000},
    ),
    (
        "a column of another name",
        "SELECT COUNT(*) AS n FROM voyages WHERE region = 'PACIFIC'",
        "find_voyages",
        {"region": "PACIFIC"},
    ),
)


def told(tool: str, arguments: dict[str, Any]) -> str:
    """What the model reads after a call: "ERROR: ..." or the result, without its contract."""
    try:
        value = json.loads(TOOLS[tool][0](**arguments))
    except ToolError as error:
        return f"ERROR: {error}"
    return json.dumps(value, ensure_ascii=False)
