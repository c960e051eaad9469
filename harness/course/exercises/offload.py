"""The check of `offload`: both ends of a long text, and the way back to the rest."""

import json
import re
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Up to max_chars characters: return the text itself. Longer: return json.dumps of a dict.",
    "Give three quarters of max_chars to the head and the rest to the tail; what is in neither is "
    "omitted_chars = len(text) - len(head) - len(tail).",
    'json.dumps({"status": "ok", "offloaded": True, "tool_call_id": tool_call_id, "head": ..., '
    '"tail": ..., "omitted_chars": ..., "hint": "fetch_tool_output(tool_call_id=...) ..."})',
)

_ID = "call_7F3a_2"
_IDS = (_ID, "call_1", "item_b", "call_7f3a_2", "call_7F3a_22", "call_1", _ID)  # one for each text
_KEYS = ("status", "offloaded", "tool_call_id", "head", "tail", "omitted_chars", "hint")


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = Calls(fn, stage)
    for length in (0, 40, 400):
        _unchanged(notes, _text(400)[:length])
        if notes.hopeless:
            return notes.found
    _unchanged(notes, "Gdańsk 上海 ⚓ " * 33)  # within 400 characters, but more bytes
    texts = (
        (_text(5_000), 400),
        (_text(401), 400),
        (_quoted(3_000), 1_000),
        (_spaces(900), 403),
        (_text(50), 3),
        ("ERROR: the query failed\n" + _lines(900), 500),
        (_lines(900), 500),
    )
    for (text, most), call_id in zip(texts, _IDS, strict=True):
        _shortened(notes, text, most, call_id)
        if notes.found:
            return notes.found
    _by_default(notes)
    return notes.found


def _text(length: int) -> str:
    numbered = " ".join(f"row{number}" for number in range(length))
    return numbered[:length]


def _lines(length: int) -> str:
    """A text of short lines, none of which ends where it is cut."""
    return "".join(f"line {number}\n" for number in range(length))[:length]


def _quoted(length: int) -> str:
    """What tools really return: JSON, with quotes, backslashes, newlines and umlauts."""
    rows = [[i, 'say "ahoy"\n', "Gdańsk \\ 上海"] for i in range(length)]
    return json.dumps({"status": "ok", "rows": rows}, ensure_ascii=False)[:length]


def _spaces(length: int) -> str:
    """A text that begins and ends with white space, wherever it is cut."""
    return "\n" + " " * (length - 8) + "total\n\n"


def _unchanged(notes: Calls, text: str) -> None:
    result = notes.call(f"a text has {len(text)} characters and 400 may stay", text, _ID, 400)
    if notes.hopeless or not _is_text(result, notes):
        return
    if result != text:
        notes.add(
            "short_changed",
            f"A text of {len(text)} characters was changed, though max_chars is 400.",
            "len(text) <= max_chars: return text.",
        )


def _is_text(result: Any, notes: Calls) -> bool:
    if isinstance(result, str):
        return True
    what = "nothing" if result is None else type(result).__name__
    notes.add("not_text", f"It returned {what}, not text.", "json.dumps(...) makes the dict text.")
    notes.hopeless = True
    return False


def _shortened(notes: Calls, text: str, most: int, call_id: str) -> None:
    situation = f"a text has {len(text):,} characters and {most:,} may stay"
    result = notes.call(situation, text, call_id, most)
    if notes.hopeless or not _is_text(result, notes):
        return
    if result == text:
        notes.add("not_shortened", f"Nothing was taken out, when {situation}.", HINTS[0])
        return
    try:
        shown = json.loads(result)
    except ValueError as error:
        hint = "Let json.dumps write it: it knows what must be escaped."
        notes.add("not_json", f"It is not JSON ({error}), when {situation}.", hint)
        return
    if not isinstance(shown, dict):
        notes.add("not_json", "It is JSON, but no object.", HINTS[2])
        return
    missing = [key for key in _KEYS if key not in shown]
    if missing:
        notes.add("key_missing", f"The object has no {', '.join(missing)}.", HINTS[2])
        return
    if more := sorted(set(shown) - set(_KEYS)):
        notes.add("key_added", f"The object has {more[0]!r}, which nobody asked for.", HINTS[2])
        return
    _judge(notes, text, most, shown, situation)
    if not notes.found:
        _judge_way_back(notes, shown, call_id)


def _judge(notes: Calls, text: str, most: int, shown: dict[str, Any], situation: str) -> None:
    head, tail = str(shown["head"]), str(shown["tail"])
    quarter = most // 4  # a limit that isn't a multiple of four may be rounded either way
    if (not head and quarter) or not text.startswith(head):
        notes.add("head_wrong", f"'head' is not how the text begins, when {situation}.", HINTS[1])
    elif (not tail and quarter) or not text.endswith(tail):
        what = "is empty" if not tail else "is not how the text ends"
        notes.add(
            "tail_wrong",
            f"'tail' {what}, when {situation}. Totals and errors are at the end.",
            HINTS[1],
        )
    elif len(head) + len(tail) != most:
        long = len(head) + len(tail) > most
        notes.add(
            "too_long" if long else "too_short",
            f"Head and tail have {len(head) + len(tail):,} characters, when {situation}.",
            "Together they have exactly max_chars.",
        )
    elif not quarter * 3 - 1 <= len(head) <= most * 3 / 4 + 1:
        notes.add(
            "shares_wrong",
            f"The head has {len(head):,} characters and the tail {len(tail):,}, when {situation}.",
            "Three quarters are head.",
        )
    elif shown["status"] != "ok" or shown["offloaded"] is not True:
        notes.add(
            "status_wrong",
            f"'status' is {shown['status']!r} and 'offloaded' {shown['offloaded']!r}.",
            '"status": "ok", "offloaded": True: it worked, and this is not all of it.',
        )
    elif type(shown["omitted_chars"]) is not int or shown["omitted_chars"] != len(text) - len(
        head
    ) - len(tail):
        notes.add(
            "count_wrong",
            f"'omitted_chars' is {shown['omitted_chars']!r}; "
            f"{len(text) - len(head) - len(tail):,} characters are missing.",
            HINTS[1],
        )


def _judge_way_back(notes: Calls, shown: dict[str, Any], call_id: str) -> None:
    """The id, and the hint: text that names the tool, and no other call's id."""
    hint = shown["hint"]
    words = re.findall(r"\w+", hint) if isinstance(hint, str) else []
    if shown["tool_call_id"] != call_id:
        notes.add(
            "id_wrong",
            f"'tool_call_id' is {short_repr(shown['tool_call_id'])}, and {call_id!r} was given.",
            HINTS[2],
        )
    elif not isinstance(hint, str):
        notes.add("hint_not_text", f"'hint' is a {type(hint).__name__}, not text.", HINTS[2])
    elif "fetch_tool_output" not in hint:
        notes.add(
            "no_way_back",
            "Nothing says how to get the rest.",
            "Name the tool that does it: fetch_tool_output.",
        )
    elif any(word != call_id and word in _IDS for word in words):
        notes.add(
            "id_wrong",
            f"The hint is {short_repr(hint, 120)}, and {call_id!r} was given: another call's text "
            "would be fetched.",
            HINTS[2],
        )


def _by_default(notes: Calls) -> None:
    """Without max_chars 4,000 characters stay."""
    whole = notes.call("max_chars is left out", _text(4_000), _ID)
    cut = notes.call("max_chars is left out", _text(4_001), _ID)
    if notes.hopeless or not _is_text(whole, notes) or not _is_text(cut, notes):
        return
    if whole != _text(4_000) or cut == _text(4_001):
        what = "was shortened" if whole != _text(4_000) else "and one more came back whole"
        notes.add(
            "default_wrong",
            f"Without max_chars a text of 4,000 characters {what}.",
            "max_chars: int = 4_000",
        )
