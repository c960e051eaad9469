# ruff: noqa: E501  (the versions stand as learners write them)
"""Wrong versions of `agent_turn`: budgets, the forced answer, the log, what is returned."""

from typing import Any

from tests.agent_turns import broken

ECHO = "        messages.append(msg.model_dump(exclude_none=True))\n"
FINAL = """        if not msg.tool_calls:
            final = msg.content or ""
            break
"""
FORCED = """    if not final:
        messages.append({"role": "user", "content": "Answer now."})
        final = chat(messages).choices[0].message.content or "(no answer)"
"""
CLOCK = """        if time.monotonic() - started > budget_seconds:
            break
"""
LOG_QUESTION = '    log_message(thread_id, "user", user_query)\n'
LOG_ANSWER = '    log_message(thread_id, "assistant", final)\n'
CALLS = "        for tc in msg.tool_calls:\n"

WRONG_ENDS: dict[str, tuple[str, Any]] = {
    "no forced final": ("no_forced_final", broken((FORCED, "    final = final or 'gave up'\n"))),
    "raises at the cap": (
        "no_forced_final",
        broken((FORCED, "    if not final:\n        raise RuntimeError('too many rounds')\n")),
    ),
    "forced final with tools": (
        "forced_offers_tools",
        broken(("chat(messages).choices", "chat(messages, tools).choices")),
    ),
    "rounds ignored": (
        "rounds_ignored",
        broken(("for step in range(max_iterations):", "while True:")),
    ),
    "rounds fixed": ("rounds_ignored", broken(("range(max_iterations)", "range(8)"))),
    "one round too many": (
        "rounds_off_by_one",
        broken(("range(max_iterations)", "range(max_iterations + 1)")),
    ),
    "one round too few": (
        "rounds_off_by_one",
        broken(("range(max_iterations)", "range(1, max_iterations)")),
    ),
    "clock ignored": ("clock_ignored", broken((CLOCK, ""))),
    "clock in milliseconds": (
        "clock_ignored",
        broken(("> budget_seconds", "> budget_seconds * 1000")),
    ),
    "clock in minutes": ("clock_early", broken(("> budget_seconds", "> budget_seconds / 60"))),
    "clock read a round late": (
        "clock_late",
        broken(
            ('    final = ""\n', '    final, now = "", time.monotonic()\n'),
            (
                CLOCK,
                "        if now - started > budget_seconds:\n            break\n"
                "        now = time.monotonic()\n",
            ),
        ),
    ),
    "clock looked at every fifth round": (
        "clock_late",
        broken(("        if time.monotonic()", "        if step % 5 == 0 and time.monotonic()")),
    ),
    "rounds clipped": (
        "rounds_clipped",
        broken(("range(max_iterations)", "range(min(max_iterations, 8))")),
    ),
    "calls counted as rounds": (
        "calls_counted",
        broken(
            (
                "    for step in range(max_iterations):\n",
                "    used = 0\n    while used < max_iterations:\n",
            ),
            (CALLS, CALLS + "            used += 1\n"),
        ),
    ),
    "nothing said before the forced answer": (
        "forced_says_nothing",
        broken(('        messages.append({"role": "user", "content": "Answer now."})\n', "")),
    ),
    "the forced request has an empty message": (
        "forced_says_nothing",
        broken(('"content": "Answer now."', '"content": ""')),
    ),
    "verbose prints nothing": (
        "verbose_silent",
        broken(("        if verbose:\n            print(msg)\n", "")),
    ),
    "verbose or not, it prints": (
        "verbose_ignored",
        broken(("        if verbose:\n            print(msg)", "        print(msg)")),
    ),
    "verbose the wrong way round": ("verbose_silent", broken(("if verbose:", "if not verbose:"))),
    "question logged with the answer": (
        "question_logged_late",
        broken((LOG_QUESTION, ""), (LOG_ANSWER, LOG_QUESTION + LOG_ANSWER)),
    ),
    "question logged once the model has answered": (
        "question_logged_late",
        broken(
            (LOG_QUESTION, ""),
            (
                FINAL,
                FINAL.replace(
                    "            break", "    " * 3 + LOG_QUESTION.strip() + "\n            break"
                ),
            ),
            (FORCED, FORCED + "    " + LOG_QUESTION),
        ),
    ),
    "a long answer cut in the log": (
        "log_changed",
        broken((LOG_ANSWER, LOG_ANSWER.replace("final)", "final[:500])"))),
    ),
    "a long answer cut": (
        "wrong_return",
        broken(("    return final\n", "    return final[:4000]\n")),
    ),
    "an answer kept for an equal question": (
        "answer_kept",
        broken(
            ("def agent_turn(", "KNOWN = {}\n\n\ndef agent_turn("),
            (
                LOG_QUESTION,
                LOG_QUESTION
                + "    if user_query in KNOWN:\n        log_message(thread_id, 'assistant', KNOWN[user_query])\n        return KNOWN[user_query]\n",
            ),
            (LOG_ANSWER, LOG_ANSWER + "    KNOWN[user_query] = final\n"),
        ),
    ),
    "errors of chat swallowed for ever": (
        "endless_loop",
        broken(
            (
                "    for step in range(max_iterations):\n",
                "    step = -1\n    while step + 1 < max_iterations:\n",
            ),
            (
                "        msg = chat(messages, tools).choices[0].message\n",
                "        try:\n            msg = chat(messages, tools).choices[0].message\n"
                "        except Exception:\n            continue\n        step += 1\n",
            ),
        ),
    ),
    "no break at the final answer": (
        "ignores_final",
        broken(
            ("    for step in range(max_iterations):\n", "    while True:\n"),
            (CLOCK, ""),
            (
                FINAL,
                '        if not msg.tool_calls:\n            final = msg.content or ""\n            continue\n',
            ),
        ),
    ),
    "question not logged": ("question_not_logged", broken((LOG_QUESTION, ""))),
    "answer not logged": ("answer_not_logged", broken((LOG_ANSWER, ""))),
    "forced answer not logged": (
        "answer_not_logged",
        broken(
            (LOG_ANSWER, ""),
            (
                '            final = msg.content or ""\n',
                '            final = msg.content or ""\n'
                '            log_message(thread_id, "assistant", final)\n',
            ),
        ),
    ),
    "logged on another thread": (
        "wrong_thread",
        broken((LOG_QUESTION, LOG_QUESTION.replace("thread_id", '"default"'))),
    ),
    "answer logged on another thread": (
        "wrong_thread",
        broken((LOG_ANSWER, LOG_ANSWER.replace("thread_id", '"default"'))),
    ),
    "answer logged as the user's": (
        "wrong_role",
        broken((LOG_ANSWER, LOG_ANSWER.replace('"assistant"', '"user"'))),
    ),
    "question logged as the assistant's": (
        "wrong_role",
        broken((LOG_QUESTION, LOG_QUESTION.replace('"user"', '"assistant"'))),
    ),
    "logged twice": ("logged_twice", broken((LOG_ANSWER, LOG_ANSWER * 2))),
    "returns the message": ("wrong_return", broken(("    return final\n", "    return msg\n"))),
    "returns nothing": ("wrong_return", broken(("    return final\n", ""))),
    "returns more": ("wrong_return", broken(("    return final\n", "    return 'A: ' + final\n"))),
    "returns an empty string": ("empty_answer", broken((' or "(no answer)"', ' or ""'))),
    "takes an empty reply for an answer": (
        "empty_answer",
        broken(("    if not final:\n", "    if msg.tool_calls:\n")),
    ),
    "another default thread": ("defaults", broken(('thread_id="default"', 'thread_id="main"'))),
    "another default cap": ("defaults", broken(("max_iterations=8", "max_iterations=10"))),
    "another default budget": ("defaults", broken(("seconds=360.0", "seconds=36000.0"))),
    "asks a person": (
        "asks_for_input",
        broken((LOG_QUESTION, LOG_QUESTION + "    input('go?')\n")),
    ),
    "leaves the program": ("exits", broken((LOG_QUESTION, "    raise SystemExit(1)\n"))),
    "calls itself without end": (
        "endless_recursion",
        broken((LOG_QUESTION, "    agent_turn(user_query, thread_id)\n")),
    ),
    "a typing error": ("crash", broken(("    started =", "    strated ="))),
    "endless: never looks at the answer": (
        "ignores_final",
        broken(
            ("for step in range(max_iterations):", "while True:"),
            (FINAL, ""),
            (CLOCK, ""),
            (CALLS, "        for tc in msg.tool_calls or []:\n"),
            (ECHO, "        if msg.tool_calls:\n    " + ECHO),
        ),
    ),
}
