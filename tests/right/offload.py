# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `offload`."""

RIGHT = {
    "a class": """
class _Offload:
    def __call__(self, text, tool_call_id, max_chars=4_000):
        return text if len(text) <= max_chars else json.dumps(self.short(text, tool_call_id, max_chars))

    def short(self, text, tool_call_id, most):
        head = most * 3 // 4
        tail = most - head
        parts = {"head": text[:head], "tail": text[-tail:] if tail else ""}
        hint = f"Call fetch_tool_output with tool_call_id {tool_call_id} for the rest."
        return {"status": "ok", "offloaded": True, "tool_call_id": tool_call_id, **parts,
                "omitted_chars": len(text) - most, "hint": hint}


offload = _Offload()
""",
    "a lambda": """
_json = lambda text, call, head, tail: json.dumps(dict(
    status="ok", offloaded=True, tool_call_id=call, head=text[:head], tail=text[len(text) - tail:],
    omitted_chars=len(text[head : len(text) - tail]), hint="fetch_tool_output gives the rest."))
offload = lambda text, tool_call_id, max_chars=4000: (
    _json(text, tool_call_id, max_chars - max_chars // 4, max_chars // 4) if len(text) > max_chars else text
)
""",
    "slices by name, and int()": """
def offload(text, tool_call_id, max_chars=4_000):
    if not len(text) > max_chars:
        return text
    front = int(max_chars * 0.75)
    back = max_chars - front
    parts = {"head": slice(0, front), "tail": slice(len(text) - back, None)}
    shown = {name: text[part] for name, part in parts.items()}
    left_out = len(text) - sum(map(len, shown.values()))
    way = f'Call fetch_tool_output with tool_call_id "{tool_call_id}" and an offset.'
    return json.dumps({"tool_call_id": tool_call_id, "status": "ok", "offloaded": True, **shown, "omitted_chars": left_out, "hint": way}, ensure_ascii=False, indent=1)
""",
    "a hint that names the tool alone": """
def offload(text: str, tool_call_id: str, max_chars: int = 4_000) -> str:
    length = len(text)
    if length <= max_chars:
        return text
    tail = max_chars // 4
    answer = dict(status="ok", offloaded=True, tool_call_id=tool_call_id)
    answer["head"] = text[: max_chars - tail]
    answer["tail"] = text[length - tail :] if tail else ""
    answer["omitted_chars"] = length - max_chars
    answer["hint"] = "fetch_tool_output gives the rest, page by page, for this tool_call_id."
    return json.dumps(answer)
""",
    "divmod, and match": """
def offload(text, tool_call_id, max_chars=4_000):
    match len(text) - max_chars:
        case spare if spare <= 0:
            return text
        case omitted:
            quarter, _ = divmod(max_chars, 4)
            head, tail = text[: max_chars - quarter], text[max_chars - quarter + omitted :]
    result = {"status": "ok", "offloaded": True, "tool_call_id": tool_call_id}
    result |= {"head": head, "tail": tail, "omitted_chars": omitted}
    result["hint"] = "The rest is kept: fetch_tool_output reads it."
    return json.dumps(result)
""",
}
