"""Five tasks, each with a goal that a program can check.

A goal looks at receipts: the database, the memories, the tool calls that were recorded. What an
answer claims counts only where the claim is what was asked for.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from harness.databases.business import business
from harness.memory import journal, memory


@dataclass(frozen=True)
class Run:
    """What a goal may look at: the last answer and the thread that it was given on."""

    answer: str
    thread_id: str

    def called(self, tool: str) -> bool:
        """Whether the tool ran with success on this thread."""
        outputs = journal.outputs(self.thread_id)
        return any(output.name == tool and output.status == "ok" for output in outputs)

    def says(self, *values: object) -> bool:
        """Whether the answer has each value as a word or number of its own."""
        return says(self.answer, *values)


def says(answer: str, *values: object) -> bool:
    """Whether an answer has each value as a word or number of its own."""
    plain = answer.replace(",", "")
    return all(
        re.search(rf"(?<![\w.]){re.escape(str(value))}(?!\w|\.\d)", plain) for value in values
    )


@dataclass(frozen=True)
class Task:
    """Questions asked one after another on a thread of their own, and the goal at the end."""

    name: str
    needs: str
    questions: tuple[str, ...]
    goal: Callable[[Run], bool]


def _one(sql: str) -> object:
    return business().query(sql).rows[0][0]


def _delayed_counted(run: Run) -> bool:
    count = _one("SELECT COUNT(*) FROM SUPPLYCHAIN.voyages WHERE status = 'DELAYED'")
    return run.says(count) and run.called("run_sql")


def _largest_named(run: Run) -> bool:
    name = _one(
        "SELECT name FROM SUPPLYCHAIN.vessels ORDER BY capacity_teu DESC, name"
        " FETCH FIRST 1 ROWS ONLY"
    )
    return run.says(name) and run.called("run_sql")


def _follow_up_counted(run: Run) -> bool:
    count = _one(
        "SELECT COUNT(*) FROM SUPPLYCHAIN.voyages"
        " WHERE status = 'DELAYED' AND ocean_region = 'PACIFIC'"
    )
    return run.says(count)


def _correction_kept(run: Run) -> bool:
    found = memory.search("unit_value_cents", max_results=5)
    return run.called("remember") and any("cents" in str(record.content) for record in found)


def _declined(run: Run) -> bool:
    return not re.search(r"\d{2,}", run.answer) and not run.called("run_sql")


TASKS = (
    Task(
        "count",
        "live data",
        ("How many voyages are delayed?",),
        _delayed_counted,
    ),
    Task(
        "largest",
        "live data, in order",
        ("Which vessel has the largest capacity?",),
        _largest_named,
    ),
    Task(
        "follow-up",
        "the thread",
        ("How many voyages are delayed?", "And in the PACIFIC?"),
        _follow_up_counted,
    ),
    Task(
        "correction",
        "memory",
        (
            "Important: cargo_items.unit_value_cents is always US cents, never dollars. "
            "Save this as a correction by calling remember before you respond.",
        ),
        _correction_kept,
    ),
    Task(
        "not there",
        "honesty",
        ("What profit did each carrier make last year?",),
        _declined,
    ),
)
