# ruff: noqa: E501  (a line a version)
"""Wrong versions of `offload`."""

from tests.wrong import Wrong

WRONG = [
    Wrong(
        "head, tail, and how to get the rest",
        "no_way_back",
        {
            'f"fetch_tool_output(tool_call_id={tool_call_id!r}) returns the rest."': '"Ask for the rest."'
        },
    ),
    Wrong(
        "TODO 1", "not_shortened", {"if len(text) <= max_chars:": "if len(text) <= max_chars + 1:"}
    ),
    Wrong("TODO 1", "short_changed", {"if len(text) <= max_chars:": "if len(text) < max_chars:"}),
    Wrong(
        "TODO 1",
        "short_changed",
        {"if len(text) <= max_chars:": "if len(text.encode()) <= max_chars:"},
    ),
    Wrong("TODO 1", "short_changed", {"        return text\n": "        return text.strip()\n"}),
    Wrong("TODO 1", "default_wrong", {"max_chars: int = 4_000": "max_chars: int = 2_000"}),
    Wrong("TODO 2", "shares_wrong", {"max_chars // 4": "max_chars // 2"}),
    Wrong("TODO 2", "shares_wrong", {"max_chars // 4": "max_chars // 5"}),
    Wrong("TODO 2", "too_short", {"head = max_chars - tail": "head = max_chars - tail - 50"}),
    Wrong("TODO 2", "too_long", {"head = max_chars - tail": "head = max_chars"}),
    Wrong("TODO 2", "tail_wrong", {"text[len(text) - tail :]": "text[-tail : -1]"}),
    Wrong("TODO 2", "head_wrong", {"text[:head]": "text[1 : head + 1]"}),
    Wrong("TODO 3", "not_json", {"return json.dumps(": "return str("}),
    Wrong("TODO 3", "not_text", {"return json.dumps(": "return dict("}),
    Wrong("TODO 3", "status_wrong", {'"status": "ok"': '"status": "cut"'}),
    Wrong("TODO 3", "status_wrong", {'"offloaded": True': '"offloaded": False'}),
    Wrong("TODO 3", "key_missing", {'"offloaded": True,': ""}),
    Wrong(
        "TODO 3",
        "id_wrong",
        {'"tool_call_id": tool_call_id': '"tool_call_id": tool_call_id.lower()'},
    ),
    Wrong("TODO 3", "count_wrong", {"len(text) - head - tail,": "len(text) - max_chars + 1,"}),
    Wrong("TODO 3", "count_wrong", {"len(text) - head - tail,": "len(text),"}),
    Wrong("TODO 2", "head_wrong", {"text[:head]": "text[:head].strip()"}),
    Wrong("TODO 2", "too_short", {"head = max_chars - tail": "head = max_chars * 3 // 4"}),
    Wrong("TODO 2", "too_long", {"text[len(text) - tail :]": "text[-tail:]"}),
    # To the letter.
    Wrong("TODO 3", "key_added", {'"offloaded": True,': '"offloaded": True, "chars": len(text),'}),
    Wrong("TODO 3", "id_wrong", {"(tool_call_id={tool_call_id!r})": "(tool_call_id={tool_call_id.lower()!r})"}),
    # What the text says and no version above breaks.
    Wrong('TODO 2', 'too_short', {'text[:head]': 'text[:head].rpartition("\\n")[0] or text[:head]'}),
    Wrong('TODO 3', 'count_wrong', {'len(text) - head - tail,': 'float(len(text) - head - tail),'}),
    Wrong('TODO 3', 'status_wrong', {'"status": "ok"': '"status": "error" if text.startswith("ERROR") else "ok"'}),
    Wrong('how to get the rest', 'id_wrong', {'fetch_tool_output(tool_call_id={tool_call_id!r})': "fetch_tool_output(tool_call_id='call_1')"}),
    Wrong('TODO 3', 'hint_not_text', {'f"fetch_tool_output(tool_call_id={tool_call_id!r}) returns the rest."': '["fetch_tool_output", tool_call_id]'}),
    Wrong('TODO 3', 'id_wrong', {'"tool_call_id": tool_call_id': '"tool_call_id": offload.__dict__.setdefault("first", tool_call_id)'}),
]  # fmt: skip
