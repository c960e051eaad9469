"""Judging a run by its goal: every reason why it was missed, none when it was reached."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.databases.business import business
from harness.databases.state import state
from harness.evals.tasks import Goal
from harness.memory import journal

Side = Literal["answer", "effect", "ending"]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=T)")  # of a time, which an answer may shorten to it
_ROUNDED = 0.005  # a figure that was rounded may be off by half a percent
_MOST_ROWS = 60


@dataclass(frozen=True)
class Run:
    """What a goal may look at: the answers, the thread, whose it is, and how the turns ended."""

    answer: str
    thread_id: str
    user: str = ""
    questions: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    events: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def called(self, tool: str) -> bool:
        """Whether the tool ran with success on this thread."""
        outputs = journal.outputs(self.thread_id)
        return any(output.name == tool and output.status == "ok" for output in outputs)

    def tried(self, tool: str) -> bool:
        """Whether the tool was called at all, with or without success."""
        return any(output.name == tool for output in journal.outputs(self.thread_id))

    def says(self, *values: object) -> bool:
        """Whether the answer has each value as a word or number of its own."""
        return says(self.answer, *values)


@dataclass(frozen=True)
class Miss:
    """One reason why a goal was missed, and on which side of the run it lies."""

    side: Side
    why: str


def says(answer: str, *values: object) -> bool:
    """Whether an answer has each value as a word or number of its own, commas aside."""
    plain = answer.replace(",", "")
    return all(re.search(_pattern(value), plain, re.I) for value in values)


def _pattern(value: object) -> str:
    text = str(value).replace(",", "")
    before = r"(?<![\w.])" if _NUMBER.fullmatch(text) else r"(?<!\w)"  # a.name is a name, 1.5 no 5
    return rf"{before}{re.escape(text)}(?!\w|\.\d)"


def misses(goal: Goal, run: Run) -> list[Miss]:
    """Why a run missed its goal. A goal that raises is missed, with what it raised."""
    try:
        return [*_ending(goal, run), *_effects(goal, run), *_answer(goal, run)]
    except Exception as error:
        return [Miss("effect", f"the goal itself raised {type(error).__name__}: {error}")]


def _ending(goal: Goal, run: Run) -> list[Miss]:
    odd = [status for status in run.statuses if status not in goal.status]
    said = " ".join(run.answer.split())[:160] if odd and odd[-1] == run.statuses[-1] else ""
    told = [f"a turn ended with {status}" for status in odd]
    return [Miss("ending", f"{each}: {said}" if said else each) for each in told]


def _effects(goal: Goal, run: Run) -> list[Miss]:
    found = [Miss("effect", f"{t} did not run with success") for t in goal.ran if not run.called(t)]
    found += [Miss("effect", f"{t} was called") for t in goal.not_ran if run.tried(t)]
    for effect in goal.effects:
        rows = state().read(effect.state, (run.user,) * effect.state.count("?"))
        got = rows[0][0] if rows else None
        if got != effect.equals:
            found.append(Miss("effect", f"{effect.state} is {got!r}, not {effect.equals!r}"))
    if goal.judge is not None and not goal.judge(run):
        found.append(Miss("effect", f"{getattr(goal.judge, '__name__', 'its judge')} said no"))
    return found


def _answer(goal: Goal, run: Run) -> list[Miss]:
    found = [f"the answer does not say {v!r}" for v in goal.says if not run.says(v)]
    found += [f"the answer says {v!r}" for v in goal.says_not if run.says(v)]
    if goal.says_one_of and not any(run.says(value) for value in goal.says_one_of):
        found.append(f"the answer says none of {', '.join(map(str, goal.says_one_of))}")
    if goal.admits and (figures := own_figures(run)):
        found.append(f"the answer should admit that it does not know, and gives {figures[0]}")
    if goal.rows:
        missing = unsaid(true_rows(goal), run.answer, goal.in_order)
        shown = [[round(v, 6) if isinstance(v, float) else v for v in row] for row in missing[:3]]
        found += [f"no line of the answer has {row}" for row in shown]
    return [Miss("answer", why) for why in found]


def own_figures(run: Run) -> list[str]:
    """Figures of two digits and more that the answer has and the questions have not."""
    asked = set(_NUMBER.findall(" ".join(run.questions)))
    return [n for n in _NUMBER.findall(run.answer) if len(n) > 1 and n not in asked]


def true_rows(goal: Goal) -> list[list[Any]]:
    """The rows that the goal's SQL brings. Raises what the database raises."""
    return business().query(goal.rows, _MOST_ROWS).rows


def unsaid(rows: Sequence[Sequence[Any]], text: str, in_order: bool = False) -> list[list[Any]]:
    """The rows that no line of a text holds whole; with `in_order`, also those out of turn."""
    lines = text.splitlines()
    missing, at = [], 0
    for row in rows:
        places = [n for n, line in enumerate(lines) if all(_has(line, cell) for cell in row)]
        if not places or (in_order and places[-1] < at):
            missing.append(list(row))
        elif in_order:
            at = next(n for n in places if n >= at)
    return missing


def _has(line: str, cell: Any) -> bool:
    """Whether a line has a value, as it is or, where it has decimals, rounded."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        day = _DAY.match(str(cell))
        return cell is None or says(line, cell) or (day is not None and says(line, day[0]))
    numbers = map(float, _NUMBER.findall(line.replace(",", "")))
    if isinstance(cell, int):
        return any(number == cell for number in numbers)
    return any(abs(number - cell) <= max(abs(cell) * _ROUNDED, 0.005) for number in numbers)
