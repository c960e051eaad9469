"""The searches for what is still missing, and after a refusal a question near to it that works."""

import re
from difflib import get_close_matches

from harness.standin.brain.clauses import leans
from harness.standin.brain.corrections import defined_words
from harness.standin.brain.factlines import short
from harness.standin.brain.frames import parse
from harness.standin.brain.knowing import Knowing, Missing, lookup_sql
from harness.standin.brain.link import general
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import (
    Call,
    call,
    content_words,
    query_text,
    search_call,
    sql_call,
)
from harness.standin.brain.tree import Problem
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_WIDE = ((["table", "relationship"], 25), (["column", "correction"], 25))
_ABOUT = {"table": "table {t}", "relationship": "{t} references", "column": "columns of {t}"}
_SCHEMA = re.compile(r"\b([A-Z][A-Z_]{4,})\b(?=\s+schema|\.\w)|schema\s+([A-Z][A-Z_]{4,})\b")
_OWNER = re.compile(r"[\"']owner[\"']: ?[\"'](\w+)[\"']")
_DATED = re.compile(r"\b(19|20)\d\d\b|\b(today|yesterday|week|month|year|days)\b")


def first_search(situation: Situation, text: str) -> list[Call]:
    """The first rule of the job: search before anything else. [] when that was done."""
    if not situation.offered("search_knowledge") or situation.calls("search_knowledge"):
        return []
    query = query_text(situation, "search_knowledge", "query", _whole(situation, text))
    return [search_call(situation, query, 8)]


def wider_search(situation: Situation, text: str) -> list[Call]:
    """Tables with their joins, and columns with corrections to them; [] when done."""
    searches = situation.calls("search_knowledge")
    if not situation.offered("search_knowledge") or any(s.arguments.get("kinds") for s in searches):
        return []
    whole = _whole(situation, text)
    words = " ".join([*content_words(whole), *_hints(whole)])
    if "kinds" not in situation.parameters("search_knowledge"):
        again = any(s.round for s in searches)
        return [] if again else [search_call(situation, f"tables and joins: {words}", 25)]
    return [search_call(situation, words, k, kinds) for kinds, k in _WIDE]


def targeted_search(situation: Situation, missing: Missing) -> list[Call]:
    """Searches for just these facts; [] when that was tried or can't be done."""
    wanted = {_ABOUT[kind].format(t=short(table)): kind for kind, table in missing}
    asked = _asked(situation)
    calls = [search_call(situation, q, 25, [kind]) for q, kind in wanted.items() if q not in asked]
    return calls if situation.offered("search_knowledge") else []


def _asked(situation: Situation) -> set[str]:
    return {str(s.arguments.get("query")) for s in situation.calls("search_knowledge")}


def missing_words(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """A search with the words that are missing, and the names looked up beside it."""
    calls: list[Call] = []
    asked = _asked(situation)
    query = "snapshot today is" if problem.kind == "today" else " ".join(problem.words)
    if situation.offered("search_knowledge") and query and query not in asked:
        calls.append(search_call(situation, query, 8))
    for text in situation.correction_texts:  # a definition whose values were not seen yet
        words = " ".join(defined_words(text))
        if set(keys(text)) & set(keys(query)) and words and words not in asked:
            calls.append(search_call(situation, words, 8, ["column"]))
    unknown = problem.kind == "unknown" and not known.was_searched(problem)
    if unknown and situation.offered("run_sql"):
        dull = word_set("dull") | word_set("stop")
        names = [w for w in problem.words if not set(w.lower().split()) <= dull]
        sql = lookup_sql(known.schema, names)
        tried = {str(s.arguments.get("sql")) for s in situation.calls("run_sql")}
        calls += [sql_call(situation, sql)] if sql and sql not in tried else []
    return calls[:6]


def join_search(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """The references of the tables that a problem names."""
    tables = [t for t in sorted(known.schema.tables) if short(t) in problem.words]
    kinds = ("relationship", "column")
    return targeted_search(situation, [(kind, t) for kind in kinds for t in tables])


def rescan(situation: Situation, query: Call) -> list[Call]:
    """No facts at all: scan the schema that somebody named, then search again."""
    scans = situation.calls("scan_database")
    searches = situation.calls("search_knowledge")
    if not situation.offered("scan_database", "search_knowledge") or not searches:
        return []
    if not scans:
        owner = owner_named(situation)
        return [call("scan_database", owner=owner)] if owner else []
    done = scans[0].error or any(s.round > scans[0].round for s in searches)
    return [] if done else [query]


def owner_named(situation: Situation) -> str:
    """The schema that the question, the system prompt or a contract names."""
    contract = str(situation.tools.get("scan_database", {}))
    for text in (situation.question, situation.system or "", contract):
        if match := _SCHEMA.search(text):
            return match.group(1) or match.group(2)
    match = _OWNER.search(contract)
    return match.group(1) if match else ""


def _whole(situation: Situation, text: str) -> str:
    """A follow-up is searched with the question that it follows."""
    before = [t for role, t in situation.recent if role == "user"] if leans(text) else []
    return " ".join([*before[-3:], text])


def _hints(text: str) -> list[str]:
    """Plain words for the adjectives and verbs of a question: oldest is about "built"."""
    words = [t.low for t in tokenise(tidy(text)[:4000])]
    hints, found = playbook()["hints"], list[str]()
    for phrase in (tuple(words[i : i + n]) for i in range(len(words)) for n in (1, 2, 3)):
        senses = general().get(phrase, {})
        found += senses["scale"][0] if "scale" in senses else []
        event = playbook()["events"].get(senses.get("event"), {"of": ""})
        found += str(event["of"]).split()
        for kind in (*senses, senses.get("ask")):
            found += map(str, playbook()["at_sea"] if kind in ("underway", "sense") else ())
            found += hints.get(kind, [])
    found += hints["dated"] if _DATED.search(text.lower()) else []
    return list(dict.fromkeys(word for word in found if word != "duration"))


_LONGEST = 300  # characters of a question that is tried again


def near_question(text: str, problem: Problem, known: Knowing) -> str:
    """One line of help: "Did you mean voyages? What works: ...". "" where nothing is near."""
    if not known.schema.tables or len(text) > _LONGEST:
        return ""
    meant = {word: close for word in problem.words if (close := _meant(word, known))}
    rest = [word for word in problem.words if word not in meant]
    mended = meant or _adjectives(text, rest, known)
    tries = [_replaced(text, {**meant, **dict.fromkeys(rest, "")})] if mended else []
    tries.append(f"How many {_readable(text, known)} are there?")
    question = next((t for t in tries if _works(t, known)), "")
    book = playbook()
    lines = [str(book["meant"]).format(words=" and ".join(meant.values()))] if meant else []
    lines += [str(book["near"]).format(question=question)] if question else []
    return " ".join(lines)


def _meant(word: str, known: Knowing) -> str:
    """The known word that a misspelt one is nearest to; "" where none is near."""
    low = word.lower()
    if not low.isalpha() or len(low) < 4:
        return ""
    names = {part for t in known.schema.tables.values() for part in t.short.split("_")}
    names |= {part for c in known.schema.columns for part in c.name.split("_") if len(part) > 3}
    values = {str(v) for c in known.schema.columns for v in c.values if c.is_text}
    phrases = {p[0] for p in general() if len(p) == 1 and len(p[0]) > 3}
    for pool in (names, {v.lower(): v for v in sorted(values)}, phrases):
        close = get_close_matches(low, sorted(pool), 1, 0.8)
        if close:
            found = str(pool[close[0]]) if isinstance(pool, dict) else close[0]
            return "" if found.lower() == low else found
    return ""


def _replaced(text: str, meant: dict[str, str]) -> str:
    for word, new in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", new, text, flags=re.IGNORECASE)
    return re.sub(r"\s+([?.!,])", r"\1", " ".join(text.split()))


def _adjectives(text: str, words: list[str], known: Knowing) -> bool:
    """Whether each word stands right before a noun, so that the question can do without it."""
    low = [t.key for t in tokenise(tidy(text))]
    for word in words:
        last = keys(word)[-1:]
        at = low.index(last[0]) if last and last[0] in low else len(low)
        if at + 1 >= len(low) or (low[at + 1],) not in known.lexicon.tables:
            return False
    return bool(words)


def _readable(text: str, known: Knowing) -> str:
    """The noun of a question, as it was written; else the table that refers to most others."""
    for token in tokenise(tidy(text)):
        if (token.key,) in known.lexicon.tables and token.low.endswith("s"):
            return token.low
    refers = [r.table for r in known.schema.references]
    most = max(sorted(known.schema.tables), key=refers.count)
    return known.schema.tables[most].short.replace("_", " ")


def _works(text: str, known: Knowing) -> bool:
    try:
        parse(text, known.world)
    except (Problem, LookupError):
        return False
    return True
