"""The loop of the workshop's part 7 as it was published."""

import json
import time

from harness import (
    SYSTEM_PROMPT,
    TOOLS,
    build_context,
    chat,
    log_message,
    retrieve_tools,
)


def seed_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0):
    """The loop of the workshop's part 7 as it was published, its prints left out."""
    started = time.time()
    log_message(thread_id, "user", user_query)
    context = build_context(thread_id, user_query)
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": context},
    ]
    tool_schemas = retrieve_tools(user_query, k=6)
    final = ""
    for _step in range(max_iterations):
        if time.time() - started > budget_seconds:
            break
        resp = chat(messages, tools=tool_schemas)
        msg = resp.choices[0].message
        if not msg.tool_calls:
            final = msg.content or ""
            break
        messages.append(
            {
                "role": "assistant",
                "content": msg.content or "",
                "tool_calls": [
                    {
                        "id": tc.id,
                        "type": "function",
                        "function": {"name": tc.function.name, "arguments": tc.function.arguments},
                    }
                    for tc in msg.tool_calls
                ],
            }
        )
        for tc in msg.tool_calls:
            name = tc.function.name
            try:
                args = json.loads(tc.function.arguments or "{}")
            except json.JSONDecodeError:
                args = {}
            if name not in TOOLS:
                output = json.dumps({"error": f"unknown tool: {name}"})
            else:
                fn, _ = TOOLS[name]
                try:
                    output = fn(**args)
                except Exception as e:
                    output = json.dumps({"error": f"{type(e).__name__}: {e}"})
            messages.append({"role": "tool", "tool_call_id": tc.id, "content": output})
    if not final:
        messages.append({"role": "user", "content": "Budget exhausted. Provide your best answer."})
        resp = chat(messages, tools=None)
        final = resp.choices[0].message.content or "(no answer produced)"
    log_message(thread_id, "assistant", final)
    return final
