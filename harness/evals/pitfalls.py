"""Three pitfalls, each failing and then right: prompt bloat, tool proliferation, paralysis."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from harness.config import configured
from harness.evals.eval_report import EvalReport
from harness.evals.measuring import measure_agent
from harness.evals.metrics import about
from harness.tools.toolbox import GuardedTool, contract, contracts, include, spare_toolbox
from harness.ui.html import bundle, card, table

DATA = ("count",)
DOCS = ("reset a key", "old rate limit")
SAMPLE = (
    "Which tool to take\n"
    '"How many voyages are delayed?" -> search_knowledge, then run_sql\n'
    '"How do I reset my key?" -> query_internal_kb'
)
_RULES = 150  # each was added on a day on which something had failed
_TWINS = ("query", "fetch", "lookup", "read", "get", "select", "load", "find")
_THINGS = ("docs", "articles", "manual", "policies", "guides", "help")


@dataclass(frozen=True)
class Pitfall:
    """A way to go wrong: what is put `around` the harness, on which model, and what mends it."""

    name: str
    wrong: str
    right: str
    model: str
    tasks: tuple[str, ...]
    around: Callable[[], AbstractContextManager[Any]]
    mended: Callable[[], AbstractContextManager[Any]] = nullcontext


def bloated() -> AbstractContextManager[Any]:
    """A prompt to which a rule was added every time that something had failed."""
    rule = "Rule {}: when a tool fails, or a figure looks odd, think again, check the units, the "
    rule += "dates and the names, and never do again what went wrong on that day."
    return configured(job="\n\n" + "\n".join(map(rule.format, range(1, _RULES + 1))))


@contextmanager
def proliferated() -> Iterator[None]:
    """Forty-eight tools that sound like query_internal_kb and search something else."""
    with spare_toolbox():
        known, other = contract("query_internal_kb"), contract("list_skills")
        if known is not None and other is not None:
            for verb in _TWINS:
                for thing in _THINGS:
                    twin = replace(
                        other, name=f"{verb}_{thing}", description=known.summary, when=""
                    )
                    include(GuardedTool(twin))
        yield


@contextmanager
def alike() -> Iterator[None]:
    """Every tool under the same vague words: nothing tells which to take."""
    with spare_toolbox():
        for each in contracts():
            vague = replace(each, description="Get information", when="", example=None)
            include(GuardedTool(vague))
        yield


PITFALLS = (
    Pitfall(
        "prompt bloat",
        f"{_RULES} rules in the prompt",
        "the rules stand in the contracts, shown when a tool is selected",
        "standin/small-window=9000",
        DATA,
        bloated,
    ),
    Pitfall(
        "tool proliferation",
        f"{len(_TWINS) * len(_THINGS)} more tools that overlap",
        "overlapping tools are merged into one",
        "standin",
        DOCS,
        proliferated,
    ),
    Pitfall(
        "selection paralysis",
        "nothing says when to take which tool",
        "each contract says when, and the prompt shows examples of a choice",
        "standin/hops",
        DATA,
        alike,
        lambda: configured(job=f"\n\n{SAMPLE}"),
    ),
)


@dataclass(frozen=True)
class PitfallsSeen:
    """For each pitfall the report of the wrong way and of the right one."""

    pairs: tuple[tuple[Pitfall, EvalReport, EvalReport], ...]

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """name, which way, goals, calls a task, tokens a task."""
        found = []
        for pitfall, wrong, right in self.pairs:
            for name, report in ((pitfall.wrong, wrong), (pitfall.right, right)):
                m = report.metrics
                goals = f"{m.goals.hits} of {m.goals.of}"
                cost = f"{m.calls_a_task:.1f}", about(m.tokens_a_task)
                found.append((pitfall.name, name, goals, *cost))
        return found

    def __str__(self) -> str:
        lines, before = [], ""
        for name, way, goals, calls, tokens in self.rows():
            lines += [name] if name != before else []
            lines.append(f"  {way}")
            lines.append(f"    goals {goals}, {calls} calls and {tokens} tokens a task")
            before = name
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        head = ("pitfall", "with", "goals", "calls a task", "tokens a task")
        return bundle(str(self), card("Pitfalls", table(head, self.rows(), (2, 3, 4))))


def show_pitfalls() -> PitfallsSeen:
    """Run each pitfall wrong and right on the same tasks. The misbehaving models are the stand-in.

    A model of one's own needs no misbehaving: put `around` of a pitfall around `measure_agent`.
    """
    pairs = []
    for pitfall in PITFALLS:
        with pitfall.around():
            wrong = measure_agent(None, pitfall.tasks, model=pitfall.model)
        with pitfall.mended():
            right = measure_agent(None, pitfall.tasks, model=pitfall.model)
        pairs.append((pitfall, wrong, right))
    return PitfallsSeen(tuple(pairs))
