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
}
