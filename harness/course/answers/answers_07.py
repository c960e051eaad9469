"""Our solutions of part 07, generated from authoring/07_agent_loop.py."""

# mypy: ignore-errors
import time

from harness import SYSTEM_PROMPT, build_context, chat, dispatch, log_message, retrieve_tools


def agent_turn(
    user_query: str,
    thread_id: str = "default",
    max_iterations: int = 8,
    budget_seconds: float = 360.0,
    verbose: bool = True,
) -> str:
    """Answer `user_query` with tools, within both budgets, and log question and answer."""
    started = time.monotonic()
    log_message(thread_id, "user", user_query)
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": build_context(thread_id, user_query)},
    ]
    tools = retrieve_tools(user_query, k=6)

    answer = ""
    for step in range(max_iterations):
        if time.monotonic() - started > budget_seconds:
            if verbose:
                print(f"  ! time is up at step {step}")
            break
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            answer = message.content or ""
            if verbose:
                print(f"  step {step}: final answer")
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            if verbose:
                print(f"  step {step}: -> {call.function.name}({call.function.arguments:.150})")
            content = dispatch(call).content
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    if not answer:
        ask = "The budget is used up. Give your best answer now, without tools."
        messages.append({"role": "user", "content": ask})
        answer = chat(messages).choices[0].message.content or "(no answer was produced)"

    log_message(thread_id, "assistant", answer)
    return answer
