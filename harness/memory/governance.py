"""The part of the client that a person uses to see, correct and retire what is remembered."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import changes, deletion, four_questions, retirement, store, write_path
from harness.memory.admission import FORBIDDEN_PURPOSES
from harness.memory.default_user import session_user
from harness.memory.filters import where
from harness.memory.records import GovernedRecord
from harness.memory.shapes import MemoryRecord
from harness.memory.storable_text import storable


class Governance:
    """Exits, audit, profiles."""

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

        @property
        def embed(self) -> write_path.Embed:  # noqa: D102
            ...

    def retract(self, memory_id: str, reason: str = "retracted by the user") -> None:
        """Leave a tombstone: not recalled, and the same claim is not learned again."""
        retirement.leave(self.database, self._one(memory_id)[0], "tombstone", reason)

    def archive(self, memory_id: str, reason: str = "archived") -> None:
        """Take a memory out of recall and keep it for audit."""
        retirement.leave(self.database, self._one(memory_id)[0], "archive", reason)

    def reinstate(
        self, memory_id: str, reason: str = "reinstated by a person", *, replace: bool = False
    ) -> None:
        """Bring a record back into recall; with `replace` in the place of what is said now.

        For a person. Raises WorkshopError where something else is remembered about its subject.
        """
        row, record = self._one(memory_id)
        changes.reinstate(self.database, row, record, reason, self.embed, replace)

    def rescope(self, memory_id: str, scope: str) -> int:
        """Say in which scope a record's subject is now; one of another leaves. Returns how many."""
        row, record = self._one(memory_id)
        if record.scope == storable(scope):
            return 0
        retirement.leave(self.database, row, "archive", "scope_changed")
        return 1

    def reclassify(self, memory_id: str, *, sensitive: bool) -> int:
        """Say whether a record is sensitive; one that is gets deleted. Returns how many were."""
        self._one(memory_id)
        return self.delete_memory(memory_id) if sensitive else 0

    def delete_memory(self, memory_id: str) -> int:
        """Delete a memory from the store and every index at once; returns how many (0 or 1)."""
        return deletion.hard_delete(self.database, "m.record_id = ?", (storable(memory_id),))

    def delete_all(self, user_id: str) -> int:
        """Delete every memory of one user; returns how many."""
        return deletion.hard_delete(self.database, "m.user_id = ?", (storable(user_id),))

    def end_scope(self, scope: str) -> int:
        """Archive what was valid within a scope that has ended, such as "project:atlas"."""
        return retirement.end_scope(self.database, storable(scope))

    def sweep(self) -> int:
        """Retire what has expired, or is long, and unused for half a year; returns how many."""
        return retirement.sweep(self.database)

    def set_source_version(self, name: str, version: str) -> None:
        """Say which version of a document is current; claims from another one leave recall."""
        four_questions.set_source_version(self.database, name, version)

    def get_history(self, memory_id: str) -> list[dict[str, Any]]:
        """What a memory and those it replaced said, oldest first, and why each left."""
        return retirement.history(self.database, storable(memory_id))

    def audit(self, memory_id: str) -> list[dict[str, str]]:
        """What was decided about a record and why, oldest first, also after its deletion."""
        rows = self.database.read(
            "SELECT action, reason, at FROM memory_events WHERE record_id = ? ORDER BY id",
            (storable(memory_id),),
        )
        return [dict(row) for row in rows]

    def quarantined(self, user_id: str | None = None) -> list[MemoryRecord]:
        """What waits for a decision: stored, never recalled. The session's user by default."""
        return self._with(("quarantined",), None, user_id)

    def profile(self, user_id: str | None = None, purpose: str | None = None) -> list[MemoryRecord]:
        """What was inferred about a user, all of it visible; or what serves one purpose.

        Raises WorkshopError for a purpose that inferred profiles are never used for.
        """
        if purpose is not None and purpose.strip().casefold() in FORBIDDEN_PURPOSES:
            raise WorkshopError(
                f"An inferred profile is not used for {purpose}.", "Use what the user has stated."
            )
        found = self._with(("active",), ["profile"], user_id)
        wanted = None if purpose is None else purpose.strip().casefold()
        return [
            one
            for one in found
            if wanted is None or str((one.metadata or {}).get("purpose")).casefold() == wanted
        ]

    def _with(
        self, statuses: tuple[str, ...], kinds: list[str] | None, user_id: str | None
    ) -> list[MemoryRecord]:
        user = session_user() if user_id is None else user_id
        conditions = where(user_id=user, kinds=kinds, statuses=statuses)
        return [record.public() for _, record in store.fetch_where(self.database, conditions)]

    def _one(self, memory_id: str) -> tuple[int, GovernedRecord]:
        found = store.fetch(self.database, "m.record_id = ?", (storable(memory_id),))
        if not found:
            raise WorkshopError(
                f"There is no memory {memory_id!r:.80}.", "list_memories() shows what there is."
            )
        return found[0]
