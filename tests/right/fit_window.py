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
    "recursion from the longest tail on": """
def _size(talk):
    return sum(count_message(m) for m in talk)


def _try(head, messages, starts, limit):
    start, *later = starts
    gone = start - len(head)
    marker = [{"role": "user", "content": f"({gone} messages from before are not shown)"}] if gone else []
    fitted = [*head, *marker, *messages[start:]]
    if not later or _size(fitted) <= limit:
        return fitted
    return _try(head, messages, later, limit)


def fit_window(messages: list[dict], limit: int, keep_last: int = 8) -> list[dict]:
    if _size(messages) <= limit:
        return messages
    first = next(i for i, m in enumerate(messages) if m["role"] == "user")
    head = messages[: first + 1]
    starts = [i for i in range(first + 1, len(messages)) if messages[i]["role"] != "tool"]
    if not starts:
        return messages
    return _try(head, messages, [i for i in starts if i + keep_last >= len(messages)] or starts[-1:], limit)
""",
    "costs summed up once, from the end": """
from itertools import accumulate, takewhile


def fit_window(messages, limit, keep_last=8):
    costs = [count_message(m) for m in messages]
    if sum(costs) <= limit:
        return list(messages)
    head = list(takewhile(lambda m: m["role"] != "user", messages))
    head.append(messages[len(head)])
    behind = [*list(accumulate(costs[::-1]))[::-1], 0]  # of the messages from i on
    spent = behind[0] - behind[len(head)]

    def marker(start):
        left_out = start - len(head)
        return [] if not left_out else [{"role": "user", "content": f"[{left_out} earlier messages were left out]"}]

    starts = [i for i, m in enumerate(messages) if i >= len(head) and m["role"] != "tool"]
    if not starts:
        return list(messages)
    near = [i for i in starts if i >= len(messages) - keep_last] or [starts[-1]]
    for start in near[:-1]:
        if spent + sum(map(count_message, marker(start))) + behind[start] <= limit:
            return head + marker(start) + messages[start:]
    return head + marker(near[-1]) + messages[near[-1]:]
""",
}
