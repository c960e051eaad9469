"""A model for a long task: one carrier after another, with the running total in its own words.

    with standin.script(clerk, window=16_000): ...

It sees the request and nothing else. What it has counted so far is in the last message that it
wrote; where that message is gone, so is the count, and it starts again at the first carrier.
"""

import re
from typing import Any

from harness.standin.turns import Message, calls, say

FIRST, LAST = 1, 15
TASK = (
    f"Look at all voyages of the carriers {FIRST} to {LAST}, one carrier at a time, and tell me "
    "how many voyages you saw."
)
_COLUMNS = "voyage_id, status, ocean_region, delay_hours"
_NOTE = re.compile(r"(\d+) voyages so far\. Next: carrier (\d+)\.")


def clerk(request: dict[str, Any]) -> Message:
    """The next carrier's voyages; after the last, the total."""
    total, carrier = _state(request["messages"])
    note = f"{total} voyages so far. Next: carrier {carrier}."
    if carrier > LAST:
        return say(f"I saw {total} voyages of {LAST - FIRST + 1} carriers.")
    if not request.get("tools"):
        return say(note)
    sql = f"SELECT {_COLUMNS} FROM SUPPLYCHAIN.voyages WHERE carrier_id = {carrier}"
    return calls([("run_sql", {"sql": f"{sql} ORDER BY voyage_id", "max_rows": 100})], text=note)


def _state(messages: list[dict[str, Any]]) -> tuple[int, int]:
    """The total so far and the carrier to look at, as the messages tell."""
    notes = [(i, _NOTE.search(str(m.get("content")))) for i, m in enumerate(messages)]
    found = [(i, note) for i, note in notes if note]
    if not found:
        return 0, FIRST
    at, note = found[-1]
    total, carrier = int(note[1]), int(note[2])
    results = [m for m in messages[at + 1 :] if m["role"] == "tool"]
    if not results:
        return total, carrier
    return total + _rows(results[-1]["content"]), carrier + 1


def _rows(observation: str) -> int:
    """The row count of a result, also where it was shortened: it stands near the end."""
    found = re.findall(r'\brow_count\\*": (\d+)', observation)
    return int(found[-1]) if found else 0
