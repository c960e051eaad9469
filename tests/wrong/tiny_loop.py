# ruff: noqa: E501  (a line a version)
"""Wrong versions of `tiny_loop`."""

from tests.wrong import Wrong

_ROUND = "    for _ in range(max_rounds):\n"
_ASK = "        message = chat(messages, tools).choices[0].message\n"
_END = "    return chat(messages).choices[0].message.content"
_ECHO = "messages += [message.model_dump(exclude_none=True), *answer_tool_calls(message)]"

WRONG = [
    Wrong("in at most `max_rounds` rounds", "rounds_ignored", {_ROUND: "    while True:\n"}),
    Wrong("TODO 1", "rounds_clipped", {"range(max_rounds)": "range(min(max_rounds, 8))"}),
    Wrong("TODO 1", "rounds_off_by_one", {"range(max_rounds)": "range(max_rounds - 1)"}),
    Wrong("TODO 1", "rounds_off_by_one", {"range(max_rounds)": "range(max_rounds + 1)"}),
    Wrong(
        "TODO 1",
        "calls_counted",
        {
            _ROUND: "    used = 0\n    while used < max_rounds:\n",
            _ECHO: "used += len(message.tool_calls)\n        " + _ECHO,
        },
    ),
    Wrong("TODO 1", "rounds_ignored", {"max_rounds: int = 8": "max_rounds: int = 10"}),
    Wrong("TODO 1", "no_tools", {"chat(messages, tools)": "chat(messages)"}),
    Wrong(
        "TODO 2",
        "ignores_final",
        {
            "            return message.content\n": "            answer = message.content\n            continue\n"
        },
    ),
    Wrong("TODO 2", "text_taken_for_answer", {"if not message.tool_calls:": "if message.content:"}),
    Wrong(
        "TODO 2",
        "finish_reason",
        {
            ".choices[0].message\n        if not": ".choices[0]\n        reason, message = message.finish_reason, message.message\n        if reason == 'stop' or not"
        },
    ),
    Wrong(
        "return its content",
        "wrong_return",
        {"            return message.content": "            return message"},
    ),
    Wrong(
        "return its content",
        "wrong_return",
        {"            return message.content": "            return message.content[:200]"},
    ),
    Wrong(
        "return its content",
        "wrong_return",
        {"            return message.content": "            return str(message.content) + '.'"},
    ),
    Wrong("TODO 3", "no_echo", {"message.model_dump(exclude_none=True), ": ""}),
    Wrong(
        "TODO 3",
        "echo_text_lost",
        {
            "message.model_dump(exclude_none=True)": "{'role': 'assistant', 'tool_calls': message.model_dump()['tool_calls']}"
        },
    ),
    Wrong(
        "TODO 3",
        "order_wrong",
        {_ECHO: "messages += [*answer_tool_calls(message), message.model_dump(exclude_none=True)]"},
    ),
    Wrong("TODO 3", "call_unanswered", {", *answer_tool_calls(message)]": "]"}),
    Wrong(
        "TODO 3",
        "not_a_message",
        {", *answer_tool_calls(message)]": ", answer_tool_calls(message)]"},
    ),
    Wrong(
        "TODO 3", "history_lost", {"        messages += [": "        messages = messages[:2] + ["}
    ),
    Wrong(
        "TODO 3", "history_lost", {"        messages += [": "        messages = messages[:1] + ["}
    ),
    Wrong("TODO 4", "no_forced_final", {_END: "    return message.content or 'no answer'"}),
    Wrong(
        "TODO 4",
        "forced_offers_tools",
        {"chat(messages).choices": "chat(messages, tools).choices"},
    ),
    Wrong("TODO 4", "wrong_return", {_END: _END.replace(".content", "")}),
    Wrong(
        "Answer a question with tools",
        "question_changed",
        {'"content": question}': '"content": question + "?"}'},
    ),
    Wrong(
        "Answer a question with tools",
        "system_prompt_missing",
        {"SYSTEM_PROMPT}": "'Be helpful.'}"},
    ),
    Wrong(
        "TODO 1",
        "tools_changed",
        {_ECHO: _ECHO + "\n        tools = retrieve_tools(messages[-1]['content'])"},
    ),
    Wrong(
        "TODO 3",
        "asked_again",
        {_ECHO: _ECHO + "\n        messages.append({'role': 'user', 'content': question})"},
    ),
    Wrong(
        "TODO 2",
        "gave_up",
        {
            _ECHO: _ECHO
            + "\n        if messages[-1]['content'].startswith('ERROR'):\n            break"
        },
    ),
    # To the letter.
    Wrong("TODO 2", "wrong_return", {"            return message.content\n": "            return message.content + '\\n'\n"}),
    Wrong("TODO 4", "wrong_return", {"return chat(messages).choices[0].message.content": "return chat(messages).choices[0].message.content + ' '"}),
    Wrong("Answer a question with tools", "tools_of_another", {"retrieve_tools(question)": "retrieve_tools(question.upper())"}),
    Wrong("Answer a question with tools", "question_changed", {'"content": question}': '"content": question + "\\n"}'}),
    # What is only there in an empty reply, at no rounds, in texts that somebody might tidy up.
    Wrong("TODO 2", "wrong_return", {"            return message.content\n": "            return message.content.strip()\n"}),
    Wrong("TODO 4", "wrong_return", {"return chat(messages).choices[0].message.content": "return chat(messages).choices[0].message.content.strip()"}),
    Wrong("TODO 4", "no_forced_final", {"return chat(messages)": "return message.content or chat(messages)"}),
    Wrong("TODO 1", "rounds_off_by_one", {"range(max_rounds)": "range(max_rounds or 1)"}),
    Wrong("TODO 3", "asked_again", {_ECHO: _ECHO + "\n        messages.append({'role': 'system', 'content': 'Go on.'})"}),
    Wrong("TODO 1", "stops_at_repeat", {_ECHO: _ECHO + "\n        asked = [[c['function'] for c in m['tool_calls']] for m in messages if 'tool_calls' in m]\n        if asked.count(asked[-1]) > 1:\n            break"}),
    Wrong("Answer a question with tools", "system_prompt_late", {"    tools = retrieve": "    messages.reverse()\n    tools = retrieve"}),
]  # fmt: skip
