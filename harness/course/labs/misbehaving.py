"""The laboratory of parts 08 and 08b: a loop against a model that misbehaves, and measures."""

import json
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any

import openai

from harness.model.tokens import count_message
from harness.standin import call, fault, say, script
from harness.tools.toolbox import TOOLS, register

Loop = Callable[..., Any]
LEGS = (310, 1240, 560, 2075, 815)  # miles
TOTALS = [sum(LEGS[: leg + 1]) for leg in range(len(LEGS))]
ROUTE = f"{TOTALS[-1]} miles"


def schemas(*names: str) -> list[dict[str, Any]]:
    """The schemas of these tools."""
    return [TOOLS[name][1] for name in names]


def watch(model: Any, loop: Loop, *arguments: Any, **more: Any) -> SimpleNamespace:
    """Run a loop against a model: the answer, and what it took to get there.

    It has answer, requests, calls (in the last request) and tokens (of each request).
    """
    with script([], then=model) as seen:
        try:
            answer = loop(*arguments, **more)
        except openai.BadRequestError as error:
            answer = f"(the API said {error.status_code}: {error.code})"
    talk = seen.requests[-1]["messages"]
    return SimpleNamespace(
        answer=answer,
        requests=len(seen.requests),
        calls=sum(len(message.get("tool_calls", [])) for message in talk),
        tokens=[sum(map(count_message, each["messages"])) for each in seen.requests],
    )


def add_leg(
    total: Annotated[int, "The total so far."] = 0, miles: Annotated[int, "The leg's length."] = 0
) -> dict[str, int]:
    """Add a leg to the total of a route."""
    return {"total": total + miles}


def slips(seed: int) -> Callable[[dict[str, Any]], Any]:
    """A model that adds the legs up, one call a leg; one call in twenty is not JSON.

    Which ones is up to a die, the same for the same seed.
    """
    die = random.Random(seed)

    def model(request: dict[str, Any]) -> Any:
        so_far = _totals(request)
        if len(so_far) == len(LEGS) or not request.get("tools"):
            return say(f"{so_far[-1] if so_far else 0} miles")
        leg = call("add_leg", total=so_far[-1] if so_far else 0, miles=LEGS[len(so_far)])
        return fault("bad-json=always", over=leg) if die.random() < 0.05 else leg

    return model


def measure(loop: Loop, routes: int) -> list[SimpleNamespace]:
    """So many routes with a loop of (question, tools).

    Each has right (whether the answer was), requests, and legs: how many of them were right, one
    after another, before the first that was not.
    """
    register(when="legs are added up.", returns="the new 'total'.", replace=True)(add_leg)
    results = []
    for seed in range(routes):
        with script([], then=slips(seed)) as seen:
            answer = loop("How long is the route?", schemas("add_leg"))
        found = _totals(seen.requests[-1])
        legs = sum(found[: leg + 1] == TOTALS[: leg + 1] for leg in range(len(LEGS)))
        results.append(
            SimpleNamespace(right=answer == ROUTE, requests=len(seen.requests), legs=legs)
        )
    del TOOLS["add_leg"]
    return results


def _totals(request: dict[str, Any]) -> list[int]:
    read = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    return [json.loads(text)["total"] for text in read if not text.startswith("ERROR")]
