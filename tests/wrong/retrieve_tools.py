# ruff: noqa: E501  (a line a version)
"""Wrong versions of `retrieve_tools`."""

from tests.wrong import Wrong

_END = "return [TOOLS[name][1] for name in TOOLS if name in chosen]"

WRONG = [
    Wrong(
        "The schemas of the always-on tools and of the `k` others",
        "always_missing",
        {_END: "return [TOOLS[name][1] for name in TOOLS if name in chosen and name in rest]"},
    ),
    Wrong(
        "TOOLS maps each name to (callable, schema)",
        "not_schemas",
        {"return [TOOLS[name][1] for": "return [TOOLS[name] for"},
    ),
    Wrong(
        "The order is that of TOOLS",
        "order_wrong",
        {_END: "return [TOOLS[name][1] for name in sorted(chosen)]"},
    ),
    Wrong(
        "The order is that of TOOLS",
        "order_wrong",
        {
            _END: "return [TOOLS[name][1] for name in [*(c for c in TOOLS if c in chosen and c not in rest), *(n for _, n in ranked[:k])]]"
        },
    ),
    Wrong(
        "each tool comes once",
        "duplicates",
        {_END: _END.replace("return ", "found = ") + "\n    return found + found[:1]"},
    ),
    Wrong(
        "each schema is as it stands in TOOLS",
        "schema_changed",
        {"return [TOOLS[name][1] for": "return [{**TOOLS[name][1], 'near': 1} for"},
    ),
    Wrong("its name and its description", "description_ignored", {'f"{n}: {d}"': 'f"{n}"'}),
    Wrong("its name and its description", "name_ignored", {'f"{n}: {d}"': 'f"{d}"'}),
    Wrong(("TODO 1", "always on"), "always_missing", {" if contract.always}": " if False}"}),
    Wrong("TODO 2", "farthest", {"-pair[0], pair[1]": "pair[0], pair[1]"}),
    Wrong("TODO 2", "farthest", {"@ vectors[0]": "@ vectors[-1]"}),
    Wrong("The k with the highest nearness", "k_ignored", {"ranked[:k]": "ranked[:2]"}),
    Wrong("The k with the highest nearness", "default_k", {"k: int = 6": "k: int = 5"}),
    Wrong(
        "The always-on tools don't count",
        "always_counted",
        {"ranked[:k]": "ranked[: k - len(chosen)]"},
    ),
    Wrong("TODO 4", "returns_all", {_END: "return [TOOLS[name][1] for name in TOOLS]"}),
    Wrong("TODO 4", "names", {_END: "return sorted(chosen)"}),
    # To the letter.
    Wrong("TODO 2", "query_changed", {"embed([user_query,": "embed([user_query.upper(),"}),
    Wrong("A tool's text is its name", "text_changed", {'f"{n}: {d}"': 'f"{n}: {d[:60]}"'}),
    # Long descriptions, schemas with more in them, products that are near each other or negative.
    Wrong("A tool's text is its name and its description", "text_changed", {'f"{n}: {d}" for': 'f"{n}: {d[:200]}" for'}),
    Wrong("A tool's text is its name and its description", "text_changed", {'f"{n}: {d}" for': """f"{n}: {d.split('.')[0]}" for"""}),
    Wrong("each schema is as it stands in TOOLS", "schema_changed", {"[TOOLS[name][1] for name in TOOLS if": "[{'type': 'function', 'function': {k: v for k, v in TOOLS[name][1]['function'].items() if k != 'strict'}} for name in TOOLS if"}),
    Wrong("TODO 3", "sign_lost", {"(-pair[0], pair[1])": "(-abs(pair[0]), pair[1])"}),
    Wrong("TODO 3", "scores_rounded", {"round(6)": "round(2)"}),
    Wrong("TODO 3", "scores_rounded", {"round(6)": "round(1)"}),
    Wrong("TODO 1", "stale", {"    chosen = {contract.name for contract in toolbox.contracts() if contract.always}\n": "    chosen = set(retrieve_tools.__dict__.setdefault('kept', {c.name for c in toolbox.contracts() if c.always}))\n"}),
    Wrong("TODO 2", "stale", {"    nearness = (vectors[1:]": "    kept = retrieve_tools.__dict__.setdefault('kept', {}).setdefault(len(rest), vectors[1:])\n    nearness = (kept"}),
    Wrong("TODO 2", "remembers", {"    nearness = (": "    vectors = retrieve_tools.__dict__.setdefault('kept', vectors)\n    nearness = ("}),
    Wrong("TODO 2", "query_changed", {"[user_query, ": "[user_query.split('.')[0], "}),
    Wrong("TODO 2", "query_changed", {"[user_query, ": "[user_query[:50], "}),
    # Written from the text alone, and what passed or misled before.
    Wrong("A tool's text is its name and its description", "text_changed", {'f"{n}: {d}" for': 'f"{n}: {d} {TOOLS[n][1]}" for'}),
    Wrong("each schema is as it stands in TOOLS", "schema_changed", {"[TOOLS[name][1] for name in TOOLS if": "[{**TOOLS[name][1], 'function': {**TOOLS[name][1]['function'], 'description': TOOLS[name][1]['function']['description'][:1024]}} for name in TOOLS if"}),
    Wrong("of the `k` others", "others_missing", {"    chosen |= {name for _, name in ranked[:k]}\n": ""}),
    Wrong("The always-on tools don't count", "always_counted", {"ranked[:k]": "ranked[: max(k - len(chosen), 0)]"}),
    Wrong("The always-on tools don't count", "always_counted", {"rest = [name for name in TOOLS if name not in chosen]": "rest = list(TOOLS)"}),
    Wrong("always on", "always_missing", {"if name in chosen]": "if name in chosen and k]"}),
    Wrong("TODO 3", "remembers", {"    chosen |= ": "    ranked = retrieve_tools.__dict__.setdefault('kept', {}).setdefault(user_query, ranked[:k])\n    chosen |= "}),
    Wrong("TODO 3", "k_ignored", {"ranked[:k]}": "ranked[:k] if _ > 0.2}"}),
]  # fmt: skip
