# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `answer_tool_calls`."""

RIGHT = {
    "a class": """
class _Answers:
    def __call__(self, message):
        return list(map(self.one, message.tool_calls))

    @staticmethod
    def one(call):
        return {"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content}


answer_tool_calls = _Answers()
""",
    "a lambda and a generator": """
answer_tool_calls = lambda message: [
    dict(role="tool", tool_call_id=c.id, content=r.content) for c in message.tool_calls if (r := dispatch(c))
]
""",
    "recursion": """
def answer_tool_calls(message):
    def rest(calls):
        match calls:
            case []:
                return []
            case [first, *others]:
                told = {"content": dispatch(first).content, "tool_call_id": first.id, "role": "tool"}
                return [told, *rest(others)]

    return rest(list(message.tool_calls))
""",
    "while and pop": """
def answer_tool_calls(message):
    waiting, done = list(message.tool_calls)[::-1], []
    while waiting:
        call = waiting.pop()
        done += [dispatch(call).message]
    return done
""",
    "plain dicts through the client's own dump": """
def answer_tool_calls(message):
    told = []
    for number, asked in enumerate(message.model_dump()["tool_calls"]):
        told.append({"role": "tool"})
        told[number]["tool_call_id"] = asked["id"]
        told[number]["content"] = dispatch(asked).content
    return told
""",
    "results first, messages after": """
def answer_tool_calls(message):
    results = [(call.id, dispatch(call)) for call in message.tool_calls]
    return [{"role": "tool", "tool_call_id": key, "content": r.content} for key, r in results]
""",
}
