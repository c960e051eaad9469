"""A quote, found in what was really said, and the whole sentence around it.

Nothing has to be understood. The quote must be there word for word, whatever the script; case,
white space, Unicode form and the kind of a dash or quotation mark don't count, and hidden
characters are taken out of both sides. What is kept is the speaker's own sentence, so that no
"not", "if" or "I doubt" before the quote can get lost.
"""

import json
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

from harness.memory.folding import folded, folded_with_places, trimmed
from harness.memory.sentences import asks, sentences
from harness.memory.storable_text import one_line

_MOST_CHARS = 100_000  # that are searched; what is longer is a document, not a message

# Questions that ask for a thing to be kept and then say it: the form in front of the statement, or
# (Japanese, Chinese) around it. Anything else that is written as a question stays one.
_REQUEST = regex.compile(
    r"""^\W*(?:
      (?:please\ )?(?:can|could|will|would)\ you\ (?:please\ |kindly\ )?
        (?:remember|note|record|save|store|keep\ in\ mind|write\ down)(?:\ that\b|\ this\b\W*:|\W*:)
    | would\ you\ mind\ (?:remembering|noting|recording|saving)(?:\ that\b|\W*:)
    | (?:kannst|könntest|würdest|können|könnten)\ (?:du|sie)\ (?:dir\ |sich\ )?(?:bitte\ )?
        (?:merken|notieren|festhalten|speichern),?\ dass\b
    | (?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous)
        \ (?:te\ rappeler|vous\ rappeler|retenir|noter)\ qu
    | (?:puedes|podrías|puede|podría)\ (?:recordar|anotar|guardar)\ que\b
    | (?:você\ )?(?:pode|poderia|podes)\ (?:lembrar|anotar|guardar|lembrar-se\ de)\ que\b
    | (?:puoi|potresti|può|potrebbe)\ (?:ricordare|annotare|ricordarti)\ che\b
    | (?:kun|kunt|zou)\ (?:je|u)\ (?:onthouden|noteren)\ dat\b
    | (?:можешь|можете|мог\ бы\ ты|могли\ бы\ вы)\ (?:запомнить|записать),?\ что\b
    | هل\ يمكنك\ (?:أن\ )?(?:تتذكر|تسجل|تحفظ)\ أن
    | क्या\ आप\ (?:कृपया\ )?(?:याद\ रख|नोट\ कर)\ सकते\ हैं\ कि
    | (?:请问)?(?:你|您)?(?:能|可以|能不能|可不可以)(?:请)?(?:帮我)?(?:记住|记下|记录)[，,：:]
    )|(?:ことを|と)(?:覚えて|記録して)(?:おいて)?(?:くれ|もらえ|くださ|いただけ)\w*$""",
    regex.VERBOSE | regex.IGNORECASE,
)

# How a question begins that asks somebody to do something.
_POLITE = regex.compile(
    r"""^\W*(?:(?:please|ok(?:ay)?|so|and|bitte|por\ favor|请问?)\W*)?(?:
      (?:can|could|will|would)\ you | would\ you\ mind | (?:kannst|könntest|würdest)\ du
    | (?:können|könnten|würden)\ sie | (?:peux|pourrais|veux)-tu | (?:pouvez|pourriez|voulez)-vous
    | (?:puedes|podrías|puede|podría) | (?:você\ )?(?:pode|poderia|podes)
    | (?:puoi|potresti|può|potrebbe) | (?:kun|kunt|zou)\ (?:je|u) | (?:можешь|можете|мог(?:ли)?\ бы)
    | هل\ يمكنك | क्या\ आप | (?:你|您)?(?:能|可以|能不能|可不可以)
    )|(?:くれ|もらえ|くださ|いただけ)\w*$""",
    regex.VERBOSE | regex.IGNORECASE,
)


@dataclass(frozen=True)
class Quotation:
    """What was said around a quote: whole sentences, as they were written."""

    text: str
    asks: bool = False  # one of them is a question

    def is_whole(self, quote: str) -> bool:
        """Whether the quote is all of it, so that whoever quoted has left no word out."""
        return trimmed(folded(quote)) == trimmed(folded(self.text))


def quoted(quote: str | None, said: str | None) -> Quotation | None:
    """The sentence of `said` that holds `quote` word for word, or the sentences that it spans.

    None when it isn't there, or in several different sentences: then it says too little.
    """
    text = (said or "")[:_MOST_CHARS]
    wanted = trimmed(folded(quote or ""))
    if sum(map(str.isalnum, wanted)) < 2:
        return None
    heard, places = folded_with_places(text)
    bounds = sentences(text)
    starts = [start for start, _ in bounds]
    found: tuple[int, int] | None = None
    for at in _occurrences(wanted, heard):
        first, last = (
            bisect_right(starts, places[edge]) - 1 for edge in (at, at + len(wanted) - 1)
        )
        if found is None:
            found = first, last
        elif (first, last) != found and not _same(text, bounds, found, (first, last)):
            return None
    if found is None:
        return None
    around = bounds[max(found[0], 0) : found[1] + 1]
    asked = any(_asks(text[start:end]) for start, end in around)
    return Quotation(one_line(text[around[0][0] : around[-1][1]]), asked)


def is_request(question: str) -> bool:
    """Whether a question asks somebody to do something, as far as its form says."""
    return _POLITE.search(question.rstrip("?？؟ 。.")) is not None


def quoted_output(quote: str | None, said: str | None) -> Quotation | None:
    """The same in what a tool returned: JSON gives its smallest part with the quote in it."""
    try:
        parts = list(_parts(json.loads(said or "")))
    except (ValueError, RecursionError):
        return quoted(quote, said)
    for part in parts:  # the innermost come first
        if isinstance(part, str):
            found = quoted(quote, part)
            if found:
                return found
        else:
            text = json.dumps(part, ensure_ascii=False, default=str)
            if trimmed(folded(quote or "")) in folded(text) and quoted(quote, text):
                return Quotation(one_line(text))
    return None


def _same(
    text: str, bounds: list[tuple[int, int]], one: tuple[int, int], other: tuple[int, int]
) -> bool:
    """Whether the sentences of two occurrences are the same, said twice."""
    return len({folded(text[bounds[a][0] : bounds[b][1]]) for a, b in (one, other)}) == 1


def _parts(value: Any) -> Iterator[Any]:
    """The texts, lists and objects in a JSON value, inner ones before those around them."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _parts(each)
    if isinstance(value, str | list | dict):
        yield value


def _asks(sentence: str) -> bool:
    return asks(sentence) and not _REQUEST.search(one_line(sentence).rstrip("?？؟ 。."))


def _occurrences(wanted: str, heard: str) -> Iterator[int]:
    """Where `wanted` begins in `heard`, neither end of it in the middle of a word."""
    at = heard.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before = at > 0 and _one_word(heard[at - 1], wanted[0])
        after = end < len(heard) and _one_word(wanted[-1], heard[end])
        if not before and not after:
            yield at
        at = heard.find(wanted, at + 1)


def _one_word(left: str, right: str) -> bool:
    """Whether two neighbours are in one word. Scripts without case may write words together."""
    return unicodedata.combining(right) > 0 or all(
        c.upper() != c or c.isdigit() for c in (left, right)
    )
