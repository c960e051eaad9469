"""What people put right, read back: definitions of words, groups of names, units of columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.standin.brain.lexicon import Keys, Lexicon
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.spot import Numeric, Span, spot, unit_of
from harness.standin.brain.words import key, stem, tidy, tokenise, word_set

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
_SUBJECT_NOISE = word_set("stop") | {
    "important",
    "note",
    "remember",
    "please",
    "word",
    "term",
    "dispatch",
    "us",
    "our",
    "team",
    "company",
    "when",
    "say",
    "says",
    "saying",
    "called",
    "call",
}


@dataclass(frozen=True)
class Definition:
    """A word and the conditions that it stands for; `said` quotes the correction."""

    term: Keys
    said: str
    values: tuple[tuple[Column, str], ...] = ()
    excluded: bool = False
    numeric: Numeric | None = None


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
        for sentence in re.split(r"(?<=[.;!])\s+", tidy(text)):
            _read(sentence, schema, lexicon, found)
    return found


def looks_like_definition(text: str) -> bool:
    """Whether a sentence says what a word means, what counts as one, or a unit."""
    return bool(_MEANS.search(text) or _CALLS.search(text) or _GROUP.search(text))


def defined_words(text: str) -> list[str]:
    """The words of a definition's right-hand side, to search for."""
    match = _CALLS.search(tidy(text)) or _MEANS.search(tidy(text))
    return [t.text for t in tokenise(match["said"])][:8] if match else []


def term_of(text: str) -> Keys:
    """The keys of the word that a sentence defines; () if it defines none."""
    match = _CALLS.search(tidy(text)) or _MEANS.search(tidy(text))
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


def _definition(match: "re.Match[str]", schema: Schema, lexicon: Lexicon) -> Definition | None:
    """ "<term> means <conditions>", or "<conditions> count as <term>"."""
    sentence, sides = sentence_of(match), [match["term"], match["said"]]
    left = spot(sides[0], tokenise(sides[0]), schema, lexicon, {}, None)
    if left.of("compare") or len(left.of("value")) > 1:
        sides.reverse()
    return _defined(sides[0], sides[1], sentence, schema, lexicon)


def _defined(
    word: str, said: str, sentence: str, schema: Schema, lexicon: Lexicon
) -> Definition | None:
    term = _term(word, lexicon)
    marks = spot(said, tokenise(said), schema, lexicon, {}, None)
    if not term or len(term) > 3:
        return None
    negated = [s.start for s in marks.of("negation")]
    known = tuple(key(each) for each in term) in lexicon.values
    values = marks.of("value") if known else marks.of("value", "gloss")
    kept = [s for s in values if not any(n < s.start for n in negated)]
    pairs = _shared(kept or values)
    if pairs:
        return Definition(term, sentence, pairs, not kept)
    numerics = marks.of("compare")
    if len(numerics) == 1 and not negated:
        return Definition(term, sentence, numeric=numerics[0].data)
    return None


def _shared(spans: list[Span]) -> tuple[tuple[Column, str], ...]:
    """The pairs of column and value, of the columns that all of the spans share if there is one."""
    columns = [{column for column, _ in span.data} for span in spans]
    shared = set.intersection(*columns) if columns else set()
    pairs = dict.fromkeys(pair for span in spans for pair in span.data)
    return tuple(pair for pair in pairs if not shared or pair[0] in shared)


def sentence_of(match: "re.Match[str]") -> str:
    """The sentence of a match, tidied for quoting."""
    return " ".join(match.group().split())


def _term(text: str, lexicon: Lexicon | None) -> Keys:
    """The stems of the defined word: the content words that are no noun of the schema."""
    words = [w for w in stems(text) if w not in _SUBJECT_NOISE and not w.isdigit()]
    if lexicon is None:
        return tuple(words[-3:])
    inner = [w for w in words if (key(w),) not in lexicon.tables]
    if len(inner) == 1 and any(s > 1 for _, s in lexicon.columns.get((key(inner[0]),), [])):
        return ()
    return tuple(inner)


def _group(sentence: str, schema: Schema, lexicon: Lexicon) -> NameGroup | None:
    match = _GROUP.search(sentence)
    if not match:
        return None
    text = match["names"]
    marks = spot(text, tokenise(text), schema, lexicon, {}, None)
    spans = marks.of("value")
    if len(spans) < 2:
        return None
    columns = [c for c, _ in spans[0].data if all(c in [x for x, _ in s.data] for s in spans)]
    if not columns:
        return None
    names = tuple(dict.fromkeys(v for s in spans for c, v in s.data if c == columns[0]))
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


def units_said(column: Column, found: Corrections) -> str:
    """The unit of a column: as a correction says, else as its name or comment says; or ""."""
    corrected = found.units.get((column.table, column.name))
    if corrected:
        return corrected
    if not column.is_number:
        return ""
    text = re.split(r"\bnever\b", f"{column.name.replace('_', ' ')} {column.comment}")[0]
    for token in tokenise(tidy(text)):
        unit = unit_of(token, "said")
        if unit:
            return unit
    return ""


def never_units(column: Column) -> list[str]:
    """The units that a column's comment rules out."""
    said = re.findall(r"\bnever (?:in )?(\w+)", column.comment)
    return [unit for word in said for unit in [unit_of(tokenise(word)[0])] if unit]
