"""What the tests of the stand-in share: a real openai client on it, and histories to send."""

import json
from typing import Any

import httpx2
import openai
import pytest

from harness import standin
from harness.standin import StandinTransport

SAY = standin.say("ok")
QUESTION = {"role": "user", "content": "# Knowledge\n- x\n# Question\nHow many voyages are there?"}


def client(**options: Any) -> openai.OpenAI:
    options.setdefault("max_retries", 0)
    http_client = httpx2.Client(transport=StandinTransport())
    return openai.OpenAI(
        api_key="any", base_url="http://standin.invalid/v1", http_client=http_client, **options
    )


def tool(name: str = "probe", **properties: Any) -> dict[str, Any]:
    properties = properties or {"n": {"type": "integer", "description": "a number"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": name, "description": f"{name} it", "parameters": schema}
    return {"type": "function", "function": function}


def call(id: Any = "c1", name: Any = "probe", arguments: Any = '{"n": 1}') -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*calls: dict[str, Any], content: Any = "") -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(id: Any = "c1", content: Any = '{"status": "ok"}') -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def send(body: dict[str, Any]) -> httpx2.Response:
    """A request as it is, past the checks of the client."""
    with httpx2.Client(transport=StandinTransport()) as http_client:
        return http_client.post("http://standin.invalid/v1/chat/completions", content=dumps(body))


def dumps(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def refused(status=400, **body):
    """The error that the API answers with, as the openai client reports it."""
    body = {"model": "standin", "messages": [QUESTION], **body}
    body = {name: value for name, value in body.items() if value is not ...}
    with standin.script([SAY] * 2) as seen:
        kind = {400: openai.BadRequestError, 404: openai.NotFoundError}[status]
        with pytest.raises(kind) as caught:
            client().post("/chat/completions", body=body, cast_to=object)
    assert seen.left == 2  # a refused request uses no turn up
    assert [error.message for error in seen.refused] == [caught.value.body["message"]]
    assert caught.value.status_code == status
    assert caught.value.type == "invalid_request_error"
    return caught.value


def history(*messages):
    return [QUESTION, *messages]


def named(**changes):
    return [{"type": "function", "function": {**tool()["function"], **changes}}]


def parameters(schema, **more):
    return named(parameters=schema, **more)
