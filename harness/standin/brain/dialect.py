"""SQL as the database wants it: its dialect, and what an ERROR suggests."""

import re
from dataclasses import replace

from harness.standin.brain.compose import Draft
from harness.standin.brain.reading import Situation
from harness.standin.brain.words import pattern, phrase, playbook


def in_dialect(made: Draft, situation: Situation) -> Draft:
    """The draft, with what the named dialect says differently; as it is where none is named."""
    contract = str(situation.tools.get("run_sql", {}).get("description") or "")
    speaks, sql = pattern("speaks").search(contract), made.sql
    for usual, instead in playbook()["dialects"].get(speaks[1].lower() if speaks else "", ()):
        sql = re.sub(usual, instead, sql)
    return replace(made, sql=sql)


def repaired(sql: str, error: str) -> tuple[str, str]:
    """The query with the name that the error offers, and a note; ("", "") if it offers none."""
    missing = pattern("missing").search(error) or pattern("any_missing").search(error)
    meant = pattern("meant").search(error)
    if not missing or not meant:
        return "", ""
    old, new = (match[1].split(".")[-1] for match in (missing, meant))
    fixed = re.sub(rf"(?<=\.){re.escape(old)}\b", new, sql)
    return (fixed, phrase("stale", old=old, new=new)) if fixed != sql else ("", "")
