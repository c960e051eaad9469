"""Links between memories, as `oracleagentmemory` asks a store for them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from harness.errors import WorkshopError
from harness.memory import links
from harness.memory.oamp_shapes import given, our_value, their_relation
from harness.memory.shapes import UNSET

if TYPE_CHECKING:
    from harness.memory.client import MemoryClient

_FIELDS = ("source_record_id", "source_record_type", "target_record_id", "target_record_type")


class GovernedRelations:
    """The part of the store that knows links; "supersedes" decides what is recalled."""

    ours: "MemoryClient"

    def add_relations(
        self,
        source_record_ids: Any,
        source_record_types: Any,
        target_record_ids: Any,
        target_record_types: Any,
        relation_types: Any,
        opposite_relation_types: Any = UNSET,
        relation_ids: Any = UNSET,
        timestamps: Any = UNSET,
        metadata: Any = UNSET,
    ) -> list[str]:
        """Link memories, one pair after another; returns the ids of the links."""
        columns = (
            source_record_ids,
            source_record_types,
            target_record_ids,
            target_record_types,
            relation_types,
            opposite_relation_types,
            relation_ids,
            timestamps,
            metadata,
        )
        return [
            self.ours.link_records(*(UNSET if one is None else one for one in row))
            for row in _rows(columns)
        ]

    def update_relations(
        self,
        relation_ids: Any,
        relation_types: Any = UNSET,
        opposite_relation_types: Any = UNSET,
        timestamps: Any = UNSET,
        metadata: Any = UNSET,
    ) -> list[str]:
        """Change links; returns the ids of those that were there."""
        columns = (relation_ids, relation_types, opposite_relation_types, timestamps, metadata)
        return [row[0] for row in _rows(columns) if self.ours.update_record_link(*row)]

    def get_relation(self, *args: Any, **wanted: Any) -> Any:
        """The first link that matches everything given, or None."""
        names = (*_FIELDS, "relation_type", "relation_id")
        found = self.list_relations(**{**dict(zip(names, args, strict=False)), **wanted})
        return found[0] if found else None

    def list_relations(
        self,
        relation_type: Any = UNSET,
        source_record_id: Any = UNSET,
        source_record_type: Any = UNSET,
        target_record_id: Any = UNSET,
        target_record_type: Any = UNSET,
        limit: Any = UNSET,
        metadata_filter: Any = UNSET,
        relation_id: Any = UNSET,
    ) -> list[Any]:
        """The links that match everything given."""
        if given(metadata_filter) is not None:
            raise WorkshopError("Links can't be looked for by their metadata here.")
        wanted = {
            "relation_type": relation_type,
            "source_record_id": source_record_id,
            "source_record_type": source_record_type,
            "target_record_id": target_record_id,
            "target_record_type": target_record_type,
            "id": relation_id,
        }
        sought = {name: value for name, value in wanted.items() if given(value) is not None}
        where = " AND ".join(f"{name} = ?" for name in sought) or "1"
        rows = self.ours.database.read(
            f"SELECT DISTINCT source_record_id FROM memory_links WHERE {where}",
            list(sought.values()),
        )
        found = {
            link.id: link
            for row in rows
            for link in links.of_record(self.ours.database, row[0])
            if all(getattr(link, name) == value for name, value in sought.items())
        }
        return [their_relation(link) for link in found.values()][: given(limit)]

    def delete_relations(self, relation_ids: Any) -> int:
        """Delete links; returns how many."""
        each = [relation_ids] if isinstance(relation_ids, str) else relation_ids
        return sum(self.ours.delete_record_link(relation_id=one) for one in each)


def _rows(columns: tuple[Any, ...]) -> Iterable[list[Any]]:
    """Arguments that are lists or hold for each row, as rows."""
    values = [our_value(column) for column in columns]
    count = max((len(value) for value in values if isinstance(value, list)), default=1)
    for number in range(count):
        yield [value[number] if isinstance(value, list) else value for value in values]
