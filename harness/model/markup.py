"""The marks that models write into their text: which there are, and where one is used as one."""

import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

# Some gateways escape brackets, some models write wide ones.
_BRACKETS = ("<|", "<｜", "<", "[", "◁", "&lt;", "＜")
_OPENS, _CLOSES = "|".join(map(re.escape, _BRACKETS)), r"\|?>|｜>|\]|▷|&gt;|＞"
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}
_ENDS_A_SENTENCE = re.compile(r"[.!?:;,)\]}>\"'”»。！？…]\s+$")


class Mark(NamedTuple):
    """A mark in a text: where it begins and ends, and what it is."""

    start: int
    end: int
    name: str = ""


@functools.cache
def families() -> dict[str, Any]:
    """The table of markup.yaml."""
    import yaml  # here, because who asks nothing needs no table

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # every first answer waits for it
    text = Path(__file__).with_name("markup.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=loader)


@functools.cache
def mark_begins() -> re.Pattern[str]:
    """Finds what a mark of the table begins with: a text without any of that holds no mark."""
    table = families()
    begins = [opens for opens, _ in table["thought_pairs"]]
    begins += [table["channel"], *table["turn_end_tags"], *_BRACKETS, "`"]  # ` begins code
    words = {found[0] for text in begins if (found := re.match(r"\w+", text))}
    signs = {text[0] for text in begins if not re.match(r"\w", text)}
    one_sign = "[" + re.escape("".join(sorted(signs))) + "]"
    return re.compile("|".join([one_sign, *(rf"\b{word}" for word in sorted(words))]))


@functools.cache
def tags(row: str, closing: bool) -> re.Pattern[str]:
    """Finds the tags of a row of the table, whatever their brackets and prefixes."""
    stems = "|".join(map(re.escape, families()[row]))
    names = "|".join(families().get(row.replace("thoughts", "thought_names"), ())) or "(?!)"
    named = rf"[\w:▁-]{{0,24}}?(?:{stems})[\w▁-]{{0,24}}|(?:{names})(?![\w-])"
    inside = rf"(?:{named})(?:\s[^<>\[\]＞\n]{{0,200}}?)?"
    if closing:
        opens = r"(?:</\|?|</｜|\[/|◁/|&lt;/|＜/|<\|/|<\|end_(?:of_)?|<｜end[_▁](?:of[_▁])?)"
        ended = rf"<[|｜][\w▁]{{0,24}}?(?:{stems})[\w▁]{{0,24}}?[_▁]end"  # <|thought_end|>
        found = rf"(?P<name>{opens}\s*{inside}|{ended})"
    else:
        opens = rf"(?:{_OPENS})(?!/|\|/|\|end_|｜end|[\w▁]{{1,48}}[_▁]end\b)"
        found = rf"{opens}\s*(?P<name>{inside})"
    return re.compile(rf"{found}\s*(?:{_CLOSES})", re.IGNORECASE)


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where the code is, in backticks or fences: a mark in it is shown, not used."""
    return [match.span() for match in _CODE.finditer(text)] if "`" in text else []


def is_within(position: int, spans: list[tuple[int, int]]) -> bool:
    """Whether a position lies in one of the spans."""
    return any(start <= position < end for start, end in spans)


def is_used(text: str, mark: Mark) -> bool:
    """Whether a mark is used as one, and is not a word of a sentence that speaks of it.

    A mark is at the start of a line, right behind a word, behind the end of a sentence, or it
    ends its line. In a sentence there is a space before it, and the sentence goes on.
    """
    left, right = text[: mark.start], text[mark.end :]
    if left[-1:] in ("'", '"', "“", "`", "(") and right[:1] in ("'", '"', "”", "`", ")"):
        return False
    line = left.rpartition("\n")[2]
    if line[-1:] in _QUOTES and line[:-1].strip() and _QUOTES[line[-1]] in right.partition("\n")[0]:
        return False  # in a quotation that a sentence leads up to
    if not line.strip() or not line[-1:].isspace() or _ENDS_A_SENTENCE.search(left):
        return True
    return right[:1] == "\n"


def speaks_of(text: str, mark: Mark) -> bool:
    """Whether a sentence begins with a mark and goes on: "<think> is a tag"."""
    following = text[mark.end : mark.end + 2]
    return following[:1] == " " and following[1:].islower()
