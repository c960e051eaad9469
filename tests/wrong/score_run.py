# ruff: noqa: E501  (a line a version)
"""Wrong versions of `score_run`."""

from tests.wrong import Wrong

_FIT = "{*expected, *allowed}"
_OK = ' if call["status"] == "ok"'
_PRECISION = "len(fitting) / len(calls) if calls else 1.0"
_RECALL = "len(needed & worked) / len(needed) if needed else 1.0"
_AGAIN = "len(again) / len(calls) if calls else 0.0"
_KEYS = '(call["tool"], call["arguments"])'
_BEFORE = "key in keys[:i]"

WRONG = [
    Wrong("leave them as they are", "input_changed", {"keys = [": "calls.reverse()\n    keys = ["}),
    Wrong(
        "A call is a dict with tool, arguments and status",
        "crash",
        {_BEFORE: "len({key, *keys[:i]}) <= i"},
    ),
    Wrong("others that do no harm", "allowed_ignored", {_FIT: "{*expected}"}),
    Wrong("names the tools that the task needs", "expected_ignored", {_FIT: "{*allowed}"}),
    Wrong(
        "Three shares from 0 to 1", "not_a_share", {_PRECISION: "100 * len(fitting) / len(calls)"}
    ),
    Wrong("come back in a dict", "keys_wrong", {'"recall":': '"Recall":'}),
    Wrong("come back in a dict", "not_a_dict", {"return {": "return len(calls), {"}),
    Wrong("1.0 without a call", "no_calls", {_PRECISION: _PRECISION.replace("1.0", "0.0")}),
    Wrong("1.0 without a call", "crash", {_PRECISION: "len(fitting) / len(calls)"}),
    Wrong(
        "of the calls, those of a tool that is expected or allowed",
        "tools_counted",
        {_PRECISION: 'len({c["tool"] for c in fitting}) / len({c["tool"] for c in calls} or {1})'},
    ),
    Wrong("that ran with status ok at least once", "failed_counted", {_OK: ""}),
    Wrong(
        "that ran with status ok at least once",
        "later_success",
        {
            "needed = set(expected)": "needed = set(expected)\n"
            '    worked -= {call["tool"] for call in calls if call["status"] != "ok"}'
        },
    ),
    Wrong("1.0 if none is expected", "none_expected", {_RECALL: _RECALL.replace("1.0", "0.0")}),
    Wrong("same tool, same arguments", "arguments_ignored", {_KEYS: 'call["tool"]'}),
    Wrong("same tool, same arguments", "tool_ignored", {_KEYS: 'call["arguments"]'}),
    Wrong("same tool, same arguments", "key_order", {_KEYS: "str(call)"}),
    Wrong("those that repeat an earlier one", "first_counted", {_BEFORE: "keys.count(key) > 1"}),
    Wrong(
        "those that repeat an earlier one", "only_neighbours", {_BEFORE: "key in keys[i - 1 : i]"}
    ),
    Wrong("0.0 without a call", "no_calls", {_AGAIN: _AGAIN.replace("0.0", "1.0")}),
    Wrong("TODO 1", "precision_wrong", {_PRECISION: "len(fitting) / (len(calls) + 1)"}),
    Wrong("TODO 2", "recall_wrong", {_RECALL: "len(needed & worked) / len(calls) if calls else 0"}),
    Wrong("TODO 2", "none_ran", {_RECALL: _RECALL.replace("needed else", "needed and calls else")}),
    Wrong("TODO 3", "redundancy_wrong", {_AGAIN: "1 - " + _AGAIN.replace("0.0", "1.0")}),
    # To the letter.
    Wrong("TODO 3", "counted_once", {"len(again)": "len(set(map(str, again)))"}),
    Wrong("TODO 1", "precision_wrong", {'call["tool"] in {': 'call["tool"].lower() in {'}),
    # What the text says and no version above breaks.
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': 'call["status"].startswith("ok")'}),
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': '"ok" in call["status"]'}),
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': 'call["status"].lower() == "ok"'}),
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': 'call["status"].strip() == "ok"'}),
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': 'call["status"] in ("ok", "empty", "truncated", "offloaded")'}),
    Wrong('that ran with status ok', 'status_alike', {'call["status"] == "ok"': 'call["status"] in ("ok", "")'}),
    Wrong('names the tools that the task needs', 'expected_twice', {'len(needed & worked) / len(needed)': 'len(needed & worked) / len(expected)'}),
    Wrong('that ran with status ok at least once', 'expected_twice', {'len(needed & worked) / len(needed)': 'sum(min(expected.count(t), sum(c["tool"] == t and c["status"] == "ok" for c in calls)) for t in needed) / len(expected)'}),
    Wrong('those that repeat an earlier one', 'only_near', {'if key in keys[:i]]': 'if key in keys[max(0, i - 3) : i]]'}),
    Wrong('same tool, same arguments', 'arguments_ignored', {'(call["tool"], call["arguments"])': '(call["tool"], sorted((k, str(v)) for k, v in call["arguments"].items()) if isinstance(call["arguments"], dict) else call["arguments"])'}),
    Wrong('leave them as they are', 'input_changed', {'    worked = ': '    for c in calls:\n        c["status"] = c["status"].lower()\n    worked = '}),
    Wrong('of the calls, those of a tool', 'tool_alike', {'if call["tool"] in {*expected, *allowed}]': 'if call["tool"].startswith((*expected, *allowed))]'}),
    Wrong('names the tools that the task needs', 'tool_alike', {'len(needed & worked) / len(needed)': 'sum(any(w.startswith(n) for w in worked) for n in needed) / len(needed)'}),
]  # fmt: skip
