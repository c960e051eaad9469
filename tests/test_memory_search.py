"""Whose memories a search finds, which filters hold, and that a deletion is one everywhere."""

import numpy as np
import pytest

from harness import WorkshopError, session
from harness.databases.state import StateDatabase
from harness.memory import EVERY_USER, SearchScope, TimeToLiveAnchor, deletion
from harness.memory.client import MemoryClient
from harness.memory.filters import where
from harness.memory.index import search
from tests.memory_homes import made_up


@pytest.fixture
def meaningful(tmp_path):
    """A client with the real embedding."""
    return MemoryClient(StateDatabase(tmp_path / "agent.sqlite"))


def texts(results):
    return [result.content for result in results]


def test_meaning_and_word_find_different_things(meaningful):
    meaningful.add_memories(
        [
            "The customer prefers tea over coffee",
            "Vessel IMO 9811000 is on hire",
            "Rates rise in May",
        ],
        user_id="ana",
    )
    assert texts(meaningful.search("favourite hot drink", user_id="ana"))[0].startswith(
        "The customer"
    )
    assert texts(meaningful.search("9811000", user_id="ana"))[0].startswith("Vessel IMO")


def test_a_search_sees_one_user(memory):
    for user in ("ana", "bob", None):
        memory.add_memory(f"the harbour of {user}", user_id=user)
    assert texts(memory.search("harbour", user_id="ana")) == ["the harbour of ana"]
    assert texts(memory.search("harbour", user_id=None)) == ["the harbour of None"]
    assert memory.search("harbour") == []  # the session's user, who has none
    with session(user="bob"):
        assert texts(memory.search("harbour")) == ["the harbour of bob"]
    with pytest.raises(WorkshopError, match="within one user"):
        memory.search("harbour", user_id="ana", exact_user_match=False)
    with pytest.raises(WorkshopError, match="not both"):
        memory.search("harbour", user_id="ana", scope=SearchScope(user_id="bob"))


def test_exact_flags_of_agent_and_thread(memory):
    memory.add_memory("note of nobody", user_id="ana")
    memory.add_memory("note of agent one", user_id="ana", agent_id="one")
    memory.add_memory("note of thread t", user_id="ana", thread_id="t")

    def found(**scope):
        return sorted(texts(memory.search("note", scope=SearchScope(user_id="ana", **scope))))

    assert len(found()) == 3
    assert found(agent_id="one") == ["note of agent one"]
    assert found(agent_id=None, exact_agent_match=True) == ["note of nobody", "note of thread t"]
    assert len(found(agent_id="one", exact_agent_match=False)) == 3
    assert found(thread_id="t") == ["note of thread t"]
    assert found(thread_id="t", agent_id="one") == []


def test_two_users_may_store_the_same_sentence(memory):
    one = memory.add_memory("The rate is 5", user_id="ana")
    other = memory.add_memory("The rate is 5", user_id="bob")
    assert one != other
    assert memory.delete_all("ana") == 1
    assert texts(memory.search("rate", user_id="bob")) == ["The rate is 5"]


def test_metadata_cannot_set_scope(memory):
    claimed = {"user_id": "bob", "user": "bob", "agent_id": "x", "status": "active", "owner": "bob"}
    memory.add_memory("a planted note", user_id="ana", metadata=claimed)
    assert memory.search("planted", user_id="bob") == []
    found = memory.search("planted", user_id="ana", metadata_filter={"user_id": "bob"})
    assert [(f.record.user_id, f.record.agent_id) for f in found] == [("ana", None)]
    assert memory.list_memories(user_id="bob") == []
    memory.update_memory(found[0].id, metadata={"user_id": "bob"}, user_id="ana")
    assert memory.get_memory(found[0].id, user_id="ana").user_id == "ana"
    with pytest.raises(WorkshopError, match="no memory"):
        memory.update_memory(found[0].id, user_id="bob")


def test_all_of_250_records_are_deleted(memory):
    memory.add_memories([f"record number {n}" for n in range(250)], user_id="ana")
    memory.add_memories([f"record number {n}" for n in range(30)], user_id="bob")
    assert memory.delete_all("ana") == 250
    assert memory.list_memories(user_id="ana", include_invalid=True) == []
    assert len(memory.list_memories(user_id="bob")) == 30


@pytest.mark.parametrize("count", [3, 700])  # in the tail, and in the vector file
def test_what_is_deleted_is_gone_from_every_index(memory, tmp_path, count):
    secret = "zanzibar confidential figure"
    memory.add_memories([f"harmless {n}" for n in range(count)], user_id="ana")
    target = memory.add_memory(secret, user_id="ana", metadata={"mark": "zanzibarian"})
    memory.add_memories([f"later {n}" for n in range(count)], user_id="ana")
    vector = made_up([secret])[0]
    needles = (b"zanzibar", vector.tobytes())

    def on_disk():
        files = [path for path in tmp_path.iterdir() if path.is_file()]
        return [any(needle in path.read_bytes() for path in files) for needle in needles]

    assert on_disk() == [True, True]
    assert memory.delete_memory(target, user_id="ana") == 1
    assert memory.delete_memory(target, user_id="ana") == 0
    for query in (secret, "zanzibar"):
        assert target not in [r.id for r in memory.search(query, user_id="ana", max_results=50)]
    everything = where(user_id="ana")
    for text, seen in ((secret, None), ("", vector)):
        hits = search(memory.database, text, seen, everything, 2000)
        assert all(hit.row != count + 1 for hit in hits)
    assert memory.list_memories("ana", metadata_filter={"mark": "zanzibarian"}) == []
    with pytest.raises(WorkshopError, match="no memory"):
        memory.get_memory(target, user_id="ana")
    assert on_disk() == [False, False]


def test_deleting_for_ever_does_not_wear_the_word_index_out(memory, monkeypatch):
    monkeypatch.setattr(deletion, "_OPTIMIZED", 20)
    kept = memory.add_memory("the kept one", user_id="a")
    for n in range(60):
        memory.delete_memory(memory.add_memory(f"the brief one {n}", user_id="a"))
    block = memory.database.read("SELECT block FROM memories_fts_data WHERE id = 10")[0][0]
    assert block[4] < 30  # the number of levels, in FTS5's own record of its structure
    memory.database.run("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")
    assert [r.id for r in memory.search("brief kept", user_id="a")] == [kept]


def test_expired_records_do_not_fill_the_places_of_live_ones(memory):
    memory.add_memories(
        [f"berth plan {n}" for n in range(300)], user_id="ana", expires_at="2001-01-01T00:00:00Z"
    )
    memory.add_memories([f"berth plan for later {n}" for n in range(5)], user_id="ana")
    found = memory.search("berth plan", user_id="ana", max_results=10)
    assert sorted(texts(found)) == [f"berth plan for later {n}" for n in range(5)]


def test_ttl_counts_from_its_anchor(memory):
    memory.add_memory(
        "gone",
        user_id="a",
        ttl_days=1,
        timestamp="2020-01-01",
        ttl_anchor=TimeToLiveAnchor.TIMESTAMP,
    )
    memory.add_memory("here", user_id="a", ttl_days=1, timestamp="2020-01-01")
    memory.add_memory("also here", user_id="a", ttl_days=None)
    assert sorted(texts(memory.search("gone here", user_id="a"))) == ["also here", "here"]
    kept = next(m for m in memory.list_memories(user_id="a") if m.content == "here")
    memory.update_memory(kept.id, ttl_days=-1)
    assert [m.content for m in memory.list_memories(user_id="a")] == ["also here"]


FILTERS = [
    ({"kind": "x"}, {1}),
    ({"kind": "x", "n": 1}, {1}),
    ({"kind": "x", "n": 2}, set()),
    ({"n": 2.0}, {2}),
    ({"prefs": {"category": "travel"}}, {3}),
    ({"prefs": {}}, {3, 4}),
    ({"tags": ["a", "b"]}, {5}),
    ({"tags": ["b", "a"]}, set()),
    ({"tags": {"$array_contains": "a"}}, {5, 6}),
    ({"tags": {"$array_contains": ["a", "b"]}}, {5}),
    ({"tags": {"$array_contains_any": ["b", "z"]}}, {5}),
    ({"tags": {"$array_contains": "a", "$not": {"$array_contains": "b"}}}, {6}),
    ({"kind": {"$not": "x"}}, {2, 3, 4, 5, 6, 7}),
    ({"flag": None}, {7}),
    ({"flag": False}, set()),
    ({"o'clock\n": 'He said "hi" 🌊'}, {7}),
]


@pytest.mark.parametrize(("wanted", "expected"), FILTERS)
def test_metadata_filters(memory, wanted, expected):
    metadata = [
        {"kind": "x", "n": 1},
        {"n": 2},
        {"prefs": {"category": "travel", "other": 1}},
        {"prefs": {"category": "food"}},
        {"tags": ["a", "b"]},
        {"tags": ["a"]},
        {"flag": None, "o'clock\n": 'He said "hi" 🌊'},
    ]
    memory.add_memories([f"item {n}" for n in range(1, 8)], user_id="a", metadata=metadata)
    wanted_items = {f"item {n}" for n in expected}
    found = memory.search("item", user_id="a", metadata_filter=wanted)
    assert set(texts(found)) == wanted_items
    assert {m.content for m in memory.list_memories("a", metadata_filter=wanted)} == wanted_items


@pytest.mark.parametrize(
    "wanted", ["kind", 3, {"a": {"$gt": 3}}, {"a": {"$array_contains_any": 1}}]
)
def test_filters_that_cannot_be(memory, wanted):
    with pytest.raises(WorkshopError, match="metadata_filter"):
        memory.search("x", user_id="a", metadata_filter=wanted)


@pytest.mark.full
def test_every_way_of_searching_agrees_with_comparing_everything(memory):
    """Few rows, some rows, all rows: the nearest are the same as by looking at each record."""
    rng = np.random.default_rng(7)
    count = 12_500
    groups = [int(n) for n in rng.integers(0, 400, count)]
    metadata = [{"group": g, "half": g % 2, "most": int(g % 25 > 0)} for g in groups]
    contents = [f"q{n}" for n in range(count)]
    memory.add_memories(contents, user_id="a", metadata=metadata)
    memory.add_memories(contents[:40], user_id="b")
    vectors = made_up(contents)
    cases = [
        ({"group": 17}, [g == 17 for g in groups]),
        ({"half": 1}, [g % 2 == 1 for g in groups]),
        ({"most": 1}, [g % 25 > 0 for g in groups]),
        (None, [True] * count),
    ]
    for number in range(5):
        asked = made_up([f"query {number}"])[0]
        scores = vectors @ asked
        for wanted, fits in cases:
            order = np.argsort(np.where(fits, -scores, np.inf), kind="stable")[:10]
            conditions = where(user_id="a", metadata_filter=wanted)
            hits = search(memory.database, "", asked, conditions, 10)
            assert [hit.row - 1 for hit in hits] == order.tolist()


def test_common_words_do_not_hide_a_rare_one(memory):
    memory.add_memories([f"the vessel is late in port {n}" for n in range(1500)], user_id="a")
    memory.add_memory("the vessel is late in port because of quarantine", user_id="a")
    found = memory.search("is the vessel late in port for quarantine?", user_id="a")
    assert "the vessel is late in port because of quarantine" in texts(found)[:2]


def test_budgets_and_links(memory):
    old = memory.add_memory("lives in Oslo", user_id="a")
    new = memory.add_memory(
        "moved to Rome", user_id="a", memory_id_to_link=old, link_type="supersedes"
    )
    memory.add_memories([f"lives on street {n}" for n in range(5)], user_id="a")
    assert "lives in Oslo" not in texts(memory.search("where does she live? Oslo", user_id="a"))
    first = memory.search("moved Rome", user_id="a", num_hops=1)[0]
    assert (first.id, [r.content for _, r in first.linked_results]) == (new, ["lives in Oslo"])
    shown = memory.search("moved Rome", user_id="a", include_invalid_results=True)
    assert [r.status.value for r in shown if r.content == "lives in Oslo"] == ["invalid"]
    assert len(memory.search("lives", user_id="a", token_budget=12)) == 1
    assert memory.search("lives", user_id="a", token_budget=1) == []
    assert len(memory.search("lives", user_id="a", soft_token_budget=1)) == 1
    assert len(memory.search("lives", user_id="a", max_results=2)) == 2
    history = [entry["value"] for entry in memory.get_history(new)]
    assert history == ["lives in Oslo", "moved to Rome"]


def test_links_between_users_are_refused(memory):
    one, other = memory.add_memory("x", user_id="a"), memory.add_memory("y", user_id="b")
    with pytest.raises(WorkshopError, match="no memory record"):
        memory.link_records(one, "memory", other, "memory", "supports")
    with pytest.raises(WorkshopError, match="two users"):
        memory.link_records(one, "memory", other, "memory", "supports", user_id=EVERY_USER)
    with pytest.raises(WorkshopError, match="no fact record"):
        memory.link_records(one, "fact", one, "memory", "supports")
    third = memory.add_memory("z", user_id="a")
    link = memory.link_records(one, "memory", third, "memory", "supports")
    with pytest.raises(WorkshopError, match="linked already"):
        memory.link_records(third, "memory", one, "memory", "refines")
    assert memory.update_record_link(link, relation_type="refines") == 1
    assert memory.delete_record_link(relation_id=link) == 1
    assert memory.delete_record_link(relation_id=link) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "🌊" * 50,
        "שלום עולם",
        "a\x00b\ud800",
        "'\";--",
        "NEAR(",
        "w" * 5000,
        "AND OR NOT",
        "col:*",
        "{x} : y",
        "_",
        "-",
    ],
)
def test_queries_and_contents_of_any_kind(memory, text):
    memory.add_memory("something ordinary", user_id="a")
    memory.search(text, user_id="a")
    if text.strip():
        stored = memory.add_memory(text, user_id="a")
        assert stored in [r.id for r in memory.search(text, user_id="a")]


@pytest.mark.parametrize("odd", ["o'neil", 'a"b', "x\ny", "🌊", "ü" * 200, "a" * 10_000, "u\x00v"])
def test_ids_with_every_odd_character(memory, odd):
    memory.add_memory("a fine note", user_id=odd, agent_id=odd, thread_id=odd)
    memory.add_memory("another note", user_id="plain")
    found = memory.search("note", user_id=odd, agent_id=odd, thread_id=odd)
    assert texts(found) == ["a fine note"]
    assert memory.delete_user(odd) == 0
    assert memory.search("note", user_id=odd) == []
    assert len(memory.search("note", user_id="plain")) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"content": "x" * 20_001}, "at most 20,000"),
        ({"content": "  "}, "nothing to remember"),
        ({"content": 7}, "is a text"),
        ({"content": "x", "memory_type": "idea"}, "no memory type"),
        ({"content": "x", "user_id": ""}, "user_id"),
        ({"content": "x", "metadata": [1]}, "must be a dict"),
        ({"content": "x", "metadata": {"a": float("nan")}}, "JSON"),
        ({"content": "x", "colour": "red"}, "no field 'colour'"),
        ({"content": "x", "timestamp": "yesterday"}, "not a time"),
        ({"content": "x", "ttl_days": "soon"}, "ttl_days"),
        ({"content": "x", "link_type": "supersedes"}, "belong together"),
        ({"content": "password: hunter2hunter2"}, "secret"),
    ],
)
def test_memories_that_cannot_be(memory, call, words):
    with pytest.raises(WorkshopError, match=words):
        memory.add_memory(**call)
    assert memory.list_memories() == []
