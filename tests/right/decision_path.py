# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `decision_path`."""

RIGHT = {
    "a function a piece": """
def decision_path(events):
    def word(event):
        if event["phase"] == "OBSERVING":
            status = event["status"]
            return event["tool"] + ("" if status is None or status == "ok" else f" ({status})")
        if event["phase"] == "PLANNING" and event["model_decision"] in {"answer", "no reply"}:
            return event["model_decision"]
        return None

    numbers = sorted({event["iteration"] for event in events if word(event)})
    pieces = []
    for number in numbers:
        words = [word(e) for e in events if e["iteration"] == number and word(e)]
        pieces.append(f"{number} " + ", ".join(words))
    ends = [e["status"] for e in events if e["phase"] in ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP")]
    return " | ".join(pieces + ends[-1:])
""",
    "calls and answers apart, setdefault": """
ENDS = "COMPLETED CAP_REACHED SAFETY_TRIP".split()


def decision_path(events: list[dict]) -> str:
    calls, answers, end = {}, {}, None
    for e in events:
        n = e["iteration"]
        match e["phase"]:
            case "OBSERVING":
                tail = f" ({e['status']})" if e["status"] not in (None, "ok") else ""
                calls.setdefault(n, []).append(e["tool"] + tail)
            case "PLANNING" if e["model_decision"] == "answer" or e["model_decision"] == "no reply":
                answers.setdefault(n, []).append(e["model_decision"])
            case phase if phase in ENDS:
                end = e["status"]
    line = [f"{n} {', '.join(calls.get(n, []) + answers.get(n, []))}" for n in sorted(calls | answers)]
    if end is not None:
        line.append(end)
    return " | ".join(line)
""",
    "sorted, then groupby": """
from itertools import groupby


def decision_path(events):
    said, end = [], []
    for e in events:
        if e["phase"] == "OBSERVING":
            said.append((e["iteration"], e["tool"] if e["status"] in (None, "ok") else f"{e['tool']} ({e['status']})"))
        if e["phase"] == "PLANNING" and e["model_decision"] in ("answer", "no reply"):
            said.append((e["iteration"], e["model_decision"]))
        if e["phase"] in ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP"):
            end = [e["status"]]
    said.sort(key=lambda pair: pair[0])
    pieces = [f"{n} {', '.join(text for _, text in group)}" for n, group in groupby(said, key=lambda pair: pair[0])]
    return " | ".join(pieces + end)
""",
    "a class with a method a phase": """
class _Path:
    def __init__(self):
        self.steps, self.end = {}, ""

    def OBSERVING(self, event):
        status = event["status"] or "ok"
        self.steps.setdefault(event["iteration"], []).append(
            event["tool"] if status == "ok" else "%s (%s)" % (event["tool"], status))

    def PLANNING(self, event):
        if (decided := event["model_decision"]) in ("answer", "no reply"):
            self.steps.setdefault(event["iteration"], []).append(decided)

    def ended(self, event):
        self.end = event["status"]

    COMPLETED = CAP_REACHED = SAFETY_TRIP = ended

    def line(self):
        for number in sorted(self.steps):
            yield f"{number} {', '.join(self.steps[number])}"
        if self.end:
            yield self.end


def decision_path(events: list[dict]) -> str:
    path = _Path()
    for event in events:
        getattr(path, event["phase"], lambda event: None)(event)
    return " | ".join(path.line())
""",
    "a table of words, and recursion": """
WORDS = {
    "OBSERVING": lambda e: e["tool"] + (f" ({e['status']})" if e["status"] not in ("ok", None) else ""),
    "PLANNING": lambda e: {"answer": "answer", "no reply": "no reply"}.get(e["model_decision"]),
}
ENDS = {"COMPLETED", "CAP_REACHED", "SAFETY_TRIP"}


def decision_path(events):
    def numbered(rest):
        if not rest:
            return {}
        *before, event = rest
        found = numbered(before)
        word = WORDS.get(event["phase"], lambda e: None)(event)
        return found if not word else {**found, event["iteration"]: [*found.get(event["iteration"], []), word]}

    found = numbered([e for e in events if e["phase"] in WORDS])
    parts = [" ".join((str(n), ", ".join(words))) for n, words in sorted(found.items())]
    return " | ".join(parts + [e["status"] for e in events if e["phase"] in ENDS][-1:])
""",
}
