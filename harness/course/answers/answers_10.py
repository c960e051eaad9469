"""Our solutions of part 10, generated from authoring/10_authority.py."""

# mypy: ignore-errors
from harness.guards.effect import covers, no_worse

AXES = ("resource", "action", "destination", "reversibility", "time", "quantity", "approval")


def authorize(envelope: dict, request: dict) -> tuple[str, str]:
    """("allow", ""), ("ask", "approval"), or ("deny", the axis that refuses).

    A denial of the envelope wins over every grant. One grant that allows the whole request is
    enough; the axes of two are never mixed.
    """
    for denial in envelope.get("denials", []):
        if all(any(covers(name, request[axis]) for name in denial[axis]) for axis in denial):
            return "deny", next(iter(denial))

    def allows(axis: str, granted) -> bool:
        if axis == "reversibility":
            return no_worse(request[axis], granted)
        if axis == "time":
            return granted == "session" or granted[0] <= request["at"] < granted[1]
        if axis == "quantity":
            amount, used = request["amount"], request["used"]
            at_once = request["unit"] == granted["unit"] and 0 < amount <= granted["action"]
            return at_once and all(used[tier] + amount <= granted[tier] for tier in used)
        if axis == "approval":
            return granted == "none" or request["approved"]
        return any(covers(name, request[axis]) for name in granted)

    def refuses(grant: dict) -> str:
        for axis in AXES:
            if axis not in grant:
                return axis
            if not allows(axis, grant[axis]):
                return "ask" if axis == "approval" else axis
        return ""

    said = [refuses(grant) for grant in envelope["grants"]]
    if "" in said:
        return "allow", ""
    if "ask" in said:
        return "ask", "approval"
    return "deny", max(said, key=AXES.index, default="resource")
