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

    def refuses(grant: dict) -> str:
        for axis in AXES:
            if axis not in grant:
                return axis
        for axis in ("resource", "action", "destination"):
            if not any(covers(name, request[axis]) for name in grant[axis]):
                return axis
        if not no_worse(request["reversibility"], grant["reversibility"]):
            return "reversibility"
        span, budget, amount = grant["time"], grant["quantity"], request["amount"]
        if span != "session" and not span[0] <= request["at"] < span[1]:
            return "time"
        if request["unit"] != budget["unit"] or not 0 < amount <= budget["action"]:
            return "quantity"
        if any(used + amount > budget[tier] for tier, used in request["used"].items()):
            return "quantity"
        return "" if grant["approval"] == "none" or request["approved"] else "ask"

    said = [refuses(grant) for grant in envelope["grants"]]
    if "" in said:
        return "allow", ""
    if "ask" in said:
        return "ask", "approval"
    return "deny", max(said, key=AXES.index, default="resource")
