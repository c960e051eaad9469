"""A question's nouns and claims, and the turns of phrase that make one of several words."""

import re
from dataclasses import replace
from typing import Any

from harness.standin.brain.bounds import Bound
from harness.standin.brain.chunks import chunk
from harness.standin.brain.claims import Claim, find_claims
from harness.standin.brain.link import Item, World, link
from harness.standin.brain.measures import figure_for
from harness.standin.brain.nouns import _nouns
from harness.standin.brain.place import sensed
from harness.standin.brain.sentence import Sentence, event_times
from harness.standin.brain.tree import Problem
from harness.standin.brain.ways import is_place
from harness.standin.brain.words import key, keys, playbook, tidy, tokenise, word_set


def sentence_of(text: str, world: World) -> Sentence:
    """The question with its nouns and claims. Raises Problem for words that nothing explains."""
    items = chunk(link(text, world), world.schema)
    _strangers(text, items)
    made = Sentence(text, items, world)
    _patterns(made)
    _absences(made)
    _versus(made)
    _same_as(made)
    taken: set[int] = set()
    made.claims = [
        _tensed(made, _placed(made, c)) for c in find_claims(made.items, taken, made.used)
    ]
    made.used |= {c.start for c in made.claims}
    _one_name(made)
    if any(c.kind == "bound" and "duration" in c.data.of for c in made.claims):
        made.used |= set(made.all("lasting"))
    for claim in made.claims:
        if claim.kind == "sense":
            pair = sensed(claim.data, world)
            made.notes += (
                [
                    f'Nothing here defines "{claim.words}"; I took it as {pair[0][1]}. Tell me '
                    f"if it means something else."
                ]
                if pair
                else []
            )
        elif claim.kind == "term":
            made.notes.append(f'By the correction: "{claim.data.said.strip(" .")}".')
    made.nouns = _nouns(made)
    nouns = [n.at for n in made.nouns]
    made.used |= {i for i in made.all("pronoun") if nouns and nouns[0] < i}
    return made


def _strangers(text: str, items: list[Item]) -> None:
    low = f" {' '.join(t.low for t in tokenise(tidy(text)))} "
    for section in ("reasons_asked", "advice"):
        for phrase in playbook()[section]:
            if f" {phrase} " in low:
                raise Problem("refuse", [str(phrase)])
    for item in items:
        if ("word" in item and item.words.lower() in word_set("unanswerable")) or (
            "word" in item and set(keys(item.words)) & {key(w) for w in word_set("unanswerable")}
        ):
            raise Problem("refuse", [item.words])
    unknown = [str(item["word"]) for item in items if "word" in item]
    if unknown:
        raise Problem("unknown", unknown)


def _absences(s: Sentence) -> None:
    """ "in no alliance", "no arrival time": the column is empty."""
    for i, item in enumerate(s.items):  # "in an alliance": there is one
        known = [c for c in item.senses.get("col", ()) if c.nullable and c.is_text]
        inside = {"in", "with"} & set(item.dropped) or (i and "verb" in s.items[i - 1])
        denied = any("not" in x or "never" in x for x in s.items[:i])
        if known and inside and {"a", "an"} & set(item.dropped) and not denied:
            s.items[i] = replace(item, senses={"null": (known[0], False)})
    for i in list(s.all("not")):
        j = next(
            (
                j
                for j in range(i + 1, min(i + 4, len(s.items)))
                if not set(s.items[j].senses) & {"light", "ask", "be", "do", "verb"}
                or set(s.items[j].senses) & {"col", "event"}
            ),
            -1,
        )
        ahead: Any = s.items[j] if j >= 0 else None
        if (
            ahead is None
            or "noun" in ahead
            or "val" in ahead
            or "bound" in ahead
            or set(s.items[i].words.lower().split()) & {"except", "excluding"}
        ):
            continue
        columns = [c for c in ahead.senses.get("col", ()) if c.nullable]
        if not columns and "event" in ahead:
            columns = [c for c in event_times(s, ahead["event"]) if c.nullable]
        if not columns or (
            "event" in ahead
            and ahead.words.lower() not in ("arrival", "departure", "arrivals", "departures")
        ):
            continue
        none = next((z for z in s.world.lexicon.zeros.values() if z[0] == columns[0]), None)
        senses = {"zero": none} if none and columns[0].is_number else {"null": (columns[0], True)}
        s.items[j] = replace(ahead, senses=senses)
        s.used.add(i)
        s.items[i] = replace(s.items[i], senses={"light": True})


def _versus(s: Sentence) -> None:
    """ "Which ships are larger than X": the figure of a named row to compare with."""
    if s.asks("list", "count") < 0 or s.first("noun") < 0:
        return
    for i in list(s.all("scale")):
        j = i + 1
        scale = s.items[i]["scale"]
        if (
            scale[2] != 1
            or not scale[0]
            or j >= len(s.items)
            or "val" not in s.items[j]
            or s.first("noun") > i
        ):
            continue
        pairs = [p for p in s.items[j]["val"] if s.world.schema.tables[p[0].table].label == p[0]]
        if pairs:
            s.items[j] = replace(s.items[j], senses={"versus": (scale, pairs[0])})
            s.used.add(i)


def _same_as(s: Sentence) -> None:
    """ "the same flag as X": the value that a named row has."""
    for i in list(s.all("same")):
        col = next(
            (
                j
                for j in range(i + 1, len(s.items))
                if "col" in s.items[j] and "val" not in s.items[j]
            ),
            -1,
        )
        at = next((j for j in range(i + 1, len(s.items)) if "val" in s.items[j]), -1)
        pairs = [p for p in s.items[at]["val"] if s.world.schema.tables[p[0].table].label == p[0]]
        if 0 <= col < at and pairs:
            s.items[at] = replace(s.items[at], senses={"same_as": (s.items[col]["col"], pairs[0])})
            s.used |= {i, col}


def _patterns(s: Sentence) -> None:
    """ "whose name starts with Golden": the words of the pattern become one claim."""
    for i in list(s.all("pattern")):
        if i + 1 >= len(s.items) or "pattern" not in s.items[i]:
            continue
        follow = s.items[i + 1]
        how = s.items[i]["pattern"]
        named = any(
            w in {"name", "names", "named"}
            for item in s.items[max(0, i - 2) : i]
            for w in item.words.lower().split()
        )
        if how == "holds" and not named:
            continue
        s.items[i + 1] = replace(follow, senses={"pattern_of": (how, follow.words)})
        s.used.add(i)


def _one_name(s: Sentence) -> None:
    """A part of several names is none of them: ask which."""
    for claim in s.claims:
        if claim.kind != "val" or re.search(r"\b(?:or|and|nor)\b", claim.words.lower()):
            continue
        names = {
            v
            for c, v in claim.data
            if s.world.schema.tables[c.table].label == c and s.world.schema.tables[c.table].named
        }
        if len(names) > 1 and len({c for c, _ in claim.data}) == 1:
            raise Problem("clarify", [claim.words], f"which one: {', '.join(sorted(names)[:5])}?")


def _placed(s: Sentence, claim: Claim) -> Claim:
    """ "when will that ship arrive": a verb after a name says no end of what is no place."""
    schema = s.world.schema
    if (
        claim.kind == "val"
        and claim.prep in ("after", "noun")
        and not any(is_place(schema, c.table) for c, _ in claim.data)
    ):
        return replace(claim, role="")
    return claim


def _tensed(s: Sentence, claim: Claim) -> Claim:
    """ "late" of what is over is any delay; of what is going on it is the value that says so."""
    item = s.items[claim.start]
    scale = item.senses.get("scale")
    if (
        claim.kind != "val"
        or not scale
        or item.words.lower() not in ("late", "overdue")
        or scale[2]
    ):
        return claim
    value = claim.data[0][1]
    over = (
        s.past
        or any(c.kind == "val" and "event" in s.items[c.start] for c in s.claims)
        or any("event" in i and playbook()["events"][i["event"]].get("past") for i in s.items)
    )
    one = any("keyed" in i for i in s.items)
    if (over or one) and figure_for(scale[0], (), claim.data[0][0].table, s.world):
        return replace(claim, kind="bound", role="", data=Bound(">", (0.0,), "", scale[0]))
    s.notes.append(f'I read "{item.words}" as {value}.')
    return claim
