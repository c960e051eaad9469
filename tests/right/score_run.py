"""Right versions of `score_run`."""

RIGHT = {
    "a class that counts as it goes": """
class _Score:
    def __init__(self, expected, allowed):
        self.expected, self.fine = list(dict.fromkeys(expected)), {*expected, *allowed}
        self.n = self.fit = self.again = 0
        self.done, self.seen = [], {}

    def take(self, call):
        self.n += 1
        self.fit += call["tool"] in self.fine
        before = self.seen.setdefault(call["tool"], [])
        self.again += call["arguments"] in before
        before.append(call["arguments"])
        if call["status"] == "ok":
            self.done.append(call["tool"])

    def shares(self):
        n, ran = self.n, [t for t in self.expected if t in self.done]
        return {
            "precision": self.fit / n if n else 1.0,
            "recall": len(ran) / len(self.expected) if self.expected else 1.0,
            "redundancy": self.again / n if n else 0.0,
        }


def score_run(calls, expected, allowed=()):
    score = _Score(expected, allowed)
    for call in calls:
        score.take(call)
    return score.shares()
""",
    "a share function and any()": """
def score_run(calls: list[dict], expected: list[str], allowed: list[str] = ()) -> dict:
    def share(part, whole, empty):
        return sum(part) / len(whole) if whole else empty

    fine = list(expected) + list(allowed)
    needed = sorted(set(expected))
    worked = [any(c["tool"] == tool and c["status"] == "ok" for c in calls) for tool in needed]
    again = [
        any(c["tool"] == b["tool"] and c["arguments"] == b["arguments"] for b in calls[:i])
        for i, c in enumerate(calls)
    ]
    return dict(
        precision=share([c["tool"] in fine for c in calls], calls, 1.0),
        recall=share(worked, needed, 1.0),
        redundancy=share(again, calls, 0.0),
    )
""",
}
