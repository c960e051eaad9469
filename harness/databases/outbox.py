"""The outbox: what the operations tools did, as rows that a program can read and judge."""

import json
from dataclasses import dataclass
from typing import Any

from harness.databases.state import state

_NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"


@dataclass(frozen=True)
class Entry:
    """One row. `status` of a notice: draft, sent; of a rebooking: ordered, cancelled."""

    number: int
    kind: str
    status: str
    user: str
    tenant: str
    agent: str
    thread_id: str
    content: dict[str, Any]


def entries(kind: str | None = None, status: str | None = None) -> list[Entry]:
    """The rows of every user, in the order in which they came; of one kind or status if named."""
    rows = state().read(
        "SELECT * FROM outbox WHERE kind = COALESCE(?, kind) AND status = COALESCE(?, status)"
        " ORDER BY number",
        (kind, status),
    )
    return [_entry(row) for row in rows]


def entry(kind: str, number: int) -> Entry | None:
    """The row of this kind and number, or None."""
    rows = state().read("SELECT * FROM outbox WHERE kind = ? AND number = ?", (kind, number))
    return _entry(rows[0]) if rows else None


def add(
    kind: str, status: str, owner: tuple[str, str, str], thread_id: str, content: dict[str, Any]
) -> int:
    """Write a row of `owner` (user, tenant, agent) and return its number."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    done = state().run(
        "INSERT INTO outbox (kind, status, user_id, tenant, agent, thread_id, content, created_at,"
        f" changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, {_NOW}, {_NOW})",
        (kind, status, *owner, thread_id, text),
    )
    return done.lastrowid or 0


def move(number: int, before: str, after: str) -> bool:
    """Change a row's status; False where it was no longer `before`, so that nothing is done twice.

    The content of a row never changes.
    """
    done = state().run(
        f"UPDATE outbox SET status = ?, changed_at = {_NOW} WHERE number = ? AND status = ?",
        (after, number, before),
    )
    return done.rowcount == 1


def _entry(row: Any) -> Entry:
    return Entry(
        row["number"],
        row["kind"],
        row["status"],
        row["user_id"],
        row["tenant"],
        row["agent"],
        row["thread_id"],
        json.loads(row["content"]),
    )
