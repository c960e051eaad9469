"""A check as a card: what it found, hints that fold open, and whose function is in use."""

from collections.abc import Iterable, Sequence
from typing import Any

from harness.ui.html import Tone, card, escape, faint, fold, pre


def report_html(report: Any, most: int, hints: Sequence[str] = ()) -> str:
    """A report with at most so many findings; `hints` of the TODO, each telling more."""
    title, *_ = str(report).splitlines()
    tone: Tone = "good" if report.passed else "warn" if report.codes == ["lent"] else "bad"
    body = "".join(_finding(each) for each in report.findings[:most])
    more = len(report.findings) - most
    body = f'<ol style="margin:.3em 0;padding-left:1.4em">{body}</ol>' if body else ""
    if more > 0:
        body += f"<div>... and {more} more. Mend these first.</div>"
    if report.owner == "lent" and report.codes != ["lent"]:
        body += faint(
            f"Until yours passes, {report.name} is ours, lent to you: the notebook runs on."
        )
    if report.output.strip():
        body += fold("What it printed", pre(report.output))
    return card(title, body + (_hints(list(hints)) if not report.passed else ""), tone)


def todo_row(states: Iterable[tuple[str, str, str]], part: str) -> tuple[str, str]:
    """All TODOs as (part, name, state) in one row, as text and as HTML; `part` is in bold."""
    signs = {"yours": "✓", "lent": "↺", "open": "○"}
    parts: dict[str, list[tuple[str, str]]] = {}
    for number, name, state in states:
        parts.setdefault(number, []).append((name, state))
    counts = [sum(s == state for these in parts.values() for _, s in these) for state in signs]
    said = ", ".join(f"{n} {state}" for n, state in zip(counts, signs, strict=True))
    here = "; ".join(f"{name} is {state}" for name, state in parts.get(part, ()))
    text = f"TODOs: {said}.{f' Here: {here}.' if here else ''}"
    cells = []
    for number, these in parts.items():
        names = ", ".join(f"{name}: {state}" for name, state in these)
        marks = "".join(signs[state] for _, state in these)
        inside = f'{number}&nbsp;<span title="{escape(names)}">{marks}</span>'
        cells.append(f"<strong>[{inside}]</strong>" if number == part else inside)
    row = " &nbsp; ".join(cells)
    return text, f'<div style="line-height:1.9">{row}</div><div>{faint(text)}</div>'


def _finding(finding: Any) -> str:
    hint = f"<div>{faint('Try: ')}{escape(finding.hint)}</div>" if finding.hint else ""
    return f"<li>{escape(finding.message)} <code>{escape(finding.code)}</code>{hint}</li>"


def _hints(hints: list[str]) -> str:
    """Each hint inside of the one before: whoever wants the next has read this one."""
    inner = ""
    for number in range(len(hints), 0, -1):
        name = "Hint" if number == 1 else "One more hint"
        inner = fold(name, f"<div>{escape(hints[number - 1])}</div>{inner}")
    return inner
