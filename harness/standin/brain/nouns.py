"""The tables that a question names, each with what stands before it."""

from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.link import Item
from harness.standin.brain.sentence import Noun, Sentence, event_times
from harness.standin.brain.words import stem, word_set


def nouns(s: Sentence) -> list[Noun]:
    """The tables that are named, each with the preposition, number or "no" before it."""
    made: list[Noun] = []
    for i in s.all("noun"):
        if i not in s.used:
            noun = Noun(i, _meant(s, s.items[i]))
            senses = {**s.items[i].senses, "noun": noun.table}
            s.items[i] = replace(s.items[i], senses=senses)
            _with_front(s, noun)
            made.append(noun)
    made = sorted([*made, *_event_nouns(s)], key=lambda n: n.at)
    for noun in made:
        if noun.no:  # "no delayed voyages": the noun is negated, not the adjective
            beside = [c for c in s.claims if noun.at - 4 < c.start < noun.at and c.no == "not"]
            s.claims = [replace(c, no="") if c in beside else c for c in s.claims]
    return made


def _with_front(s: Sentence, noun: Noun) -> None:
    """What stands before a noun: an end, a denial, a number to compare with."""
    for j in range(noun.at - 1, max(-1, noun.at - 4), -1):
        if s.has(j, "from", "to"):
            noun.role = "from" if s.has(j, "from") else "to"
        elif s.has(j, "not"):
            nominal = s.low(j) in word_set("denying_nouns")
            between = any(j < c.start < noun.at for c in s.claims)
            verb = any(s.has(n, "be", "do", "event") for n in range(j + 1, noun.at))
            if (nominal or not between) and not verb:  # not "not on voyages ..."
                noun.no = True
                s.use(j)
        elif (bound := s.get(j, "bound")) and not (bound.unit or bound.of or bound.columns):
            noun.bound = bound
            s.claims = [c for c in s.claims if c.start != j]
        elif j in s.claimed or s.has(j, "light"):
            continue
        return


def _event_nouns(s: Sentence) -> list[Noun]:
    """ "more than 40 arrivals": rows of the table that has the time of that event, at that end."""
    made = []
    for i in s.all("event"):
        bound = s.get(i - 1, "bound")
        columns = event_times(s, s.items[i]["event"])
        counted = bound is not None and not (bound.unit or bound.of)
        if counted and columns and (s.is_move(i) or s.low(i) == "calls"):
            made.append(Noun(i, columns[0].table, s.event_end(i), bound=bound))
            given = (next(c for c in columns if c.nullable), False)
            s.claims = [c for c in s.claims if c.start != i - 1]
            s.claims.append(Claim("null", given, i, i + 1, s.words(i)))
    return made


def _meant(s: Sentence, item: Item) -> str:
    """The table of a noun; another of that name where a condition is about that one."""
    other = s.world.lexicon.homonyms.get(stem(item.words.lower()))
    columns = [c for claim in s.of("equals") for c in claim.data[0]]
    columns += [c for claim in s.of("val") for c, _ in claim.data]
    return other if other and any(c.table == other for c in columns) else str(item["noun"])
