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
    "a nested function for what is said, and while True": """
def agent_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
    def tell(*words):
        if verbose:
            print(*words)

    deadline, step, answer = time.monotonic() + budget_seconds, 0, ""
    log_message(thread_id, "user", user_query)
    messages = [{"role": "system", "content": SYSTEM_PROMPT}]
    messages.append({"role": "user", "content": build_context(thread_id, user_query)})
    tools = retrieve_tools(user_query, k=6)
    while True:
        if step >= max_iterations or time.monotonic() > deadline:
            tell("out of budget at", step)
            break
        reply = chat(messages, tools).choices[0].message
        calls = reply.tool_calls or []
        tell(step, ", ".join(call.function.name for call in calls) or "the answer")
        if not calls:
            answer = reply.content
            break
        messages += [reply.model_dump(exclude_none=True)]
        messages += [dict(role="tool", tool_call_id=c.id, content=dispatch(c).content) for c in calls]
        step += 1
    if not answer:
        messages.append({"role": "user", "content": "Please answer now, as well as you can, without tools."})
        answer = chat(messages).choices[0].message.content
    answer = answer or "(nothing was said)"
    log_message(thread_id, "assistant", answer)
    return answer
""",
    "a dataclass that is the turn": """
from dataclasses import dataclass, field


@dataclass
class _Talk:
    messages: list
    tools: list
    verbose: bool
    started: float = field(default_factory=time.monotonic)

    def step(self, number):
        message = chat(self.messages, self.tools).choices[0].message
        if self.verbose:
            print(number, message.content if not message.tool_calls else len(message.tool_calls))
        if not message.tool_calls:
            return message.content or ""
        self.messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content})
        return None

    def forced(self):
        last = {"role": "user", "content": "No more tools. What is your best answer?"}
        return chat([*self.messages, last]).choices[0].message.content or "I could not find out."


def agent_turn(user_query: str, thread_id: str = "default", max_iterations: int = 8, budget_seconds: float = 360.0, verbose: bool = True) -> str:
    started = time.monotonic()
    log_message(thread_id, "user", user_query)
    head = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": build_context(thread_id, user_query)}]
    talk = _Talk(head, retrieve_tools(user_query, k=6), verbose, started)
    answer = None
    for number in range(max_iterations):
        if time.monotonic() - talk.started > budget_seconds:
            break
        if (answer := talk.step(number)) is not None:
            break
    answer = answer or talk.forced()
    log_message(thread_id, "assistant", answer)
    return answer
""",
}
