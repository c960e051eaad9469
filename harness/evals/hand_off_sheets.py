"""The files of a hand-off, in Markdown: worksheet, decision matrix, hand-off sheet, checklist."""

import functools
import importlib.metadata
import json
import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from harness.errors import WorkshopError
from harness.evals.hand_off import Agent, Facts, facts
from harness.settings import root

_YOURS = "_to be filled in by a person_"
_LAYERS, _EACH = 5, 0.95  # the usual example of compounding
_PACKAGES = ("openai", "pydantic", "duckdb", "sqlglot")


def hand_off(
    folder: str | Path, agent: Agent | None = None, *, name: str = "", measure: bool = True
) -> list[Path]:
    """Write the four files into a folder, filled from an agent (the learner's if none is given).

    measure: run the agent on the scoreboard and into its cap; a minute or less on the stand-in.
    Raises WorkshopError when the folder can't be written.
    """
    if agent is None:
        from harness.course.api import mine  # says whose it is

        agent, name = mine("agent_turn"), name or "agent_turn"
    found = facts(agent, name=name or getattr(agent, "__name__", "agent"), measure=measure)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in sheets(found).items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkshopError(
            f"{folder} can't be written: {error.strerror or type(error).__name__}.",
            "Name another folder.",
        ) from None
    return [folder / file for file in sheets(found)]


def sheets(found: Facts) -> dict[str, str]:
    """The text of each file, by its name."""
    made: dict[str, Callable[[Facts], str]] = {
        "worksheet.md": worksheet,
        "decision_matrix.md": decision_matrix,
        "handoff.md": sheet,
        "action_checklist.md": checklist,
    }
    return {file: make(found) for file, make in made.items()}


def worksheet(found: Facts) -> str:
    """PROFILE, DESIGN, EVALUATE, SPECIFY."""
    row = _words()["matrix"][found.scenario]
    product = _EACH**_LAYERS
    lines = [
        f"# Worksheet: {found.name}",
        "",
        "## Profile",
        "",
        f"- Kind of task: {_kind(found)}",
        f"- Goal, and how a program sees that it was reached: {_goals(found)}",
        "- Ends: a reply without tool calls; or the rounds, the clock, the tokens, a safety trip",
        f"- Ceiling: {found.max_turns} rounds, {found.seconds:g} seconds, "
        f"{found.config.token_limit:,} tokens a turn",
        f"- Prompt and tools: {found.prompt_tokens:,} tokens at most (3,000 is good, beyond 25,000 "
        "design it anew)",
        "",
        _table(
            ("tool", "tier", "cost", "permission", "when"),
            ((t.name, t.tier, t.cost, t.permission or "none", t.when) for t in found.tools),
        ),
        "## Design",
        "",
        f"- Closest row of the decision matrix: {row['scenario']}: {row['approach']}",
        "- Memory: thread, scratchpad, and long-term with the person's own words as evidence",
        f"- One loop or several agents: {_YOURS}",
        f"- Guardrails: arguments validated, role `{found.role}`, envelope "
        f"`{found.envelope.name}`, secrets taken out of what leaves",
        "",
        "## Evaluate",
        "",
        *_measured(found),
        f"- Compounding: {_LAYERS} layers at {_EACH:.0%} each come to {product:.0%} end to end",
        "",
        "## Specify",
        "",
        "- handoff.md: schemas, ceilings, gates, rollback",
        "- action_checklist.md: what holds today",
    ]
    return "\n".join(lines) + "\n"


def decision_matrix(found: Facts) -> str:
    """Five scenarios, with what each does to cost; the row that fits this agent is marked."""
    rows = [
        (
            f"**{row['scenario']}**" if number == found.scenario else row["scenario"],
            row["approach"],
            row["why"],
            row["cost"],
            row["fits"],
        )
        for number, row in enumerate(_words()["matrix"])
    ]
    writers = ", ".join(found.writers) or "none"
    return "\n".join(
        [
            "# Decision matrix",
            "",
            _table(("scenario", "approach", "why", "effect on cost", "it is yours when"), rows),
            f"This agent has {len(found.tools)} tools; those that change something: {writers}. So "
            "the row in bold is the nearest, as far as tools can tell; who uses it can make it "
            "another one.",
            "",
            "The effects on cost are those of the guide that the matrix comes from. Measured here: "
            f"{found.prompt_tokens:,} tokens of prompt and tools in each request.",
            "",
        ]
    )


def sheet(found: Facts) -> str:
    """The hand-off sheet: what it is built on, schemas, authority, ceilings, gates, rollback."""
    versions = ", ".join(f"{each} {importlib.metadata.version(each)}" for each in _PACKAGES)
    schemas = json.dumps([tool.schema for tool in found.tools], indent=2, ensure_ascii=False)
    alerts = ", ".join(f"{name} {value:,g}" for name, value in dict(found.config.alerts).items())
    lines = [
        f"# Hand-off: {found.name}",
        "",
        *(f"- {each}: {_YOURS}" for each in _words()["people"]),
        f"- Model: {found.model}; database: {found.settings.database}; Python "
        f"{platform.python_version()}, {versions}",
        "",
        "## Ceilings",
        "",
        f"- max_turns: {found.max_turns}",
        f"- seconds: {found.seconds:g}",
        f"- tokens a turn: {found.config.token_limit:,}",
        f"- alerts above: {alerts}",
        "",
        "## Authority",
        "",
        *_authority(found),
        "## Evaluation gates",
        "",
        "Nothing is released that does not pass all of these.",
        "",
        _table(("gate", "must be", "measured"), _gates(found)),
        "## Rollback",
        "",
        _table(
            ("when", "do", "it worked when"),
            ((each["when"], each["do"], each["check"]) for each in _words()["rollback"]),
        ),
        "## Schemas",
        "",
        "```json",
        schemas,
        "```",
    ]
    return "\n".join(lines) + "\n"


def checklist(found: Facts) -> str:
    """The eight actions, ticked where a program saw that they hold."""
    items = [
        f"- [{'x' if check.holds else ' '}] {check.item}  \n      {check.seen}"
        for check in found.checklist
    ]
    return "\n".join([f"# Action checklist: {found.name}", "", *items]) + "\n"


def _kind(found: Facts) -> str:
    if found.board is None:
        return _YOURS
    most = max((row.calls for row in found.board.rows), default=0)
    kind = (
        "single-turn" if most <= 1 else "multi-step" if most <= found.max_turns else "long-horizon"
    )
    return f"{kind} (the longest task of the scoreboard took {most} tool calls)"


def _goals(found: Facts) -> str:
    if found.board is None:
        return _YOURS
    return "; ".join(f"{row.task.name} ({row.task.needs})" for row in found.board.rows)


def _measured(found: Facts) -> list[str]:
    if found.board is None:
        return [f"- Goal completion: not measured ({_YOURS})"]
    board = found.board
    missed = ", ".join(row.task.name for row in board.rows if not row.reached)
    return [
        f"- Goal completion: {board.reached} of {len(board.rows)} on the scoreboard, with "
        f"{found.model}{f'; missed: {missed}' if missed else ''}",
        f"- Tool calls: {sum(row.calls for row in board.rows)} for {len(board.rows)} tasks",
    ]


def _authority(found: Facts) -> list[str]:
    worst = found.worst.action
    reached = dict.fromkeys(reach.tool for reach in found.worst.reaches)
    denied = [tool.name for tool in found.tools if tool.name not in reached]
    return [
        f"- Role `{found.role}`, envelope `{found.envelope.name}`: {len(found.envelope.grants)} "
        f"grants, {len(found.envelope.denials)} denials",
        f"- Worst single action: {f'{worst.tool}, {worst.effect}' if worst else 'none'}",
        f"- In an hour at most: {_amounts(found.worst.hour)}; in a tenant's day: "
        f"{_amounts(found.worst.tenant_day)}",
        f"- Out of reach: {', '.join(denied) or 'no tool'}",
        "",
    ]


def _amounts(amounts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {unit}" for unit, count in amounts.items()) or "nothing changes"


def _gates(found: Facts) -> Iterable[tuple[str, str, str]]:
    board = found.board
    goals = f"{board.reached} of {len(board.rows)}" if board else "not measured"
    held = sum(check.holds for check in found.checklist[:-1])
    yield "goals of the scoreboard", f"{len(board.rows) if board else 'all'}", goals
    yield "action checklist, without the weekly review", f"{len(found.checklist) - 1}", f"{held}"
    yield "faults of contracts, `python -m harness lint-tools`", "0", f"{found.faults}"
    yield "`python -m harness gym`, against misbehaving models", "no worse than before", _YOURS


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


@functools.lru_cache(maxsize=1)
def _words() -> dict[str, Any]:
    return yaml.safe_load((root() / "data" / "hand_off.yaml").read_text(encoding="utf-8"))
