"""The small task that every agent of the comparison gets: the same words, tools and limits.

Where a library has a setting for rounds, for the client's timeout or for the whole turn, it gets
these; everything else is as the library has it by default.
"""

import os
from typing import Any, Literal

SYSTEM = "You answer questions about shipping. Use the tools."
QUESTION = os.environ.get("GYM_QUESTION", "How many voyages are delayed?")
MODEL = "gym"
ROUNDS = 8
TIMEOUT = 10.0  # seconds, of the client: one request
SECONDS = 30.0  # of a whole turn, where that can be said

Status = Literal["DELAYED", "LOADING", "ARRIVED"]
_COUNTS = {"DELAYED": 11, "LOADING": 4, "ARRIVED": 160}


def count_voyages(status: Status) -> dict[str, Any]:
    """Count the voyages that have a status.

    Args:
        status: The status of the voyages to count.
    """
    if status not in _COUNTS:
        raise ValueError(f"unknown status {status!r}: it is one of {', '.join(_COUNTS)}")
    return {"status": status, "count": _COUNTS[status]}


def search_knowledge(query: str) -> dict[str, Any]:
    """Search for what is known about the data.

    Args:
        query: A few keywords.
    """
    return {"query": query, "facts": ["A voyage has a status: DELAYED, LOADING or ARRIVED."]}


FUNCTIONS = {"count_voyages": count_voyages, "search_knowledge": search_knowledge}
SCHEMAS = [
    {
        "type": "function",
        "function": {
            "name": "count_voyages",
            "description": "Count the voyages that have a status.",
            "parameters": {
                "type": "object",
                "properties": {
                    "status": {"type": "string", "enum": list(_COUNTS)},
                },
                "required": ["status"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "search_knowledge",
            "description": "Search for what is known about the data.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "A few keywords."}},
                "required": ["query"],
                "additionalProperties": False,
            },
        },
    },
]
