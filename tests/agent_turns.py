# ruff: noqa: E501  (the versions stand as learners write them)
"""Versions of `agent_turn` to try the check on: the seed's, right ones, and how to break one."""

from typing import Any

from harness import (
    SYSTEM_PROMPT,
    TOOLS,
    build_context,
    chat,
    dispatch,
    log_message,
    retrieve_tools,
)

# Part 7 of the seed, its skeleton and its dispatch pattern put together, unchanged.
SEED = """
def agent_turn(user_query: str, thread_id: str = "default",
               max_iterations: int = 8, budget_seconds: float = 360.0,
               verbose: bool = True) -> str:
    started = time.time()
    log_message(thread_id, "user", user_query)

    # 1. Build the context block + retrieve top-k tool schemas.
    context = build_context(thread_id, user_query)
    messages: list[dict] = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user",   "content": context},
    ]
    tool_schemas = retrieve_tools(user_query, k=6)

    # 2. The loop — at most max_iterations rounds, capped by wall-clock budget.
    final = ""
    step = 0
    for step in range(max_iterations):
        if time.time() - started > budget_seconds:
            if verbose: print(f"  ! budget exhausted at iteration {step}")
            break

        resp = chat(messages, tools=tool_schemas)
        msg = resp.choices[0].message

        if not msg.tool_calls:
            final = msg.content or ""
            if verbose: print(f"  step {step}: final answer")
            break

        # Append the assistant's tool_calls message verbatim — the LLM expects
        # its own tool_calls to be echoed back so it can match each tool result
        # to the call that produced it.
        messages.append({
            "role": "assistant",
            "content": msg.content or "",
            "tool_calls": [
                {"id": tc.id, "type": "function",
                 "function": {"name": tc.function.name,
                              "arguments": tc.function.arguments}}
                for tc in msg.tool_calls
            ],
        })

        # Dispatch each tool the model asked for.
        for tc in msg.tool_calls:
            name = tc.function.name
            try:
                args = json.loads(tc.function.arguments or "{}")
            except json.JSONDecodeError:
                args = {}
            if verbose: print(f"  step {step}: -> {name}({args})")

            if name not in TOOLS:
                output = json.dumps({"error": f"unknown tool: {name}"})
            else:
                fn, _ = TOOLS[name]
                try:
                    output = fn(**args)
                except Exception as e:
                    output = json.dumps({"error": f"{type(e).__name__}: {e}"})

            # Append the tool result so the next LLM iteration sees it.
            messages.append({"role": "tool", "tool_call_id": tc.id, "content": output})

    # 3. If we exhausted the budget, force a final answer (no tools).
    if not final:
        messages.append({"role": "user",
                         "content": "Budget exhausted. Provide your best answer now, no more tools."})
        resp = chat(messages, tools=None)
        final = resp.choices[0].message.content or "(no answer produced)"

    log_message(thread_id, "assistant", final)
    return final
"""

# The same with the one thing put right that the check has against it.
RIGHT = SEED.replace(
    """            except json.JSONDecodeError:
                args = {}
            if verbose: print(f"  step {step}: -> {name}({args})")

            if name not in TOOLS:
""",
    """            except json.JSONDecodeError as e:
                args = None
            if verbose: print(f"  step {step}: -> {name}({args})")

            if args is None:
                output = json.dumps({"error": "the arguments are not valid JSON"})
            elif name not in TOOLS:
""",
)
assert RIGHT != SEED

# The same again, short, to be broken in one place at a time.
SHORT = """
def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    started = time.monotonic()
    log_message(thread_id, "user", user_query)
    context = build_context(thread_id, user_query)
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": context}]
    tools = retrieve_tools(user_query, k=6)
    final = ""
    for step in range(max_iterations):
        if time.monotonic() - started > budget_seconds:
            break
        msg = chat(messages, tools).choices[0].message
        if verbose:
            print(msg)
        if not msg.tool_calls:
            final = msg.content or ""
            break
        messages.append(msg.model_dump(exclude_none=True))
        for tc in msg.tool_calls:
            output = run(tc)
            messages.append({"role": "tool", "tool_call_id": tc.id, "content": output})
    if not final:
        messages.append({"role": "user", "content": "Answer now."})
        final = chat(messages).choices[0].message.content or "(no answer)"
    log_message(thread_id, "assistant", final)
    return final


def run(tc):
    name = tc.function.name
    try:
        args = json.loads(tc.function.arguments)
    except ValueError:
        return "ERROR: the arguments are not valid JSON"
    if name not in TOOLS:
        return "ERROR: unknown tool"
    try:
        return TOOLS[name][0](**args)
    except Exception as e:
        return f"ERROR: {e}"
"""


def made(source: str) -> Any:
    """The agent_turn of a source text, as a notebook's cells would have made it."""
    imports = "import datetime, json, time\nfrom time import monotonic, perf_counter as tick\n"
    namespace: dict[str, Any] = {
        "__name__": "__main__",
        "SYSTEM_PROMPT": SYSTEM_PROMPT,
        "TOOLS": TOOLS,
        "build_context": build_context,
        "chat": chat,
        "dispatch": dispatch,
        "log_message": log_message,
        "retrieve_tools": retrieve_tools,
    }
    exec(imports + source, namespace)
    return namespace["agent_turn"]


def broken(*changes: tuple[str, str], source: str = SHORT) -> Any:
    """SHORT with pieces of its text replaced. Each piece must be there, once or more."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return made(source)
