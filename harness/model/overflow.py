"""Understanding that a request was too long for a model's window, in any server's words."""

import re
from typing import NamedTuple

_SIZE = re.compile(
    r"context|window|tokens?\b|prompt|sequence.length|n_ctx|ctx_len|payload|entity|conversation"
    r"|input.{0,12}(?:length|long|large)|body.{0,10}too|request.{0,12}(?:large|long)"
    r"|length of the (?:message|request|input)|content.{0,20}too long"
    r"|messages.{0,20}(?:long|large|length)",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(
    r"exceed|too[ _](?:long|large|big|many)|max(?:imum)?\b|limit|overflow|reduce|shorten|beyond"
    r"|(?:larg|long|great|bigg)er|not fit|<=|≤|out of room|over the|more than|at most|truncat"
    r"|ran out|full",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"max_(?:completion_|output_)?tokens\W+(?:is|must|should|cannot)"
    r"|(?:tool_call_id|\bid)\b.*too long|per (?:minute|min|day|hour)|quota|expired?\b|credit",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"(?<![\w.])(\d{1,3}(?:[,_]\d{3})+|\d+(?:\.\d+)?[kK](?!\w)|\d+)(?![\w]|\.\d)")
_LIMIT_BEFORE = re.compile(
    r"max|limit|context|window|ctx|allowed|available|capacity|exceed|up to|at most|than|supports?|"
    r"only|<=|≤|>|fit",
    re.IGNORECASE,
)
_LIMIT_AFTER = re.compile(
    r"\W*(?:tokens?\W+)?(?:is (?:the|its) )?(?:max|limit|context|window|allowed)", re.IGNORECASE
)
_USED_BEFORE = re.compile(
    r"request(?:ed)?|result|receiv|given|contain|has|have|got|prompt|input|used|sent|actual|your|"
    r"passed|total|code|status",
    re.IGNORECASE,
)
_NEVER = (401, 402, 403, 404, 408)
_LEAST_WINDOW = 64  # tokens


class Overflow(NamedTuple):
    """A request that did not fit: the window and what was sent, in tokens, where they were said."""

    window: int | None
    sent: int | None


def overflow_of(text: str, status: int | None) -> Overflow | None:
    """What a refusal says of a window that is too small; None when it is about something else."""
    if status == 413:
        return _numbers(text)
    if status in _NEVER or not _SIZE.search(text):
        return None
    if _ELSE.search(text) and not re.search(r"context|must be reduced", text, re.IGNORECASE):
        return None
    said = _numbers(text)
    if not _TOO_MUCH.search(text) and not (said.window and said.sent):
        return None
    return said if status != 429 or "reduce" in text else None


def _numbers(text: str) -> Overflow:
    """The window is the number that is called a limit; what was sent is a larger one."""
    window: int | None = None
    found = list(_NUMBER.finditer(text))
    values = [_value(match[1]) for match in found]
    for place, match in enumerate(found):
        begin = found[place - 1].end() if place else 0
        before = text[max(begin, match.start() - 26) : match.start()]
        words = [*_LIMIT_BEFORE.finditer(before)], [*_USED_BEFORE.finditer(before)]
        last_limit, last_used = (each[-1].start() if each else -1 for each in words)
        if values[place] < _LEAST_WINDOW:
            continue
        if _LIMIT_AFTER.match(text, match.end()) or last_limit > last_used:
            window = values[place]
            break
    sent = max((each for each in values if window and each > window), default=None)
    return Overflow(window, sent)


def _value(digits: str) -> int:
    if digits[-1] in "kK":
        return int(float(digits[:-1]) * 1000)
    return int(re.sub(r"[,_]", "", digits))
