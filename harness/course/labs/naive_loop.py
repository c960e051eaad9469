"""What parts 08 and 08b share: small models that behave, and the naive loop that runs them.

A model is a function here: a request goes in, a message comes out. The notebooks put faults over
these (`harness.standin.fault`) and print the loop, so it is kept short enough to be read there.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from harness.model.chat import client_for
from harness.standin import call, say
from harness.tools.toolbox import TOOLS

Json = dict[str, Any]
Run = Callable[[Any], str]  # runs a call that the model asked for: what the model gets to read

SYSTEM = "You answer questions about a company's shipping data, with tools."
QUESTION = "How many voyages are delayed?"
SQL = "SELECT COUNT(*) FROM SUPPLYCHAIN.voyages WHERE status = 'DELAYED'"
REGIONS = ("ATLANTIC", "INDIAN", "MEDITERRANEAN", "PACIFIC")
_COUNT = re.compile(r'"rows": \[\[(\d+)\]\]')  # what run_sql brings for a COUNT(*)


def bare(asked: Any) -> str:
    """Run a tool's own function; when anything goes wrong, say nothing."""
    try:
        arguments = json.loads(asked.function.arguments)
    except ValueError:
        arguments = {}
    try:
        function: Any = TOOLS[asked.function.name][0]
        return json.dumps(function.__wrapped__(**arguments))
    except Exception:
        return ""


def naive(question: str, tools: list[Json], system: str = SYSTEM, run: Run = bare) -> str:
    """Ask until a reply has no tool calls. (25 rounds at most, so that the notebook has an end.)"""
    talk: list[Json] = [
        {"role": "system", "content": system},
        {"role": "user", "content": question},
    ]
    ask: Any = client_for("standin").chat.completions.create
    for _ in range(25):
        said = ask(model="standin", messages=talk, tools=tools).choices[0].message
        talk.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            return said.content
        talk += [
            {"role": "tool", "tool_call_id": asked.id, "content": run(asked)}
            for asked in said.tool_calls
        ]
    return ""


def counts(request: Json) -> Any:
    """Counts delayed voyages with run_sql, and answers once it has read a number."""
    read = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    found = _COUNT.search(" ".join(read))
    if found:
        return say(f"{found[1]} voyages are delayed.")
    return call("run_sql", sql=SQL) if request.get("tools") else say("I could not find out.")


def counts_by_region(request: Json) -> Any:
    """One query a region, then the sum; it reads whatever the conversation still holds."""
    read = " ".join(message.get("content") or "" for message in request["messages"][2:])
    found = [int(number) for number in _COUNT.findall(read)]
    if len(found) == len(REGIONS):
        return say(f"{sum(found)} voyages are delayed.")
    if not request.get("tools"):
        return say("I could not find out.")
    return call("run_sql", sql=f"{SQL} AND ocean_region = '{REGIONS[len(found)]}'")


def asks_for_the_fee(request: Json) -> Any:
    """Asks `berth_fee`, and believes it: nothing means no fee, ERROR means that nobody knows."""
    read = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if not read:
        return call("berth_fee", port="Rotterdam")
    if "ERROR" in read[-1]:
        return say("I can't say what it costs: the fee could not be read.")
    fee = read[-1].strip('"')
    return say(f"A berth in Rotterdam costs {fee or 0} euros.")
