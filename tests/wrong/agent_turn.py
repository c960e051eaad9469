# ruff: noqa: E501  (a line a version)
"""Wrong versions of `agent_turn`; tests/agent_turns_wrong.py has many more."""

from tests.wrong import Wrong

_QUESTION = '    log_message(thread_id, "user", user_query)\n'
_ANSWER = '    log_message(thread_id, "assistant", answer)\n'
_ECHO = "        messages.append(message.model_dump(exclude_none=True))\n"
_ASK = """        messages.append({"role": "user", "content": ask})\n"""
_FORCED = 'answer = chat(messages).choices[0].message.content or "(no answer was produced)"'
_CLOCK = "if time.monotonic() - started > budget_seconds:"

WRONG = [
    Wrong("within both budgets", "clock_ignored", {_CLOCK: "if False:"}),
    Wrong(
        "within both budgets",
        "rounds_ignored",
        {
            "    for step in range(max_iterations):": "    import itertools\n    for step in itertools.count():"
        },
    ),
    Wrong("log question and answer", "answer_not_logged", {_ANSWER: ""}),
    Wrong("TODO 1", "question_not_logged", {_QUESTION: ""}),
    Wrong("TODO 1", "question_logged_late", {_QUESTION: "", _ANSWER: _QUESTION + _ANSWER}),
    Wrong(
        "TODO 2", "system_prompt_missing", {'"content": SYSTEM_PROMPT': '"content": "Be helpful."'}
    ),
    Wrong(
        "TODO 2",
        "system_prompt_changed",
        {'"content": SYSTEM_PROMPT': '"content": SYSTEM_PROMPT + str(user_query)[:5]'},
    ),
    Wrong("TODO 2", "context_missing", {"build_context(thread_id, user_query)": "user_query"}),
    Wrong("TODO 2", "other_k", {"k=6": "k=3"}),
    Wrong("TODO 3", "rounds_off_by_one", {"range(max_iterations)": "range(max_iterations - 1)"}),
    Wrong("TODO 3", "rounds_clipped", {"range(max_iterations)": "range(min(max_iterations, 8))"}),
    Wrong("TODO 3", "clock_early", {"> budget_seconds:": "> budget_seconds / 4:"}),
    Wrong("TODO 3", "no_tools", {"chat(messages, tools)": "chat(messages)"}),
    Wrong(
        "TODO 4",
        "ignores_final",
        {
            '                print(f"  step {step}: final answer")\n            break': '                print(f"  step {step}: final answer")\n            continue'
        },
    ),
    Wrong(
        "TODO 4",
        "text_taken_for_answer",
        {
            "if not message.tool_calls:": "if message.content:",
            "in message.tool_calls:": "in message.tool_calls or []:",
        },
    ),
    Wrong("TODO 5", "no_echo", {_ECHO: ""}),
    Wrong("TODO 5", "order_wrong", {"in message.tool_calls:": "in reversed(message.tool_calls):"}),
    Wrong(
        "TODO 5",
        "result_changed",
        {"content = dispatch(call).content": "content = str(dispatch(call))"},
    ),
    Wrong("TODO 5", "ids_wrong", {'"tool_call_id": call.id': '"tool_call_id": call.id.lower()'}),
    Wrong("TODO 6", "forced_says_nothing", {_ASK: ""}),
    Wrong(
        "TODO 6", "forced_offers_tools", {"chat(messages).choices": "chat(messages, tools).choices"}
    ),
    Wrong("TODO 6", "no_forced_final", {_FORCED: 'answer = "no answer"'}),
    Wrong(
        "Never return an empty string", "empty_answer", {' or "(no answer was produced)"': ' or ""'}
    ),
    Wrong("TODO 7", "wrong_role", {'"assistant", answer': '"user", answer'}),
    Wrong("TODO 7", "wrong_return", {"    return answer": "    return answer[:100]"}),
    Wrong("With verbose, print what happens", "verbose_silent", {"if verbose:": "if False:"}),
    Wrong("With verbose, print what happens", "verbose_ignored", {"if verbose:": "if True:"}),
    Wrong(
        "Answer `user_query` with tools",
        "tools_of_another",
        {"retrieve_tools(user_query, k=6)": "retrieve_tools(thread_id, k=6)"},
    ),
    # To the letter.
    Wrong("TODO 7", "wrong_return", {"    return answer": "    return answer + ' '"}),
    Wrong("TODO 7", "log_changed", {'"assistant", answer)': '"assistant", answer + " ")'}),
    Wrong("TODO 1", "log_changed", {'"user", user_query)': '"user", user_query + " ")'}),
    Wrong("TODO 5", "result_changed", {"dispatch(call).content": "dispatch(call).content + '\\n'"}),
    Wrong("TODO 2", "system_prompt_changed", {'"content": SYSTEM_PROMPT}': '"content": SYSTEM_PROMPT + "\\n"}'}),
    Wrong("TODO 6", "empty_taken", {'answer = message.content or ""': 'answer = message.content or "nothing"'}),
    # What the text says and no version above breaks.
    Wrong('TODO 1', 'log_changed', {'log_message(thread_id, "user", user_query)': 'log_message(thread_id, "user", user_query.strip())'}),
    Wrong('TODO 2', 'message_added', {'    tools = retrieve': '    messages.append({"role": "user", "content": user_query})\n    tools = retrieve'}),
    Wrong('TODO 3', 'rounds_off_by_one', {'range(max_iterations)': 'range(max(1, max_iterations))'}),
    Wrong('TODO 3', 'clock_late', {'if time.monotonic() - started > budget_seconds': 'if step > 2 and time.monotonic() - started > budget_seconds'}),
    Wrong('TODO 6', 'forced_says_nothing', {'messages.append({"role": "user", "content": ask})': 'messages.append({"role": "system", "content": ask})'}),
    Wrong('TODO 6', 'forced_says_nothing', {'"The budget is used up. Give your best answer now, without tools."': 'user_query'}),
    Wrong('TODO 4', 'text_taken_for_answer', {'        messages.append(message.model_dump(exclude_none=True))': '        answer = message.content or ""\n        messages.append(message.model_dump(exclude_none=True))'}),
    Wrong('TODO 5', 'result_changed', {'dispatch(call).content': 'dispatch(call).content.removeprefix("ERROR: ")'}),
    Wrong('TODO 6', 'no_forced_final', {'            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})': '            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})\n            if content.startswith("ERROR"):\n                answer = content'}),
    Wrong('log question and answer', 'logged_more', {'        messages.append(message.model_dump(exclude_none=True))': '        messages.append(message.model_dump(exclude_none=True))\n        if message.content:\n            log_message(thread_id, "assistant", message.content)'}),
    Wrong('log question and answer', 'logged_more', {'            messages.append({"role": "tool"': '            log_message(thread_id, "tool", content)\n            messages.append({"role": "tool"'}),
]  # fmt: skip
