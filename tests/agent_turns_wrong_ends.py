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
        "endless_loop",
        broken(
            ("for step in range(max_iterations):", "while True:"),
            (FINAL, ""),
            (CLOCK, ""),
            (CALLS, "        for tc in msg.tool_calls or []:\n"),
            (ECHO, "        if msg.tool_calls:\n    " + ECHO),
        ),
    ),
}
