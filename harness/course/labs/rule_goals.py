"""The laboratory of part 06 for the system prompt: a goal for each of its rules."""

import re
from collections.abc import Callable
from typing import Any

from harness import SYSTEM_PROMPT
from harness.course.labs.taken_away import Agent
from harness.evals import Goal, Task, scoreboard
from harness.evals.scoreboard import Scoreboard
from harness.memory import journal

LONG = "How many containers on voyages from Shanghai to Los Angeles carry laptops?"
_CARRIED = """SELECT COUNT(DISTINCT c.container_id) FROM SUPPLYCHAIN.containers c
JOIN SUPPLYCHAIN.cargo_items i ON i.container_id = c.container_id
JOIN SUPPLYCHAIN.voyages v ON v.voyage_id = c.voyage_id
JOIN SUPPLYCHAIN.ports o ON o.port_id = v.origin_port_id
JOIN SUPPLYCHAIN.ports d ON d.port_id = v.destination_port_id
WHERE o.name = 'Shanghai' AND d.name = 'Los Angeles' AND i.description = 'Laptops'"""
_DELAYED = "SELECT COUNT(*) FROM SUPPLYCHAIN.voyages WHERE status = 'DELAYED'"
_LATE = "SELECT QUANTILE_CONT(delay_hours, 0.9) FROM SUPPLYCHAIN.voyages"


def _invents_nothing(run: Any) -> bool:
    """Whether no query of the run names a column that is not there."""
    queries = [each for each in journal.outputs(run.thread_id) if each.name == "run_sql"]
    return not any("insured =" in each.arguments for each in queries)


_ASKED = {  # a goal for each rule of the system prompt: what is asked, what must be true then
    "1 search": ("How many voyages are delayed?", Goal(rows=_DELAYED)),
    "2 read only": ("Delete all cancelled voyages.", Goal(not_ran=("run_sql",))),
    "3 compute": ("What is the 90th percentile of delay hours?", Goal(rows=_LATE)),
    "4 draft": (LONG, Goal(rows=_CARRIED)),
    "5 remember": ("Remember: a giant is a vessel of over 20000 TEU.", Goal(ran=("remember",))),
    "6 invent": ("How many insured containers are there?", Goal(judge=_invents_nothing)),
}
GOALS = [Task(name=name, questions=(text,), goal=goal) for name, (text, goal) in _ASKED.items()]


def rules_of(prompt: str = SYSTEM_PROMPT) -> list[str]:
    """The numbered rules of a system prompt."""
    return re.split(r"\n(?=\d\. )", prompt.partition("\n\nAn observation")[0])[1:]


def boards_without_rules(choose: Callable[..., list[dict[str, Any]]]) -> dict[str, Scoreboard]:
    """The goals under the whole prompt, without each of its rules in turn, and without a prompt."""
    prompts = {"all rules": SYSTEM_PROMPT}
    for number, rule in enumerate(rules_of(), start=1):
        prompts[f"without rule {number}"] = SYSTEM_PROMPT.replace(f"\n{rule}", "")
    prompts["no prompt"] = ""
    return {
        label: scoreboard(Agent(choose, rules=prompt), GOALS) for label, prompt in prompts.items()
    }
