"""What the tests of misbehaving models share: a small model under each fault, and its answer."""

import json

from harness import standin
from tests.standin_client import QUESTION, assistant, call, result, send, tool

TOOLS = [
    tool("probe", question={"type": "string"}, n={"type": "integer", "maximum": 9}),
    tool("search_knowledge", query={"type": "string"}),
    tool("list_skills", query={"type": "string"}),
]


ARGUMENTS = {"question": "how many voyages", "n": 3}


ANSWER = "There are 600 voyages in the data."


ERROR = "ERROR: that was wrong. Do it right."


def little_model(request):
    results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    if request.get("tools") and not any("ok" in text for text in results):
        return standin.call("probe", **ARGUMENTS)
    return standin.say(ANSWER)


def answer(name, messages=None, tools=TOOLS, model=little_model, **more):
    """The message, as it is on the wire, and the finish_reason."""
    body = {"model": "m", "messages": messages or [QUESTION], **more}
    if tools:
        body["tools"] = tools
    with standin.script([standin.fault(name, over=model)]):
        response = send(body)
    assert response.status_code == 200, response.text
    choice = response.json()["choices"][0]
    return choice["message"], choice["finish_reason"]


def round_of(message, *contents):
    """A message echoed and answered, as a harness that mends ids and arguments does it."""
    calls, results = [], []
    for number, each in enumerate(message["tool_calls"]):
        function = each["function"]
        arguments = function["arguments"] if isinstance(function["arguments"], str) else "{}"
        calls.append(call(f"fixed_{number}", function["name"] or "none", arguments))
        results.append(result(f"fixed_{number}", contents[min(number, len(contents) - 1)]))
    return [assistant(*calls), *results]


def only_call(message):
    assert len(message["tool_calls"]) == 1
    return message["tool_calls"][0]["function"]


def is_right(message):
    return json.loads(only_call(message)["arguments"]) == ARGUMENTS and (
        only_call(message)["name"] == "probe"
    )


def is_no_json(function):
    try:
        json.loads(function["arguments"])
    except ValueError:
        return True
    return False


def raw_answer(name, messages=None, **more):
    with standin.script([standin.fault(name, over=ANSWER)]):
        return send({"model": "m", "messages": messages or [QUESTION], **more})


def fresh(text):
    return [{"role": "user", "content": text}]
