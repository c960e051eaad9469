# ruff: noqa: E501  (a line a version)
"""Wrong versions of `authorize`."""

from tests.wrong import Wrong

_DENIAL = 'return "deny", next(iter(denial))'
_ALL = "if all(any(covers(name, request[axis]) for name in denial[axis]) for axis in denial)"
_MISSING = "            if axis not in grant:\n                return axis\n"
_NAMES = 'for axis in ("resource", "action", "destination")'
_COVERED = "if not any(covers(name, request[axis]) for name in grant[axis])"
_CEILING = 'not no_worse(request["reversibility"], grant["reversibility"])'
_SPAN = 'not span[0] <= request["at"] < span[1]'
_LIMIT = 'not 0 < amount <= budget["action"]'
_TIERS = 'any(used + amount > budget[tier] for tier, used in request["used"].items())'
_YES = 'return "" if grant["approval"] == "none" or request["approved"] else "ask"'
_SAID = '    said = [refuses(grant) for grant in envelope["grants"]]\n'

WRONG = [
    Wrong('("allow", "")', "shape", {'return "allow", ""': "return True"}),
    Wrong('("allow", "")', "shape", {'return "allow", ""': 'return "allow"'}),
    Wrong('("deny", the axis', "wrong_axis", {'return "deny", max(said, key=AXES.index, default="resource")': 'return "deny", "action"'}),
    Wrong('("deny", the axis', "wrong_axis", {'return "ask", "approval"': 'return "ask", ""'}),
    Wrong("A denial of the envelope wins", "denial_ignored", {'envelope.get("denials", [])': "[]"}, also=("denial_looks_alike",)),
    Wrong("A denial of the envelope wins", "denial_ignored", {_DENIAL: 'return ("allow", "") if request["approved"] else ("deny", next(iter(denial)))'}),
    Wrong("TODO 1", "denial_too_wide", {_ALL: _ALL.replace("if all(", "if any(")}),
    Wrong("TODO 1", "denial_looks_alike", {_ALL: _ALL.replace("for axis in denial)", "for axis in denial if len(denial) > 1)").replace("if all(", "if len(denial) > 1 and all(")}, also=("denial_ignored",)),
    Wrong("TODO 1", "denial_looks_alike", {_ALL: _ALL.replace("covers(name, request[axis])", "name == request[axis]")}),
    Wrong("TODO 1", "wrong_axis", {_DENIAL: 'return "deny", "resource"'}),
    Wrong("TODO 1", "wrong_axis", {_DENIAL: 'return "deny", list(denial)[-1]'}),
    Wrong("One that is not named refuses", "unnamed_allowed", {_MISSING: "            if axis not in grant:\n                return ''\n"}),
    Wrong("One that is not named refuses", "unnamed_allowed", {_MISSING: "            grant = {'approval': 'none', **grant}\n" + _MISSING}),
    Wrong("the first of AXES that refuses", "wrong_axis", {_NAMES + ":": 'for axis in ("destination", "action", "resource"):'}),
    Wrong("the first of AXES that refuses", "wrong_axis", {'                return axis\n        if not no_worse': '                return "resource"\n        if not no_worse'}),
    Wrong("TODO 3", "resource_ignored", {_NAMES: _NAMES.replace('"resource", ', "")}),
    Wrong("TODO 3", "action_ignored", {_NAMES: _NAMES.replace('"action", ', "")}, also=("wrong_axis",)),
    Wrong("TODO 3", "destination_ignored", {_NAMES: _NAMES.replace(', "destination"', "")}),
    Wrong("TODO 3", "looks_alike", {_COVERED: "if not any(request[axis].startswith(name) for name in grant[axis])"}),
    Wrong("TODO 3", "below_refused", {_COVERED: "if request[axis] not in grant[axis]"}),
    Wrong("TODO 3", "above_allowed", {_COVERED: "if not any(covers(name, request[axis]) or covers(request[axis], name) for name in grant[axis])"}),
    Wrong("TODO 3", "granted_refused", {_COVERED: "if not covers(grant[axis][0], request[axis])"}),
    Wrong("TODO 3", "reversibility_ignored", {_CEILING: "False"}),
    Wrong("TODO 3", "ceiling", {_CEILING: 'not no_worse(grant["reversibility"], request["reversibility"])'}),
    Wrong("TODO 3", "ceiling", {_CEILING: 'request["reversibility"] != grant["reversibility"]'}),
    Wrong("TODO 3", "time_ignored", {_SPAN: "False"}),
    Wrong("TODO 3", "time_ignored", {_SPAN: 'not request["at"] < span[1]'}),
    Wrong("TODO 3", "start_excluded", {_SPAN: 'not span[0] < request["at"] < span[1]'}),
    Wrong("TODO 3", "end_included", {_SPAN: 'not span[0] <= request["at"] <= span[1]'}),
    Wrong("TODO 3", "zone_lost", {_SPAN: 'not span[0].replace(tzinfo=None) <= request["at"].replace(tzinfo=None) < span[1].replace(tzinfo=None)'}),
    Wrong("TODO 3", "unit_ignored", {'request["unit"] != budget["unit"] or ': ""}),
    Wrong("an amount of at least 1", "amount_not_positive", {_LIMIT: 'amount > budget["action"]'}),
    Wrong("an amount of at least 1", "amount_not_positive", {_LIMIT: 'not 0 <= amount <= budget["action"]'}),
    Wrong('at most "action"', "quantity_ignored", {_LIMIT: "not 0 < amount"}),
    Wrong('at most "action"', "budget_cut_short", {_LIMIT: 'not 0 < amount < budget["action"]'}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: "False"}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: 'any(used + amount > budget[tier] for tier, used in request["used"].items() if tier != "tenant_day")'}),
    Wrong("no tier overdrawn", "budget_ignored", {_TIERS: 'any(used > budget[tier] for tier, used in request["used"].items())'}),
    Wrong("no tier overdrawn", "budget_cut_short", {_TIERS: _TIERS.replace("> budget", ">= budget")}),
    Wrong("TODO 4", "approval_ignored", {_YES: 'return ""'}),
    Wrong("TODO 4", "yes_not_enough", {_YES: 'return "" if grant["approval"] == "none" else "ask"'}),
    Wrong("Approval comes last", "asks_in_vain", {"        span, budget": '        if grant["approval"] == "user" and not request["approved"]:\n            return "ask"\n        span, budget'}),
    Wrong("Approval comes last", "yes_lifts_all", {_MISSING: _MISSING + '        if request["approved"] and grant["approval"] == "user":\n            return ""\n'}),
    Wrong("is not a refusal yet", "approval_ignored", {_YES: _YES.replace('"ask"', '"approval"')}),
    Wrong("One grant that allows the whole request is enough", "first_grant_only", {'for grant in envelope["grants"]]': 'for grant in envelope["grants"][:1]]'}),
    Wrong("One grant that allows the whole request is enough", "last_grant_only", {'for grant in envelope["grants"]]': 'for grant in envelope["grants"][-1:]]'}),
    Wrong("the axes of two are never mixed", "grants_mixed", {_SAID: '    grants = [g for g in envelope["grants"] if set(AXES) <= set(g)]\n    mixed = [{**g, **{a: [n for o in grants for n in o[a]] for a in AXES[:3]}} for g in grants]\n    said = [refuses(grant) for grant in mixed or envelope["grants"]]\n'}),
    Wrong("TODO 5", "allowed_without_grant", {_SAID: '    if not envelope["grants"]:\n        return "allow", ""\n' + _SAID}),
    Wrong("TODO 5", "asks_though_allowed", {'    if "" in said:\n        return "allow", ""\n    if "ask" in said:\n        return "ask", "approval"\n': '    if "ask" in said:\n        return "ask", "approval"\n    if "" in said:\n        return "allow", ""\n'}),
    Wrong("TODO 5", "no_ask_left", {'if "ask" in said': 'said = [s for s in said if s != "ask"] if said[:1] != ["ask"] else said\n    if "ask" in said'}),
    Wrong("TODO 5", "no_ask_left", {'    if "ask" in said:': '    said = said if set(said) == {"ask"} else [s for s in said if s != "ask"]\n    if "ask" in said:'}),
    Wrong("TODO 5", "crash", {', default="resource")': ")"}),
]  # fmt: skip
