"""What the gym prints: a line a case for a terminal, a table to compare agents, a page."""

import html
import json
from collections.abc import Iterable
from typing import Any

from harness.evals.gym.gym_run import Result
from harness.evals.gym.gym_verdict import Verdict

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid #8886}:root{color-scheme:light dark}"
)
_COLUMNS = (
    ("ended without the answer", ("raised", "no_answer", "answer_lost")),
    ("hung or flooded", ("hung", "flooded", "never_called")),
    ("sent what the API refuses", ("illegal_request",)),
    ("ran a faulty call", ("ran_faulty_call",)),
)


def line_of(verdict: Verdict) -> str:
    """A case for a terminal: whether it was survived, and what was wrong, a line each."""
    sign = "ok" if verdict.survived else "--"
    requests = f"{verdict.requests} request{'' if verdict.requests == 1 else 's'}"
    head = f"{sign} {verdict.case:<20} {verdict.ending:<12} {requests}"
    return "\n".join([head, *(f"     {finding.message}" for finding in verdict.findings)])


def summary(result: Result) -> str:
    """What it came to."""
    total = len(result.verdicts)
    lines = [f"{result.name} survived {result.survived} of {total} misbehaviours."]
    for label, codes in _COLUMNS:
        if count := _count(result.verdicts, codes):
            lines.append(f"{count:>4}  {label}")
    return "\n".join(lines)


def to_jsonl(results: Iterable[Result]) -> str:
    """A line a case and agent."""
    records = [record for result in results for record in result.records()]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def comparison(records: Iterable[dict[str, Any]]) -> str:
    """A table in Markdown, an agent a row, from the records of one run or several."""
    rows = [_row(name, own) for name, own in _by_agent(records).items()]
    rows.sort(key=lambda row: -row[0])
    head = ["agent", "survived", *(label for label, _ in _COLUMNS)]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *(line for _, line in rows)]) + "\n"


def matrix(records: Iterable[dict[str, Any]]) -> str:
    """A table in Markdown, a case a row and an agent a column."""
    agents = _by_agent(records)
    names = list(agents)
    found = {name: {r["case"]: r for r in own} for name, own in agents.items()}
    known = sorted({case for own in found.values() for case in own})
    lines = [f"| case | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
    for case in known:
        cells = [_cell(found[name].get(case)) for name in names]
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(result: Result) -> str:
    """A result as one HTML file that needs nothing else."""
    rows = "".join(
        f"<tr><td>{'✓' if v.survived else '✗'}</td><td><b>{html.escape(v.case)}</b><br>"
        f"{html.escape(v.about)}</td><td>{v.ending}, {v.requests} requests, {v.seconds:.1f} s</td>"
        f"<td>{'<br>'.join(html.escape(f.message) for f in v.findings)}</td></tr>"
        for v in result.verdicts
    )
    title = html.escape(f"{result.name}: {result.survived} of {len(result.verdicts)} survived")
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title>"
        f"<style>{_STYLE}</style><h1>{title}</h1><table><tr><th></th><th>misbehaviour</th>"
        f"<th>it ended</th><th>what was wrong</th></tr>{rows}</table></html>\n"
    )


def _by_agent(records: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if record["case"] != "plain":
            found.setdefault(record["agent"], []).append(record)
    return found


def _row(name: str, own: list[dict[str, Any]]) -> tuple[float, str]:
    survived = sum(record["survived"] for record in own)
    counts = [
        sum(any(f["code"] in codes for f in record["findings"]) for record in own)
        for _, codes in _COLUMNS
    ]
    cells = [name, f"{survived} of {len(own)}", *map(str, counts)]
    return survived / len(own), f"| {' | '.join(cells)} |"


def _count(verdicts: Iterable[Verdict], codes: tuple[str, ...]) -> int:
    return sum(any(f.code in codes for f in verdict.findings) for verdict in verdicts)


def _cell(record: dict[str, Any] | None) -> str:
    if record is None:
        return ""
    return "✓" if record["survived"] else ", ".join(f["code"] for f in record["findings"])
