"""Messages as search results, for a search that asks for `record_types=["message"]`."""

from typing import Any

from harness.databases.state import StateDatabase
from harness.memory import threads, times
from harness.memory.folding import words
from harness.memory.profiles import holds
from harness.memory.shapes import UNSET, SearchResult, SearchScope
from harness.memory.visibility import visible
from harness.memory.withdrawn import withdrawn

_LOOKED_AT = 2_000  # messages, the latest


def search_messages(
    database: StateDatabase,
    query: str,
    scope: SearchScope,
    metadata_filter: dict[str, Any] | None,
    limit: int,
) -> list[SearchResult]:
    """The latest messages of one user that share words with a query, those with most first."""
    here, limited = visible("m.seen")
    sql = (
        "SELECT m.* FROM messages m JOIN threads t USING (user_id, thread_id)"
        f" WHERE m.user_id IS ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND {here}"
    )
    params: list[Any] = [scope.user_id, times.utc_now(), *limited]
    for column, wanted in (("t.agent_id", scope.agent_id), ("m.thread_id", scope.thread_id)):
        if wanted is not UNSET:
            sql, params = f"{sql} AND {column} IS ?", [*params, wanted]
    rows = database.read(f"{sql} ORDER BY m.seq DESC LIMIT {_LOOKED_AT}", params)
    found = [threads.message_record(row) for row in reversed(rows)]
    if metadata_filter is not None:
        found = [one for one in found if holds(one.metadata, metadata_filter)]
    asked = set(words(query))
    shared = [
        (len(asked & set(words(one.content or ""))), one)
        for one in withdrawn(database, scope.user_id).shown(found)
    ]
    best = sorted(
        (pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], -pair[1].seq_no)
    )
    return [SearchResult(one, None, float(count)) for count, one in best[:limit]]
