"""Thoughts taken out of a text: what is left is the answer."""

import functools
import re

from harness.model.markup import (
    Mark,
    code_spans,
    families,
    is_used,
    is_within,
    mark_begins,
    speaks_of,
    tags,
)

_ROLE = re.compile(  # who speaks, in or between special tokens, at the very beginning
    r"\s*<(?:\|\w{1,24}\|?>|\w*turn>|\|(?=assistant))\s*(?:assistant|model|bot|chatbot)\b"
    r"\s*(?:<\|(?!channel)\w{1,24}\|>|\|>)?\s*"
)
_SPECIAL = re.compile(r"<[|｜]\s*/?(?P<name>[^<>|｜\n]{1,40})\s*[|｜]>")


def without_thoughts(text: str, ended: bool = True) -> tuple[str, str]:
    """(answer, thoughts) of a text. While it has not `ended`, an open end counts as thoughts."""
    if not mark_begins().search(text):
        return text, ""
    text = text[role.end() :] if (role := _ROLE.match(text)) else text
    if families()["channel_text"] in text or (not ended and families()["channel"] in text):
        text, thoughts = _channels(text)
    else:
        thoughts = ""
    answer, more = _blocks(text, ended)
    answer = _unwrapped(_until_the_end(answer))
    return answer, "\n".join(filter(None, (thoughts, more)))


def lacks_beginning(text: str) -> bool:
    """Whether a text begins with thoughts of which only the end is marked."""
    return _missing_beginning(text, code_spans(text), []) > 0


def _channels(text: str) -> tuple[str, str]:
    """A text in channels: those of the answer, and the others."""
    table = families()
    if table["channel"] in text and not is_used(text, Mark(text.index(table["channel"]), 0)):
        return text, ""
    before, *parts = text.split(table["channel"])
    answer, thoughts = [before], list[str]()
    for part in parts:
        header, _, said = part.partition(table["channel_text"])
        names = re.findall(r"\w+", header)
        of_answer = bool(names) and names[0].lower() in table["answer_channels"]
        (answer if of_answer and "to=" not in header else thoughts).append(
            re.split(r"<\|(?:end|start|return|call)\|>", said)[0]
        )
    return "".join(answer), "\n".join(thoughts)


def _blocks(text: str, ended: bool) -> tuple[str, str]:
    """Blocks of thoughts, wherever they are, and a first one whose beginning is missing."""
    spans = code_spans(text)
    thoughts: list[str] = []
    kept: list[str] = []
    position = _missing_beginning(text, spans, thoughts)
    while (opening := _next(text, position, False, spans)) is not None:
        closing = _close_of(text, opening, ended)
        end = closing.end if closing else len(text)
        if _explains(text, opening, closing, ended):
            end = closing.end if closing else opening.end
            kept.append(text[position:end])
        else:
            kept.append(text[position : opening.start])
            thoughts.append(text[opening.end : closing.start if closing else end].strip())
            if not "".join(kept).strip():
                end += len(text[end:]) - len(text[end:].lstrip())
        position = end
    answer = "".join(kept) + text[position:]
    return _without_last_end(answer) if thoughts else answer, "\n".join(filter(None, thoughts))


def _without_last_end(text: str) -> str:
    """The text without a mark at its end that closes thoughts once more."""
    found = [*tags("thoughts", True).finditer(text)]
    last = found[-1] if found else None
    if last is None or text[last.end() :].strip() or not is_used(text, Mark(*last.span())):
        return text
    return text[: last.start()].rstrip()


def _missing_beginning(text: str, spans: list[tuple[int, int]], thoughts: list[str]) -> int:
    """Where the answer begins behind thoughts whose first mark was in the prompt."""
    position = 0
    while (closing := _next(text, position, True, spans)) is not None:
        if tags("thoughts", False).search(text, position, closing.start):
            break
        thoughts.append(text[position : closing.start].strip())
        position = len(text) - len(text[closing.end :].lstrip())
    return position


def _next(text: str, position: int, closing: bool, spans: list[tuple[int, int]]) -> Mark | None:
    """The next mark that opens, or closes, thoughts and is used as one."""
    found = [Mark(*m.span(), m["name"]) for m in tags("thoughts", closing).finditer(text, position)]
    for pair in families()["thought_pairs"]:
        start = text.find(pair[closing], position)
        if start >= 0 and not (closing and pair[0][0] not in "<["):
            found.append(Mark(start, start + len(pair[closing]), pair[0]))
    for opens, _ in () if closing else families()["thought_blocks"]:
        found += [Mark(*m.span(), opens) for m in re.compile(opens).finditer(text, position)]
    used = (m for m in sorted(found) if not is_within(m.start, spans) and is_used(text, m))
    return next(used, None)


def _close_of(text: str, opening: Mark, ended: bool) -> Mark | None:
    """The mark that ends a block: of nested ones the last, and one outside of code if there is."""
    pair = next((p for p in families()["thought_pairs"] if p[0] == opening.name), None)
    block = next((b for b in families()["thought_blocks"] if b[0] == opening.name), None)
    if block is not None:
        end = re.compile(block[1]).search(text, opening.end)
        return Mark(*end.span()) if end else None
    if pair is not None:
        start = text.find(pair[1], opening.end)
        return Mark(start, start + len(pair[1])) if start >= 0 else None
    found = [Mark(*m.span(), m["name"]) for m in tags("thoughts", True).finditer(text, opening.end)]
    inner = [m.start() for m in tags("thoughts", False).finditer(text, opening.end)]
    spans = [(s + opening.end, e + opening.end) for s, e in code_spans(text[opening.end :])]
    found = [mark for mark in found if not is_within(mark.start, spans)] or found
    for count, closing in enumerate(found, 1):
        if count > sum(start < closing.start for start in inner):
            return closing
    if found:
        return found[0] if ended else None
    token = _SPECIAL.search(text, opening.end) if text.startswith("<|", opening.start) else None
    return Mark(*token.span()) if token else None  # a section that the next token ends


def _explains(text: str, opening: Mark, closing: Mark | None, ended: bool) -> bool:
    """Whether the text speaks of the marks: "<think> and </think> mark thoughts"."""
    if closing is None:
        return ended and speaks_of(text, opening)
    inside = text[opening.end : closing.start]
    if not any(map(str.isalnum, inside)) and speaks_of(text, closing):
        return True
    return speaks_of(text, opening) and (
        speaks_of(text, closing) or text[closing.end : closing.end + 1] in (".", ",", ";", ":")
    )


def _until_the_end(text: str) -> str:
    """The text up to the mark that ends the turn, if a model wrote one."""
    spans = code_spans(text)
    found = [
        Mark(*match.span())
        for match in _SPECIAL.finditer(text)
        if any(stem in match["name"].lower() for stem in families()["turn_ends"])
        and not any(stem in match["name"] for stem in families()["calls"])
    ]
    for tag in families()["turn_end_tags"]:
        found += [Mark(*match.span()) for match in re.finditer(re.escape(tag), text)]
    for mark in sorted(found):
        if not is_within(mark.start, spans) and is_used(text, mark):
            if text[: mark.start].strip():
                return text[: mark.start].rstrip()
            return _until_the_end(text[mark.end :])
    return text


@functools.cache
def _wrapper() -> re.Pattern[str]:
    names = "|".join(families()["answers"])
    tag = rf"(?:<\|?(?:start_|begin_of_)?(?:final_)?(?:{names})\|?>|\[(?:{names})\])"
    end = rf"(?:</(?:final_)?(?:{names})>|<\|(?:end_|end_of_)(?:{names})\|>|\[/(?:{names})\])"
    return re.compile(
        rf"\s*{tag}(?P<answer>(?:(?!{end}).)*)(?:{end}\s*)?\Z", re.DOTALL | re.IGNORECASE
    )


def _unwrapped(text: str) -> str:
    """The answer without a tag around the whole of it that says that it is one."""
    match = _wrapper().match(text)
    if match is None or speaks_of(text, Mark(0, match.start("answer"))):
        return text
    return match["answer"].strip()
