# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `tiny_loop`."""

RIGHT = {
    "a class": """
class _Loop:
    def __call__(self, question: str, max_rounds: int = 8) -> str:
        self.talk = [dict(role="system", content=SYSTEM_PROMPT), dict(role="user", content=question)]
        self.tools = retrieve_tools(question)
        for _ in range(max_rounds):
            if (text := self.round()) is not None:
                return text
        return chat(self.talk).choices[0].message.content

    def round(self):
        said = chat(self.talk, self.tools).choices[0].message
        if not said.tool_calls:
            return said.content
        self.talk.append(said.model_dump(exclude_none=True))
        self.talk.extend(answer_tool_calls(said))


tiny_loop = _Loop()
""",
    "recursion": """
def tiny_loop(question, max_rounds=8):
    tools = retrieve_tools(question)

    def go(messages, left):
        if not left:
            return chat(messages).choices[0].message.content
        said = chat(messages, tools).choices[0].message
        if said.tool_calls:
            return go([*messages, said.model_dump(), *answer_tool_calls(said)], left - 1)
        return said.content

    return go([{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}], max_rounds)
""",
    "for and else": """
def tiny_loop(question, max_rounds=8):
    talk = [{"role": "system", "content": SYSTEM_PROMPT}]
    talk.append({"role": "user", "content": question})
    offered = retrieve_tools(question, k=6)
    for number in range(1, max_rounds + 1):
        message = chat(talk, tools=offered).choices[0].message
        match message.tool_calls:
            case None | []:
                break
            case calls:
                talk.append(message)
                talk += [{"role": "tool", "tool_call_id": c.id, "content": dispatch(c).content} for c in calls]
    else:
        message = chat(talk).choices[0].message
    return message.content
""",
    "while and a countdown": """
def tiny_loop(question: str, max_rounds: int = 8) -> str:
    talk = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    tools, left = retrieve_tools(question), max_rounds
    while left > 0 and (said := chat(talk, tools).choices[0].message).tool_calls:
        talk.append(said.model_dump(exclude_none=True))
        talk.extend(answer_tool_calls(said))
        left -= 1
    return said.content if left else chat(talk, None).choices[0].message.content
""",
    "an endless loop with two ways out": """
def tiny_loop(question, max_rounds=8):
    rules, asked = dict(role="system", content=SYSTEM_PROMPT), dict(role="user", content=question)
    messages, tools, number = [rules, asked], retrieve_tools(question), 0
    while True:
        last = number == max_rounds
        reply = chat(messages) if last else chat(messages, tools)
        said = reply.choices[0].message
        if last or not said.tool_calls:
            return said.content
        number += 1
        messages.append(said.model_dump(exclude_none=True))
        for result in answer_tool_calls(said):
            messages.append(result)
""",
    "a generator of replies": """
def tiny_loop(question, max_rounds=8):
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    tools = retrieve_tools(question)

    def replies():
        for _ in range(max_rounds):
            yield chat(messages, tools).choices[0].message
        yield chat(messages).choices[0].message

    for number, said in enumerate(replies()):
        if number == max_rounds or not said.tool_calls:
            return said.content
        messages.extend([said.model_dump(exclude_none=True)] + answer_tool_calls(said))
""",
}
