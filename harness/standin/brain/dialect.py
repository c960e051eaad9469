"""SQL as the database wants it: its dialect, and what an ERROR suggests."""

import re
from dataclasses import replace

from harness.standin.brain.compose import Draft
from harness.standin.brain.reading import Situation
from harness.standin.brain.words import playbook

_SPEAKS = re.compile(r"\bspeaks (\w+) SQL\b", re.IGNORECASE)


def in_dialect(made: Draft, situation: Situation) -> Draft:
    """The draft, with what the named dialect says differently; as it is where none is named."""
    said = _SPEAKS.search(str(situation.tools.get("run_sql", {}).get("description") or ""))
    sql = made.sql
    for pattern, instead in playbook()["dialects"].get(said[1].lower() if said else "", ()):
        sql = re.sub(pattern, instead, sql)
    return replace(made, sql=sql)


_MISSING = re.compile(r'There is no (?:column|table) "?([\w.]+)"?')
_MEANT = re.compile(
    r"Did you mean ([\w.]+)|nearest (?:column|table|name)s?(?: is| are)?:? \"?([\w.]+)|"
    r"Candidate bindings: \"?([\w.]+)",
    re.IGNORECASE,
)
_ANY_MISSING = re.compile(r"(?:column|table)[^\"']{0,40}[\"']([\w.]+)[\"']", re.IGNORECASE)


def repaired(sql: str, error: str) -> tuple[str, str]:
    """The query with the name that the error offers, and a note; ("", "") if it offers none."""
    missing = _MISSING.search(error) or _ANY_MISSING.search(error)
    meant = _MEANT.search(error)
    if not missing or not meant:
        return "", ""
    old = missing.group(1).split(".")[-1]
    new = next(each for each in meant.groups() if each).split(".")[-1]
    if old == new:
        return "", ""
    fixed = re.sub(rf"(?<=\.){re.escape(old)}\b", new, sql)
    note = (
        f"The facts call it {old}, the database {new}: the facts are older than the database "
        "(scan_database brings them up to date)."
    )
    return (fixed, note) if fixed != sql else ("", "")
