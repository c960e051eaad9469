"""The part of the client that a person uses to see, correct and retire what is remembered."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.memory import changes, deletion, four_questions, retirement, store, write_path
from harness.memory.admission import Known
from harness.memory.arguments import as_setting, check_purpose
from harness.memory.default_user import EVERY_USER, owned, owner
from harness.memory.filters import where
from harness.memory.records import GovernedRecord
from harness.memory.shapes import UNSET, MemoryRecord
from harness.memory.storable_text import storable
from harness.memory.visibility import visible_records


class Governance:
    """Exits, audit, profiles: of the session's user, or of the one named by `user_id`.

    An administrator names EVERY_USER. A `memory_id` of somebody else's is not found.
    """

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

        @property
        def embed(self) -> write_path.Embed:  # noqa: D102
            ...

    def retract(
        self,
        memory_id: str,
        reason: str = "retracted by the user",
        *,
        user_id: str | None = UNSET,
    ) -> None:
        """Leave a tombstone: not recalled, and the same claim is not learned again."""
        row, said = self._one(memory_id, user_id)[0], redact(storable(reason))
        retirement.leave(self.database, row, "tombstone", said)

    def archive(
        self, memory_id: str, reason: str = "archived", *, user_id: str | None = UNSET
    ) -> None:
        """Take a memory out of recall and keep it for audit."""
        row, said = self._one(memory_id, user_id)[0], redact(storable(reason))
        retirement.leave(self.database, row, "archive", said)

    def reinstate(
        self,
        memory_id: str,
        reason: str = "reinstated by a person",
        *,
        replace: bool = False,
        user_id: str | None = UNSET,
    ) -> None:
        """Bring a record back into recall; with `replace` in the place of what is said now.

        For a person. Raises WorkshopError where something else is remembered about its subject.
        """
        row, record = self._one(memory_id, user_id)
        said = redact(storable(reason))
        changes.reinstate(self.database, row, record, said, self.embed, replace)

    def rescope(self, memory_id: str, scope: str, *, user_id: str | None = UNSET) -> int:
        """Say in which scope a record's subject is now; one of another leaves. Returns how many."""
        row, record = self._one(memory_id, user_id)
        if record.scope == storable(scope):
            return 0
        retirement.leave(self.database, row, "archive", "scope_changed")
        return 1

    def reclassify(self, memory_id: str, *, sensitive: bool, user_id: str | None = UNSET) -> int:
        """Say whether a record is sensitive; one that is gets deleted. Returns how many were."""
        self._one(memory_id, user_id)
        return self.delete_memory(memory_id, user_id=user_id) if sensitive else 0

    def delete_memory(self, memory_id: str, *, user_id: str | None = UNSET) -> int:
        """Delete a user's memory from the store and every index; returns how many (0 or 1)."""
        whose, user = owned(user_id)
        return deletion.hard_delete(
            self.database, f"m.record_id = ? AND {whose}", (storable(memory_id), *user)
        )

    def delete_all(self, user_id: str) -> int:
        """Delete every memory of one user; returns how many."""
        return deletion.hard_delete(self.database, "m.user_id = ?", (storable(user_id),))

    def end_scope(self, scope: str, *, user_id: str | None = UNSET) -> int:
        """Archive what was valid within a scope that has ended, such as "project:atlas"."""
        return retirement.end_scope(self.database, storable(scope), user_id)

    def sweep(self) -> int:
        """Retire what has expired, or is long, and unused for half a year; returns how many."""
        return retirement.sweep(self.database)

    def set_source_version(self, name: str, version: str) -> None:
        """Say which version of a document is current; claims from another one leave recall."""
        four_questions.set_source_version(self.database, name, version)

    def get_history(self, memory_id: str, *, user_id: str | None = UNSET) -> list[dict[str, Any]]:
        """What a memory and those it replaced said, oldest first, and why each left."""
        return retirement.history(self.database, storable(memory_id), user_id)

    def audit(self, memory_id: str, *, user_id: str | None = UNSET) -> list[dict[str, str]]:
        """What was decided about a record and why, oldest first, also after its deletion."""
        whose, user = owned(user_id, "user_id")
        rows = self.database.read(
            "SELECT action, reason, at FROM memory_events"
            f" WHERE record_id = ? AND {whose} ORDER BY id",
            (storable(memory_id), *user),
        )
        return [dict(row) for row in rows]

    def quarantined(self, user_id: str | None = UNSET) -> list[MemoryRecord]:
        """What waits for a decision: stored, never recalled. The session's user by default."""
        return self._with(("quarantined",), None, user_id)

    def profile(
        self, user_id: str | None = UNSET, purpose: str | None = None
    ) -> list[MemoryRecord]:
        """What was inferred about a user, all of it visible; or what was stated for one purpose.

        Raises WorkshopError for a purpose that inferred profiles are never used for.
        """
        if purpose is not None:
            check_purpose(purpose)
        found = self._with(("active",), ["profile"], user_id)
        return [one for one in found if purpose in (None, (one.metadata or {}).get("purpose"))]

    def correct(self, memory_id: str, content: str, *, user_id: str | None = UNSET) -> str:
        """Put what a person says of themselves in the place of what is remembered; its new id.

        For the page, cell or command in which they correct it: no tool of the agent's calls this.
        """
        row, record = self._one(memory_id, user_id)
        settled = as_setting(record, content)
        done = write_path.write(self.database, [settled], Known(), self.embed)[0]
        if done.record_id is None or done.verdict in ("refuse", "quarantine"):
            raise WorkshopError(f"This is not remembered: {done.reason}.")
        if self._one(memory_id, record.user)[1].status == "active":  # about no subject
            retirement.leave(self.database, row, "tombstone", f"corrected by {done.record_id}")
        return done.record_id

    def _with(
        self, statuses: tuple[str, ...], kinds: list[str] | None, user_id: Any
    ) -> list[MemoryRecord]:
        user = UNSET if user_id is EVERY_USER else owner(user_id)
        conditions = where(user_id=user, kinds=kinds, statuses=statuses)
        return [record.public() for _, record in store.fetch_where(self.database, conditions)]

    def _one(self, memory_id: str, user_id: Any) -> tuple[int, GovernedRecord]:
        (whose, user), (here, limited) = owned(user_id), visible_records()
        wanted = f"m.record_id = ? AND {whose} AND {here}"
        found = store.fetch(self.database, wanted, (storable(memory_id), *user, *limited))
        if not found:
            raise WorkshopError(
                f"There is no memory {short_repr(memory_id, 80)}.",
                "memory.list_memories(), or `python -m harness memory`, shows what there is.",
            )
        return found[0]
