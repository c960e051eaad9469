"""What happens inside a turn: the calls that the model made and what came of them.

Calls are written before the first of them runs, results as they come, so that a process killed in
mid-turn leaves behind what it was doing. A call without a status never got a result.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from harness.databases.business import limits
from harness.databases.state import StateDatabase, state
from harness.guards.secrets import redact
from harness.memory.default_user import session_user
from harness.memory.storable_text import storable
from harness.memory.visibility import visible
from harness.memory.withdrawn import withdrawn

_CALL = (
    "INSERT INTO tool_outputs (user_id, thread_id, turn_id, tool_call_id, name, arguments)"
    " VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (thread_id, user_id, turn_id, tool_call_id) DO NOTHING"
)
_OBSERVATION = (
    "INSERT INTO tool_outputs"
    " (user_id, thread_id, turn_id, tool_call_id, name, content, status, seen)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (thread_id, user_id, turn_id, tool_call_id) DO UPDATE"
    " SET content = excluded.content, status = excluded.status, seen = excluded.seen"
)


@dataclass(frozen=True)
class ToolOutput:
    """One call of a turn. `status` and `content` are None while it has no result."""

    tool_call_id: str
    name: str
    arguments: str
    content: str | None
    status: str | None
    thread_id: str
    turn_id: str


def record_tool_calls(
    thread_id: str,
    turn_id: str,
    message: dict[str, Any],
    connection: sqlite3.Connection | None = None,
) -> None:
    """Note the calls of an assistant message, within a transaction where one is given."""
    user, thread_id = session_user(), storable(thread_id)
    rows = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = redact(storable(function.get("arguments") or ""))
        parts = (call.get("id"), function.get("name"), arguments)
        rows.append((user, thread_id, turn_id, *map(storable, parts)))
    if connection is not None:
        connection.executemany(_CALL, rows)
    elif len(rows) == 1:
        state().run(_CALL, rows[0])
    elif rows:
        with state().write() as transaction:
            transaction.executemany(_CALL, rows)


def record_observation(
    thread_id: str,
    turn_id: str,
    tool_call_id: str,
    name: str,
    content: str,
    status: str,
    database: StateDatabase | None = None,
) -> None:
    """Note what came of a call: the whole output, however much of it the model is shown."""
    values = (session_user(), storable(thread_id), turn_id, storable(tool_call_id))
    result = (storable(name), storable(content), status, limits())
    (database or state()).run(_OBSERVATION, (*values, *result))


def find_output(
    tool_call_id: str, thread_id: str | None = None, database: StateDatabase | None = None
) -> str | None:
    """The whole output of this user's latest call with that id (in that thread), None without.

    What was withdrawn since then is marked in it.
    """
    database = database or state()
    found = _latest(database, tool_call_id, thread_id, "status IS NOT NULL")
    return None if found is None else withdrawn(database, session_user()).cut(found)


def evidence_of(
    tool_call_id: str, thread_id: str | None, database: StateDatabase | None = None
) -> str | None:
    """What this user's call really returned; None for an error, and for a call without a result."""
    return _latest(database or state(), tool_call_id, thread_id, "status = 'ok'")


def _latest(
    database: StateDatabase, tool_call_id: str, thread_id: str | None, condition: str
) -> str | None:
    """What this user's latest call with that id (in that thread) returned, None without."""
    here, limited = visible()
    sql = f"{_SELECT} WHERE tool_call_id = ? AND user_id = ? AND {condition} AND {here}"
    params = [storable(tool_call_id), session_user(), *limited]
    if thread_id is not None:
        sql, params = f"{sql} AND thread_id = ?", [*params, storable(thread_id)]
    rows = database.read(f"{sql} ORDER BY seq DESC LIMIT 1", params)
    return rows[0]["content"] if rows else None


def unfinished_calls(
    thread_id: str, turn_id: str | None = None, database: StateDatabase | None = None
) -> list[ToolOutput]:
    """This user's calls without a result in a thread, or in one turn of it, oldest first."""
    sql = f"{_SELECT} WHERE thread_id = ? AND user_id = ? AND status IS NULL"
    params = [storable(thread_id), session_user()]
    if turn_id is not None:
        sql, params = f"{sql} AND turn_id = ?", [*params, turn_id]
    return [_output(row) for row in (database or state()).read(f"{sql} ORDER BY seq", params)]


def outputs(thread_id: str, database: StateDatabase | None = None) -> list[ToolOutput]:
    """All calls of this user on a thread, in order, with their results."""
    here, limited = visible()
    rows = (database or state()).read(
        f"{_SELECT} WHERE thread_id = ? AND user_id = ? AND {here} ORDER BY seq",
        (storable(thread_id), session_user(), *limited),
    )
    return [_output(row) for row in rows]


def outputs_of_turn(
    thread_id: str, turn_id: str, database: StateDatabase | None = None
) -> list[ToolOutput]:
    """All calls of one turn of this user, in order, with their results."""
    here, limited = visible()
    rows = (database or state()).read(
        f"{_SELECT} WHERE thread_id = ? AND user_id = ? AND turn_id = ? AND {here} ORDER BY seq",
        (storable(thread_id), session_user(), turn_id, *limited),
    )
    return [_output(row) for row in rows]


_FIELDS = tuple(ToolOutput.__dataclass_fields__)
_SELECT = f"SELECT {', '.join(_FIELDS)} FROM tool_outputs"


def _output(row: Any) -> ToolOutput:
    return ToolOutput(*row)
