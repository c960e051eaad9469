"""Oracle's client with a second store behind ours, as with their tables in Oracle AI Database."""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "oracleagentmemory", reason="oracleagentmemory is not installed (requirements-oracle.txt)"
)

from harness import session
from harness.errors import WorkshopError
from harness.memory.oamp_mirror import OracleDBMemoryStore, OurEmbedder, oracle_mirror
from harness.memory.oamp_store import GovernedStore, oamp_client
from tests.memory_scenarios import ANNA, TEU, found, ours, refused


@pytest.fixture
def mirrored(tmp_path: Path) -> Iterator[tuple[Any, GovernedStore]]:
    """The client, and the store that what was admitted is kept in as well."""
    (tmp_path / "mirror").mkdir()
    mirror = GovernedStore(ours(tmp_path / "mirror"))
    with session(user=ANNA):
        yield oamp_client(ours(tmp_path), mirror), mirror


def test_what_is_admitted_is_kept_and_searched_there(mirrored: Any) -> None:
    client, mirror = mirrored
    memory_id = client.add_memory(TEU, user_id=ANNA)
    assert [each.id for each in mirror.list("memory", user_id=ANNA)] == [memory_id]
    assert found(client) == [TEU]
    client.update_memory(memory_id, content="Capacity is in containers.")
    assert found(client, "containers") == ["Capacity is in containers."]
    client.delete_memory(memory_id)
    assert mirror.list("memory", user_id=ANNA) == []


def test_what_is_refused_never_gets_there(mirrored: Any) -> None:
    client, mirror = mirrored
    where = {"source": "model_inference", "model_generated": True}
    refused(client.add_memory, TEU, user_id=ANNA, metadata={"governed": where})
    assert mirror.list("memory", user_id=ANNA) == []


@pytest.mark.parametrize(
    "change",
    ["UPDATE memories SET status = 'quarantined'", "UPDATE memories SET value = 'In tons.'"],
)
def test_what_it_finds_counts_only_if_it_is_live_and_sealed_here(
    change: str, mirrored: Any
) -> None:
    client, mirror = mirrored
    client.add_memory(TEU, user_id=ANNA)
    client._store.ours.database.run(change)
    assert found(client) == [] and len(mirror.search(TEU, 5, user_id=ANNA)) == 1


def test_a_row_of_its_own_is_not_believed(mirrored: Any) -> None:
    client, mirror = mirrored
    mirror.ours.add_memory("Capacity is in tons.", user_id=ANNA)
    assert found(client, "Capacity is in tons.") == []


class TestTheirStore:
    """As far as it can be seen without a server."""

    def test_it_needs_an_account(self, home: Path) -> None:
        with pytest.raises(WorkshopError, match="account of its own"):
            oracle_mirror()

    def test_it_takes_what_we_give(self) -> None:
        given = {"embedder": 1, "pool": 1, "schema_policy": 1, "vector_dim": 1}
        inspect.signature(OracleDBMemoryStore).bind(**given)

    def test_it_is_given_our_vectors(self) -> None:
        embedder = OurEmbedder()
        made = embedder.embed(["TEU", "tons"])
        assert made.shape == (2, 384) and str(made.dtype) == "float32"
        assert (asyncio.run(embedder.embed_async(["TEU"])) == made[:1]).all()
