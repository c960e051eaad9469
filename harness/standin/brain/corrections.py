"""What people put right, read back: definitions of words, groups of names, units of columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.standin.brain.bounds import Bound
from harness.standin.brain.chunks import chunk
from harness.standin.brain.lexicon import Keys, Lexicon
from harness.standin.brain.link import Item, World, link, plain
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.units import unit_of
from harness.standin.brain.words import key, keys, playbook, stem, tidy, tokenise, word_set

_MEANS = re.compile(
    r"(?P<term>[\w\s\"'/-]{2,60}?)\s+(?:means|"
    r"(?<=s )(?:all )?mean(?= (?:those|that|the|any|all|only|an?|every|not)\b)|"
    r"counts? as|refers? to|"
    r"stands? for|is defined as|are defined as|includes?|covers?|comprises?|is understood as|"
    r"should be read as|"
    r"(?:is|are) (?:any|all|those|every|one|only|whatever|a|an|either))\b\s*(?P<said>.+)",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\bcalls? (?:a|an|any|every) [\w-]+ (?P<term>\w+) (?:when|if|where|once)\b(?P<said>.+)",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"(?P<names>.+?)\s+(?:(?:should |must |all |both )?(?:count|counts|be counted|are|belong|form|"
    r"make up|treated|be treated|report)|as)\b.{0,40}?\b(?:one|a single|the same|together|joint)\b"
    r"\s*(?P<what>[\w ]{0,30}?)"
    r"(?:,?\s*(?:called|named|known as|:)\s*[\"']?(?P<label>[\w&. -]+?)[\"']?)?"
    r"\s*(?:[.;!]|$)",
    re.IGNORECASE,
)
_I_MEAN = re.compile(
    r"\b(?:by|when(?:ever)? (?:i|we) (?:say|speak of|talk about)) "
    r"(?P<term>[\w\"'/-][\w \"'/-]{1,59}?),? (?:i|we) (?:always )?mean\b",
    re.IGNORECASE,
)
_SUBJECT_NOISE = word_set("stop") | frozenset(
    """important note remember please word term dispatch us our
team company when say says saying called call""".split()
)


@dataclass(frozen=True)
class Definition:
    """A word and the conditions that it stands for; `said` quotes the correction."""

    term: Keys
    said: str
    values: tuple[tuple[Column, str], ...] = ()
    excluded: bool = False
    bound: Bound | None = None
    home: str = ""  # the table whose rows it is about, where the correction names one


@dataclass(frozen=True)
class NameGroup:
    """Names of one column that count as one."""

    column: Column
    names: tuple[str, ...]
    label: str
    said: str


@dataclass
class Corrections:
    """Everything that was read from the corrections in a request."""

    terms: dict[Keys, Definition] = field(default_factory=dict)
    groups: list[NameGroup] = field(default_factory=list)
    units: dict[tuple[str, str], str] = field(default_factory=dict)


def read_corrections(texts: Sequence[str], schema: Schema, lexicon: Lexicon) -> Corrections:
    """Read definitions, groups and units; what fits none of them is left alone."""
    found = Corrections()
    for text in texts:
        for sentence in re.split(r"(?<=[.;!])\s+", plainly(tidy(plain(text)))):
            _read(sentence, schema, lexicon, found)
    return found


def plainly(text: str) -> str:
    """ "By X I mean Y", "when I say X I mean Y": X means Y."""
    return _I_MEAN.sub(lambda match: f"{match['term']} means", text)


def looks_like_definition(text: str) -> bool:
    """Whether a sentence says what a word means, what counts as one, or a unit."""
    text = plainly(text)
    if re.search(r"\b(?:that|which|who) (?:are|is|were|was)\b", text):
        return False  # a noun with what restricts it
    return bool(_MEANS.search(text) or _CALLS.search(text) or _GROUP.search(text))


def defined_words(text: str) -> list[str]:
    """The words of a definition's right-hand side, to search for."""
    text = plainly(tidy(text))
    match = _CALLS.search(text) or _MEANS.search(text)
    return [t.text for t in tokenise(match["said"])][:8] if match else []


def term_of(text: str) -> Keys:
    """The keys of the word that a sentence defines; () if it defines none."""
    text = plainly(tidy(text))
    match = _CALLS.search(text) or _MEANS.search(text)
    return _term(match["term"], None) if match else ()


def stems(text: str) -> Keys:
    """The stems of a text's words: a defined word is matched as it is, without its synonyms."""
    return tuple(stem(token.low) for token in tokenise(tidy(text)))


def _read(sentence: str, schema: Schema, lexicon: Lexicon, found: Corrections) -> None:
    tokens = tokenise(sentence)
    if not 3 <= len(tokens) <= 80:
        return
    group = _group(sentence, schema, lexicon)
    if group:
        if group.label not in [g.label for g in found.groups]:
            found.groups.append(group)
            pairs = tuple((group.column, name) for name in group.names)
            label = stems(group.label)
            found.terms.setdefault(label, Definition(label, group.said, pairs))
        return
    match = _CALLS.search(sentence) or _MEANS.search(sentence)
    if match:
        definition = _definition(match, schema, lexicon)
        if definition and definition.term not in found.terms:
            found.terms[definition.term] = definition
    _unit(sentence, schema, found)


def _items(text: str, schema: Schema, lexicon: Lexicon) -> list[Item]:
    return chunk(link(text, World(schema, lexicon, {})), schema)


def _definition(match: "re.Match[str]", schema: Schema, lexicon: Lexicon) -> Definition | None:
    """ "<term> means <conditions>", or "<conditions> count as <term>"."""
    sentence, sides = sentence_of(match), [match["term"], match["said"]]
    left = _items(sides[0], schema, lexicon)
    if any("bound" in item for item in left) or sum(len(i["val"]) for i in left if "val" in i) > 2:
        sides.reverse()
    return _defined(sides[0], sides[1], sentence, schema, lexicon)


def _defined(
    word: str, said: str, sentence: str, schema: Schema, lexicon: Lexicon
) -> Definition | None:
    term = _term(word, lexicon)
    items = _items(said, schema, lexicon)
    if not term or len(term) > 3:
        return None
    negated = [n for n, item in enumerate(items) if "not" in item]
    values = [n for n, item in enumerate(items) if "val" in item and "bound" not in item]
    kept = [n for n in values if not any(m < n for m in negated)]
    bounds = [item["bound"] for item in items if "bound" in item]
    nouns = [i["noun"] for i in [*items, *_items(word, schema, lexicon)] if "noun" in i]
    home = str(nouns[0]) if nouns else ""
    if len(bounds) == 1 and not negated:
        bound = _whole(bounds[0], items, word, schema, lexicon)
        return Definition(term, sentence, bound=bound, home=home)
    pairs = _shared([items[n]["val"] for n in kept or values])
    if pairs:
        return Definition(term, sentence, pairs, not kept, home=home)
    return None


def _whole(bound: Bound, items: list[Item], word: str, schema: Schema, lexicon: Lexicon) -> Bound:
    """The comparison with the column that stands elsewhere in the sentence."""
    if bound.columns or bound.of or bound.unit:
        return bound
    columns = [c for item in items for c in item.senses.get("col", ()) if c.is_number]
    own = [
        c
        for item in _items(word, schema, lexicon)
        for c in item.senses.get("col", ())
        if c.is_number
    ]
    return replace(bound, columns=tuple(columns or own)) if columns or own else bound


def _shared(values: list[Any]) -> tuple[tuple[Column, str], ...]:
    """The pairs of column and value, of the columns that all share if there is one."""
    columns = [{column for column, _ in pairs} for pairs in values]
    shared = set.intersection(*columns) if columns else set()
    pairs = dict.fromkeys(pair for each in values for pair in each)
    return tuple(pair for pair in pairs if not shared or pair[0] in shared)


def sentence_of(match: "re.Match[str]") -> str:
    """The sentence of a match, tidied for quoting."""
    return " ".join(match.group().split())


def _term(text: str, lexicon: Lexicon | None) -> Keys:
    """The stems of the defined word: the content words that are no noun of the schema."""
    words = [w for w in stems(text) if w not in _SUBJECT_NOISE and not w.isdigit()]
    if lexicon is None:
        return tuple(words[-3:])
    zero = next((z for z in lexicon.zeros if _holds(keys(text), z)), ())
    if zero:
        return zero  # "on time", which a comment explains otherwise
    inner = [w for w in words if (key(w),) not in lexicon.tables]
    if len(inner) == 1 and any(s > 1 for _, s in lexicon.columns.get((key(inner[0]),), [])):
        return () if key(inner[0]) not in _scaled() else tuple(inner)
    return tuple(inner)


def _holds(words: Keys, phrase: Keys) -> bool:
    size = len(phrase)
    return any(words[i : i + size] == phrase for i in range(len(words) - size + 1))


def _scaled() -> set[str]:
    return {
        str(form[0])
        for scale in playbook()["scales"]
        for side in ("more", "less")
        for form in scale[side]
    }


def _group(sentence: str, schema: Schema, lexicon: Lexicon) -> NameGroup | None:
    match = _GROUP.search(sentence)
    if not match:
        return None
    named = [item["val"] for item in _items(match["names"], schema, lexicon) if "val" in item]
    pairs = [pair for each in named for pair in each]
    columns = [
        c for c in dict.fromkeys(c for c, _ in pairs) if sum(1 for x, _ in pairs if x == c) > 1
    ]
    if not columns:
        return None
    names = tuple(dict.fromkeys(v for c, v in pairs if c == columns[0]))
    label = (match["label"] or "").strip() or " + ".join(names)
    return NameGroup(columns[0], names, label, " ".join(sentence.split()))


def _unit(sentence: str, schema: Schema, found: Corrections) -> None:
    """ "<column> is always US CENTS, never dollars": the first unit said after the column."""
    lowered = sentence.lower()
    for column in schema.columns:
        at = lowered.find(column.name.lower())
        if at < 0 or len(column.name) < 4:
            continue
        rest = re.split(
            r"\b(?:never|not|rather than|instead of)\b", sentence[at + len(column.name) :]
        )
        units = [unit_of(token) for token in tokenise(rest[0])]
        first = next((i for i, unit in enumerate(units) if unit), None)
        if first is None:
            continue
        while first + 1 < len(units) and units[first + 1]:  # "USD cents" are cents
            first += 1
        found.units.setdefault((column.table, column.name), units[first])
