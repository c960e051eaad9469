# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `agent_turn`."""

RIGHT = {
    "a class": """
class _Turn:
    def __call__(self, user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
        end = time.monotonic() + budget_seconds
        log_message(thread_id, "user", user_query)
        talk = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": build_context(thread_id, user_query)}]
        tools = retrieve_tools(user_query, k=6)
        answer = None
        for step in range(max_iterations):
            if time.monotonic() > end:
                break
            said = chat(talk, tools).choices[0].message
            if verbose:
                print(step, [c.function.name for c in said.tool_calls or []] or "answer")
            if not said.tool_calls:
                answer = said.content
                break
            talk.append(said.model_dump(exclude_none=True))
            talk.extend(dispatch(c).message for c in said.tool_calls)
        answer = answer or self.last_word(talk)
        log_message(thread_id, "assistant", answer)
        return answer

    def last_word(self, talk):
        talk.append({"role": "user", "content": "Time is up: answer now."})
        return chat(talk).choices[0].message.content or "(no answer)"


agent_turn = _Turn()
""",
    "a generator of rounds": """
def _rounds(limit, seconds):
    begun = time.monotonic()
    for number in range(limit):
        if time.monotonic() - begun > seconds:
            return
        yield number


def agent_turn(user_query: str, thread_id: str = "default", max_iterations: int = 8, budget_seconds: float = 360.0, verbose: bool = True) -> str:
    log_message(thread_id, "user", user_query)
    system = {"role": "system", "content": SYSTEM_PROMPT}
    messages = [system, {"role": "user", "content": build_context(thread_id, user_query)}]
    tools = retrieve_tools(user_query, k=6)
    for number in _rounds(max_iterations, budget_seconds):
        reply = chat(messages, tools).choices[0].message
        if verbose:
            print("round", number, "calls", len(reply.tool_calls or ()))
        if reply.tool_calls:
            messages.append(reply.model_dump(exclude_none=True))
            for call in reply.tool_calls:
                result = dispatch(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result.content})
            continue
        answer = reply.content
        break
    else:
        answer = None
    if not answer:
        messages += [{"role": "user", "content": "No rounds are left. Answer with what you have."}]
        answer = chat(messages).choices[0].message.content
    answer = answer or "There is no answer."
    log_message(thread_id, "assistant", answer)
    return answer
""",
    "two functions, and a try around the log": """
def _work(messages, tools, max_iterations, end, tell):
    left = max_iterations
    while left > 0 and time.monotonic() <= end:
        left -= 1
        message = chat(messages, tools=tools).choices[0].message
        if not message.tool_calls:
            tell("answer")
            return message.content or ""
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            tell(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content})
    return ""


def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    end = time.monotonic() + budget_seconds
    log_message(thread_id, "user", user_query)
    answer = "(the turn broke off)"
    try:
        context = build_context(thread_id, user_query)
        talk = [dict(role="system", content=SYSTEM_PROMPT), dict(role="user", content=context)]
        tools = retrieve_tools(user_query, k=6)
        answer = _work(talk, tools, max_iterations, end, print if verbose else lambda text: None)
        if not answer.strip():
            talk.append(dict(role="user", content="Your budget is used up: give your best answer."))
            answer = chat(talk).choices[0].message.content or "I have no answer."
        return answer
    finally:
        log_message(thread_id, "assistant", answer)
""",
}
