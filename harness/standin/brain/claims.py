"""What items claim of rows: conditions without a place yet, each with its negation and its end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.link import Item
from harness.standin.brain.words import playbook

_KINDS = tuple(
    """same_as versus bound equals keyed window term sense zero val null empty early after_eta
pattern_of weekday half underway""".split()
)
_BETWEEN = frozenset(
    """and or nor light event do be now both either from to visit by each verb noun col
num""".split()
)
_LEFT = frozenset("noun col light both either now window kinds be do early not role".split())
_LISTING = frozenset(
    """except|except for|excluding|exclude|other than|besides|apart from|all but|but not
without""".replace("\n", "|").split("|")
)


@dataclass(frozen=True)
class Claim:
    """One condition: kind of sense, data, items start (included) to end (excluded).

    role: from, to, either, "" (the end of a movement). no: not, never, "". join: how it hangs
    on the claim before it ("or", "and", "").
    """

    kind: str
    data: Any
    start: int
    end: int
    words: str
    role: str = ""
    no: str = ""
    join: str = ""
    event: str = ""
    prep: str = ""  # the word that gave the role


def find_claims(items: Sequence[Item], used: set[int]) -> list[Claim]:
    """The claims of a question's items, in order."""
    made: list[Claim] = []
    for i, item in enumerate(items):
        kind = next((k for k in _KINDS if k in item), "")
        if kind:
            role, prep = _role(items, i) if kind in ("val", "term", "underway") else ("", "")
            event = item.senses.get("event", "")
            event = _event(items, i) if kind in ("window", "weekday") else event
            if role == "either":
                used |= {j for j in range(max(0, i - 6), i) if "visit" in items[j]}
            made.append(Claim(kind, item[kind], i, i + 1, item.words, role, "", "", event, prep))
    made = [replace(c, join=_join(items, made[n - 1], c)) if n else c for n, c in enumerate(made)]
    for n, claim in enumerate(made[1:]):  # "from China to the US": a way, and no home
        if (made[n].role, claim.role) == ("from", "to"):
            made[n] = replace(made[n], prep="way")
    return _negated(items, made, used)


def _role(items: Sequence[Item], i: int) -> tuple[str, str]:
    """The end that a place is at, by the preposition or the verb before it."""
    for j in range(i - 1, max(-1, i - 6), -1):
        item = items[j]
        if "from" in item or "to" in item:
            prep = "going" if "going" in item else "prep"
            return ("from" if "from" in item else "to"), prep
        if "between" in item or _both_ends(items, j):
            return "either", "between"
        if "visit" in item:
            return "either", "visit"
        if "underway" in item:
            return "to", "underway"
        if "role" in item:
            return _end_of(item), "noun"
        if "event" in item and (end := playbook()["events"][item["event"]]["end"]):
            return end, "event"
        if ("and" in item or "or" in item or "nor" in item) and j and "val" in items[j - 1]:
            return _role(items, j - 1)
        if not set(item.senses) & _LEFT:
            break
    if i + 1 < len(items) and "visit" in items[i + 1]:
        return "either", "stranded"  # "which ports did X visit"
    if i + 2 < len(items) and ("from" in items[-1] or "to" in items[-1]):
        return ("from" if "from" in items[-1] else "to"), "stranded"  # "did X sail to"
    return "", ""


def _both_ends(items: Sequence[Item], j: int) -> bool:
    """ "Start or end in X": verbs of either end."""
    verbs = [i.senses.get("event", "") for i in (items[j - 2], items[j])] if j > 1 else [""]
    ends = {playbook()["events"][verb]["end"] if verb else "" for verb in verbs}
    return ends == {"from", "to"} and "or" in items[j - 1]


def _end_of(item: Item) -> str:
    """from or to, for a role noun (origin, destination)."""
    words = set(item["role"][0].column.split("_"))
    for end, known in playbook()["role_words"].items():
        if words & set(known) or set(item.words.lower().split()) & set(known):
            return str(end)
    return ""


def _event(items: Sequence[Item], i: int) -> str:
    """The verb that a time belongs to: the nearest before it, else the next one."""
    for j in range(i - 1, max(-1, i - 8), -1):
        if "event" in items[j]:
            return str(items[j]["event"])
        if "window" in items[j]:
            break
    for j in range(i + 1, min(len(items), i + 4)):
        if "event" in items[j]:
            return str(items[j]["event"])
    return ""


def _join(items: Sequence[Item], before: Claim, claim: Claim) -> str:
    """or, and, nor: what ties two neighbouring claims; "" where more lies between them."""
    between = items[before.end : claim.start]
    words = [k for item in between for k in ("or", "nor", "and") if k in item]
    if any(not set(item.senses) & _BETWEEN for item in between):
        return ""
    return words[0] if words else ("," if "," in items[claim.start].gap else "")


def _negated(items: Sequence[Item], claims: list[Claim], used: set[int]) -> list[Claim]:
    """Each "not" belongs to the next claim, and to what "or", "nor" (or a list) ties to that."""
    made = list(claims)
    for i, item in enumerate(items):
        kind = item.senses.get("not") or ("neither" if "neither" in item else "")
        if not kind:
            continue
        at = next((n for n, c in enumerate(made) if c.start > i), None)
        if at is None and made and made[-1].prep == "stranded" and kind == "never":
            at = len(made) - 1  # "ports that X never sailed to"
        if at is None or _noun_between(items, i, made[at]):
            continue
        used.add(i)
        chain = at
        listing = item.words.lower() in _LISTING or kind == "neither"
        while chain + 1 < len(made):
            join = made[chain + 1].join
            tied = join in ("or", "nor") or (listing and join in ("and", ","))
            if kind == "never" or tied:
                chain += 1
            else:
                break
        for n in range(at, chain + 1):
            made[n] = replace(made[n], no="never" if kind == "never" else "not")
    return made


def _noun_between(items: Sequence[Item], i: int, claim: Claim) -> bool:
    """ "without cargo in May", "no ship built after 2015": what is negated is the noun."""
    for item in items[i + 1 : claim.start]:
        if set(item.senses) & {"be", "do", "event", "visit", "from", "to"}:
            return False
        if "noun" in item or "col" in item:
            return True
    return False
