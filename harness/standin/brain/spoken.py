"""A question's nouns and claims, and the turns of phrase that make one of several words."""

import re
from dataclasses import replace

from harness.standin.brain.chunks import Bound, items_of
from harness.standin.brain.claims import Claim, find_claims
from harness.standin.brain.link import Item, World
from harness.standin.brain.place import known_as
from harness.standin.brain.sentence import Noun, Sentence, event_times, head_of
from harness.standin.brain.tree import Problem
from harness.standin.brain.ways import figure_for, is_place, nearest
from harness.standin.brain.words import key, keys, playbook, stem, tidy, tokenise, word_set


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
    made = sorted([*made, *_event_nouns(s), *_denied(s, made)], key=lambda n: n.at)
    for noun in made:
        if noun.no:  # "no delayed voyages": the noun is negated, not the adjective
            beside = [c for c in s.claims if noun.at - 4 < c.start < noun.at and c.no]
            s.claims = [replace(c, no="") if c in beside else c for c in s.claims]
    return made


def _with_front(s: Sentence, noun: Noun) -> None:
    """What stands before a noun: an end, a denial, a number to compare with."""
    for j in range(noun.at - 1, max(-1, noun.at - 4), -1):
        if s.has(j, "from", "to"):
            noun.role = "from" if s.has(j, "from") else "to"
        elif s.has(j, "not"):
            nominal = s.low(j) in word_set("denying_nouns") or s.get(j, "not") == "never"
            between = any(j < c.start < noun.at for c in s.claims)
            verb = any(s.has(n, "be", "event") for n in range(j + 1, noun.at))
            verb = verb or (s.has(j + 1, "do") and not nominal)
            if (nominal or not between) and not verb:  # not "not on voyages ..."
                noun.no = True
                s.use(j)
        elif (bound := s.get(j, "bound")) and not (bound.unit or bound.of or bound.columns):
            noun.bound = bound
            s.claims = [c for c in s.claims if c.start != j]
        elif j in s.claimed or s.has(j, "light"):
            continue
        elif s.has(j, "do") and s.get(j - 1, "not") == "never":
            continue  # "have never had a cancelled voyage"
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


def _denied(s: Sentence, named: list[Noun]) -> list[Noun]:
    """ "Voyages that carry no reefer": a word for rows of a table that is not named."""
    made = []
    for n, claim in enumerate(s.claims):
        table = claim.data[0].table if claim.kind == "null" and claim.no == "not" else ""
        if table and named and all(noun.table != table for noun in named):
            made.append(Noun(claim.start, table, no=True))
            s.claims[n] = replace(claim, no="")
    return made


def _meant(s: Sentence, item: Item) -> str:
    """The table of a noun; another of that name where a condition is about that one."""
    other = s.world.lexicon.homonyms.get(stem(item.words.lower()))
    columns = [c for claim in s.of("equals") for c in claim.data[0]]
    columns += [c for claim in s.of("val") for c, _ in claim.data]
    return other if other and any(c.table == other for c in columns) else str(item["noun"])


def sentence_of(text: str, world: World) -> Sentence:
    """The question with its nouns and claims. Raises Problem for words that nothing explains."""
    items = items_of(text, world)
    _strangers(text, items)
    made = Sentence(text, items, world)
    for turn in (_relative, _patterns, _presences, _absences, _versus, _same_as):
        turn(made)
    claims = find_claims(made.items, made.used)
    made.claims = [_tensed(made, _placed(made, c)) for c in claims]
    _today_is_now(made)
    made.used |= made.claimed
    _one_name(made)
    if any("duration" in c.data.of for c in made.of("bound")):
        made.use("lasting")
    for claim in made.claims:
        _note(made, claim)
    if any(c.prep in ("stranded", "visit") and c.role for c in made.claims) and made.of("window"):
        why = "when; ask for the voyages themselves"  # of which of them, nothing says
        raise Problem("clarify", [c.words for c in made.of("window")], why)
    made.nouns = nouns(made)
    made.use(*(i for i in made.all("pronoun") if made.nouns and made.nouns[0].at < i))
    return made


def _today_is_now(s: Sentence) -> None:
    """ "On the water today": of a state, today is now."""
    days = [c for c in s.of("window") if c.data.start == s.world.today and not c.event]
    days = [c for c in days if c.data.end and (c.data.end - c.data.start).days == 1]
    if days and s.of("val", "sense", "underway") and not s.past and not s.all("event"):
        s.items[days[0].start] = replace(s.items[days[0].start], senses={"now": "now"})
        s.claims.remove(days[0])


def _note(s: Sentence, claim: Claim) -> None:
    """Say what a word was taken for."""
    if claim.kind == "term":
        s.notes.append(f'By the correction: "{claim.data.said.strip(" .")}".')
    if claim.kind == "zero":
        column = claim.data[0]
        told = re.search(r"\((\d+ when [^)]+)\)", column.comment)
        s.notes += [f"{column.name} is {told[1]}."] if told else []
    pair = known_as(playbook()["senses"][claim.data], s.world) if claim.kind == "sense" else None
    if pair:
        s.notes.append(str(playbook()["assumed"]).format(word=claim.words, value=pair[0][1]))


def _strangers(text: str, items: list[Item]) -> None:
    low = f" {' '.join(t.low for t in tokenise(tidy(text)))} "
    for phrase in (*playbook()["reasons_asked"], *playbook()["advice"]):
        if f" {phrase} " in low:
            raise Problem("refuse", [str(phrase)])
    never = word_set("unanswerable")
    unknown = [str(item["word"]) for item in items if "word" in item]
    for item in items:
        known = {item.words.lower(), *keys(item.words)} & {*never, *map(key, never)}
        if "word" in item and known:
            raise Problem("refuse", [item.words])
    if unknown:
        raise Problem("unknown", unknown)


def _relative(s: Sentence) -> None:
    """ "Ports where ...": no question for a place."""
    for i in s.all("ask", "where"):
        if s.has(i - 1, "noun", "role") and s.low(i) == "where":
            s.items[i] = replace(s.items[i], senses={"light": True})


def _presences(s: Sentence) -> None:
    """ "in an alliance": the column has a value."""
    for i in s.all("col"):
        columns = [c for c in s.items[i]["col"] if c.nullable and c.is_text]
        dropped = set(s.items[i].dropped)
        inside = {"in", "with"} & dropped or s.has(i - 1, "verb")
        denied = any(s.has(j, "not", "never") for j in range(i))
        if columns and inside and {"a", "an"} & dropped and not denied:
            s.items[i] = replace(s.items[i], senses={"null": (columns[0], False)})


def _absences(s: Sentence) -> None:
    """ "in no alliance", "no arrival time": the column is empty."""
    for i in s.all("not"):
        ahead = range(i + 1, min(i + 4, len(s.items)))
        quiet = ("light", "ask", "be", "do", "verb")
        j = next((j for j in ahead if s.has(j, "col", "event") or not s.has(j, *quiet)), -1)
        chained = s.get(i, "not") == "neither"  # and what "nor" ties to it
        if chained or not s.has(j, "col", "event") or s.has(j, "noun", "val", "bound", "null"):
            continue
        if set(s.low(i).split()) & {"except", "excluding"} or (
            s.has(j, "event") and not s.is_move(j)
        ):
            continue
        columns = [c for c in s.get(j, "col") or () if c.nullable]
        if s.has(j, "event"):
            columns = columns or [c for c in event_times(s, s.items[j]["event"]) if c.nullable]
        if columns:
            zeros = [z for z in s.world.lexicon.zeros.values() if z[0] == columns[0]]
            empty = {"zero": zeros[0]} if zeros and columns[0].is_number else {}
            at = nearest(s.world.schema, s.get(s.first("noun"), "noun") or "", columns[:1])
            if at and at[1].many:
                said = f"{s.words(i)} {s.words(j)}"
                raise Problem("clarify", [said], f'"{said}": none of all, or one without')
            s.items[j] = replace(s.items[j], senses=empty or {"null": (columns[0], True)})
            s.items[i] = replace(s.items[i], senses={"light": True})
            s.use(i)


def _named_row(s: Sentence, i: int) -> tuple[object, str] | None:
    """The row that an item names."""
    pairs = s.get(i, "val") or ()
    return next((p for p in pairs if s.world.schema.is_label(p[0])), None)


def _versus(s: Sentence) -> None:
    """ "Which ships are larger than X": the figure of a named row to compare with."""
    noun = s.first("noun")
    if s.asks("list", "count") < 0 or noun < 0:
        return
    for i in s.all("scale"):
        scale, row = s.items[i]["scale"], _named_row(s, i + 1)
        if scale[2] == 1 and scale[0] and noun <= i and row:
            s.items[i + 1] = replace(s.items[i + 1], senses={"versus": (scale, row)})
            s.use(i)


def _same_as(s: Sentence) -> None:
    """ "the same flag as X": the value that a named row has."""
    for i in s.all("same"):
        columns = [j for j in s.all("col") if j > i and not s.has(j, "val")]
        at = next((j for j in s.all("val") if j > i), -1)
        row = _named_row(s, at)
        if columns and columns[0] < at and row:
            same = (s.items[columns[0]]["col"], row)
            s.items[at] = replace(s.items[at], senses={"same_as": same})
            s.use(i, columns[0])


def _patterns(s: Sentence) -> None:
    """ "whose name starts with Golden": the words of the pattern become one claim."""
    for i in s.all("pattern"):
        how = s.get(i, "pattern")
        before = {w for item in s.items[max(0, i - 2) : i] for w in item.words.lower().split()}
        named = before & {"name", "names", "named"}
        if how and i + 1 < len(s.items) and (how != "holds" or named):
            follow = s.items[i + 1]
            s.items[i + 1] = replace(follow, senses={"pattern_of": (how, follow.words)})
            s.use(i)


def _one_name(s: Sentence) -> None:
    """Where several names have that part, ask which one is meant."""
    for claim in s.of("val"):
        if re.search(r"\b(?:or|and|nor)\b", claim.words.lower()):
            continue
        homes = {c: s.world.schema.tables[c.table] for c, _ in claim.data}
        names = {v for c, v in claim.data if homes[c].label == c and homes[c].named}
        if len(names) > 1 and len(homes) == 1:
            raise Problem("clarify", [claim.words], f"which one: {', '.join(sorted(names)[:5])}?")


def _placed(s: Sentence, claim: Claim) -> Claim:
    """ "when will that ship arrive": the verb after a name gives an end to places only."""
    loose = claim.kind == "val" and claim.prep in ("noun", "stranded")
    if not loose or any(is_place(s.world.schema, c.table) for c, _ in claim.data):
        return claim
    asked = s.get(head_of(s), "noun") or ""
    if claim.prep == "stranded" and asked and is_place(s.world.schema, asked):
        s.use("visit", len(s.items) - 1)
        return claim
    return replace(claim, role="")


def _tensed(s: Sentence, claim: Claim) -> Claim:
    """ "late" of what is over is any delay; of what is going on it is the value that says so."""
    scale = s.get(claim.start, "scale")
    late = s.low(claim.start) in ("late", "overdue")
    if claim.kind != "val" or not scale or not late or scale[2]:
        return claim
    column, value = claim.data[0]
    over = s.past or any(s.is_past_event(i) or s.is_move(i) for i in s.all("event"))
    if (over or s.all("keyed")) and figure_for(scale[0], (), column.table, s.world):
        bound = Bound(">", (0.0,), "", scale[0])
        return replace(claim, kind="bound", role="", data=bound)
    s.notes.append(f'I read "{s.words(claim.start)}" as {value}.')
    return claim
