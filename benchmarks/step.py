"""What one step of the loop costs, everything included, when model and tool answer at once.

    python benchmarks/step.py [--repeats 5]

A transport in memory is the server: it answers each request with the next of a row of
replies, so the time is that of our loop and the openai client (validation, store, trace, tokens).
Prints the median over the repeats, in milliseconds a step, at 10 and at 200 steps.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["WORKSHOP_OFFLINE"] = "1"
os.environ["WORKSHOP_HOME"] = tempfile.mkdtemp()

import httpx2
import openai

from harness import TurnConfig, register, run_turn


@register(when="adding", returns="'sum' is the sum.", always=True)
def add(a: Annotated[int, "first"], b: Annotated[int, "second"]) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


class Canned(httpx2.BaseTransport):
    """Answers every request with the next reply."""

    def __init__(self, steps: int) -> None:
        self.replies = [_reply(i, i < steps) for i in range(steps + 1)]
        self.next = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The next reply, whatever the request says."""
        self.next += 1
        headers = {"content-type": "application/json"}
        return httpx2.Response(200, content=self.replies[self.next - 1], headers=headers)


def _reply(i: int, call: bool) -> bytes:
    message: dict[str, object] = {"role": "assistant", "content": None if call else "Done."}
    if call:
        function = {"name": "add", "arguments": json.dumps({"a": i, "b": 2})}
        message["tool_calls"] = [{"id": f"c{i}", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": "tool_calls" if call else "stop", "message": message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps({"id": "r", "model": "m", "choices": [choice], "usage": usage}).encode()


def milliseconds_a_step(steps: int) -> float:
    """Time of a turn of `steps` steps, less that of a turn without any, per step."""
    config = TurnConfig(max_iterations=steps + 1, token_cap=10**9)
    times = []
    for calls in (0, steps):
        transport = Canned(calls)
        client = openai.OpenAI(api_key="none", http_client=httpx2.Client(transport=transport))
        with mock.patch("harness.model.chat.client_for", lambda model, client=client: client):
            started = time.perf_counter()
            result = run_turn("Add some numbers.", config=config)
            times.append(time.perf_counter() - started)
        assert result.status == "completed" and len(result.steps) == calls, result
    return (times[1] - times[0]) / steps * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    milliseconds_a_step(10)  # imports and caches
    for steps in (10, 50, 200):
        values = [milliseconds_a_step(steps) for _ in range(repeats)]
        print(f"{steps:4} steps: {statistics.median(values):.2f} ms a step")


if __name__ == "__main__":
    main()
