"""Row policy over what the agent has stored: answers and outputs repeat what a query showed.

What was written under row policies is seen again under the same ones, and by who sees everything.
So nothing comes back to a narrower role that a wider one brought in, not even to the same user.
"""

from harness.databases.business import limits
from harness.memory.records import DERIVED


def visible(column: str = "seen") -> tuple[str, list[str]]:
    """What the policies in force leave of a table, as an SQL condition and its parameters.

    `column` says under which policies a row was written.
    """
    policies = limits()
    return (f"{column} = ?", [policies]) if policies else ("1", [])


def visible_records() -> tuple[str, list[str]]:
    """The same for `memories m`: what a person or a program stated is seen under any policy."""
    here, limited = visible("m.seen")
    return (f"(m.source NOT IN ({_DERIVED}) OR {here})", limited) if limited else (here, limited)


_DERIVED = ", ".join(f"'{source}'" for source in DERIVED)
