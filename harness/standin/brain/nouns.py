"""The tables that a question names, each with what stands before it."""

from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.link import Item
from harness.standin.brain.sentence import Noun, Sentence, event_times
from harness.standin.brain.words import playbook, stem

_NOMINAL = frozenset(
    {"no", "without", "without any", "with no", "having no", "lacking", "lack", "lacks", "not any"}
)


def _nouns(s: Sentence) -> list[Noun]:
    """The tables that are named, each with the preposition, number or "no" before it."""
    made: list[Noun] = []
    for i, item in enumerate(s.items):
        if "noun" not in item or i in s.used:
            continue
        noun = Noun(i, _meant(s, item))
        s.items[i] = item = replace(item, senses={**item.senses, "noun": noun.table})
        for j in range(i - 1, max(-1, i - 4), -1):
            before = s.items[j]
            if "from" in before or "to" in before:
                noun.role = "from" if "from" in before else "to"
            elif "not" in before:
                between = [c for c in s.claims if j < c.start < i]
                nominal = s.words(j).lower() in _NOMINAL
                if (nominal or not between) and not _relates(s, j, i):
                    noun.no = True
                    s.used.add(j)
            elif (
                "bound" in before
                and not before["bound"].unit
                and not before["bound"].of
                and not before["bound"].columns
            ):
                noun.bound = before["bound"]
                s.claims = [c for c in s.claims if c.start != j]
            elif j in {c.start for c in s.claims} or "light" in before:
                continue
            break
        made.append(noun)
    made += _event_nouns(s)
    made.sort(key=lambda n: n.at)
    for noun in made:
        if noun.no:  # "no delayed voyages": the noun is negated, not the adjective
            s.claims = [
                replace(c, no="") if noun.at - 4 < c.start < noun.at and c.no == "not" else c
                for c in s.claims
            ]
    return made


def _event_nouns(s: Sentence) -> list[Noun]:
    """ "more than 40 arrivals": rows of the table that has the time of that event, at that end."""
    made = []
    for i in s.all("event"):
        before = s.items[i - 1] if i else None
        bound = before.senses.get("bound") if before is not None else None
        if (
            bound is None
            or bound.unit
            or bound.of
            or s.words(i).lower() not in ("arrivals", "departures", "calls")
        ):
            continue
        event = playbook()["events"][s.items[i]["event"]]
        columns = event_times(s, s.items[i]["event"])
        if columns:
            s.claims = [c for c in s.claims if c.start != i - 1]
            made.append(Noun(i, columns[0].table, event["end"], bound=bound))
            given = Claim(
                "null", (next(c for c in columns if c.nullable), False), i, i + 1, s.words(i)
            )
            s.claims.append(given)
    return made


def _meant(s: Sentence, item: Item) -> str:
    """The table of a noun; another of that name where a condition is about that one."""
    other = s.world.lexicon.homonyms.get(stem(item.words.lower()))
    for claim in s.claims:
        columns = (
            claim.data[0]
            if claim.kind == "equals"
            else [c for c, _ in claim.data]
            if claim.kind == "val"
            else []
        )
        if other and any(c.table == other for c in columns):
            return other
    return str(item["noun"])


def _relates(s: Sentence, j: int, i: int) -> bool:
    """ "not on voyages ...": the verb is negated."""
    return any(set(s.items[n].senses) & {"be", "do", "event"} for n in range(j + 1, i))
