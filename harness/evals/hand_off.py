"""What there is to say about an agent when it is handed on: read from it, and measured on it."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.config import TurnConfig, current_config
from harness.context import SYSTEM_PROMPT
from harness.errors import WorkshopError
from harness.evals.scoreboard import Scoreboard, scoreboard
from harness.guards.envelope import Envelope
from harness.guards.role_rights import role
from harness.guards.worst_case import WorstCase, worst_case
from harness.model.tokens import count_tokens
from harness.session import current_session
from harness.settings import Settings, settings
from harness.tools.contract import ToolContract
from harness.tools.dispatch import dispatch
from harness.tools.lint import lint, sent_at_most
from harness.tools.toolbox import contracts
from harness.traces import trace_reader

Agent = Callable[..., str]

QUESTION = "How many voyages are delayed?"


@dataclass(frozen=True)
class Check:
    """An item of the action checklist: whether it holds, and how that was seen."""

    item: str
    holds: bool
    seen: str


@dataclass(frozen=True)
class Facts:
    """Everything that the hand-off files are filled with."""

    name: str
    model: str
    settings: Settings
    config: TurnConfig
    max_turns: int
    seconds: float
    tools: Sequence[ToolContract]
    schemas: Sequence[dict[str, Any]]  # what one request carries at most
    prompt_tokens: int  # the system prompt and those schemas
    role: str
    envelope: Envelope
    worst: WorstCase
    checklist: Sequence[Check]
    faults: int  # of the contracts, as the linter finds them
    board: Scoreboard | None

    @property
    def writers(self) -> list[str]:
        """The tools that change something."""
        return [tool.name for tool in self.tools if tool.tier == "write"]

    @property
    def scenario(self) -> int:
        """The row of the decision matrix that the tools suggest: retrieval, or automation."""
        return 1 if self.writers else 0


def facts(agent: Agent, *, name: str = "agent_turn", measure: bool = True) -> Facts:
    """Read an agent's surroundings and, with `measure`, run it: the scoreboard, and one hard turn.

    The agent takes a question, and thread_id and max_iterations where it has them.
    """
    board = scoreboard(agent) if measure else None
    session, config = current_session(), current_config()
    tools, right = contracts(), role(session.role)
    faults = [fault for tool in tools for fault in lint(tool)]
    envelope = session.envelope or right.envelope
    schemas = sent_at_most(tools, config.k_tools)
    parameters = inspect.signature(agent).parameters
    return Facts(
        name=name,
        model=config.model or settings().model,
        settings=settings(),
        config=config,
        max_turns=int(_default(parameters, "max_iterations", config.max_iterations or 8)),
        seconds=float(_default(parameters, "budget_seconds", config.budget_seconds or 360)),
        tools=tools,
        schemas=schemas,
        prompt_tokens=count_tokens(SYSTEM_PROMPT) + sum(count_tokens(str(s)) for s in schemas),
        role=session.role,
        envelope=envelope,
        worst=worst_case(envelope, tools),
        checklist=_checklist(agent, tools, config, len(faults), measure),
        faults=len(faults),
        board=board,
    )


def _default(parameters: Any, name: str, otherwise: float) -> float:
    """The default of a parameter, where it has one that is a number."""
    value = parameters[name].default if name in parameters else None
    return value if isinstance(value, int | float) else otherwise


def _checklist(
    agent: Agent,
    tools: Sequence[ToolContract],
    config: TurnConfig,
    faults: int,
    measure: bool,
) -> list[Check]:
    """The eight actions, each looked at as far as a program can."""
    on_demand = [tool for tool in tools if tool.instructions]
    held_back = sum(count_tokens(tool.instructions) for tool in on_demand)
    failed, refused = _observation("no_such_tool", "{}"), _observation("run_sql", '{"rows": 5}')
    turns = trace_reader.turns(last=200)
    return [
        Check(
            "Tool contracts before prompts: trigger, parameters, output",
            not faults and all(tool.when and tool.returns for tool in tools),
            f"{len(tools)} tools, {faults or 'no'} faults found in their contracts",
        ),
        Check(
            "Instructions load when a tool is selected, not before",
            bool(on_demand),
            f"{len(on_demand)} tools hold back {held_back:,} tokens",
        ),
        _capped(agent, measure),
        Check(
            "Errors reach the model as they are, with ERROR: in front",
            failed.startswith("ERROR:"),
            f"a call of a tool that is not there: `{failed[:60]}`",
        ),
        Check(
            "The middle of a long conversation is compressed, head and tail are kept",
            config.compact_at <= 1,
            f"from {config.compact_at:.0%} of {config.window_tokens or settings().window_tokens:,} "
            f"tokens on; the last {config.keep_last} messages stay whole",
        ),
        Check(
            "Arguments are validated before anything runs",
            refused.startswith("ERROR:"),
            f"run_sql without its sql: `{refused[:60]}`",
        ),
        Check(
            "Every iteration is traced: decision, payloads, latency, tokens",
            settings().trace and config.trace,
            f"kept {settings().trace_days} days; {len(turns)} turns there (of 200 at most)",
        ),
        Check(
            "Traces are reviewed every week",
            False,
            "a person's: `python -m harness trace review`",
        ),
    ]


def _capped(agent: Agent, measure: bool) -> Check:
    """One round for a question that needs more: a text must come back all the same."""
    item = "A hard cap on iterations, and an answer when it is reached"
    if not measure or "max_iterations" not in inspect.signature(agent).parameters:
        return Check(item, False, "not tried")
    quiet = {"verbose": False} if "verbose" in inspect.signature(agent).parameters else {}
    try:
        answer = agent(QUESTION, max_iterations=1, **quiet)
    except Exception as error:
        return Check(item, False, f"with one round it raised {type(error).__name__}")
    held = isinstance(answer, str) and bool(answer.strip())
    return Check(item, held, f"with one round it {'answered' if held else 'said nothing'}")


def _observation(tool: str, arguments: str) -> str:
    """What the model would read after a call."""
    call = {"id": "check", "type": "function", "function": {"name": tool, "arguments": arguments}}
    try:
        return " ".join(dispatch(call).content.split())
    except WorkshopError as error:
        return str(error)
