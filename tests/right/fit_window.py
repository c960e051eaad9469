# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `fit_window`."""

RIGHT = {
    "a class": """
class _Fit:
    def __call__(self, messages, limit, keep_last=8):
        self.cost = lambda talk: sum(count_message(m) for m in talk)
        if self.cost(messages) <= limit:
            return messages[:]
        head = [m["role"] for m in messages].index("user") + 1
        starts = [i for i, m in enumerate(messages) if i >= head and m["role"] != "tool"]
        if not starts:
            return messages[:]
        near = [i for i in starts if len(messages) - i <= keep_last] or [starts[-1]]
        tried = [self.cut(messages, head, start) for start in near]
        return next((each for each in tried if self.cost(each) <= limit), tried[-1])

    def cut(self, messages, head, start):
        gone = start - head
        marker = [{"role": "user", "content": f"[{gone} earlier messages were left out]"}] if gone else []
        return messages[:head] + marker + messages[start:]


fit_window = _Fit()
""",
    "steps, longest tail first": """
def fit_window(messages, limit, keep_last=8):
    def size(talk):
        return sum(count_message(each) for each in talk)

    if size(messages) <= limit:
        return list(messages)
    end = 0
    while messages[end]["role"] != "user":
        end += 1
    head, rest = messages[: end + 1], messages[end + 1 :]
    steps = []
    for message in rest:
        if message["role"] == "tool" and steps:
            steps[-1].append(message)
        else:
            steps.append([message])
    for skip in range(len(steps)):
        tail = [message for step in steps[skip:] for message in step]
        gone = len(rest) - len(tail)
        note = [{"role": "user", "content": f"[{gone} earlier messages were left out]"}] * bool(gone)
        last = skip == len(steps) - 1
        if last or (len(tail) <= keep_last and size([*head, *note, *tail]) <= limit):
            return [*head, *note, *tail]
    return list(messages)
""",
    "a generator, and a summary in the marker": """
def fit_window(messages: list[dict], limit: int, keep_last: int = 8) -> list[dict]:
    total = lambda talk: sum(map(count_message, talk))
    if total(messages) <= limit:
        return messages
    cut = next(i for i, m in enumerate(messages, 1) if m["role"] == "user")

    def tries():
        starts = [i for i in range(cut, len(messages)) if messages[i]["role"] != "tool"]
        near = [i for i in starts if len(messages) - i <= keep_last]
        for i in near or starts[-1:]:
            marker = {"role": "user", "content": f"[{i - cut} earlier messages were left out]"}
            yield messages[:cut] + ([marker] if i > cut else []) + messages[i:]

    fitted = messages
    for fitted in tries():
        if total(fitted) <= limit:
            return fitted
    return fitted
""",
}
