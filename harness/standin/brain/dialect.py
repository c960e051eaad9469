"""The SQL of a draft in the dialect that run_sql's contract names."""

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
