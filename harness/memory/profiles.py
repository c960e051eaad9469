"""Users and agents: what is known about whom, and deleting all of it."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.guards.secrets import redact
from harness.memory import deletion, retirement, times
from harness.memory.arguments import at_most, cleaned_metadata, identity
from harness.memory.default_user import owned
from harness.memory.records import dump_json, load_json
from harness.memory.shapes import UNSET, AgentProfileRecord, UserProfileRecord
from harness.memory.storable_text import storable

_OF_USER = ("messages", "tool_outputs", "threads", "scratch_files", "approvals", "delegations")


class Profiles:
    """The part of the client that knows users and agents."""

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

    def add_user(
        self, user_id: str, information: str, metadata: dict[str, Any] | None = UNSET
    ) -> str:
        """Store, or replace, what is known about a user; returns the id."""
        return self._add("user", user_id, information, metadata)

    def add_agent(
        self, agent_id: str, information: str, metadata: dict[str, Any] | None = UNSET
    ) -> str:
        """Store, or replace, what is known about an agent; returns the id."""
        return self._add("agent", agent_id, information, metadata)

    def list_users(
        self,
        metadata_filter: dict[str, Any] | None = UNSET,
        limit: int | None = UNSET,
        *,
        user_id: str = UNSET,
    ) -> list[UserProfileRecord]:
        """What is known about a user, the session's if omitted; about EVERY_USER, by id."""
        whose = owned(user_id, "user_id")
        found = self._list("user", metadata_filter, limit, whose)
        return [UserProfileRecord(**row) for row in found]

    def list_agents(
        self, metadata_filter: dict[str, Any] | None = UNSET, limit: int | None = UNSET
    ) -> list[AgentProfileRecord]:
        """The agents that were added, by id."""
        found = self._list("agent", metadata_filter, limit, ("1", []))
        return [AgentProfileRecord(**row) for row in found]

    def delete_user(self, user_id: str, cascade: bool = True) -> int:
        """Delete a user's profile; with `cascade` also the user's threads, messages, memories,
        scratch files, approvals, counted delegations and stored tool outputs. Returns how many
        profiles were deleted (0 or 1).
        """
        user_id = storable(user_id)
        with self.database.write() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            if cascade:
                for table in _OF_USER:
                    connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))
            deleted = connection.execute(
                "DELETE FROM memory_users WHERE user_id = ?", (user_id,)
            ).rowcount
        if cascade:
            deletion.hard_delete(self.database, "m.user_id = ?", (user_id,))
            deletion.forget_turns(self.database, user_id)
        deletion.wipe(self.database)
        return deleted

    def delete_agent(self, agent_id: str, cascade: bool = True, *, user_id: str = UNSET) -> int:
        """Delete an agent's profile; with `cascade` also what a user has of that agent.

        Those are the memories and threads of the session's user if omitted; or of EVERY_USER.
        """
        agent_id = storable(agent_id)
        if cascade:
            whose, user = owned(user_id)
            deletion.hard_delete(self.database, f"m.agent_id = ? AND {whose}", (agent_id, *user))
            whose, user = owned(user_id, "user_id")
            for row in self.database.read(
                f"SELECT user_id, thread_id FROM threads WHERE agent_id = ? AND {whose}",
                (agent_id, *user),
            ):
                retirement.delete_thread(self.database, row[0], row[1])
        with self.database.write() as connection:
            return connection.execute(
                "DELETE FROM memory_agents WHERE agent_id = ?", (agent_id,)
            ).rowcount

    def _add(self, what: str, given_id: str, information: str, metadata: Any) -> str:
        checked = identity(given_id, f"{what}_id")
        with self.database.write() as connection:
            connection.execute(
                f"INSERT INTO memory_{what}s VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " information = excluded.information, metadata = excluded.metadata",
                (
                    checked,
                    redact(storable(information)),
                    dump_json(cleaned_metadata(metadata or None)),
                    times.utc_now(),
                ),
            )
        assert checked is not None
        return checked

    def _list(
        self, what: str, metadata_filter: Any, limit: Any, whose: tuple[str, list[Any]]
    ) -> list[dict[str, Any]]:
        rows = self.database.read(
            f"SELECT * FROM memory_{what}s WHERE {whose[0]} ORDER BY {what}_id", whose[1]
        )
        found = [
            {
                "id": row[f"{what}_id"],
                "content": row["information"],
                "timestamp": row["created_at"],
                "metadata": load_json(row["metadata"]),
            }
            for row in rows
        ]
        if metadata_filter is None:
            found = [one for one in found if one["metadata"] is None]
        elif metadata_filter is not UNSET:
            found = [one for one in found if holds(one["metadata"], metadata_filter)]
        return found[: at_most(limit)]


def holds(metadata: Any, wanted: Any) -> bool:
    """Whether metadata has everything that a filter without operators asks for."""
    if isinstance(wanted, dict):
        return isinstance(metadata, dict) and all(
            key in metadata and holds(metadata[key], value) for key, value in wanted.items()
        )
    return bool(metadata == wanted)
