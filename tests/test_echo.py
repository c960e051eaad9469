"""What a server says comes back to it: whole, streamed, and however a loop builds the message."""

import json
import uuid

import pytest

from harness import SYSTEM_PROMPT, build_context, chat, log_message, run_turn, standin
from harness.tools.dispatch import dispatch
from tests.loop_tools import CONFIG, QUESTION, body, raw_call
from tests.seed_loop import seed_turn

SAY = standin.say
OWN = {
    "reasoning_content": "Hm, 3?",
    "reasoning_details": [
        {"type": "reasoning.text", "text": "Hm", "signature": "c2ln", "index": 0}
    ],
    "vendor": {"trace": [1, {"a": "b"}]},
}
SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}
PARTS = [
    {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
    {"type": "text", "text": "So:"},
]
pytestmark = pytest.mark.usefixtures("ran")


def replies(content="So:", arguments='{"a": 1}'):
    call = {**raw_call("add", arguments, "call_x"), "extra_content": SIGNED}
    return [body({"content": content, "tool_calls": [call], **OWN}), SAY("It is 3.")]


def dumping_loop(question, thread):
    """A learner's loop that sends the message back as the client dumps it."""
    log_message(thread, "user", question)
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": build_context(thread, question)},
    ]
    from harness import retrieve_tools

    tools = retrieve_tools(question)
    while True:
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            log_message(thread, "assistant", message.content)
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        messages += [dispatch(call).message for call in message.tool_calls]


def objects_loop(question, thread):
    """The same with the client's own objects."""
    messages = [{"role": "user", "content": question}]
    message = chat(messages, tools=[]).choices[0].message
    messages += [message, *(dispatch(call).message for call in message.tool_calls)]
    return chat(messages).choices[0].message.content


LOOPS = {
    "run_turn": lambda q, t: run_turn(q, t, config=CONFIG).answer,
    "run_turn, streamed": lambda q, t: run_turn(q, t, config=CONFIG, stream=True).answer,
    "part 7": seed_turn,
    "model_dump": dumping_loop,
    "objects": objects_loop,
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("content", ["So:", None, "<think>Hm</think>So:", PARTS])
def test_the_servers_own_message_comes_back(loop, content):
    with standin.script(replies(content), strict=False) as seen:
        assert loop(QUESTION, uuid.uuid4().hex) == "It is 3."
    echo = next(m for m in seen.requests[-1]["messages"] if m.get("tool_calls"))
    assert {name: echo[name] for name in OWN} == OWN
    assert echo["tool_calls"][0]["extra_content"] == SIGNED
    assert (echo["content"] or None) == content


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize(
    "arguments", ['{"a": 1, "b": ', "[1]", '"x"', '{"a": NaN}', "a=1", "null", "", "7", '{"a": 1}}']
)
def test_arguments_that_were_no_object_are_echoed_as_one(loop, arguments):
    with standin.script(replies(arguments=arguments), strict=False) as seen:
        assert loop(QUESTION, uuid.uuid4().hex) == "It is 3."
    echo = next(m for m in seen.requests[-1]["messages"] if m.get("tool_calls"))
    assert isinstance(json.loads(echo["tool_calls"][0]["function"]["arguments"]), dict)


def test_a_learner_still_reads_what_the_model_wrote():
    with standin.script(replies(arguments='{"a": ')):
        message = chat([{"role": "user", "content": "x"}]).choices[0].message
    assert message.tool_calls[0].function.arguments == '{"a": '
    assert message.reasoning_content == "Hm, 3?"


def test_one_turns_message_is_not_another_ones():
    for signature in ("one", "two"):
        call = {**raw_call("add", '{"a": 1}', "call_x"), "extra_content": {"s": signature}}
        turns = [body({"content": None, "tool_calls": [call]}), SAY("ok")]
        with standin.script(turns, strict=False) as seen:
            seed_turn(QUESTION, uuid.uuid4().hex)
        echo = next(m for m in seen.requests[-1]["messages"] if m.get("tool_calls"))
        assert echo["tool_calls"][0]["extra_content"] == {"s": signature}
