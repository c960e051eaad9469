"""What one step of the loop costs when model and tool answer at once, and what less than it costs.

    python benchmarks/step.py                in memory and over loopback
    python benchmarks/step.py --repeats 3    quicker

Each row sends the same conversation: a step is a request, a call of a tool in its reply, and the
result. `httpx` writes and reads JSON and nothing else; `post` and `create` are the openai client's
two ways; `run_turn` is the whole harness: validation, authority, store, trace, tokens. Its turn
also has a beginning and an end: "a turn" divides them among the steps, build_context included, "a
step" leaves them out. Figures are milliseconds a step, the least of the repeats: processor time of
this process and, in brackets, wall-clock time. Over loopback the server is a process of its own.
"""

import argparse
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["WORKSHOP_OFFLINE"] = "1"

import httpx2
import openai

from harness import SYSTEM_PROMPT, TurnConfig, build_context, register, retrieve_tools, run_turn

STEPS = (10, 50, 200)
QUESTION = "Add some numbers."
SLOW = 5.0  # seconds: what takes longer is not repeated
Cost = tuple[float, float]  # processor and wall-clock seconds
Messages = list[dict[str, Any]]


@register(when="adding", returns="'sum' is the sum.", always=True)
def add(a: Annotated[int, "first"], b: Annotated[int, "second"]) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


def replies(steps: int) -> list[bytes]:
    """What the server says: so many calls, then an answer."""
    return [_reply(i, i < steps) for i in range(steps + 1)]


def _reply(i: int, call: bool) -> bytes:
    message: dict[str, object] = {"role": "assistant", "content": None if call else "Done."}
    if call:
        function = {"name": "add", "arguments": json.dumps({"a": i, "b": 2})}
        message["tool_calls"] = [{"id": f"c{i}", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": "tool_calls" if call else "stop", "message": message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps({"id": "r", "model": "m", "choices": [choice], "usage": usage}).encode()


class Canned(httpx2.BaseTransport):
    """Answers every request with the next reply, in this process."""

    def __init__(self, steps: int) -> None:
        self._replies = iter(replies(steps))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The next reply, whatever the request says."""
        headers = {"content-type": "application/json"}
        return httpx2.Response(200, content=next(self._replies), headers=headers)


class Server(socketserver.StreamRequestHandler):
    """The same over a socket. A connection is one turn; its path says how many steps it has."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Requests of one connection, until it is closed."""
        answers = None
        while line := self.rfile.readline():
            steps = int(line.split(b"/")[1])
            length = 0
            while (header := self.rfile.readline().lower()) != b"\r\n":
                if header.startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
            self.rfile.read(length)
            answers = answers or iter(replies(steps))
            body = next(answers)
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            )
            self.wfile.write(f"{head}\r\n\r\n".encode() + body)


def opening() -> tuple[Messages, list[dict[str, Any]]]:
    """The messages and tools that a turn of `run_turn` begins with."""
    context = build_context("bench", QUESTION)
    system = {"role": "system", "content": SYSTEM_PROMPT}
    return [system, {"role": "user", "content": context}], retrieve_tools(QUESTION)


def conversation(ask: Callable[[Messages], dict[str, Any]], messages: Messages) -> None:
    """The loop without a harness: ask, run the call, append, until there is an answer."""
    while calls := (message := ask(messages)).get("tool_calls"):
        messages.append(message)
        for call in calls:
            result = json.dumps({"status": "ok", **add.contract.fn(**_arguments(call))})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


def _arguments(call: dict[str, Any]) -> dict[str, int]:
    return json.loads(call["function"]["arguments"])


def httpx(client: openai.OpenAI, tools: list[dict[str, Any]]) -> Callable[[Messages], Any]:
    """A request of httpx alone."""
    http, url = client._client, f"{client.base_url}chat/completions"

    def ask(messages: Messages) -> dict[str, Any]:
        response = http.post(url, json={"model": "m", "messages": messages, "tools": tools})
        return response.json()["choices"][0]["message"]

    return ask


def post(client: openai.OpenAI, tools: list[dict[str, Any]]) -> Callable[[Messages], Any]:
    """A request of the openai client that leaves messages as they are."""

    def ask(messages: Messages) -> dict[str, Any]:
        body = {"model": "m", "messages": messages, "tools": tools}
        response = client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        return response.json()["choices"][0]["message"]

    return ask


def create(client: openai.OpenAI, tools: list[Any]) -> Callable[[Messages], Any]:
    """The openai client as its documentation uses it."""

    def ask(messages: list[Any]) -> dict[str, Any]:
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
        return reply.choices[0].message.model_dump(exclude_none=True)

    return ask


def bare(way: Callable[..., Callable[[Messages], Any]]) -> Callable[[openai.OpenAI, int], Cost]:
    """What a turn without the harness costs."""

    def cost(client: openai.OpenAI, steps: int) -> Cost:
        messages, tools = opening()
        ask = way(client, tools)
        taken = timed(lambda: conversation(ask, messages))
        assert len(messages) == 2 + 2 * steps, messages[-1]
        return taken

    return cost


def ours(client: openai.OpenAI, steps: int) -> Cost:
    """What a turn of the harness costs."""
    config = TurnConfig(max_iterations=steps + 1, token_cap=10**9)
    results = []
    with mock.patch("harness.model.chat.client_for", lambda model: client):
        taken = timed(lambda: results.append(run_turn(QUESTION, config=config)))
    assert results[0].status == "completed" and len(results[0].steps) == steps, results
    return taken


def timed(run: Callable[[], object]) -> Cost:
    """Processor and wall-clock seconds of a run."""
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - cpu, time.perf_counter() - wall


WAYS = {"httpx": bare(httpx), "post": bare(post), "create": bare(create), "run_turn": ours}


def least(costs: list[Cost]) -> Cost:
    """The least of each, which other work on the machine disturbs least."""
    return min(cost[0] for cost in costs), min(cost[1] for cost in costs)


def measure(client_for: Callable[[int], openai.OpenAI], repeats: int) -> None:
    """Print a table: a row for each way, a column for each number of steps."""
    rows: dict[str, list[Cost]] = {}
    for steps in STEPS:
        costs: dict[str, list[Cost]] = {way: [] for way in [*WAYS, "nothing"]}
        for _ in range(repeats):  # in turns, so that a busy minute is everybody's
            for way, cost in [*WAYS.items(), ("nothing", ours)]:
                if not costs[way] or costs[way][0][1] < SLOW:
                    count = 0 if way == "nothing" else steps
                    costs[way].append(cost(client_for(count), count))
        found = {way: least(each) for way, each in costs.items()}
        nothing, turn = found.pop("nothing"), found.pop("run_turn")
        found["run_turn, a turn"] = turn
        found["run_turn, a step"] = turn[0] - nothing[0], turn[1] - nothing[1]
        for way, (cpu, wall) in found.items():
            rows.setdefault(way, []).append((cpu / steps * 1000, wall / steps * 1000))
    print(f"{'':18}" + "".join(f"{steps:>10} steps" for steps in STEPS))
    for way, cells in rows.items():
        print(f"{way:18}" + "".join(f"{cpu:8.2f} ({wall:.2f})".rjust(16) for cpu, wall in cells))


def main() -> None:
    """Measure in memory, then over loopback."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
            print(server.server_address[1], flush=True)
            server.serve_forever()

    def in_memory(steps: int) -> openai.OpenAI:
        return openai.OpenAI(api_key="none", http_client=httpx2.Client(transport=Canned(steps)))

    ours(in_memory(10), 10)  # imports and caches
    print(f"milliseconds a step, processor (wall-clock), least of {given.repeats}: in memory")
    measure(in_memory, given.repeats)
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:
        port = int(server.stdout.readline())  # type: ignore[union-attr]
        address = f"http://127.0.0.1:{port}"
        print("over loopback")
        measure(
            lambda steps: openai.OpenAI(api_key="none", base_url=f"{address}/{steps}/v1"),
            given.repeats,
        )
        server.terminate()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ["WORKSHOP_HOME"] = home
        main()
