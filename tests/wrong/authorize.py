# ruff: noqa: E501  (a line a version)
"""Wrong versions of `authorize`."""

from tests.wrong import Wrong

_DENIAL = 'return "deny", next(iter(denial))'
_ALL = "if all(any(covers(name, request[axis]) for name in denial[axis]) for axis in denial)"
_BEGIN = "    def refuses(grant: dict) -> str:\n"
_EACH = "        for axis in AXES:\n"
_MISSING = "            if axis not in grant:\n                return axis\n"
_REFUSED = 'return "ask" if axis == "approval" else axis'
_COVERED = "return any(covers(name, request[axis]) for name in granted)"
_CEILING = "return no_worse(request[axis], granted)"
_SPAN = 'granted[0] <= request["at"] < granted[1]'
_LIMIT = '0 < amount <= granted["action"]'
_TIERS = "all(used[tier] + amount <= granted[tier] for tier in used)"
_YES = 'return granted == "none" or request["approved"]'
_SAID = '    said = [refuses(grant) for grant in envelope["grants"]]\n'

WRONG = [
    Wrong('("allow", "")', "shape", {'return "allow", ""': "return True"}),
    Wrong('("allow", "")', "shape", {'return "allow", ""': 'return "allow"'}),
    Wrong('("deny", the axis', "wrong_axis", {'return "deny", max(said, key=AXES.index, default="resource")': 'return "deny", "action"'}),
    Wrong('("deny", the axis', "wrong_axis", {'return "ask", "approval"': 'return "ask", ""'}),
    Wrong("A denial of the envelope wins", "denial_ignored", {'envelope.get("denials", [])': "[]"}),
    Wrong("A denial of the envelope wins", "denial_ignored", {_DENIAL: 'return ("allow", "") if request["approved"] else ("deny", next(iter(denial)))'}),
    Wrong("TODO 1", "denial_too_wide", {_ALL: _ALL.replace("if all(", "if any(")}),
    Wrong("TODO 1", "denial_ignored", {_ALL: _ALL.replace("for axis in denial)", "for axis in denial if len(denial) > 1)").replace("if all(", "if len(denial) > 1 and all(")}),
    Wrong("TODO 1", "denial_looks_alike", {_ALL: _ALL.replace("covers(name, request[axis])", "name == request[axis]")}),
    Wrong("TODO 1", "wrong_axis", {_DENIAL: 'return "deny", "resource"'}),
    Wrong("TODO 1", "wrong_axis", {_DENIAL: 'return "deny", list(denial)[-1]'}),
    Wrong("One that is not named refuses", "unnamed_allowed", {_MISSING: "            if axis not in grant:\n                return ''\n"}),
    Wrong("One that is not named refuses", "unnamed_allowed", {_MISSING: "            if axis not in grant:\n                continue\n"}),
    Wrong("One that is not named refuses", "unnamed_allowed", {_BEGIN: _BEGIN + "        grant = {'approval': 'none', **grant}\n"}),
    Wrong("the first of AXES that refuses", "wrong_axis", {_EACH: "        for axis in (*AXES[2::-1], *AXES[3:]):\n"}),
    Wrong("the first of AXES that refuses", "wrong_axis", {_REFUSED: _REFUSED.replace("else axis", 'else "resource"')}),
    Wrong("the first of AXES that refuses", "wrong_axis", {_EACH: "        for axis in AXES:\n" + _MISSING + _EACH}),
    Wrong("TODO 3", "resource_ignored", {_COVERED: _COVERED.replace("return ", 'return axis == "resource" or ')}),
    Wrong("TODO 3", "action_ignored", {_COVERED: _COVERED.replace("return ", 'return axis == "action" or ')}, also=("wrong_axis",)),
    Wrong("TODO 3", "destination_ignored", {_COVERED: _COVERED.replace("return ", 'return axis == "destination" or ')}),
    Wrong("TODO 3", "looks_alike", {_COVERED: "return any(request[axis].startswith(name) for name in granted)"}),
    Wrong("TODO 3", "below_refused", {_COVERED: "return request[axis] in granted"}),
    Wrong("TODO 3", "above_allowed", {_COVERED: "return any(covers(name, request[axis]) or covers(request[axis], name) for name in granted)"}),
    Wrong("TODO 3", "granted_refused", {_COVERED: "return covers(granted[0], request[axis])"}),
    Wrong("TODO 3", "reversibility_ignored", {_CEILING: "return True"}),
    Wrong("TODO 3", "ceiling", {_CEILING: "return no_worse(granted, request[axis])"}),
    Wrong("TODO 3", "ceiling", {_CEILING: "return request[axis] == granted"}),
    Wrong("TODO 3", "time_ignored", {_SPAN: "True"}),
    Wrong("TODO 3", "time_ignored", {_SPAN: 'request["at"] < granted[1]'}),
    Wrong("TODO 3", "start_excluded", {_SPAN: _SPAN.replace("<=", "<")}),
    Wrong("TODO 3", "end_included", {_SPAN: _SPAN.replace(" < ", " <= ")}),
    Wrong("TODO 3", "zone_lost", {_SPAN: 'granted[0].replace(tzinfo=None) <= request["at"].replace(tzinfo=None) < granted[1].replace(tzinfo=None)'}),
    Wrong("TODO 3", "unit_ignored", {'request["unit"] == granted["unit"] and ': ""}),
    Wrong("an amount of at least 1", "amount_not_positive", {_LIMIT: 'amount <= granted["action"]'}),
    Wrong("an amount of at least 1", "amount_not_positive", {_LIMIT: '0 <= amount <= granted["action"]'}),
    Wrong('at most "action"', "quantity_ignored", {_LIMIT: "0 < amount"}),
    Wrong('at most "action"', "budget_cut_short", {_LIMIT: '0 < amount < granted["action"]'}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: "True"}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: _TIERS.replace("in used)", 'in used if tier != "tenant_day")')}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: _TIERS.replace(" + amount", "")}),
    Wrong("no tier overdrawn", "budget_cut_short", {_TIERS: _TIERS.replace("<=", "<")}),
    Wrong("TODO 4", "approval_ignored", {_YES: "return True"}),
    Wrong("TODO 4", "yes_not_enough", {_YES: 'return granted == "none"'}),
    Wrong("Approval comes last", "asks_in_vain", {_BEGIN: _BEGIN + '        if grant.get("approval") == "user" and not request["approved"]:\n            return "ask"\n'}),
    Wrong("Approval comes last", "yes_lifts_all", {_BEGIN: _BEGIN + '        if request["approved"] and grant.get("approval") == "user":\n            return ""\n'}),
    Wrong("is not a refusal yet", "approval_ignored", {_REFUSED: "return axis"}),
    Wrong("One grant that allows the whole request is enough", "first_grant_only", {'for grant in envelope["grants"]]': 'for grant in envelope["grants"][:1]]'}),
    Wrong("One grant that allows the whole request is enough", "last_grant_only", {'for grant in envelope["grants"]]': 'for grant in envelope["grants"][-1:]]'}),
    Wrong("the axes of two are never mixed", "grants_mixed", {_SAID: '    grants = [g for g in envelope["grants"] if set(AXES) <= set(g)]\n    mixed = [{**g, **{a: [n for o in grants for n in o[a]] for a in AXES[:3]}} for g in grants]\n    said = [refuses(grant) for grant in mixed or envelope["grants"]]\n'}),
    Wrong("TODO 5", "allowed_without_grant", {_SAID: '    if not envelope["grants"]:\n        return "allow", ""\n' + _SAID}),
    Wrong("TODO 5", "asks_though_allowed", {'    if "" in said:\n        return "allow", ""\n    if "ask" in said:\n        return "ask", "approval"\n': '    if "ask" in said:\n        return "ask", "approval"\n    if "" in said:\n        return "allow", ""\n'}),
    Wrong("TODO 5", "no_ask_left", {'if "ask" in said': 'said = [s for s in said if s != "ask"] if said[:1] != ["ask"] else said\n    if "ask" in said'}),
    Wrong("TODO 5", "no_ask_left", {'    if "ask" in said:': '    said = said if set(said) == {"ask"} else [s for s in said if s != "ask"]\n    if "ask" in said:'}),
    Wrong("TODO 5", "crash", {', default="resource")': ")"}),
    # Lists, levels, letters.
    Wrong("TODO 1", "denial_ignored", {_ALL: _ALL.replace("any(covers", "all(covers")}),
    Wrong("A denial of the envelope wins", "denial_ignored", {'envelope.get("denials", [])': 'envelope.get("denials", [])[:1]'}),
    Wrong("A denial of the envelope wins", "denial_ignored", {'envelope.get("denials", [])': 'envelope.get("denials", [])[-1:]'}),
    Wrong("TODO 3", "looks_alike", {_COVERED: "return any(covers(name, request[axis].lower()) for name in granted)"}),
    Wrong("TODO 3", "ceiling", {_CEILING: 'return request[axis] != "irreversible"'}),
    Wrong("TODO 3", "unit_ignored", {'request["unit"] == granted["unit"]': 'request["unit"].startswith(granted["unit"])'}),
    Wrong('("allow", "")', "wrong_axis", {'return "allow", ""': 'return "allow", None'}),
    Wrong('("deny", the axis', "wrong_axis", {'return "deny", max(said, key=AXES.index, default="resource")': 'return "deny", ", ".join(said)'}),
    # What the text says and no version above breaks.
    Wrong('TODO 1', 'crash', {'envelope.get("denials", [])': 'envelope["denials"]'}),
    Wrong('TODO 1', 'denial_too_wide', {'if all(any(covers(name, request[axis]) for': 'if all(any(covers(name, request[axis]) or covers(request[axis], name) for'}),
    Wrong('TODO 1', 'denial_too_wide', {'if all(any(covers(name, request[axis]) for': 'if all(any(request[axis].startswith(name) for'}),
    Wrong('One that is not named refuses', 'unnamed_allowed', {'            if axis not in grant:\n                return axis\n': '            if axis not in grant:\n                return "ask" if axis == "approval" and not request["approved"] else axis\n'}),
    Wrong('no tier overdrawn', 'budget_cut_short', {'used[tier] + amount <=': 'used[tier] + amount * len(request["resource"].split("/")) <='}),
    Wrong('the first of AXES', 'wrong_axis', {'        for axis in AXES:\n': '        for axis in (*AXES[:4], "quantity", "time", "approval"):\n'}),
    Wrong('the axes of two are never mixed', 'grants_mixed', {'    said = [refuses': '    best = max((g["quantity"] for g in envelope["grants"] if "quantity" in g), key=lambda q: (q["unit"] == request["unit"], q["action"]), default=None)\n    said = [refuses', 'refuses(grant) for grant in': 'refuses({**grant, "quantity": best} if "quantity" in grant else grant) for grant in'}, also=('no_ask_left',)),
    Wrong('the axes of two are never mixed', 'grants_mixed', {'    said = [refuses': '    times = [g["time"] for g in envelope["grants"] if "time" in g]\n    said = [refuses', 'return granted == "session" or granted[0] <= request["at"] < granted[1]': 'return any(t == "session" or t[0] <= request["at"] < t[1] for t in [g["time"] for g in envelope["grants"] if "time" in g])'}, also=('no_ask_left',)),
    # Written from the text alone, and what passed or misled before.
    Wrong("TODO 4", "yes_lifts_all", {"used[tier] + amount <= granted[tier]": "used[tier] + amount <= granted[tier] or request['approved']"}),
    Wrong("Names, the ceiling, the time", "clock", {_SPAN: '__import__("datetime").datetime.fromtimestamp(__import__("time").time(), granted[0].tzinfo) < granted[1]'}),
    Wrong("Names, the ceiling, the time", "destination_ignored", {_COVERED: _COVERED.replace("return ", 'return request[axis] == "model" or ')}),
    Wrong("Names, the ceiling, the time", "destination_ignored", {_COVERED: _COVERED.replace("return ", 'return (axis == "destination" and request[axis].startswith("outside")) or ')}),
    Wrong("Names, the ceiling, the time", "looks_alike", {_COVERED: _COVERED.replace("covers(", 'name == "*" or covers(')}),
    Wrong("TODO 5", "wrong_axis", {'default="resource"': 'default="approval"'}),
]  # fmt: skip
