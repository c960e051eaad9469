"""Calls that a model wrote into its text, where its server did not read them.

The rule: text that names an offered tool beside its arguments is a call, in whatever form. The
table of markup adds what calls look like whose tool or arguments are none. Such a call is never
run (a row could say it too); the model is told to make it as a tool call.
"""

import ast
import functools
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from harness.model.found_objects import LONGEST, closing_of, object_at, objects_in
from harness.model.markup import Mark, code_spans, families, is_used, is_within

_NEAR = 120  # characters between a tool's name and its arguments, markup included
_FENCE = re.compile(r"```[ \t]*(?P<info>[\w+-]*)[ \t]*\n?")

Offered = Mapping[str, frozenset[str]]  # tool: its parameters


class WrittenCall(NamedTuple):
    """A call found in a text. `alone` tells that it isn't part of a sentence."""

    name: str
    arguments: dict[str, Any] | None
    alone: bool


def offered_tools(tools: Iterable[Any] | None, messages: Iterable[Any] = ()) -> Offered:
    """The tools of a request; of one without tools those that were called before."""
    found: dict[str, frozenset[str]] = {}
    for tool in tools or ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            schema = function.get("parameters")
            properties = schema.get("properties") if isinstance(schema, dict) else None
            found[function["name"]] = frozenset(properties or ())
    if not found:
        for name, arguments in _called(messages):
            found[name] = found.get(name, frozenset()) | frozenset(arguments)
    return found


def written_call(text: str, offered: Offered) -> WrittenCall | None:
    """The first call that a text holds, if it holds one."""
    text = html.unescape(text[:LONGEST])  # some templates escape what they fill in
    if not re.search(r"[<\[{(`:◁=]|--", text):
        return None
    for value in objects_in(text):
        for name, arguments in _named(value.value, offered):
            return WrittenCall(name, arguments, _is_alone(text, value.start, value.end))
    for name in sorted(offered, key=len, reverse=True):
        for match in re.finditer(rf"(?m)(?:^\s*/|(?<![\w/])){re.escape(name)}(?![\w/])", text):
            found = _beside(text, match, offered[name])
            if found is not None:
                return WrittenCall(name, found[0], found[1])
    return WrittenCall("", None, True) if _begins_a_call(text) else None


def _named(value: Any, offered: Offered) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Objects that name a tool beside its arguments, at any depth."""
    if isinstance(value, list):
        for each in value:
            yield from _named(each, offered)
    if not isinstance(value, dict):
        return
    for key, name in value.items():
        if key in offered and isinstance(name, dict) and name.keys() <= offered[key]:
            yield key, name  # {"add": {"a": 1}}
        short = name.rpartition(".")[2] if isinstance(name, str) else ""
        if short not in offered:
            continue
        others = {k: v for k, v in value.items() if k != key}
        for word, given in others.items():
            arguments = _loads(given) if isinstance(given, str) else given
            listed = isinstance(arguments, list) and 0 < len(arguments) <= len(offered[short])
            if listed and word.lower() in families()["call_words"]:
                yield short, None  # {"function": "add", "args": [1, 2]}
            if isinstance(arguments, dict) and arguments.keys() <= offered[short]:
                yield short, arguments
        rest = {k: v for k, v in others.items() if k in offered[short]}
        if rest:
            yield short, rest  # {"tool": "add", "a": 1}
        elif not offered[short] and _says_nothing(f"{key} {' '.join(others)}"):
            yield short, {}  # {"name": "ping"}
    for each in value.values():
        if isinstance(each, dict | list):
            yield from _named(each, offered)


def _beside(
    text: str, name: re.Match[str], parameters: frozenset[str]
) -> tuple[dict[str, Any] | None, bool] | None:
    """(arguments, alone) when a tool's name has its arguments beside it."""
    for found in (_python, _object_behind, _pairs_behind, _tags_behind, _lines_behind):
        arguments = found(text, name, parameters)
        if arguments is not None:
            made, end = arguments
            alone = _is_alone(text, name.start(), end)
            if made or parameters or alone:
                return made, alone
    return None


_Beside = tuple[dict[str, Any] | None, int] | None


def _python(text: str, name: re.Match[str], parameters: frozenset[str]) -> _Beside:
    """add(a=1, b=2), add(1, 2)"""
    if text[name.end() : name.end() + 1] != "(":
        return None
    end = closing_of(text, name.end())
    try:
        call = ast.parse(f"f{text[name.end() : end]}", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        listed = [ast.literal_eval(each) for each in call.args]
    except Exception:
        beginning = re.match(r"\(\s*(\w+)\s*[=:]", text[name.end() :])
        cut = beginning is not None and beginning[1] in parameters
        return (None, len(text)) if cut else None
    if listed and isinstance(listed[0], dict):
        given, listed = {**listed[0], **given}, []
    if not given.keys() <= parameters or len(listed) > len(parameters):
        return None
    if not given and not listed and parameters:
        return None
    return {str(k): v for k, v in given.items()} if not listed else None, end or len(text)


def _object_behind(text: str, name: re.Match[str], parameters: frozenset[str]) -> _Beside:
    """A name, markup, and an object of its arguments: [TOOL_CALLS]add[ARGS]{"a": 1}"""
    start = text.find("{", name.end(), name.end() + _NEAR)
    if start < 0 or not _says_nothing(text[name.end() : start]):
        return None
    found = object_at(text, start)
    if found is not None:
        fits = found.value.keys() <= parameters and (found.value or not parameters)
        return (found.value, found.end) if fits else None
    beginning = re.match(r"\{\s*[\"'](\w+)[\"']\s*:", text[start:])
    return (None, len(text)) if beginning and beginning[1] in parameters else None


def _pairs_behind(text: str, name: re.Match[str], parameters: frozenset[str]) -> _Beside:
    """<<add a=1 b=2>>, <tool:add a="1"/>, add --a 1, (add :a 1)"""
    found = re.match(r"\s+(?:(?:--|:)(?=\w+[\s=])|(?=\w+=))(\w+)[\s=]+[^\s=]", text[name.end() :])
    return (None, name.end() + found.end()) if found and found[1] in parameters else None


def _tags_behind(text: str, name: re.Match[str], parameters: frozenset[str]) -> _Beside:
    """A name in or between tags, and behind it a parameter: <invoke name="add"><parameter ..."""
    left, right = text[: name.start()], text[name.end() :]
    opened = max(left.rfind(each) for each in "<[◁")
    in_tag = opened >= 0 and not re.search(r"[>\]▷]", left[opened:])
    before, behind = re.split(r"[>\]▷\n]", left)[-1], re.split(r"[<\[◁]", right)
    after_tag = len(behind) > 1 and _says_nothing(before + behind[0])
    if not (in_tag or after_tag):
        return None
    if not parameters:
        mark = Mark(opened, name.end())
        of_a_call = any(stem in left[opened:] for stem in families()["calls"])
        return ({}, name.end()) if of_a_call and is_used(text, mark) else None
    known = "|".join(map(re.escape, sorted(parameters, key=len, reverse=True)))
    at = rf"<[^<>]{{0,80}}(?<!\w)(?:{known})(?!\w)[^<>]{{0,80}}>|>\s*(?:{known})\s*<"
    at += rf"|>[^<>]{{1,40}}[\"'](?:{known})[\"'][^<>]{{0,40}}<"
    found = re.search(at, right[: 10 * _NEAR])
    return (None, name.end() + found.end()) if found else None


def _lines_behind(text: str, name: re.Match[str], parameters: frozenset[str]) -> _Beside:
    """A line that holds the name alone, and lines with its parameters: Action: add / a: 1"""
    line = text[: name.start()].rpartition("\n")[2] + text[name.end() :].partition("\n")[0]
    if not _says_nothing(line):
        return None
    known = "|".join(map(re.escape, sorted(parameters, key=len, reverse=True))) or r"(?!)"
    words = "|".join(w for w in families()["call_words"] if "input" in w or "arg" in w)
    following = text[name.end() :].partition("\n")[2][: 4 * _NEAR]
    at = rf"\A[\s>*-]*(?:(?:{words})\W{{0,4}}\s+)?[\s*-]*[\"'`*]*(?:{known})[\"'`*]*\s*[:=]"
    found = re.search(at, following.replace("Action Input", "input"), re.IGNORECASE)
    return (None, name.end() + found.end()) if found else None


def _says_nothing(gap: str) -> bool:
    """Whether all there is between a name and its arguments is marks and words for them."""
    gap = re.sub(r"([>\]])\s*[\w.:-]{1,40}\s*(?=[<\[])", r"\1", gap)  # between marks: an id
    words = re.findall(r"[^\W\d]+", re.sub(r"<[^<>]*>|\[[^\[\]]*\]", " ", gap).replace("▁", "_"))
    known = set(families()["call_words"])
    return all(word.lower().strip("_") in known for word in words)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a call is more than a part of a sentence: only marks before it on its line."""
    before = text[:start].rpartition("\n")[2]
    if re.match(r"\s*(?:<[|｜]|\[[A-Z_]+\])", before):
        return True
    words = re.sub(r"<[^<>]*>?|\[[^\[\]]*\]?|◁[^◁▷]*▷|(?:\w+[.(=])+$", " ", before)
    after = text[end:].partition("\n")[0]
    if _is_code(before + text[start:end] + after):
        return True
    if re.search(r"[:：]\s*[`\"'{\[(]*$", words) and not re.search(r"\w", after):
        return True
    return _says_nothing(words) and not re.search(r"\A\W*\s[a-z]{2,}", after)


def _is_code(line: str) -> bool:
    """Whether a line is a statement around a call: "await add(a=1)", "x = add(1, 2)"."""
    try:
        body = ast.parse(f"async def line():\n {line.strip()}").body[0].body  # type: ignore[attr-defined]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    return isinstance(getattr(value, "value", value), ast.Call)


def _begins_a_call(text: str) -> bool:
    """Whether a mark of the table opens a call, whatever tool it is for."""
    spans = code_spans(text)
    for fence in _FENCE.finditer(text):
        if any(stem == fence["info"].rstrip("s") for stem in families()["calls"]):
            return True
    for match in _call_tags().finditer(text):
        mark, rest = Mark(*match.span()), text[match.end() :].lstrip()
        if is_within(mark.start, spans) or not is_used(text, mark):
            continue
        if rest[:1] in ("{", "[", "<", "◁", "") or re.match(r"[\w.-]+\s*[({\[<\n]", rest):
            return True
    return False


@functools.cache
def _call_tags() -> re.Pattern[str]:
    stems = "|".join(map(re.escape, families()["calls"]))
    return re.compile(rf"[<\[◁][|｜]?[^<>\[\]\n/]{{0,30}}?(?:{stems})[^<>\[\]\n]{{0,120}}[>\]▷]")


def first_mark_of_a_call(text: str) -> int:
    """Where a call begins that the text may hold; its length where there is none."""
    spans = code_spans(text)
    for match in _call_tags().finditer(text):
        if not is_within(match.start(), spans) and is_used(text, Mark(*match.span())):
            return match.start()
    return len(text)


def _called(messages: Iterable[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for message in messages:
        for call in (message.get("tool_calls") or ()) if isinstance(message, dict) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                arguments = _loads(function.get("arguments"))
                yield function["name"], arguments if isinstance(arguments, dict) else {}


def _loads(text: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
