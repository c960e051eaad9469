# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `authorize`."""

RIGHT = {
    "a class": """
class _Authorize:
    def __call__(self, envelope, request):
        for denial in envelope.get("denials") or []:
            if all(self.named(denial[a], request[a]) for a in denial):
                return ("deny", list(denial)[0])
        firsts = [self.first(g, request) for g in envelope["grants"]]
        if None in firsts:
            return ("allow", "")
        if "YES" in firsts:
            return ("ask", "approval")
        return ("deny", firsts[0] if firsts else "resource")

    def named(self, names, asked):
        return any(covers(n, asked) for n in names)

    def first(self, grant, request):
        for axis in AXES:
            if axis not in grant:
                return axis
            if not getattr(self, axis, lambda g, r, axis=axis: self.named(g, r[axis]))(grant[axis], request):
                return "YES" if axis == "approval" else axis
        return None

    def reversibility(self, g, r): return no_worse(r["reversibility"], g)
    def time(self, g, r): return g == "session" or g[0] <= r["at"] < g[1]
    def quantity(self, g, r):
        n = r["amount"]
        return r["unit"] == g["unit"] and 1 <= n <= g["action"] and not any(r["used"][t] + n > g[t] for t in ("turn", "hour", "tenant_day"))
    def approval(self, g, r): return g == "none" or r["approved"]

authorize = _Authorize()
""",
    "match or a partial": """
def authorize(envelope, request):
    for denial in envelope.get("denials", []):
        hit = True
        for axis, names in denial.items():
            if not any(covers(n, request[axis]) for n in names):
                hit = False
                break
        if hit:
            return ("deny", next(iter(denial)))
    reason, asks = "resource", False
    for grant in envelope["grants"]:
        bad = _first(grant, request)
        if bad is None:
            return ("allow", "")
        if bad == ("approval", True):
            asks = True
        else:
            reason = bad[0]
    return ("ask", "approval") if asks else ("deny", reason)

def _first(grant, request):
    for axis in AXES:
        if axis not in grant:
            return (axis, False)
        value = grant[axis]
        match axis:
            case "resource" | "action" | "destination":
                fine = any(covers(name, request[axis]) for name in value)
            case "reversibility":
                fine = no_worse(request["reversibility"], value)
            case "time":
                fine = value == "session" or (value[0] <= request["at"] and request["at"] < value[1])
            case "quantity":
                fine = _fits(value, request)
            case "approval":
                if value == "user" and not request["approved"]:
                    return ("approval", True)
                fine = True
        if not fine:
            return (axis, False)

def _fits(budget, request):
    if request["unit"] != budget["unit"]:
        return False
    if request["amount"] < 1 or request["amount"] > budget["action"]:
        return False
    for tier in ("turn", "hour", "tenant_day"):
        if request["used"][tier] + request["amount"] > budget[tier]:
            return False
    return True
""",
    "lambdas or a table": """
_CHECKS = {
    **{a: (lambda a: lambda g, r: any(covers(n, r[a]) for n in g))(a) for a in ("resource", "action", "destination")},
    "reversibility": lambda g, r: no_worse(r["reversibility"], g),
    "time": lambda g, r: g == "session" or g[0] <= r["at"] < g[1],
    "quantity": lambda g, r: r["unit"] == g["unit"] and 0 < r["amount"] <= g["action"] and all(r["used"][t] + r["amount"] <= g[t] for t in ("turn", "hour", "tenant_day")),
    "approval": lambda g, r: g == "none" or r["approved"],
}
_first = lambda g, r: next((a for a in AXES if a not in g or not _CHECKS[a](g[a], r)), "")
_denied = lambda e, r: next((next(iter(d)) for d in e.get("denials", []) if all(any(covers(n, r[a]) for n in d[a]) for a in d)), None)

def _of_grants(grants, r):
    firsts = [(_first(g, r), "approval" in g) for g in grants]
    if any(a == "" for a, _ in firsts):
        return "allow", ""
    if ("approval", True) in firsts:
        return "ask", "approval"
    return "deny", [a for a, _ in firsts][-1] if firsts else "resource"

authorize = lambda e, r: ("deny", d) if (d := _denied(e, r)) else _of_grants(e["grants"], r)
""",
    "early returns or a recursion": """
def authorize(envelope: dict, request: dict) -> tuple[str, str]:
    from functools import reduce
    denied = [d for d in envelope.get("denials", []) if all(any(covers(n, request[a]) for n in d[a]) for a in d.keys())]
    if denied:
        return "deny", next(iter(denied[0]))
    def walk(grant, axes):
        if not axes:
            return ""
        axis, *rest = axes
        if (given := grant.get(axis)) is None:
            return axis
        if axis in AXES[:3]:
            ok = bool([n for n in given if covers(n, request[axis])])
        elif axis == "reversibility":
            ok = no_worse(request[axis], given)
        elif axis == "time":
            ok = given == "session" or given[0] <= request["at"] < given[1]
        elif axis == "quantity":
            ok = given["unit"] == request["unit"] and given["action"] >= request["amount"] >= 1
            ok = ok and min(given[t] - request["used"][t] for t in ("turn", "hour", "tenant_day")) >= request["amount"]
        else:
            ok = given == "none" or bool(request["approved"])
            axis = "ask"
        return walk(grant, rest) if ok else axis
    order = ["", "ask"]
    results = [walk(g, list(AXES)) for g in envelope["grants"]] or ["resource"]
    best = reduce(lambda a, b: a if order.index(a) < order.index(b) else b, [r if r in order else "ask" for r in results if r in order] or ["none"]) if any(r in order for r in results) else results[0]
    return {"": ("allow", ""), "ask": ("ask", "approval")}.get(best, ("deny", best))
""",
    "a table of cases or exceptions": """
class _Axis(Exception):
    pass

def authorize(envelope, request):
    try:
        _denials(envelope, request)
    except _Axis as axis:
        return ("deny", str(axis))
    refused, ask = [], False
    for grant in envelope["grants"]:
        try:
            _all_but_approval(grant, request)
        except _Axis as axis:
            refused.append(str(axis))
            continue
        if "approval" not in grant:
            refused.append("approval")
        elif grant["approval"] == "none" or request["approved"]:
            return ("allow", "")
        else:
            ask = True
    return ("ask", "approval") if ask else ("deny", max(refused, key=AXES.index) if refused else "resource")

def _denials(envelope, request):
    for denial in envelope.get("denials", ()):
        if all(any(map(lambda n: covers(n, request[axis]), names)) for axis, names in denial.items()):
            raise _Axis(list(denial)[0])

def _need(axis, holds):
    if not holds:
        raise _Axis(axis)

def _all_but_approval(grant, request):
    for axis in ("resource", "action", "destination"):
        _need(axis, axis in grant and any(covers(n, request[axis]) for n in grant[axis]))
    _need("reversibility", "reversibility" in grant and no_worse(request["reversibility"], grant["reversibility"]))
    _need("time", "time" in grant and (grant["time"] == "session" or grant["time"][0] <= request["at"] < grant["time"][1]))
    _need("quantity", "quantity" in grant)
    budget, amount = grant["quantity"], request["amount"]
    _need("quantity", budget["unit"] == request["unit"] and 0 < amount <= budget["action"])
    for tier, gone in request["used"].items():
        _need("quantity", gone + amount <= budget[tier])
""",
    "sets of refusing axes": """
def authorize(envelope, request):
    meets = lambda names, axis: any(covers(name, request[axis]) for name in names)
    for denial in envelope.get("denials") or ():
        if all(meets(names, axis) for axis, names in denial.items()):
            return ("deny", [*denial][0])
    results = []
    for grant in envelope["grants"]:
        bad = set(AXES) - set(grant)
        bad |= {a for a in ("resource", "action", "destination") if a in grant and not meets(grant[a], a)}
        if "reversibility" in grant and not no_worse(request["reversibility"], grant["reversibility"]):
            bad.add("reversibility")
        if grant.get("time", "session") != "session":
            begin, end = grant["time"]
            if not begin <= request["at"] < end:
                bad.add("time")
        if (q := grant.get("quantity")) is not None:
            fits = q["unit"] == request["unit"] and 1 <= request["amount"] <= q["action"]
            room = all(request["used"][t] + request["amount"] <= q[t] for t in ("turn", "hour", "tenant_day"))
            if not (fits and room):
                bad.add("quantity")
        if not bad and grant["approval"] == "user" and not request["approved"]:
            results.append("ask")
        else:
            results.append(min(bad, key=AXES.index) if bad else "")
    if "" in results:
        return ("allow", "")
    if "ask" in results:
        return ("ask", "approval")
    return ("deny", results[0] if results else "resource")
""",
    "exceptions for control": """
class _Refused(Exception):
    pass


def _check(grant, request):
    for axis in AXES:
        if axis not in grant:
            raise _Refused(axis)
        value = grant[axis]
        if axis in ("resource", "action", "destination"):
            good = any(covers(name, request[axis]) for name in value)
        elif axis == "reversibility":
            good = no_worse(request[axis], value)
        elif axis == "time":
            good = value == "session" or (value[0] <= request["at"] and request["at"] < value[1])
        elif axis == "quantity":
            after = {tier: gone + request["amount"] for tier, gone in request["used"].items()}
            good = value["unit"] == request["unit"] and request["amount"] > 0
            good = good and request["amount"] <= value["action"] and all(value[t] >= n for t, n in after.items())
        else:
            return "allow" if value == "none" or request["approved"] else "ask"
        if not good:
            raise _Refused(axis)


def authorize(envelope: dict, request: dict):
    if "denials" in envelope:
        for denial in envelope["denials"]:
            if False not in [any(covers(n, request[a]) for n in denial[a]) for a in denial]:
                return "deny", tuple(denial)[0]
    best, axis = "deny", "resource"
    for grant in envelope["grants"]:
        try:
            verdict = _check(grant, request)
        except _Refused as refused:
            axis = str(refused)
            continue
        if verdict == "allow":
            return "allow", ""
        best = "ask"
    return (best, "approval") if best == "ask" else (best, axis)
""",
}
