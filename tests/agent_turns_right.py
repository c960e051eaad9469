# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `agent_turn`, written differently."""

from tests.agent_turns import RIGHT, SHORT

DISPATCHED = SHORT[: SHORT.index("def run(tc)")].replace("run(tc)", "dispatch(tc).content")

RIGHT_ONES = {
    "the seed, mended": RIGHT,
    "short": SHORT,
    "dispatch": DISPATCHED,
    "a forced final that forbids the tools it offers": SHORT.replace(
        "chat(messages)", 'chat(messages, tools, tool_choice="none")'
    ),
    "calls in threads": SHORT.replace("            output = run(tc)\n", "").replace(
        "        for tc in msg.tool_calls:\n",
        """\
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor() as pool:
            outputs = list(pool.map(run, msg.tool_calls))
        for tc, output in zip(msg.tool_calls, outputs):
""",
    ),
    "the rest of a round skipped when time is up": SHORT.replace(
        "            output = run(tc)\n",
        """\
            if time.monotonic() - started > budget_seconds:
                output = "ERROR: skipped, the time is up"
            else:
                output = run(tc)
""",
    ),
    "dispatch, its message": DISPATCHED.replace(
        '{"role": "tool", "tool_call_id": tc.id, "content": output}', "dispatch(tc).message"
    ).replace("            output = dispatch(tc).content\n", ""),
    "while, and the budget looked at after the call": """
def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    begun = time.time_ns()
    log_message(thread_id, "user", user_query)
    context = build_context(thread_id, user_query)
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": context}]
    tools = retrieve_tools(user_query, k=6)
    final, rounds = None, 0
    while rounds < max_iterations:
        rounds += 1
        msg = chat(messages, tools=tools).choices[0].message
        _ = verbose and print("round", rounds)
        if not msg.tool_calls:
            final = msg.content
            break
        if (time.time_ns() - begun) / 1e9 > budget_seconds:
            break
        messages = messages + [msg.model_dump()] + [dispatch(tc).message for tc in msg.tool_calls]
    if not final:
        messages.append({"role": "user", "content": "No more rounds: what do you know?"})
        final = chat(messages).choices[0].message.content or "I don't know."
    log_message(thread_id, "assistant", final)
    return final
""",
    "recursion, early returns, datetime": """
def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    end = datetime.datetime.now() + datetime.timedelta(seconds=budget_seconds)
    log_message(thread_id, "user", user_query)
    tools = retrieve_tools(user_query)

    def answer(text):
        log_message(thread_id=thread_id, role="assistant", content=text)
        return text

    def rounds(messages, left):
        if left == 0 or datetime.datetime.now() >= end:
            reply = chat(messages + [{"role": "user", "content": "Time is up."}], None)
            return answer(reply.choices[0].message.content or "No answer.")
        msg = chat(messages, tools).choices[0].message
        if verbose:
            print(left, msg)
        if msg.tool_calls:
            results = [dispatch(tc).message for tc in msg.tool_calls]
            return rounds([*messages, msg.model_dump(exclude_none=True), *results], left - 1)
        if msg.content:
            return answer(msg.content)
        return rounds([*messages, {"role": "user", "content": "Please say something."}], left - 1)

    return rounds(
        [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": build_context(thread_id, user_query)},
        ],
        max_iterations,
    )
""",
    "for-else, an extra nudge, perf_counter": """
def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    begin = tick()
    log_message(thread_id, "user", user_query)
    messages = [{"role": "system", "content": SYSTEM_PROMPT}]
    messages += [{"role": "user", "content": build_context(thread_id, user_query)}]
    tools = retrieve_tools(user_query, k=6)
    for _ in range(max_iterations):
        msg = chat(messages=messages, tools=tools).choices[0].message
        if verbose:
            import sys

            print(msg, file=sys.stderr)
        if msg.tool_calls:
            messages.append(msg.model_dump(exclude_none=True))
            for tc in msg.tool_calls:
                messages.append({"role": "tool", "tool_call_id": tc.id, "content": observe(tc)})
        elif msg.content:
            final = msg.content.strip()
            break
        else:
            messages.append({"role": "user", "content": "Your reply was empty. Go on."})
        if tick() - begin > budget_seconds:
            final = forced(messages)
            break
    else:
        final = forced(messages)
    log_message(thread_id, "assistant", final)
    return final


def forced(messages):
    reply = chat([*messages, {"role": "user", "content": "Answer now."}])
    return reply.choices[0].message.content or "I could not find out."


def observe(tc):
    try:
        fn, schema = TOOLS[tc.function.name]
        return fn(**json.loads(tc.function.arguments))
    except KeyError:
        return json.dumps({"error": "no such tool"})
    except json.JSONDecodeError as e:
        return json.dumps({"error": f"bad arguments: {e}"})
    except Exception as e:
        return json.dumps({"error": str(e)})
""",
    "a repeat guard": SHORT.replace('    final = ""\n', '    final, recent = "", []\n').replace(
        "            output = run(tc)\n",
        """\
            key = (tc.function.name, tc.function.arguments)
            output = "You have made this call already." if key in recent[-3:] else run(tc)
            recent.append(key)
""",
    ),
    "an assistant message by hand, arguments written anew": SHORT.replace(
        "messages.append(msg.model_dump(exclude_none=True))",
        """\
messages.append(dict(role="assistant", content=msg.content, tool_calls=[
            dict(id=tc.id, type="function", function=dict(
                name=tc.function.name, arguments=tidy(tc.function.arguments)))
            for tc in msg.tool_calls]))
""",
    )
    + """

def tidy(text):
    try:
        return json.dumps(json.loads(text), indent=1)
    except ValueError:
        return text
""",
    "the message object itself as the echo": SHORT.replace(
        "msg.model_dump(exclude_none=True)", "msg"
    ),
    "logged after the context was built": SHORT.replace(
        '    log_message(thread_id, "user", user_query)\n', ""
    ).replace(
        '    final = ""\n', '    final = ""\n    log_message(thread_id, "user", user_query)\n'
    ),
    "clock_gettime": SHORT.replace("time.monotonic()", "time.clock_gettime(time.CLOCK_MONOTONIC)"),
    "numpy's clock": SHORT.replace("    started = time.monotonic()", "    started = now()").replace(
        "time.monotonic()", "now()"
    )
    + """

import numpy as np


def now():
    return (np.datetime64("now", "ms") - np.datetime64("2020-01-01", "ms")) / np.timedelta64(1, "s")
""",
    "the clock of an event loop in a global": SHORT.replace("time.monotonic()", "LOOP.time()")
    + "\n\nimport asyncio\n\nLOOP = asyncio.new_event_loop()\n",
    "a lock in a global": SHORT.replace(
        "    started =", "    with LOCK:\n        pass\n    started ="
    )
    + "\n\nimport threading\n\nLOCK = threading.Lock()\n",
    "chat's errors become an answer": SHORT.replace(
        "        msg = chat(messages, tools).choices[0].message\n",
        """\
        try:
            msg = chat(messages, tools).choices[0].message
        except Exception as e:
            final = f"The model could not be asked: {e}"
            break
""",
    ),
    "a class that is called": """
class Agent:
    def __init__(self):
        self.turns = 0

    def __call__(self, user_query, thread_id="default", max_iterations=8, budget_seconds=360.0,
                 verbose=True):
        self.turns += 1
        return inner(user_query, thread_id, max_iterations, budget_seconds, verbose)

"""
    + SHORT.replace("def agent_turn", "def inner")
    + "\n\nagent_turn = Agent()\n",
    "a harness module's names": SHORT.replace(
        "    started =",
        """\
    import harness
    from harness.model.chat import chat
    from harness.context import build_context
    started =""",
    ).replace("log_message(", "harness.log_message("),
}
