"""One suite for our memory client and for Oracle's over our store: same calls, same guarantees."""

from pathlib import Path
from typing import Any

import pytest

from harness import session
from tests.memory_scenarios import (
    ANNA,
    CLIENTS,
    TEU,
    THREAD,
    add_governed,
    found,
    refused,
    store_of,
)


@pytest.fixture(params=sorted(CLIENTS))
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = CLIENTS[request.param](tmp_path)
    with session(user=ANNA):  # every call is made for one user
        yield made
    if hasattr(made, "close"):
        made.close()


def test_what_was_added_is_found_listed_and_deleted(client: Any) -> None:
    memory_id = client.add_memory(TEU, user_id=ANNA, memory_type="fact", metadata={"of": "vessels"})
    assert found(client) == [TEU]
    (listed,) = client.list_memories(user_id=ANNA)
    assert (listed.id, listed.content, listed.record_type) == (memory_id, TEU, "fact")
    assert (listed.user_id, listed.thread_id, listed.metadata) == (ANNA, None, {"of": "vessels"})
    assert client.delete_memory(memory_id) == 1
    assert found(client) == [] and client.list_memories(user_id=ANNA) == []


def test_an_id_of_ones_own_is_kept(client: Any) -> None:
    assert client.add_memory(TEU, user_id=ANNA, memory_id="mine-1") == "mine-1"


def test_a_memory_belongs_to_its_user(client: Any) -> None:
    client.add_memory(TEU, user_id=ANNA)
    assert found(client, user_id="bert") == []
    assert client.list_memories(user_id="bert") == []


def test_metadata_filters(client: Any) -> None:
    client.add_memory(TEU, user_id=ANNA, metadata={"of": "vessels"})
    client.add_memory("Values are in cents.", user_id=ANNA, metadata={"of": "cargo"})
    listed = client.list_memories(user_id=ANNA, metadata_filter={"of": "cargo"})
    assert [each.content for each in listed] == ["Values are in cents."]
    assert found(client, metadata_filter={"of": "vessels"}) == [TEU]


def test_a_change_is_what_is_found_from_then_on(client: Any) -> None:
    memory_id = client.add_memory(TEU, user_id=ANNA)
    client.update_memory(memory_id, content="Capacity is in twenty-foot units.")
    assert found(client) == ["Capacity is in twenty-foot units."]


def test_an_invalid_memory_is_not_found(client: Any) -> None:
    memory_id = client.add_memory(TEU, user_id=ANNA)
    status = type(client.list_memories(user_id=ANNA)[0].status)
    client.update_memory(memory_id, status=status("invalid"))
    assert found(client) == []


def test_what_supersedes_another_takes_its_place(client: Any) -> None:
    old = client.add_memory(TEU, user_id=ANNA)
    new = client.add_memory("Capacity is in forty-foot units.", user_id=ANNA)
    client.link_records(new, "memory", old, "memory", "supersedes")
    assert found(client) == ["Capacity is in forty-foot units."]


class TestGovernance:
    """What our door and our seals guarantee, whichever client asks."""

    def test_a_secret_is_not_admitted(self, client: Any) -> None:
        text = "My key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
        refused(client.add_memory, text, user_id=ANNA)
        assert not any("abcdefghijklmnop" in (one or "") for one in found(client, "my key"))
        rows = store_of(client).read("SELECT value FROM memories")
        assert not any("abcdefghijklmnop" in row[0] for row in rows)

    def test_what_a_model_made_of_it_is_not_recalled(self, client: Any) -> None:
        refused(add_governed, client, TEU, source="model_inference", model_generated=True)
        assert found(client) == []

    def test_a_row_that_did_not_come_through_the_door_is_not_found(self, client: Any) -> None:
        client.add_memory(TEU, user_id=ANNA)
        store_of(client).run("UPDATE memories SET value = 'Capacity is in tons.'")
        assert found(client, "Capacity is in tons.") == []

    def test_a_memory_that_has_expired_is_not_found(self, client: Any) -> None:
        client.add_memory(TEU, user_id=ANNA, ttl_days=1, timestamp="2020-01-01T00:00:00+00:00")
        assert found(client) == [TEU]
        store = store_of(client)
        assert store.read("SELECT expires_at FROM memories")[0][0] > "2026"

    def test_a_hard_delete_leaves_nothing(self, client: Any) -> None:
        memory_id = client.add_memory("Zebrafish are shipped live.", user_id=ANNA)
        client.delete_memory(memory_id)
        store = store_of(client)
        store.read("PRAGMA wal_checkpoint(TRUNCATE)")
        assert b"Zebrafish" not in store.path.read_bytes()


class TestThreads:
    def test_messages_come_back_in_order(self, client: Any) -> None:
        thread = client.create_thread(thread_id=THREAD, user_id=ANNA, metadata={"about": "ships"})
        said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi there"}]
        ids = thread.add_messages(said)
        messages = client.get_thread(THREAD).get_messages()
        assert [(m.role, m.content) for m in messages] == [
            ("user", "Hello"),
            ("assistant", "Hi there"),
        ]
        assert [m.id for m in messages] == ids

    def test_threads_are_listed_and_deleted_with_what_is_in_them(self, client: Any) -> None:
        thread = client.create_thread(thread_id=THREAD, user_id=ANNA, metadata={"about": "ships"})
        thread.add_messages([{"role": "user", "content": "Hello"}])
        client.add_memory(TEU, user_id=ANNA, thread_id=THREAD)
        (listed,) = client.list_threads(ANNA)
        assert (listed.id, listed.user_id) == (THREAD, ANNA)
        assert client.delete_thread(THREAD) == 1
        assert client.list_threads(ANNA) == [] and client.list_memories(user_id=ANNA) == []

    def test_a_message_that_is_deleted_takes_what_rests_on_it(self, client: Any) -> None:
        thread = client.create_thread(thread_id=THREAD, user_id=ANNA)
        (message_id,) = thread.add_messages([{"role": "user", "content": TEU}])
        add_governed(client, TEU, source="application", source_id=message_id)
        assert found(client) == [TEU]
        assert thread.delete_message(message_id) == 1
        assert found(client) == []

    def test_a_context_card_tells_of_memories_and_messages(self, client: Any) -> None:
        thread = client.create_thread(thread_id=THREAD, user_id=ANNA)
        thread.add_messages([{"role": "user", "content": TEU}])
        client.add_memory(TEU, user_id=ANNA)
        card = thread.get_context_card()
        assert TEU in card.content


def test_users_and_agents(client: Any) -> None:
    client.add_user(ANNA, "Dispatcher in Rotterdam.")
    client.add_agent("helper", "Answers questions.")
    assert [(u.id, u.content) for u in client.list_users()] == [(ANNA, "Dispatcher in Rotterdam.")]
    assert [each.id for each in client.list_agents()] == ["helper"]
    client.add_memory(TEU, user_id=ANNA)
    assert client.delete_user(ANNA) == 1
    assert client.list_users() == [] and client.list_memories(user_id=ANNA) == []
