"""Where a sentence ends, in any script, and whether it asks.

A boundary that is missed leaves a neighbour with the sentence. One too many could cut a "not" or an
"if" off. So whatever is in doubt is not a boundary.
"""

import unicodedata
from bisect import bisect_left

import regex

from harness.memory.abbreviations import ABBREVIATIONS

_MARKS = regex.compile(r"(\p{STerm}+)[\p{Pe}\p{Pf}\p{QMark}*_]*")
_PARAGRAPH = regex.compile(r"\n[^\S\n]*\n\s*|\n\s*(?=(?:[-*•–>#]|\d{1,3}[.)])\s)|[\u2028\u2029]")
# What is whole in itself: code, quotations, brackets. No sentence ends inside.
_WHOLE = regex.compile(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|『[^『』]*』"
    r"|\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]",
    regex.DOTALL,
)
_WORD_BEFORE = regex.compile(r"[^\s(\[{\"'“„«]*$")
_ENDS_ASKING = regex.compile(r"(\p{STerm}+|;)[^\p{L}\p{N}]*$")
_MARK_INSIDE = regex.compile(r"(?!\p{STerm})[¿\u055e]")  # which begin a question, or stand in it
_GREEK = regex.compile(r"\p{Greek}")
# A question in a language that needs no question mark: how its last word ends.
_ASKING_ENDINGS = ("か", "吗", "嗎")
# Whoever types fast leaves the mark out. How a question begins that ends with no mark at all; what
# begins a statement or an order as easily ("when", "which", "do note") is not among them.
_BEGINS_ASKING = regex.compile(
    r"""^\W*(?:
      (?:is|are|was|were)(?:n't)?\ (?!(?:in|at|on|by|for|from|of|to|not|no|always|never)\b)
    | (?:does|did|has)(?:n't)?\ | (?:do|have)(?:n't)?\ (?:i|you|we|they)\b
    | (?:can|could|will|would|should)\ (?:i|you|we|they|it|he|she|the|this|that|there)\b
    | why\ | how\ (?:many|much|long|often|far)\b | (?:what|who)(?:'s|’s|\ is|\ are|\ was)\b
    | (?:ist|sind|war|waren|hat|haben)\ (?:der|die|das|es|ein|eine|wir|sie|ich|du)\b
    | (?:kann|kannst|könn\p{L}+|wird|werden)\ (?:der|die|das|es|wir|sie|ich|du)\b
    | gibt\ es\b | warum\ | wieso\ | wie\ viele?\b | (?:was|wer)\ (?:ist|sind)\b
    | est-(?:ce|il|elle)\b | qu['’]est-ce\b | y\ a-t-il\b | pourquoi\b | combien\b
    | qué\b | cuál | cuánt | cómo\b | dónde\b | cuándo\b | por\ qué\b
    | quant[oa]s?\b | qual\ é\b | quant[ie]\b | qual\ è\b | hoeveel\b | waarom\b
    | почему\b | сколько\b | هل\ | كم\ | لماذا\ | क्या\ | क्यों\ | 为什么 | 多少
    )""",
    regex.VERBOSE | regex.IGNORECASE,
)


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order; a piece without a letter belongs to the one before.

    "1.5", "v2.1", "U.S. ports", "approx. 3" and `a. b` have no end in them.
    """
    whole = [match.span() for match in _WHOLE.finditer(text)]  # in order, apart from each other
    opened = [start for start, _ in whole]
    ends = {match.end() for match in _PARAGRAPH.finditer(text)}
    for marks in _MARKS.finditer(text):
        at = marks.end()
        last = bisect_left(opened, at) - 1  # the last that begins before
        if not (last >= 0 and at < whole[last][1]) and _is_end(text, marks):
            ends.add(at)
    found: list[tuple[int, int]] = []
    start = 0
    for end in sorted({*ends, len(text)}):
        if any(map(str.isalnum, text[start:end])):
            found.append((start, end))
        elif found:
            found[-1] = (found[-1][0], end)
        start = end if found else start
    return found


def asks(sentence: str) -> bool:
    """Whether a sentence is written as a question, in any language."""
    if any("QUESTION" in unicodedata.name(mark, "") for mark in _MARK_INSIDE.findall(sentence)):
        return True
    found = _ENDS_ASKING.search(sentence)
    if found is None:
        begins = _BEGINS_ASKING.search(sentence)
        return bool(begins) or sentence.rstrip().endswith(_ASKING_ENDINGS)
    if found[1] == ";":
        return bool(_GREEK.search(sentence))
    names = [unicodedata.name(mark, "") for mark in found[1]]
    if any("QUESTION" in name or "INTERROBANG" in name for name in names):
        return True
    return sentence[: found.start()].rstrip().endswith(_ASKING_ENDINGS)


def _is_end(text: str, marks: "regex.Match[str]") -> bool:
    """Whether a sentence ends at these marks."""
    closed = marks[1]
    following = text[marks.end() : marks.end() + 40]
    rest = following.lstrip(" \t\n\r\"'“„«¿¡([*_`")
    wide = unicodedata.east_asian_width(closed[-1:] or " ") in "WFH"
    if not rest:
        return True
    if not wide and not following[0].isspace():
        return False  # 1.5, v2.1, table.column, a URL
    if marks[0] != closed and (rest[0].islower() or following[0].isalpha()):
        return False  # "Is it late?" he asked
    if set(closed) != {"."}:
        return True
    if len(closed) > 1 or rest[0].islower() or rest[0].isdigit():
        return False  # "It is false that... Alpha", "approx. 3"
    return not _is_short_form(text[max(0, marks.start() - 40) : marks.start()])


def _is_short_form(before: str) -> bool:
    """Whether the word before a stop may be an abbreviation: J., U.S, z.B, Mr, 3 (as in 3. Mai)."""
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ""
    parts = word.split(".")
    return (
        all(len(part) <= 2 for part in parts)
        and (len(parts) > 1 or len(word) <= 1 or word.isdigit())
    ) or word.casefold() in ABBREVIATIONS
