"""Text of people and models, made comparable and made safe to show on one line."""

import hashlib
import json
import re
import unicodedata
from typing import Any

# Characters that end a line somewhere, and those that turn the reading direction around or hide
# text from a reader; joiners stay, which emoji and some scripts need.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\x85\u2028\u2029]+")
_DIRECTION = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+")
_QUOTED_LINE = re.compile(r"^\s*(?:[->*•]\s*)+(?:\[[^\]\n]*\]\s*)?|^\s*\[[^\]\n]*\]\s*")

# Words that a claim can gain or lose without saying anything else. Words such as "after", "only" or
# "most" are not among them.
FILLER = frozenset(
    """a about actually also am an and any are as at be been being but by can column correct
    correction could data did do does doing done fact field for from get gets got had has
    have he hello her here hi his how i important in info into is it its itself just know
    known let like make may me mean means meant memory mine my note now of ok okay on one or
    other our own please really record refer referred refers regard regarded remember rule
    same save say saying says schema shall she should so status such table take tell tells thank
    thanks that the their them then there these they thing this those through thus to told
    too treat treated up us use used user uses using value values very want was we were what
    when where which while who whose will with word would yes you your""".split()
)
NEGATIONS = frozenset(
    """not never no none neither nor without except excluding excludes exclude cannot nobody nothing
    isnt arent wasnt werent dont doesnt didnt wont cant couldnt shouldnt wouldnt hasnt havent
    aint""".split()
)


def storable(text: Any) -> str:
    """Any value as text that SQLite, JSON and a terminal can carry (lone surrogates replaced)."""
    plain = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, default=str)
    return plain.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, in one reading direction, cut with `...` at `limit` characters."""
    line = _BREAKS.sub(" ", _DIRECTION.sub("", text)).strip()
    return line if limit is None or len(line) <= limit else line[: max(limit - 3, 0)] + "..."


def words(text: str) -> list[str]:
    """Lower-case words and numbers in order; identifiers keep their underscores."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("\u2019", "")
    return _WORD.findall(folded)


def stem(word: str) -> str:
    """A word without its plural; numbers and short words stay."""
    if len(word) < 4 or word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def content_words(text: str) -> list[str]:
    """The stemmed words that carry meaning, negations among them."""
    return [stem(word) for word in words(text) if word not in FILLER]


def unquoted(text: str) -> str:
    """A text without the marks that a context card puts before it."""
    return _QUOTED_LINE.sub("", text, count=1).strip()


def claim_key(user_id: str | None, value: str) -> str:
    """One key for one claim of one user, whatever its case, spacing, punctuation and quote marks.

    Word order counts: "cents, never dollars" and "dollars, never cents" hold the same words.
    """
    return _digest([user_id, *(words(unquoted(value)) or [value.strip()])])


def claim_keys(user_id: str | None, subject: str, value: str) -> list[str]:
    """The keys under which this claim may be known: as it stands, and without its subject."""
    bare = unquoted(value)
    variants = [bare]
    head, colon, tail = bare.partition(": ")
    if colon and (same_subject(head, subject) if subject else len(head) < 80):
        variants.append(tail)
    return list(dict.fromkeys(claim_key(user_id, variant) for variant in variants))


def embedded_text(subject: str, value: str) -> str:
    """What is embedded for a record: its subject often holds the words of the question."""
    return f"{subject}: {value}" if subject else value


def subject_key(subject: str) -> str:
    """What two subjects must share to be about the same thing: `t.col` and `col` do."""
    name = subject.strip()
    if re.fullmatch(r"[\w$.\"]+", name) and ("." in name or "_" in name):
        return name.replace('"', "").casefold().rpartition(".")[2]
    return " ".join(sorted(set(content_words(subject))))


def same_subject(one: str, other: str) -> bool:
    """Whether two subjects with the same key name the same thing: one path must end the other."""
    a, b = (s.strip().replace('"', "").casefold().split(".") for s in (one, other))
    if len(a) == 1 or len(b) == 1:
        return subject_key(one) == subject_key(other)
    shorter, longer = sorted((a, b), key=len)
    return longer[-len(shorter) :] == shorter


def owner_token(user_id: str | None) -> str:
    """One word for the word index that stands for an owner, whatever characters the id has."""
    return "nobody" if user_id is None else "u" + _digest(["owner", user_id])[:20]


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]
