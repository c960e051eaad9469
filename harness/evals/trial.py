"""One trial: a task is put to an agent once, and what happened is written down and judged."""

import asyncio
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.evals.goals import Miss, Run, misses
from harness.evals.planting import planted
from harness.evals.receipts import Call, calls_of, layers_of
from harness.evals.tasks import Task
from harness.memory import memory
from harness.model.timeout import run_bounded
from harness.run import recorder, trace
from harness.run.conversation import turn_for
from harness.session import current_session
from harness.traces.record_format import ENDED
from harness.traces.turn_path import decision_path

Agent = Callable[..., Any]

_GRACE = 30.0  # seconds beyond its budget that an agent has to give its last word
NO_LIMIT = 3_600.0


class Trial(BaseModel):
    """What came of one trial; a line of `results.jsonl`.

    `why` are the reasons why the goal was missed. `statuses`, `paths` and `trace_ids` have an entry
    a turn. `layers` says of each layer whether it did its part, None where it had none.
    """

    model_config = ConfigDict(extra="ignore")

    task: str
    number: int = 1
    reached: bool
    why: list[str] = []
    sides: list[str] = []
    answer: str = ""
    statuses: list[str] = []
    paths: list[str] = []
    trace_ids: list[str] = []
    calls: list[Call] = []
    layers: dict[str, bool | None] = {}
    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens


def run_trial(task: Task, agent: Agent, number: int = 1, seconds: float = NO_LIMIT) -> Trial:
    """Put a task to an agent as the session's user, who should be nobody else's.

    `agent(question)` or `agent(question, thread_id=...)` returns the answer. An agent that raises,
    or takes longer than `seconds` a question and a little, has missed the goal; so has one whose
    goal raises.
    """
    thread_id, user = f"eval {task.name} {number}", current_session().user
    events: list[dict[str, Any]] = []
    answer, error, statuses = "", "", []
    began = time.perf_counter()
    with _heard(user, events), planted(task.plants):
        for number_of, question in enumerate(task.questions):
            try:
                if not number_of:
                    _remember(task, user)
                answer = _asked(agent, question, thread_id, seconds)
                statuses.append(_ended(events, answer))
            except TimeoutError:
                error = f"the agent gave no answer within {seconds:,.0f} seconds"
            except (Exception, SystemExit) as raised:
                error = f"the agent raised {type(raised).__name__}: {raised}"
            if error:
                statuses.append("raised")
                break
    took = time.perf_counter() - began
    run = Run(answer, thread_id, user, task.questions, tuple(statuses), events)
    missed = [Miss("ending", error)] if error else misses(task.goal, run)
    return _told(task, number, run, missed, error, took)


def _remember(task: Task, user: str) -> None:
    for text in task.memories:
        memory.add_memory(text, user_id=user)


def _asked(agent: Agent, question: str, thread_id: str, seconds: float) -> str:
    """The agent's answer, from a thread that nobody waits for for ever."""

    def ask() -> Any:
        turn_for(thread_id, question)  # so that calls are recorded under a loop that logs nothing
        named = _named(agent, thread_id)
        answer = _made(agent(question, **named))
        turn = recorder.current_turn()
        if turn is not None:  # a loop that logged no answer
            recorder.end(turn, str(answer))
        return answer

    answer = ask() if seconds >= NO_LIMIT else run_bounded(ask, seconds + _GRACE)
    return str(getattr(answer, "answer", answer) or "")


def _made(answer: Any) -> Any:
    """The answer of an agent, which may be async. Raises TypeError for one that makes no text."""
    if inspect.isawaitable(answer):
        answer = asyncio.run(_awaited(answer))
    if inspect.isgenerator(answer) or inspect.isasyncgen(answer):
        raise TypeError("it returned a generator, not an answer")
    return answer


async def _awaited(answer: Any) -> Any:
    return await answer


def _named(agent: Agent, thread_id: str) -> dict[str, Any]:
    try:
        parameters = inspect.signature(agent).parameters
    except (TypeError, ValueError):
        return {}
    given = {"thread_id": thread_id, "verbose": False}
    return (
        {name: value for name, value in given.items() if name in parameters}
        if ("thread_id" in parameters)
        else {}
    )


@contextmanager
def _heard(user: str, events: list[dict[str, Any]]) -> Iterator[None]:
    """Collect what is recorded of this user's turns in the block."""

    def hear(event: dict[str, Any]) -> None:
        if event["user"] == user:
            events.append(event)

    with trace.watching(hear):
        yield


def _ended(events: list[dict[str, Any]], answer: str) -> str:
    """How the turn that was just answered ended."""
    last = next((e for e in reversed(events) if e["phase"] in ENDED), None)
    status = str(last["status"]) if last else "completed"
    return status if answer.strip() else "no answer"


def _told(
    task: Task, number: int, run: Run, missed: list[Miss], error: str, seconds: float
) -> Trial:
    turns = list(dict.fromkeys(event["trace_id"] for event in run.events))
    chats = [event for event in run.events if event["operation"] == "chat"]
    return Trial(
        task=task.name,
        number=number,
        reached=not missed,
        why=[miss.why for miss in missed],
        sides=[miss.side for miss in missed],
        answer=run.answer,
        statuses=list(run.statuses),
        paths=[decision_path(e for e in run.events if e["trace_id"] == turn) for turn in turns],
        trace_ids=turns,
        calls=calls_of(run.events),
        layers=layers_of(task, run, missed),
        prompt_tokens=sum((event["tokens"] or {}).get("prompt", 0) for event in chats),
        completion_tokens=sum((event["tokens"] or {}).get("completion", 0) for event in chats),
        requests=len(chats),
        seconds=round(seconds, 3),
        error=error,
    )
