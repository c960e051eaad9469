"""What parts 08 and 08b share beside the naive loop: loops that are prepared, and the red map."""

import json
import re
from typing import Any

from harness import chat, dispatch
from harness.course.labs.naive_loop import SQL, SYSTEM, counts, naive
from harness.databases.state import state
from harness.standin import say
from harness.ui.red_map import draw_red_map
from harness.ui.terminal import many

Json = dict[str, Any]


def guarded(
    question: str, tools: list[Json], guard: Any, system: str = SYSTEM, rounds: int = 8
) -> str:
    """The loop with a guard: dispatch, a cap on the rounds, a last word without tools."""
    talk: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": question},
    ]
    for _ in range(rounds):
        said = chat(talk, tools).choices[0].message
        if not said.tool_calls:
            return said.content
        talk.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            content = watched(call, guard)
            talk.append({"role": "tool", "tool_call_id": call.id, "content": content})
        if guard.tripped:
            break
    why = guard.tripped or "the rounds are used up"
    talk.append({"role": "user", "content": f"Stop: {why}. Answer now, without tools."})
    return chat(talk).choices[0].message.content


def watched(call: Any, guard: Any) -> str:
    """Run a call, or give back what the guard knows of it."""
    name, text = call.function.name, call.function.arguments
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = {"not JSON": text}
    known: str | None = guard.before(name, arguments)
    result = dispatch(call).content if known is None else known
    guard.after(name, arguments, result)
    return result


def prepared(question: str, tools: list[Json]) -> str:
    """The naive loop with a single change: dispatch runs the calls."""
    return naive(question, tools, run=lambda asked: dispatch(asked).content)


def to_the_goal(question: str, tools: list[Json], goal: Any, finish: Any, rounds: int = 8) -> Any:
    """Rounds until `finish` accepts; what it says is the next thing that the model reads."""
    system = f"{SYSTEM} Your final answer is JSON: {', '.join(goal.model_fields)}."
    talk: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": question},
    ]
    for _ in range(rounds):
        said = chat(talk, tools).choices[0].message
        talk.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls or []:
            content = dispatch(call).content
            talk.append({"role": "tool", "tool_call_id": call.id, "content": content})
        if not said.tool_calls:
            result = finish(said.content, goal)
            if not isinstance(result, str):
                return result
            print("  ->", result)
            talk.append({"role": "user", "content": result})
    return None


def counts_as_json(request: Json) -> Any:
    """The sensible model, which writes its count as JSON, with the query that it rests on."""
    said = counts(request)
    number = re.match(r"\d+", said.content or "")
    return say(json.dumps({"count": int(number[0]), "sql": SQL})) if number else said


def tickets(user: str) -> int:
    """How many tickets a user has, as the store has it."""
    return int(state().read("SELECT COUNT(*) FROM tickets WHERE user_id = ?", (user,))[0][0])


class RedMap:
    """What became of each failure, in a naive loop and in a prepared one.

    `truth` is the answer of a model that behaves: a run is good if its answer has that figure.
    """

    def __init__(self, truth: str) -> None:
        """`truth` begins with the figure."""
        self._figure = truth.split()[0]
        self._naive: dict[str, tuple[str, bool]] = {}
        self._prepared: dict[str, tuple[str, bool]] = {}

    def naive(self, failure: str, seen: Any, good: bool | None = None) -> None:
        """Note what the naive loop did: a run of `watch`, or words and whether that was good."""
        self._naive[failure] = self._outcome(seen, good)

    def prepared(self, failure: str, seen: Any, good: bool | None = None) -> None:
        """The same for the prepared loop."""
        self._prepared[failure] = self._outcome(seen, good)

    def draw(self) -> None:
        """Draw what was noted so far."""
        draw_red_map(self._naive, self._prepared)

    def _outcome(self, seen: Any, good: bool | None) -> tuple[str, bool]:
        if isinstance(seen, str):
            return seen, bool(good)
        answer = str(getattr(seen.answer, "answer", seen.answer))
        right = self._figure in re.findall(r"\d+", answer)
        largest = f"up to {max(seen.tokens):,} tokens" if seen.tokens else ""
        said = answer.strip("()").split(": ")[-1] or "no answer"
        return (
            f"{many(seen.requests, 'request')}, {largest}: {said}",
            right if good is None else good,
        )
