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
}
