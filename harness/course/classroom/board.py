"""The class as a table: in the terminal, as CSV, and as one HTML page."""

import csv
import html
import io
from collections import Counter
from dataclasses import dataclass

from harness.course.classroom.grading import Graded
from harness.course.todos import TODOS

_MARKS = {"passed": "yes", "ours": "ours", "open": "-", "not yet": "no", "": ""}
_MOST = 12  # misconceptions that are listed


@dataclass(frozen=True)
class Misconception:
    """One kind of mistake: the TODO, the finding's code, who has it, and its words for one."""

    todo: str
    code: str
    learners: tuple[str, ...]
    message: str


def columns(graded: list[Graded]) -> list[str]:
    """The TODOs that somebody handed in, in the order of the course."""
    return [name for name in TODOS if any(name in each.states for each in graded)]


def misconceptions(graded: list[Graded]) -> list[Misconception]:
    """What people get wrong, the most common first."""
    who: dict[tuple[str, str], list[str]] = {}
    words: dict[tuple[str, str], str] = {}
    for each in graded:
        for name, findings in each.findings.items():
            for finding in {f["code"]: f for f in findings}.values():
                key = name, finding["code"]
                who.setdefault(key, []).append(each.learner)
                words.setdefault(key, finding["message"])
    order = list(TODOS)
    ranked = sorted(who, key=lambda key: (-len(who[key]), order.index(key[0]), key[1]))
    return [Misconception(*key, tuple(who[key]), words[key]) for key in ranked]


def summary_lines(graded: list[Graded]) -> list[str]:
    """What is said below the board: what its numbers are, how many passed each, what went wrong."""
    names = columns(graded)
    totals = Counter(name for each in graded for name in names if each.states.get(name) == "passed")
    lines = ["", "yes: passed; no: not yet; -: not begun; ours: our solution was handed in", ""]
    lines += [
        f"{number:>3}  part {TODOS[name].part}  {name}: {totals[name]} of {_handed(graded, name)}"
        for number, name in enumerate(names, 1)
    ]
    return [*lines, *_mistakes(graded), *_broken(graded)]


def board_rows(graded: list[Graded]) -> list[tuple[str, ...]]:
    """The board, its head first: a row a notebook, a numbered column a TODO."""
    names = columns(graded)
    head = ("", *(str(number) for number, _ in enumerate(names, 1)))
    marks = [(each.learner, *(_MARKS[each.states.get(n, "")] for n in names)) for each in graded]
    return [head, *marks]


def _handed(graded: list[Graded], name: str) -> int:
    return sum(name in each.states for each in graded)


def _mistakes(graded: list[Graded]) -> list[str]:
    found = misconceptions(graded)[:_MOST]
    lines = [f"{len(each.learners):>3}  {each.todo} [{each.code}] {each.message}" for each in found]
    return ["", "What is got wrong, the most common first:", *lines] if lines else []


def _broken(graded: list[Graded]) -> list[str]:
    lines = [f"  {each.learner}: {fault}" for each in graded for fault in each.faults]
    return ["", "Files that need a look:", *lines] if lines else []


def as_csv(graded: list[Graded]) -> str:
    """A row a notebook, a column a TODO; the codes of the findings in the cell."""
    out, names = io.StringIO(), columns(graded)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["learner", *names, "faults"])
    for each in graded:
        cells = [_cell(each, name) for name in names]
        writer.writerow([_plain(each.learner), *cells, "; ".join(each.faults)])
    return out.getvalue()


def _plain(text: str) -> str:
    """A name that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in "=+-@" else text


def _cell(each: Graded, name: str) -> str:
    codes = " ".join(finding["code"] for finding in each.findings.get(name, ()))
    return f"{each.states.get(name, '')} {codes}".strip()


def as_html(graded: list[Graded]) -> str:
    """One page that needs nothing else, readable in light and in dark."""
    names = columns(graded)
    heads = "".join(f"<th scope=col>{TODOS[n].part}<br>{html.escape(n)}</th>" for n in names)
    rows = "".join(_row(each, names) for each in graded)
    mistakes = "".join(
        f"<li>{len(m.learners)} × <b>{html.escape(m.todo)}</b> <code>{html.escape(m.code)}</code>"
        f" {html.escape(m.message)}<br><small>{html.escape(', '.join(m.learners))}</small></li>"
        for m in misconceptions(graded)[:_MOST]
    )
    broken = "".join(
        f"<li>{html.escape(each.learner)}: {html.escape(fault)}</li>"
        for each in graded
        for fault in each.faults
    )
    return (
        f"{_HEAD}<h1>The class</h1><table><thead><tr><th scope=col>learner</th>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table><h2>What is got wrong</h2><ul>{mistakes}</ul>"
        + (f"<h2>Files that need a look</h2><ul>{broken}</ul>" if broken else "")
    )


def _row(each: Graded, names: list[str]) -> str:
    cells = "".join(
        f'<td class="{each.states.get(name, "").replace(" ", "-")}"'
        f' title="{html.escape(_cell(each, name))}">{_MARKS[each.states.get(name, "")]}</td>'
        for name in names
    )
    return f"<tr><th scope=row>{html.escape(each.learner)}</th>{cells}</tr>"


_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The class</title><style>
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem}
table{border-collapse:collapse}th,td{border:1px solid #8888;padding:.2rem .5rem;text-align:center}
th[scope=row]{text-align:left}.passed{background:#2a82}.not-yet{background:#d522}.ours{font-style:italic}
</style>"""
