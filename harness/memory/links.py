"""Links between records: what supersedes, contradicts, refines, supports or duplicates what."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory import store, times
from harness.memory.admission import AUTHORITY
from harness.memory.arguments import cleaned_metadata, identity
from harness.memory.contradictions import protected
from harness.memory.default_user import EVERY_USER, owned
from harness.memory.recall import Recalled
from harness.memory.records import GovernedRecord, dump_json, load_json
from harness.memory.seals import LINK_COLUMNS, bring_up_to_date, put_seal
from harness.memory.shapes import (
    OPPOSITE_RELATIONS,
    UNSET,
    RecordRelation,
    SearchResult,
)
from harness.memory.storable_text import storable, without_secret
from harness.memory.visibility import visible_records
from harness.model.tokens import count_tokens

_MAX_HOPS = 5
# The records that a link joins are always of one user.
_ENDS_OF = "EXISTS (SELECT 1 FROM memories m WHERE m.record_id = l.source_record_id AND {})"


class LinkCalls:
    """The part of the client that links records."""

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

    def link_records(
        self,
        source_record_id: str,
        source_record_type: str,
        target_record_id: str,
        target_record_type: str,
        relation_type: str,
        opposite_relation_type: str = UNSET,
        relation_id: str = UNSET,
        timestamp: str | None = UNSET,
        metadata: dict[str, Any] | None = UNSET,
        *,
        user_id: str | None = UNSET,
    ) -> str:
        """Link two memories of a user, the session's if omitted.

        "supersedes" and "contradicts" also decide what is recalled.
        """
        source = endpoint(self.database, source_record_id, source_record_type, user_id)
        target = endpoint(self.database, target_record_id, target_record_type, user_id)
        return add(
            self.database,
            (source.record_id, source.memory_type),
            (target.record_id, target.memory_type),
            relation_type,
            relation_id or None,
            timestamp or None,
            metadata or None,
            opposite_relation_type or None,
        )

    def update_record_link(
        self,
        relation_id: str,
        relation_type: str = UNSET,
        opposite_relation_type: str = UNSET,
        timestamp: str | None = UNSET,
        metadata: dict[str, Any] | None = UNSET,
        *,
        user_id: str | None = UNSET,
    ) -> int:
        """Change a link of a user's memories; returns how many were changed (0 or 1)."""
        changes: dict[str, Any] = {
            "relation_type": relation_type and without_secret(relation_type, "A relation"),
            "opposite_relation_type": opposite_relation_type
            and without_secret(opposite_relation_type, "A relation"),
            "timestamp": timestamp and times.stored(timestamp),
            "metadata": metadata if metadata is UNSET else dump_json(cleaned_metadata(metadata)),
        }
        return change(
            self.database,
            relation_id,
            {k: v for k, v in changes.items() if v is not UNSET},
            user_id,
        )

    def delete_record_link(
        self,
        source_record_id: str = UNSET,
        source_record_type: str = UNSET,
        target_record_id: str = UNSET,
        target_record_type: str = UNSET,
        relation_type: str = UNSET,
        relation_id: str = UNSET,
        *,
        user_id: str | None = UNSET,
    ) -> int:
        """Delete a user's links that match everything given; returns how many."""
        wanted = {
            "source_record_id": source_record_id,
            "source_record_type": source_record_type,
            "target_record_id": target_record_id,
            "target_record_type": target_record_type,
            "relation_type": relation_type,
            "id": relation_id,
        }
        given = {k: v for k, v in wanted.items() if v is not UNSET}
        return remove(self.database, given, user_id)


def endpoint(
    database: StateDatabase,
    record_id: str,
    record_type: str | None = None,
    user_id: str | None = UNSET,
) -> GovernedRecord:
    """The user's record at one end of a link. Raises WorkshopError for none of that type."""
    found = _record(database, record_id, user_id)
    if found is None or (record_type and found.memory_type != record_type):
        kind = f"{record_type} " if record_type else ""
        raise WorkshopError(f"There is no {kind}record {short_repr(record_id, 80)} to link.")
    return found


def _record(database: StateDatabase, record_id: str, user_id: Any) -> GovernedRecord | None:
    """The user's record, None where there is none to be seen."""
    (whose, user), (here, limited) = owned(user_id), visible_records()
    wanted = f"m.record_id = ? AND {whose} AND {here}"
    found = store.fetch(database, wanted, (storable(record_id), *user, *limited))
    return found[0][1] if found else None


def add(
    database: StateDatabase,
    source: tuple[str, str],
    target: tuple[str, str],
    relation: str,
    link_id: str | None = None,
    timestamp: str | None = None,
    metadata: dict[str, Any] | None = None,
    opposite: str | None = None,
) -> str:
    """Link two records of one user, each (record_id, memory_type); returns the link's id.

    What is superseded, or contradicted by a record of more authority, leaves recall.
    """
    link_id = identity(link_id, "relation_id")
    relation, opposite = (without_secret(each, "A relation") for each in (relation, opposite or ""))
    metadata, timestamp = cleaned_metadata(metadata), timestamp and times.stored(timestamp)
    one = endpoint(database, source[0], user_id=EVERY_USER)
    other = endpoint(database, target[0], user_id=EVERY_USER)
    if one.user != other.user:
        raise WorkshopError("Records of two users can't be linked.")
    if one.record_id == other.record_id:
        raise WorkshopError("A record can't be linked to itself.")
    with database.write() as connection:
        taken = connection.execute(
            "SELECT 1 FROM memory_links WHERE id = ? OR (source_record_id IN (?, ?)"
            " AND target_record_id IN (?, ?))",
            (link_id, one.record_id, other.record_id, one.record_id, other.record_id),
        ).fetchone()
        if taken:
            raise WorkshopError("These two records are linked already, or the id is taken.")
        opposite = opposite or OPPOSITE_RELATIONS.get(relation, relation)
        made = store.link(
            database, connection, source, target, relation, opposite, link_id, timestamp, metadata
        )
        _take_effect(database, connection, one, other, relation)
    return made


def _take_effect(
    database: StateDatabase, connection: Any, one: GovernedRecord, other: GovernedRecord, how: str
) -> None:
    if other.status != "active" or one.status != "active":
        return
    if how == "supersedes" and protected(one, other):
        raise WorkshopError(
            f"{other.record_id} is a setting or a policy, which no link retires.",
            "A setting or a signed event about the same subject replaces it.",
        )
    row = store.fetch(database, "m.record_id = ?", (other.record_id,))[0][0]
    if how == "supersedes":
        store.set_status(database, connection, row, "superseded", f"by {one.record_id}")
    elif how == "contradicts":
        store.log_event(
            connection, other.record_id, other.user, "contradicted", f"by {one.record_id}"
        )
        if AUTHORITY[one.confidence] > AUTHORITY[other.confidence]:
            reason = f"contradicted by {one.record_id}"
            store.set_status(database, connection, row, "quarantined", reason)


def change(database: StateDatabase, link_id: str, changes: dict[str, Any], user_id: Any) -> int:
    """Set columns of a link; returns how many links that were."""
    if not changes:
        return 0
    whose, user = owned(user_id)
    sets = ", ".join(f"{name} = ?" for name in changes)
    with database.write() as connection:
        if not store.links(database, f"l.id = ? AND {_ENDS_OF.format(whose)}", (link_id, *user)):
            return 0
        connection.execute(
            f"UPDATE memory_links SET {sets} WHERE id = ?", [*changes.values(), link_id]
        )
        row = connection.execute("SELECT * FROM memory_links WHERE id = ?", (link_id,)).fetchone()
        put_seal(database, connection, link_id, list(row))
        return 1


def remove(database: StateDatabase, wanted: dict[str, Any], user_id: Any) -> int:
    """Delete the links whose columns hold what is wanted; returns how many."""
    bring_up_to_date(database)
    whose, user = owned(user_id)
    if not wanted:
        raise WorkshopError("delete_record_link needs to know which link.", "Give its id.")
    match = " AND ".join(f"l.{name} = ?" for name in wanted)
    with database.write() as connection:
        return connection.execute(
            f"DELETE FROM memory_links AS l WHERE {match} AND {_ENDS_OF.format(whose)}",
            [*wanted.values(), *user],
        ).rowcount


def of_record(database: StateDatabase, record_id: str) -> list[RecordRelation]:
    """Every link that a record has, in either direction, oldest first."""
    found = store.links(
        database, "l.source_record_id = ? OR l.target_record_id = ?", (record_id, record_id)
    )
    return [
        RecordRelation(
            **{name: row[name] for name in LINK_COLUMNS} | {"metadata": load_json(row["metadata"])}
        )
        for row in found
    ]


def expand(
    database: StateDatabase, results: list[SearchResult], hops: int, limit: int, user: str | None
) -> None:
    """Attach to each result what it is linked with, up to so many hops, within the same user."""
    if isinstance(hops, bool) or not 0 <= hops <= _MAX_HOPS:
        raise WorkshopError(f"num_hops is 0 to {_MAX_HOPS}, not {hops!r}.")
    for result in results:
        seen, front = {result.id}, [result.id]
        attached: list[tuple[RecordRelation, Any]] = []
        for _ in range(hops):
            reached = [
                (link, end)
                for one in front
                for link in of_record(database, one)
                for end in (link.source_record_id, link.target_record_id)
            ]
            front = []
            for link, end in reached:
                if end not in seen and len(attached) < limit:
                    seen.add(end)
                    record = _record(database, end, user)
                    if record and record.status in ("active", "superseded"):
                        attached.append((link, record.public()))
                        front.append(end)
        result.linked_results = attached
        result.record.linked_results = attached


def superseded(database: StateDatabase, found: list[Recalled], room: int) -> list[SearchResult]:
    """The records that the found ones replaced, as results that are no longer valid."""
    replaced: list[SearchResult] = []
    for item in found:
        for link in of_record(database, item.record.record_id):
            if link.relation_type == "supersedes" and len(replaced) < room:
                old = _record(database, link.target_record_id, item.record.user)
                if old and old.status in ("superseded", "invalid"):
                    replaced.append(SearchResult(old.public()))
    return replaced


def within(
    results: list[SearchResult], budget: int | None, soft_budget: int | None
) -> list[SearchResult]:
    """The first results whose tokens fit: a hard budget cuts before, a soft one after it is met."""
    kept, spent = [], 0
    for result in results:
        spent += count_tokens(result.formatted_content)
        if budget and budget > 0 and spent > budget:
            break
        kept.append(result)
        if soft_budget and soft_budget > 0 and spent >= soft_budget:
            break
    return kept
