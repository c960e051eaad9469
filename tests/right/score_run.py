# ruff: noqa: E501  (the versions stand as learners write them)
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
    "three small functions and early returns": """
def _precision(calls, fine):
    if not calls:
        return 1.0
    return len([c for c in calls if c["tool"] in fine]) / len(calls)


def _recall(calls, needed):
    if not needed:
        return 1.0
    worked = {c["tool"] for c in calls if c["status"] == "ok"}
    return len(needed & worked) / len(needed)


def _redundancy(calls):
    if not calls:
        return 0.0
    new = []
    for c in calls:
        if (c["tool"], c["arguments"]) not in new:
            new.append((c["tool"], c["arguments"]))
    return 1 - len(new) / len(calls)


def score_run(calls, expected, allowed=()):
    return {"precision": _precision(calls, set(expected) | set(allowed)),
            "recall": _recall(calls, set(expected)), "redundancy": _redundancy(calls)}
""",
    "recursion over the calls": """
def score_run(calls, expected, allowed=()):
    needed = frozenset(expected)

    def go(rest, seen, fit, again, ran):
        if not rest:
            return fit, again, ran
        (call, *rest) = rest
        key = [call["tool"], call["arguments"]]
        return go(rest, [*seen, key], fit + (call["tool"] in needed or call["tool"] in allowed),
                  again + (key in seen), ran | ({call["tool"]} if call["status"] == "ok" else set()))

    fit, again, ran = go(list(calls), [], 0, 0, set())
    count = len(calls)
    return {
        "precision": fit / count if count else 1.0,
        "recall": sum(tool in ran for tool in needed) / len(needed) if needed else 1.0,
        "redundancy": again / count if count else 0.0,
    }
""",
    "statistics, enumerate and a lambda": """
from statistics import fmean

_share = lambda truths, empty: fmean(truths) if (truths := list(truths)) else empty
score_run = lambda calls, expected, allowed=(): {
    "redundancy": _share((any(b["tool"] == c["tool"] and b["arguments"] == c["arguments"] for b in calls[:i]) for i, c in enumerate(calls)), 0.0),
    "recall": _share((any(c["tool"] == t and c["status"] == "ok" for c in calls) for t in dict.fromkeys(expected)), 1.0),
    "precision": _share((c["tool"] in [*expected, *allowed] for c in calls), 1.0),
}
""",
}
