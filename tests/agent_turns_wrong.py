# ruff: noqa: E501  (the versions stand as learners write them)
"""Wrong versions of `agent_turn`, each with the one finding that it should get."""

from typing import Any

from tests.agent_turns import broken, made
from tests.agent_turns_wrong_ends import WRONG_ENDS

ECHO = "        messages.append(msg.model_dump(exclude_none=True))\n"
RESULT = '            messages.append({"role": "tool", "tool_call_id": tc.id, "content": output})\n'
FINAL = """        if not msg.tool_calls:
            final = msg.content or ""
            break
"""
FORCED = """    if not final:
        messages.append({"role": "user", "content": "Answer now."})
        final = chat(messages).choices[0].message.content or "(no answer)"
"""
BAD_JSON = '        return "ERROR: the arguments are not valid JSON"\n'
UNKNOWN = '    if name not in TOOLS:\n        return "ERROR: unknown tool"\n'
GUARDED = """    try:
        return TOOLS[name][0](**args)
    except Exception as e:
        return f"ERROR: {e}"
"""
ASK = "        msg = chat(messages, tools).choices[0].message\n"
CALLS = "        for tc in msg.tool_calls:\n"
ONE_CALL = "            output = run(tc)\n" + RESULT

WRONG_ROUNDS: dict[str, tuple[str, Any]] = {
    "the stub": (
        "not_written",
        made(
            'def agent_turn(q, thread_id="d", max_iterations=8, '
            "budget_seconds=360.0, verbose=True):\n"
            "    raise NotImplementedError\n"
        ),
    ),
    "a constant": (
        "never_asks",
        made(
            'def agent_turn(q, thread_id="d", max_iterations=8, '
            'budget_seconds=360.0, verbose=True):\n    return "42"\n'
        ),
    ),
    "two parameters": ("signature", made("def agent_turn(q, thread_id): return q\n")),
    "no verbose": ("signature", broken((", verbose=True", ""))),
    "asks once": (
        "never_loops",
        broken((RESULT, RESULT + "        final = output\n        break\n")),
    ),
    "asks twice": (
        "text_taken_for_answer",
        broken(
            ("    for step in range(max_iterations):\n", "    for step in range(2):\n"),
            (FORCED, '    final = final or msg.content or "(no answer)"\n'),
        ),
    ),
    "takes a remark for the answer": (
        "text_taken_for_answer",
        broken(
            ("if not msg.tool_calls:", "if msg.content:"),
            ("in msg.tool_calls:", "in msg.tool_calls or []:"),
        ),
    ),
    "ignores the final answer": (
        "ignores_final",
        broken((FINAL, FINAL.replace("break", "continue"))),
    ),
    "finish_reason decides": (
        "finish_reason",
        broken(
            (ASK, ASK.replace(".message", "")),
            (
                "        if not msg.tool_calls:",
                "        finish, msg = msg.finish_reason, msg.message\n        if finish == 'stop':",
            ),
        ),
    ),
    "no tools": ("no_tools", broken((ASK, ASK.replace(", tools", "")))),
    "tools at first only": ("no_tools", broken((ECHO, "        tools = None\n" + ECHO))),
    "no context": ("context_missing", broken(('"content": context', '"content": user_query'))),
    "context of another thread": (
        "context_missing",
        broken(("build_context(thread_id", 'build_context("default"')),
    ),
    "no question": (
        "question_missing",
        broken(("thread_id, user_query)\n    messages", 'thread_id, "?")\n    messages')),
    ),
    "no user message": ("question_missing", broken((', {"role": "user", "content": context}', ""))),
    "no system prompt": (
        "system_prompt_missing",
        broken(('{"role": "system", "content": SYSTEM_PROMPT}, ', "")),
    ),
    "another system prompt": (
        "system_prompt_missing",
        broken(('"content": SYSTEM_PROMPT', '"content": "Be helpful."')),
    ),
    "a system prompt that grows": (
        "system_prompt_changed",
        broken(
            ("def agent_turn(", "RULES = [SYSTEM_PROMPT]\n\n\ndef agent_turn("),
            ("    messages = [", "    RULES.append('Be kind.')\n    messages = ["),
            ('"content": SYSTEM_PROMPT', '"content": "\\n".join(RULES)'),
        ),
    ),
    "a rule of their own in the system prompt": (
        "system_prompt_changed",
        broken(('"content": SYSTEM_PROMPT', '"content": SYSTEM_PROMPT + " Be brief."')),
    ),
    "context and question once more": (
        "context_changed",
        broken(('"content": context', '"content": context + "\\n" + user_query')),
    ),
    "another k": ("other_k", broken(("k=6", "k=4"))),
    "k left to be few": ("other_k", broken(("k=6", "k=2"))),
    "tools of the first question kept": (
        "tools_of_another",
        broken(
            ("def agent_turn(", "KEPT = []\n\n\ndef agent_turn("),
            (
                "    tools = retrieve_tools(user_query, k=6)\n",
                "    tools = KEPT\n    KEPT.extend([] if KEPT else retrieve_tools(user_query, k=6))\n",
            ),
        ),
    ),
    "all the tools": (
        "tools_of_another",
        broken(("retrieve_tools(user_query, k=6)", "[schema for _, schema in TOOLS.values()]")),
    ),
    "tools for the context": (
        "tools_of_another",
        broken(("retrieve_tools(user_query", "retrieve_tools(context")),
    ),
    "the text beside the calls lost": (
        "echo_text_lost",
        broken(
            (
                "msg.model_dump(exclude_none=True)",
                '{"role": "assistant", "tool_calls": msg.model_dump()["tool_calls"]}',
            )
        ),
    ),
    "results sorted by id": (
        "order_wrong",
        broken((CALLS, "        for tc in sorted(msg.tool_calls, key=lambda each: each.id):\n")),
    ),
    "results sorted by name": (
        "order_wrong",
        broken(
            (CALLS, "        for tc in sorted(msg.tool_calls, key=lambda c: c.function.name):\n")
        ),
    ),
    "ids in lower case": ("ids_wrong", broken((RESULT, RESULT.replace("tc.id", "tc.id.lower()")))),
    "ids cut": ("ids_wrong", broken((RESULT, RESULT.replace("tc.id", "tc.id[:24]")))),
    "no echo": ("no_echo", broken((ECHO, ""))),
    "text echo": (
        "no_echo",
        broken(
            (
                ECHO,
                ECHO.replace(
                    "msg.model_dump(exclude_none=True)",
                    '{"role": "assistant", "content": msg.content or ""}',
                ),
            )
        ),
    ),
    "neither echo nor result": ("no_echo", broken((ECHO, ""), (RESULT, ""))),
    "an echo for each call": ("echo_repeated", broken((ECHO, ""), (CALLS, CALLS + "    " + ECHO))),
    "an echo of the first call only": (
        "echo_incomplete",
        broken(
            (
                ECHO,
                ECHO.replace(
                    "msg.model_dump(exclude_none=True)",
                    '{**msg.model_dump(exclude_none=True), "tool_calls": msg.model_dump()["tool_calls"][:1]}',
                ),
            ),
            ("in msg.tool_calls:", "in msg.tool_calls[:1]:"),
        ),
    ),
    "arguments emptied in the echo": (
        "echo_changed",
        broken(
            (
                ECHO,
                """\
        echo = msg.model_dump(exclude_none=True)
        for each in echo["tool_calls"]:
            each["function"]["arguments"] = "{}"
        messages.append(echo)
""",
            )
        ),
    ),
    "arguments as an object": (
        "arguments_object",
        broken(
            (
                ECHO,
                """\
        echo = msg.model_dump(exclude_none=True)
        for each in echo["tool_calls"]:
            each["function"]["arguments"] = json.loads(each["function"]["arguments"])
        messages.append(echo)
""",
            )
        ),
    ),
    "answers the first call": (
        "call_unanswered",
        broken((CALLS, CALLS.replace("tool_calls", "tool_calls[:1]"))),
    ),
    "answers no call": ("call_unanswered", broken((RESULT, ""))),
    "answers as the user": (
        "call_unanswered",
        broken((RESULT, '            messages.append({"role": "user", "content": output})\n')),
    ),
    "leaves the unknown tool out": (
        "call_unanswered",
        broken(
            (
                "            output = run(tc)\n",
                "            if tc.function.name not in TOOLS:\n                continue\n"
                "            output = run(tc)\n",
            )
        ),
    ),
    "made-up ids": ("ids_wrong", broken((RESULT, RESULT.replace("tc.id", '"call_1"')))),
    "the first id for all": (
        "ids_wrong",
        broken((RESULT, RESULT.replace("tc.id", "msg.tool_calls[0].id"))),
    ),
    "ids swapped": (
        "ids_wrong",
        broken(
            (
                CALLS + ONE_CALL,
                """\
        ids = [tc.id for tc in reversed(msg.tool_calls)]
        outputs = [run(tc) for tc in msg.tool_calls]
        for each, output in sorted(zip(ids, outputs), key=lambda p: -ids.index(p[0])):
            messages.append({"role": "tool", "tool_call_id": each, "content": output})
""",
            )
        ),
    ),
    "results before the echo": (
        "order_wrong",
        broken((ECHO, ""), (CALLS + ONE_CALL, CALLS + ONE_CALL + ECHO)),
    ),
    "results backwards": (
        "order_wrong",
        broken((CALLS, CALLS.replace("msg.tool_calls", "reversed(msg.tool_calls)"))),
    ),
    "a word between": (
        "order_wrong",
        broken(
            (
                ECHO,
                ECHO + '        messages.append({"role": "user", "content": "Running tools."})\n',
            )
        ),
    ),
    "a dict as content": (
        "result_not_text",
        broken((RESULT, RESULT.replace("output}", '{"result": output}}'))),
    ),
    "a ToolResult as content": (
        "result_not_text",
        broken(("output = run(tc)", "output = dispatch(tc)")),
    ),
    "a made-up result": ("tool_not_run", broken(("output = run(tc)", 'output = "ok"'))),
    "a tool run with other arguments": (
        "arguments_lost",
        broken(
            (
                "        return TOOLS[name][0](**args)",
                "        args = {k: v[:-1] if k == 'name' else v for k, v in args.items()}\n        return TOOLS[name][0](**args)",
            )
        ),
    ),
    "a tool run twice": (
        "tool_run_twice",
        broken(
            (
                "        return TOOLS[name][0](**args)\n",
                "        TOOLS[name][0](**args)\n        return TOOLS[name][0](**args)\n",
            )
        ),
    ),
    "a result cut at the end": (
        "result_changed",
        broken(("return TOOLS[name][0](**args)", "return TOOLS[name][0](**args)[:-2]")),
    ),
    "long results cut": (
        "result_changed",
        broken(("return TOOLS[name][0](**args)", "return TOOLS[name][0](**args)[:2000]")),
    ),
    "a result dumped twice": (
        "result_changed",
        broken(("return TOOLS[name][0](**args)", "return json.dumps(TOOLS[name][0](**args))")),
    ),
    "a ToolResult as text": (
        "result_changed",
        broken(("output = run(tc)", "output = str(dispatch(tc))")),
    ),
    "an error by its class alone": (
        "cause_lost",
        broken(('return f"ERROR: {e}"', 'return f"ERROR: {type(e).__name__}"')),
    ),
    "one history for all turns": (
        "history_leaks",
        broken(
            ("def agent_turn(", "messages = []\n\n\ndef agent_turn("),
            ("    messages = [{", "    messages.extend([{"),
            ('"content": context}]', '"content": context}])'),
        ),
    ),
    "no tool retrieved": ("no_tools", broken(("k=6", "k=0"))),
    "history forgotten": ("history_lost", broken((ECHO, "        messages = []\n" + ECHO))),
    "crash: unknown tool": (
        "crash_unknown_tool",
        broken(
            (UNKNOWN, ""),
            (
                GUARDED,
                """\
    fn = TOOLS[name][0]
    try:
        return fn(**args)
    except Exception as e:
        return f"ERROR: {e}"
""",
            ),
        ),
    ),
    "crash: raising tool": (
        "crash_raising_tool",
        broken((GUARDED, "    return TOOLS[name][0](**args)\n")),
    ),
    "crash: bad JSON": (
        "crash_bad_json",
        broken(("    except ValueError:\n" + BAD_JSON, "    finally:\n        pass\n")),
    ),
    "gives up at an unknown tool": (
        "gives_up",
        broken(
            (
                CALLS,
                """\
        if any(tc.function.name not in TOOLS for tc in msg.tool_calls):
            final = "I have no such tool."
            break
"""
                + CALLS,
            )
        ),
    ),
    "hides a tool's error": ("error_hidden", broken(('return f"ERROR: {e}"', 'return "done"'))),
    "hides an unknown tool": (
        "error_hidden",
        broken(('return "ERROR: unknown tool"', "return '{}'")),
    ),
    "bad JSON becomes {}": ("bad_json_run", broken((BAD_JSON, "        args = {}\n"))),
}
WRONG = WRONG_ROUNDS | WRONG_ENDS
