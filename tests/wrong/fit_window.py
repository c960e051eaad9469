# ruff: noqa: E501  (a line a version)
"""Wrong versions of `fit_window`."""

from tests.wrong import Wrong

_HEAD = 'head_end = next(i for i, message in enumerate(messages) if message["role"] == "user") + 1'
_FITS = "if sum(map(count_message, fitted)) <= limit:"
_NOTE = 'note = f"[{start - head_end} earlier messages were left out]"'
_WANTED = "wanted = [i for i in starts if i >= len(messages) - keep_last]"
_STARTS = 'if messages[i]["role"] != "tool"]'

WRONG = [
    Wrong("The conversation in at most `limit` tokens", "over_limit", {_FITS: "if True:"}),
    Wrong(
        "The conversation in at most `limit` tokens",
        "over_limit",
        {_FITS: "if sum(map(count_message, messages[start:])) <= limit:"},
    ),
    Wrong(
        "The conversation in at most `limit` tokens",
        "over_limit",
        {_FITS: "if sum(map(count_message, messages[:head_end] + messages[start:])) <= limit:"},
    ),
    Wrong(
        "The conversation in at most `limit` tokens",
        "tail_lost",
        {_FITS: "if sum(map(count_message, fitted)) <= limit * 0.9:"},
    ),
    Wrong(
        "The head is everything up to the first user message", "task_lost", {_HEAD: "head_end = 2"}
    ),
    Wrong(
        "The head is everything up to the first user message",
        "system_lost",
        {"fitted = messages[:head_end]": "fitted = messages[head_end - 1 : head_end]"},
    ),
    Wrong(
        "Fewer than `keep_last` stay",
        "keep_last_ignored",
        {_WANTED: "wanted = [i for i in starts if i >= len(messages) - keep_last - 1]"},
    ),
    Wrong(
        "Fewer than `keep_last` stay",
        "tail_lost",
        {_WANTED: "wanted = [i for i in starts if i > len(messages) - keep_last]"},
    ),
    Wrong(
        "at least the last step stays",
        "tail_lost",
        {
            "for start in wanted or starts[-1:]:": "for start in [*(wanted or starts[-1:]), len(messages)]:"
        },
    ),
    Wrong(
        "TODO 1",
        "cut_needlessly",
        {
            "if sum(map(count_message, messages)) <= limit:": "if sum(map(count_message, messages)) < limit:"
        },
    ),
    Wrong(
        "TODO 1",
        "input_changed",
        {"            break": "            messages.pop()\n            break"},
    ),
    Wrong("TODO 2", "result_without_call", {_STARTS: "]"}),
    Wrong("TODO 2", "task_lost", {_HEAD: "head_end = 1"}),
    Wrong(
        "TODO 3",
        "result_without_call",
        {
            "for start in wanted or starts[-1:]:": "for start in [max(len(messages) - keep_last, head_end)]:"
        },
    ),
    Wrong(
        "TODO 3",
        "keep_last_ignored",
        {"for start in wanted or starts[-1:]:": "for start in wanted or starts:"},
    ),
    Wrong("TODO 3", "no_marker", {'fitted = [*fitted, {"role": "user", "content": note}]': "pass"}),
    Wrong(
        "one marker message",
        "several_markers",
        {
            'fitted = [*fitted, {"role": "user", "content": note}]': 'fitted = [*fitted, {"role": "user", "content": note}, {"role": "user", "content": "Go on."}]'
        },
    ),
    Wrong(
        "one marker message",
        "count_false",
        {_NOTE: _NOTE.replace("start - head_end", "len(messages)")},
    ),
    Wrong("one marker message", "marker_empty", {_NOTE: 'note = ""'}),
    Wrong(
        "one marker message",
        "marker_role",
        {'{"role": "user", "content": note}': '{"role": "tool", "content": note}'},
    ),
    Wrong(
        "TODO 4",
        "tail_lost",
        {"for start in wanted or starts[-1:]:": "for start in (wanted or starts)[-1:]:"},
    ),
    Wrong(
        "TODO 4",
        "over_limit",
        {
            "            break": "            pass",
            "for start in wanted or starts[-1:]:": "for start in (wanted or starts[-1:])[::-1]:",
        },
    ),
    Wrong(
        "TODO 1",
        "over_limit",
        {
            "    if sum(map(count_message, messages)) <= limit:\n        return": "    if len(messages) <= keep_last or sum(map(count_message, messages)) <= limit:\n        return"
        },
    ),
    Wrong(
        "TODO 2",
        "tail_lost",
        {'messages[i]["role"] != "tool"': 'messages[i]["role"] == "assistant"'},
    ),
    Wrong(
        "TODO 4",
        "tail_lost",
        {
            "        if sum(map(count_message, fitted)) <= limit:\n            break": "        if sum(map(count_message, fitted)) < limit:\n            break"
        },
    ),
    # To the letter.
    Wrong("TODO 1", "message_changed", {"        return list(messages)\n    head": "        return [{**m, 'content': m['content'].strip()} for m in messages]\n    head"}),
    Wrong("The head is everything", "message_changed", {"fitted = messages[:head_end]": "fitted = [{**m, 'content': m['content'].strip()} for m in messages[:head_end]]"}),
    # What the text says and no version above breaks.
    Wrong('The head is everything', 'head_lost', {'fitted = messages[:head_end]': 'fitted = [m for m in messages[:head_end] if m["role"] in ("system", "user")]'}),
    Wrong('TODO 2', 'tail_lost', {'if messages[i]["role"] != "tool"]': 'if messages[i]["role"] != "tool" and messages[i - 1]["role"] in ("tool", "user")]'}),
    Wrong('the last `keep_last` messages', 'default_wrong', {'keep_last: int = 8': 'keep_last: int = 6'}),
    # Written from the text alone, and what passed before.
    Wrong("the last `keep_last` messages", "keep_last_ignored", {"len(messages) - keep_last]": "len(messages) - (keep_last or len(messages))]"}),
    Wrong("TODO 3", "count_false", {"fitted = [*fitted, *messages[start:]]": 'fitted = [*fitted, *(m for m in messages[start:] if m["role"] != "system")]'}),
]  # fmt: skip
