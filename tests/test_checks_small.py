# ruff: noqa: E501  (the versions stand as learners write them)
"""The checks of part 01: answer_tool_calls and tiny_loop, wrong versions and right ones."""

import json

import pytest

from harness import SYSTEM_PROMPT, TOOLS, build_context, chat, dispatch, retrieve_tools
from harness.checks import evaluate
from harness.course.answers import answers_01
from harness.course.evaluation import is_ours
from tests.wrong import build

GLOBALS = {
    "__name__": "__main__",
    "SYSTEM_PROMPT": SYSTEM_PROMPT,
    "TOOLS": TOOLS,
    "build_context": build_context,
    "chat": chat,
    "dispatch": dispatch,
    "json": json,
    "retrieve_tools": retrieve_tools,
}
ANSWER = """
def answer_tool_calls(message):
    answers = []
    for call in message.tool_calls:
        content = dispatch(call).content
        answers.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return answers
"""
BY_HAND = """
def answer_tool_calls(message):
    return [dict(role="tool", tool_call_id=c.id, content=observe(c)) for c in message.tool_calls]


def observe(call):
    if call.function.name not in TOOLS:
        return dispatch(call).content
    try:
        return TOOLS[call.function.name][0](**json.loads(call.function.arguments))
    except ValueError:
        return dispatch(call).content
    except Exception as error:
        return f"ERROR: {error}"
"""
LOOP = """
def tiny_loop(question, max_rounds=8):
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    tools = retrieve_tools(question)
    for _ in range(max_rounds):
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        messages.extend(answer_tool_calls(message))
    return chat(messages).choices[0].message.content
"""


def made(name, source, *changes):
    """The function of a source text with pieces replaced, each of which must be there."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    namespace = dict(GLOBALS)
    exec(ANSWER + source, namespace)
    return namespace[name]


def answer(*changes, source=ANSWER):
    return made("answer_tool_calls", source, *changes)


def loop(*changes, source=LOOP):
    return made("tiny_loop", source, *changes)


WRONG = [
    ("not_written", answer(("    answers = []\n", "    raise NotImplementedError\n"))),
    ("not_a_list", answer(("    return answers\n", ""))),
    ("not_a_list", answer(("return answers", "return answers[0]"))),
    ("not_a_list", answer(("return answers", "return [dispatch(c) for c in message.tool_calls]"))),
    ("call_unanswered", answer(("    return answers", "        return answers"))),
    ("call_unanswered", answer(("return answers", "return answers[-1:]"))),
    ("too_many", answer(("return answers", "return answers + answers"))),
    ("ids_wrong", answer(("call.id", "call.function.name"))),
    ("ids_wrong", answer(("call.id", "message.tool_calls[0].id"))),
    ("order_wrong", answer(("return answers", "return answers[::-1]"))),
    ("order_wrong", answer(("return answers", "return sorted(answers, key=lambda a: a['tool_call_id'])"))),
    ("wrong_role", answer(('"role": "tool"', '"role": "user"'))),
    ("result_not_text", answer(("dispatch(call).content", "dispatch(call)"))),
    ("result_not_text", answer(("dispatch(call).content", "json.loads(dispatch(call).content)"))),
    ("result_lost", answer(("dispatch(call).content", "dispatch(call).status"))),
    ("tool_not_run", answer(("dispatch(call).content", '"ok"'))),
    ("tool_run_twice", answer(("dispatch(call).content", "(dispatch(call), dispatch(call))[0].content"))),
    ("crash_unknown_tool", answer(
        ('    if call.function.name not in TOOLS:\n        return dispatch(call).content\n', ""),
        ("    try:\n", "    TOOLS[call.function.name]\n    try:\n"), source=BY_HAND)),
    ("crash_raising_tool", answer(("except Exception", "except OSError"), source=BY_HAND)),
    ("crash_bad_json", answer(("    try:\n", "    json.loads(call.function.arguments)\n    try:\n"),
                              source=BY_HAND)),
    ("error_hidden", answer(('f"ERROR: {error}"', '"fine"'), source=BY_HAND)),
    ("bad_json_run", answer(("json.loads(call.function.arguments)", "parsed(call)"),
                            ("def observe", "def parsed(call):\n    try:\n        return json.loads("
                             "call.function.arguments)\n    except ValueError:\n        return {}\n"
                             "\n\ndef observe"), source=BY_HAND)),
    ("not_written", loop(("    for _ in", "    raise NotImplementedError\n    for _ in"))),
    ("signature", loop((", max_rounds=8", ""), ("range(max_rounds)", "range(8)"))),
    ("never_asks", loop(("    tools =", "    return 'Forty-two.'\n    tools ="))),
    ("never_loops", loop(("answer_tool_calls(message))\n", "answer_tool_calls(message))\n"
                                                           "        return message.content\n"))),
    ("ignores_final", loop(("return message.content\n", "final = message.content; continue\n"))),
    ("no_tools", loop(("chat(messages, tools)", "chat(messages)"))),
    ("system_prompt_missing", loop(("SYSTEM_PROMPT", '"Answer."'))),
    ("question_missing", loop(('"content": question}', '"content": "Hello?"}'))),
    ("no_echo", loop(("        messages.append(message.model_dump(exclude_none=True))\n", ""))),
    ("call_unanswered", loop(("        messages.extend(answer_tool_calls(message))\n", ""))),
    ("call_unanswered", loop(("extend(answer_tool_calls(message))",
                              "append(answer_tool_calls(message)[0])"))),
    ("not_a_message", loop(("messages.extend(", "messages.append("))),
    ("order_wrong", loop(("        messages.append(message.model_dump(exclude_none=True))\n", ""),
                         ("(message))\n", "(message))\n        messages.append(message)\n"))),
    ("no_forced_final", loop(("    return chat(messages)", "    return None and chat(messages)"))),
    ("forced_offers_tools", loop(("return chat(messages)", "return chat(messages, tools)"))),
    ("rounds_ignored", loop(("for _ in range(max_rounds):", "while True:"))),
    ("rounds_off_by_one", loop(("range(max_rounds)", "range(max_rounds - 1)"))),
    ("rounds_off_by_one", loop(("max_rounds=8", "max_rounds=7"))),
    ("wrong_return", loop(("return message.content\n", "return message\n"),
                          (".message.content\n", ".message\n"))),
    ("ignores_final", loop(("for _ in range(max_rounds):", "while True:"),
                          ("return message.content\n", "continue\n"))),
]  # fmt: skip
RIGHT = [
    answer(),
    answer(source=BY_HAND),
    answer(source="def answer_tool_calls(message) -> list[dict]:\n"
                  "    return [dispatch(call).message for call in message.tool_calls]\n"),
    loop(),
    loop(("answer_tool_calls(message)", "[dispatch(c).message for c in message.tool_calls]")),
    loop(("model_dump(exclude_none=True)", "model_dump()"),
         ("    return chat(messages)", '    messages.append({"role": "user", "content": "Answer."})\n'
          "    return chat(messages, None)")),
    loop(source="""
def tiny_loop(question: str, max_rounds: int = 8) -> str:
    context = build_context("default", question)
    messages = [dict(role="system", content=SYSTEM_PROMPT), dict(role="user", content=context)]
    while max_rounds:
        message = chat(messages, tools=retrieve_tools(question)).choices[0].message
        if message.tool_calls:
            messages = [*messages, message.model_dump(), *answer_tool_calls(message)]
            max_rounds -= 1
        else:
            return message.content
    return chat(messages, tools=None).choices[0].message.content
"""),
]  # fmt: skip


@pytest.mark.parametrize(("code", "fn"), WRONG)
def test_a_wrong_version_gets_its_finding_and_no_other(code, fn):
    report = evaluate(fn.__name__, fn)
    assert report.codes == [code], str(report)
    assert not report.passed


@pytest.mark.parametrize("fn", RIGHT)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate(fn.__name__, fn)
    assert report.passed, str(report)


@pytest.mark.parametrize("name", ["answer_tool_calls", "tiny_loop"])
def test_ours_passes_and_the_same_code_is_called_ours(name):
    ours = getattr(answers_01, name)
    assert evaluate(name, ours).passed and evaluate(name, ours).owner == "ours"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fit_window", "keep_last: int = 8", "keep_last: int = 6"),
        ("agent_turn", '{"role": "user", "content": ask}', '{"role": "system", "content": ask}'),
        ("offload", "{tool_call_id!r}", "{tool_call_id}"),
        ("agent_turn", "(thread_id, user_query)}", "(user_query, thread_id)}"),
    ],
)
def test_ours_with_another_default_constant_or_order_is_not_ours(name, old, new):
    assert is_ours(name, build(name, {old: old}))
    assert not is_ours(name, build(name, {old: new}))


@pytest.mark.parametrize("name", ["answer_tool_calls", "LoopGuard"])
def test_whoever_writes_async_def_is_told_to_write_def(name):
    async def answer_tool_calls(message):
        return []

    class LoopGuard:
        async def before(self, name, arguments):
            return None

    written = {"answer_tool_calls": answer_tool_calls, "LoopGuard": LoopGuard}[name]
    report = evaluate(name, written)
    assert report.codes == ["async_function"] and "plain `def`" in str(report)
