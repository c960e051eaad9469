"""What must leave and how: triggers, exits, the four questions, history, keys."""

import sqlite3

import pytest

from harness import WorkshopError, log_message
from harness.memory import retirement, times
from harness.memory.client import MemoryClient
from harness.memory.records import GovernedRecord
from harness.memory.retirement import Facts, retire
from harness.memory.seals import reseal
from harness.memory.signature import SEAL_KEY
from tests.homes import home_at
from tests.memory_homes import made_up, store_at

NOW = "2026-06-30T12:00:00.000000Z"


def record(**fields):
    return GovernedRecord(record_id="r", value="the port is closed", source="application", **fields)


@pytest.mark.parametrize(
    ("facts", "fields", "trigger", "way"),
    [
        ({"deletion_requested": True}, {}, "user_deletion", "hard_delete"),
        ({"sensitive": True}, {}, "sensitive", "hard_delete"),
        ({"contradicted_by": "other"}, {}, "contradiction", "tombstone"),
        ({"source_exists": False}, {}, "source_deleted", "archive"),
        ({"source_current": False}, {}, "source_updated", "archive"),
        ({}, {"expires_at": NOW}, "ttl_reached", "archive"),
        ({"project_ended": True}, {}, "project_ended", "archive"),
        ({"scope": "project:b"}, {"scope": "project:a"}, "scope_changed", "archive"),
    ],
)
def test_each_trigger_retires_by_its_exit(facts, fields, trigger, way):
    decision = retire(record(**fields), Facts(now=NOW, **facts))
    assert (decision.trigger, decision.exit) == (trigger, way)


def test_the_ninth_trigger_needs_both_unused_and_expensive():
    long = record().model_copy(update={"value": "x" * 2_001})
    assert retire(long, Facts(NOW, unused_days=200)).trigger == "unused"
    assert retire(long, Facts(NOW, unused_days=20)) is None
    assert retire(record(), Facts(NOW, unused_days=200)) is None


def test_what_meets_no_trigger_stays_and_the_gravest_wins():
    later = "2026-06-30T12:00:00.000001Z"
    assert retire(record(expires_at=later), Facts(NOW, scope="user_account")) is None
    both = Facts(NOW, sensitive=True, source_exists=False, contradicted_by="x")
    assert retire(record(expires_at=NOW), both).exit == "hard_delete"


def test_a_later_reader_can_tell_the_three_exits_apart(memory):
    deleted, retracted, archived = (
        memory.add_memory(f"{word} claim about the harbour", user_id="a")
        for word in ("deleted", "retracted", "archived")
    )
    memory.delete_memory(deleted)
    memory.retract(retracted, "it was wrong")
    memory.archive(archived, "the project is over")
    assert memory.search("claim about the harbour", user_id="a") == []
    assert memory.search("claim harbour", user_id="a", include_invalid_results=True) == []
    assert memory.list_memories(user_id="a") == []
    left = {m.id: m.governed for m in memory.list_memories(user_id="a", include_invalid=True)}
    assert set(left) == {retracted, archived}
    assert (left[retracted].status, left[retracted].status_reason) == ("tombstone", "it was wrong")
    assert left[archived].status == "archived"
    assert [event["action"] for event in memory.audit(deleted)] == ["store", "hard_delete"]
    assert "harbour" not in str(memory.audit(deleted))
    # Learned again: what was deleted or archived may be, what was retracted may not.
    assert memory.add_memory("deleted claim about the harbour", user_id="a") != deleted
    assert memory.add_memory("archived claim about the harbour", user_id="a") != archived
    for again in (
        "Retracted claim about the harbour!",
        "> [memory] retracted claim about the harbour",
    ):
        with pytest.raises(WorkshopError, match="retracted"):
            memory.add_memory(again, user_id="a")
    assert memory.add_memory("retracted claim about the harbour", user_id="b")  # of another user


def test_the_sweep_archives_what_has_expired(memory):
    kept = memory.add_memory("stays", user_id="a")
    gone = memory.add_memory("leaves", user_id="a", expires_at="2001-01-01T00:00:00Z")
    assert memory.sweep() == 1
    assert memory.get_memory(gone).governed.status_reason == "ttl_reached"
    assert memory.get_memory(kept).governed.status == "active"
    assert memory.sweep() == 0


def test_long_and_unused_records_leave(memory):
    long = memory.add_memory("note " * 500, user_id="a")
    memory.add_memory("short", user_id="a")
    assert memory.sweep() == 0
    past = times.days_after(times.utc_now(), -200)
    memory.database.run("UPDATE memories SET used_at = ?", (past,))
    assert memory.sweep() == 1
    assert memory.get_memory(long).governed.status_reason == "unused"


def test_what_turns_out_to_be_sensitive_is_deleted(memory):
    kept, gone = (memory.add_memory(text) for text in ("The crane is red.", "The code is 4711."))
    assert memory.reclassify(kept, sensitive=False) == 0
    assert memory.reclassify(gone, sensitive=True) == 1
    assert [record.id for record in memory.list_memories()] == [kept]


def test_scopes_that_end(memory):
    made = memory.add_memory("atlas uses berth 4", user_id="a", record_scope="project:atlas")
    memory.add_memory("borealis uses berth 5", user_id="a", record_scope="project:borealis")
    assert memory.end_scope("project:atlas") == 1
    assert memory.get_memory(made).governed.status == "archived"
    assert [m.content for m in memory.list_memories(user_id="a")] == ["borealis uses berth 5"]


def test_a_document_with_a_newer_version_is_not_trusted(memory):
    memory.set_source_version("tariff", "3")
    made = memory.add_memory("the fee is 40", user_id="a", source="document", source_id="tariff@3")
    assert len(memory.search("fee", user_id="a")) == 1
    memory.set_source_version("tariff", "4")
    assert memory.search("fee", user_id="a") == []
    assert memory.get_memory(made).governed.status == "quarantined"
    assert "newer version" in memory.audit(made)[-1]["reason"]


def test_a_contradiction_is_recorded_and_the_weaker_claim_is_not_used(memory):
    weak = memory.add_memory("the fee is 40", user_id="a")
    strong = memory.add_setting("the fee is 50", user_id="a")
    memory.link_records(strong, "memory", weak, "memory", "contradicts")
    assert [r.id for r in memory.search("fee", user_id="a")] == [strong]
    assert "contradicted" in [event["action"] for event in memory.audit(weak)]
    # The other way round: a weaker claim does not unseat a stronger one.
    third = memory.add_memory("the fee is 60", user_id="a")
    memory.link_records(third, "memory", strong, "memory", "contradicts")
    assert strong in [r.id for r in memory.search("fee", user_id="a")]


def test_a_claim_loses_its_source(tmp_path):
    with home_at(tmp_path):
        memory = MemoryClient(embed=made_up)

        def learned(thread, text):
            log_message(thread, "user", text)
            made = memory.add_memory(text, source="user_statement", source_id=_message(memory))
            log_message(thread, "assistant", "ok")
            return made

        one, two, three = (learned(f"t{n}", f"berth {n} is closed") for n in range(3))
        assert len(memory.search("berth closed")) == 3
        memory.delete_thread("t0")
        message = memory.get_thread("t1").get_messages()[0]
        memory.get_thread("t1").update_message(message.id, "berth 1 is open")
        third = memory.get_thread("t2").get_messages()[0]
        memory.database.run("DELETE FROM messages WHERE message_id = ?", (third.id,))
        assert memory.search("berth closed") == []
        reasons = [memory.get_memory(made).governed.status_reason for made in (one, two, three)]
        assert reasons == ["source_deleted", "source_updated", "its source is not there any more"]


def _message(memory):
    sql = "SELECT message_id FROM messages WHERE role = 'user' ORDER BY seq DESC LIMIT 1"
    return memory.database.read(sql)[0][0]


def test_a_missing_key_stops_reading_and_loses_nothing(memory, tmp_path):
    made = memory.add_memory("kept through it all", user_id="a")
    key = tmp_path / SEAL_KEY
    assert key.stat().st_mode & 0o077 == 0 or key.drive
    aside = key.rename(tmp_path / "aside.key")
    forgetful = _another_process(tmp_path)
    for read in (lambda: forgetful.list_memories(), lambda: forgetful.search("kept", user_id="a")):
        with pytest.raises(WorkshopError, match=r"memory\.key is missing"):
            read()
    with pytest.raises(WorkshopError, match=r"memory\.key is missing"):
        forgetful.add_memory("new", user_id="a")
    assert not key.exists()
    aside.rename(key)
    assert [m.id for m in forgetful.list_memories()] == [made]
    key.write_text("not a key", encoding="utf-8")
    with pytest.raises(WorkshopError, match="can't be read"):
        _another_process(tmp_path).list_memories()
    assert reseal(memory.database) == 1
    assert [m.id for m in _another_process(tmp_path).list_memories()] == [made]


def _another_process(folder):
    return store_at(folder)


def test_delete_user_takes_everything_of_one_user(tmp_path):
    from harness import scratch_write, session
    from harness.memory.journal import find_output, record_observation

    with home_at(tmp_path):
        memory = MemoryClient(embed=made_up)
        for user in ("ana", "bob"):
            with session(user=user):
                memory.add_user(user, "somebody", {"team": user})
                log_message("t", "user", "hello")
                record_observation("t", "turn", "c1", "run_sql", "rows", "ok")
                memory.add_memory("a note")
                scratch_write(path="a.txt", content=user)
        assert [u.id for u in memory.list_users({"team": "bob"}, user_id="bob")] == ["bob"]
        assert memory.delete_user("ana") == 1
        for user, left in (("ana", 0), ("bob", 1)):
            with session(user=user):
                assert len(memory.list_memories(user_id=user)) == left
                assert len(memory.list_threads()) == left
                assert len(memory.list_messages(user_id=user)) == left
                assert (find_output("c1") is not None) == bool(left)
        with sqlite3.connect(memory.database.path) as raw:
            assert raw.execute("SELECT user_id FROM scratch_files").fetchall() == [("bob",)]


def test_a_status_does_not_undo_a_retraction_and_says_what_does(memory):
    gone = memory.add_memory("Berth 4 is closed in winter", user_id="ada")
    memory.retract(gone, user_id="ada")
    with pytest.raises(WorkshopError, match="reinstate"):
        memory.update_memory(gone, status="valid", user_id="ada")
    assert not memory.list_memories(user_id="ada")
    with pytest.raises(WorkshopError, match="'valid', 'invalid'"):
        memory.update_memory(gone, status="active", user_id="ada")


def test_the_first_turn_of_a_day_sweeps(home):
    memory = MemoryClient(embed=made_up)
    log_message("t", "user", "hello")
    gone = memory.add_memory("leaves", expires_at="2001-01-01T00:00:00Z")
    memory.get_thread("t").add_messages([{"role": "user", "content": "brief"}], ttl_days=-1)
    memory.database.run("UPDATE memory_word_upkeep SET swept = '2001-01-01'")
    retirement._swept.clear()
    memory.get_thread("t").get_context_card(query="hello")
    assert memory.get_memory(gone).governed.status_reason == "ttl_reached"
    assert memory.database.read("SELECT count(*) FROM messages")[0][0] == 1


def test_another_scope_of_its_subject_retires_a_record(memory):
    made = memory.add_memory("atlas uses berth 4", user_id="a", record_scope="project:atlas")
    assert memory.rescope(made, "project:atlas") == 0
    assert memory.rescope(made, "project:borealis") == 1
    assert memory.get_memory(made).governed.status_reason == "scope_changed"
