"""Small agents for the gym: one that does everything right, and one for each way to do it wrong.

They use nothing but the standard library, so that a process starts in no time.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

TOOL = {
    "type": "function",
    "function": {
        "name": "count_voyages",
        "description": "Count voyages.",
        "parameters": {
            "type": "object",
            "properties": {"status": {"type": "string", "enum": ["DELAYED", "LOADING"]}},
            "required": ["status"],
        },
    },
}


def post(messages, tools=(TOOL,), route="/chat/completions"):
    body = {"model": "mine", "messages": messages} | ({"tools": list(tools)} if tools else {})
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + route,
        json.dumps(body).encode(),
        {"Authorization": "Bearer key", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.loads(reply.read())["choices"][0]["message"]


def count(arguments):
    return json.dumps({"count": len(arguments["status"])})


def checked(call):
    """The result of a call that is right, and an error that names what is wrong with another."""
    try:
        arguments = json.loads(call["function"]["arguments"])
        if call["function"]["name"] == "count_voyages" and arguments["status"] in ("DELAYED",):
            return count(arguments)
    except (ValueError, KeyError, TypeError):
        pass
    return "ERROR: the call is faulty"


def echo(message):
    return {name: message[name] for name in ("role", "content", "tool_calls") if name in message}


def loop(question, result=checked, rounds=6, copy=echo, needs_a_call=False):
    messages = [{"role": "user", "content": question}]
    for _ in range(rounds):
        try:
            message = post(messages)
        except (urllib.error.HTTPError, ValueError) as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 429:
                raise
            time.sleep(0.2)
            continue
        called = any(each["role"] == "tool" for each in messages)
        if not message.get("tool_calls") and needs_a_call and not called:
            messages += [copy(message), {"role": "user", "content": "Call count_voyages first."}]
            continue
        if not message.get("tool_calls"):
            return message["content"]
        messages.append(copy(message))
        for call in message["tool_calls"]:
            made = {"role": "tool", "tool_call_id": call["id"], "content": result(call)}
            messages.append(made)
    messages.append({"role": "user", "content": "Answer now."})
    return post(messages, ())["content"]


def careful(question):
    return loop(question)


def knows_what_it_needs(question):
    return loop(question, needs_a_call=True)


def runs_anything(question):
    return loop(question, result=lambda call: '{"count": 7}')


def loses_a_result(question):
    return loop(question, copy=lambda message: {"role": "assistant", "content": "calling"})


def raises(question):
    raise RuntimeError("no such luck")


def hangs(question):
    post([{"role": "user", "content": question}])
    time.sleep(60)


def leaves_a_child(question):
    post([{"role": "user", "content": question}])
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    Path(question).write_text(str(child.pid), encoding="utf-8")
    time.sleep(60)


def floods(question):
    while True:
        try:
            post([{"role": "user", "content": question}])
        except urllib.error.HTTPError:
            pass


def never_calls(question):
    return "I know it by heart."


def other_route(question):
    return post([{"role": "user", "content": question}], route="/responses")


def keeps_the_answer(question):
    loop(question)
    return ""


def only_when_well(ill):
    """An agent that is careful in the plain case, and something else in all others."""

    def agent(question):
        return (careful if "/plain/" in os.environ["OPENAI_BASE_URL"] else ill)(question)

    return agent


then_hangs = only_when_well(hangs)
then_floods = only_when_well(floods)
then_never_calls = only_when_well(never_calls)
then_raises = only_when_well(raises)
then_other_route = only_when_well(other_route)
then_keeps_the_answer = only_when_well(keeps_the_answer)
then_loses_a_result = only_when_well(loses_a_result)


def unhelpful(question):
    """Refuses faulty calls in words that name no error."""
    return loop(
        question,
        result=lambda call: checked(call).replace("ERROR: the call is faulty", "unhashable type"),
    )
