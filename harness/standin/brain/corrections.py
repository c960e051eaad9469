"""What people put right, read back: definitions of words, groups of names, units of columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from harness.standin.brain.chunks import Bound, items_of
from harness.standin.brain.factlines import Column, unit_of
from harness.standin.brain.link import Item, World, plain
from harness.standin.brain.schema import Keys, Lexicon, Schema
from harness.standin.brain.words import key, keys, pattern, playbook, stem, tidy, tokenise, word_set


@dataclass(frozen=True)
class Definition:
    """A word and the conditions that it means; `said` quotes the correction."""

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
    world = World(schema, lexicon, {})
    for text in texts:
        for sentence in re.split(r"(?<=[.;!])\s+", plainly(tidy(plain(text)))):
            if 3 <= len(tokenise(sentence)) <= 80:
                _read(sentence, world, found)
    return found


def plainly(text: str) -> str:
    """ "By X I mean Y", "when I say X I mean Y": X means Y."""
    return pattern("i_mean").sub(lambda match: f"{match['term']} means", text)


def _defining(text: str) -> "re.Match[str] | None":
    """The word that a sentence defines, and what it says of it."""
    return pattern("calls").search(text) or pattern("means").search(text)


def looks_like_definition(text: str) -> bool:
    """Whether a sentence says what a word means, what counts as one, or a unit."""
    text = plainly(text)
    if pattern("restricted").search(text):
        return False  # a noun with what restricts it
    return bool(_defining(text) or pattern("group").search(text))


def defined_words(text: str) -> list[str]:
    """The words of a definition's right-hand side, to search for."""
    match = _defining(plainly(tidy(text)))
    return [t.text for t in tokenise(match["said"])][:8] if match else []


def term_of(text: str) -> Keys:
    """The keys of the word that a sentence defines; () if it defines none."""
    match = _defining(plainly(tidy(text)))
    return _content(match["term"])[-3:] if match else ()


def stems(text: str) -> Keys:
    """The stems of a text's words: a defined word is matched as it is, without its synonyms."""
    return tuple(stem(token.low) for token in tokenise(tidy(text)))


def _read(sentence: str, world: World, found: Corrections) -> None:
    group = _group(sentence, world)
    if group:
        if group.label not in [g.label for g in found.groups]:
            found.groups.append(group)
            pairs = tuple((group.column, name) for name in group.names)
            label = stems(group.label)
            found.terms.setdefault(label, Definition(label, group.said, pairs))
        return
    match = _defining(sentence)
    definition = _definition(match, world) if match else None
    if definition:
        found.terms.setdefault(definition.term, definition)
    _unit(sentence, world.schema, found)


def _definition(match: "re.Match[str]", world: World) -> Definition | None:
    """ "<term> means <conditions>", or "<conditions> count as <term>"."""
    word, said = match["term"], match["said"]
    left = items_of(word, world)
    if any("bound" in item for item in left) or sum(len(i["val"]) for i in left if "val" in i) > 2:
        word, said = said, word
    term, sides = _term(word, world.lexicon), (items_of(said, world), items_of(word, world))
    if not 0 < len(term) <= 3:
        return None
    sentence = " ".join(match.group().split())
    home = next((str(i["noun"]) for side in sides for i in side if "noun" in i), "")
    negated = next((n for n, item in enumerate(sides[0]) if "not" in item), len(sides[0]))
    bounds = [item["bound"] for item in sides[0] if "bound" in item]
    if len(bounds) == 1 and negated == len(sides[0]):
        return Definition(term, sentence, bound=_whole(bounds[0], sides), home=home)
    values = [n for n, item in enumerate(sides[0]) if "val" in item and "bound" not in item]
    kept = [n for n in values if n < negated]
    pairs = _shared([sides[0][n]["val"] for n in kept or values])
    return Definition(term, sentence, pairs, not kept, home=home) if pairs else None


def _whole(bound: Bound, sides: Sequence[list[Item]]) -> Bound:
    """The comparison with the column that stands elsewhere in the sentence."""
    for side in sides if not (bound.columns or bound.of or bound.unit) else ():
        columns = tuple(c for item in side for c in item.senses.get("col", ()) if c.is_number)
        if columns:
            return replace(bound, columns=columns)
    return bound


def _shared(values: list[Any]) -> tuple[tuple[Column, str], ...]:
    """The pairs of column and value, of the columns that all share if there is one."""
    columns = [{column for column, _ in pairs} for pairs in values]
    shared = set.intersection(*columns) if columns else set()
    pairs = dict.fromkeys(pair for each in values for pair in each)
    return tuple(pair for pair in pairs if not shared or pair[0] in shared)


def _content(text: str) -> Keys:
    noise = word_set("stop") | word_set("subject_noise")
    return tuple(w for w in stems(text) if w not in noise and not w.isdigit())


def _term(text: str, lexicon: Lexicon) -> Keys:
    """The stems of the defined word: its content words, without nouns of the schema."""
    words = keys(text)
    for zero in lexicon.zeros:
        if any(words[i : i + len(zero)] == zero for i in range(len(words))):
            return zero  # "on time", which a comment explains otherwise
    inner = tuple(w for w in _content(text) if (key(w),) not in lexicon.tables)
    column = len(inner) == 1 and any(s > 1 for _, s in lexicon.columns.get((key(inner[0]),), []))
    return () if column and key(inner[0]) not in _adjectives() else inner


def _adjectives() -> set[str]:
    forms = [scale[side] for scale in playbook()["scales"] for side in ("more", "less")]
    return {str(form[0]) for side in forms for form in side}


def _group(sentence: str, world: World) -> NameGroup | None:
    match = pattern("group").search(sentence)
    items = items_of(match["names"], world) if match else []
    pairs = [pair for item in items for pair in item.senses.get("val", ())]
    columns = [c for c, _ in pairs]
    column = next((c for c in columns if columns.count(c) > 1), None)
    if match is None or column is None:
        return None
    names = tuple(dict.fromkeys(v for c, v in pairs if c == column))
    label = (match["label"] or "").strip() or " + ".join(names)
    return NameGroup(column, names, label, " ".join(sentence.split()))


def _unit(sentence: str, schema: Schema, found: Corrections) -> None:
    """ "<column> is always US CENTS, never dollars": the first unit said after the column."""
    low = sentence.lower()
    for column in schema.columns:
        at = low.find(column.name.lower())
        if at < 0 or len(column.name) <= 3:
            continue
        rest = sentence[at + len(column.name) :]
        rest = re.split(r"\b(?:never|not|rather than|instead of)\b", rest)[0]
        units = [unit_of(token) for token in tokenise(rest)]
        first = next((i for i, unit in enumerate(units) if unit), len(units))
        several = list(takewhile(bool, units[first:]))  # "USD cents" are cents
        if several:
            found.units.setdefault((column.table, column.name), several[-1])
