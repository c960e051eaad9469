"""A store that was put back behind the agent's back is noticed, and costs the memory, no answer."""

import sqlite3
import warnings

import pytest

from harness import WorkshopError, build_context, log_message, run_turn, session, standin
from harness.databases.state import StateDatabase
from harness.memory import corrections, times
from harness.memory import memory as home_memory
from harness.memory.client import MemoryClient
from harness.memory.freshness import watch_of
from harness.memory.retirement import sweep_if_due
from harness.memory.seals import reseal
from harness.memory.signature import SEAL_KEY
from tests.memory_homes import made_up, store_at

DELETED = "DELETE FROM memory_seal_changes"


def aside(raw, condition="1"):
    for table in ("memories", "memory_seals"):
        raw.execute(f"CREATE TABLE old_{table} AS SELECT * FROM {table} WHERE {condition}")


def back(raw, how):
    for table in ("memories", "memory_seals"):
        raw.execute(f"{how} INTO {table} SELECT * FROM old_{table}")
    raw.commit()


@pytest.mark.parametrize("process", ["the same", "another"])
@pytest.mark.parametrize("exit", ["retract", "delete_memory", "update_memory"])
def test_an_old_row_put_back_with_its_seal_is_noticed(memory, tmp_path, exit, process):
    made = memory.add_memory("the fee is 40", user_id="a")
    memory.add_memory("the berth is free", user_id="a")
    assert len(memory.search("fee berth", user_id="a")) == 2
    with sqlite3.connect(memory.database.path) as raw:
        aside(raw)
        getattr(memory, exit)(made, *(["the fee is 50"] if exit == "update_memory" else []))
        assert len(memory.list_memories(user_id="a", include_invalid=True)) == 2 - (
            exit == "delete_memory"
        )
        back(raw, "REPLACE")
    reader = memory if process == "the same" else store_at(tmp_path)
    for call in (lambda: reader.search("fee", user_id="a"), lambda: reader.list_memories("a")):
        with pytest.raises(WorkshopError, match="not as it was left"):
            call()
    with pytest.raises(WorkshopError, match="not as it was left"):
        reader.add_memory("one more", user_id="a")
    assert reseal(reader.database) == 2  # a person who looked takes it as it is
    assert len(store_at(tmp_path).list_memories("a")) == 2
    assert reader.add_memory("one more", user_id="a")


def test_a_row_taken_out_with_its_seal_is_noticed(memory):
    gone = memory.add_memory("deliveries end at noon", user_id="a")
    memory.add_memory("the berth is free", user_id="a")
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("DELETE FROM memories WHERE record_id = ?", (gone,))
    with pytest.raises(WorkshopError, match="not as it was left"):
        memory.list_memories("a")


def test_what_a_record_said_before_is_not_put_into_its_mouth(memory):
    made = memory.add_memory("the fee is 40", user_id="a")
    memory.update_memory(made, content="the fee is 50", user_id="a")
    assert memory.get_history(made, user_id="a")[0]["reason"] is None
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("UPDATE memory_versions SET value = 'the fee is 9'")
    assert "not under seal" in memory.get_history(made, user_id="a")[0]["reason"]
    reseal(memory.database)
    assert memory.get_history(made, user_id="a")[0]["reason"] is None
    assert memory.delete_memory(made, user_id="a") == 1
    assert memory.database.read("SELECT * FROM memory_seals") == []


def test_two_that_write_in_turns_are_not_taken_for_an_attack(memory, tmp_path):
    other = MemoryClient(StateDatabase(tmp_path / "agent.sqlite"), embed=made_up)
    for n in range(6):
        one = (memory, other)[n % 2]
        made = one.add_memory(f"the fee is {n}", user_id="a")
        if n % 3 == 0:
            one.delete_memory(made)
        assert len(memory.list_memories("a")) == len(other.list_memories("a"))
    with pytest.raises(WorkshopError):
        other.add_memory("", user_id="a")  # refused: nothing changed
    assert len(memory.list_memories("a")) == 4
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("DELETE FROM memories WHERE value = 'the fee is 4'")
    for one in (memory, other):  # neither has counted the seals since the other wrote
        with pytest.raises(WorkshopError, match="not as it was left"):
            one.list_memories("a")


def test_a_counter_that_is_set_back_hides_nothing(memory, tmp_path):
    other = MemoryClient(StateDatabase(tmp_path / "agent.sqlite"), embed=made_up)
    for n in range(4):
        (memory, other)[n % 2].add_memory(f"the fee is {n}", user_id="a")
        assert len(memory.list_memories("a")) == len(other.list_memories("a")) == n + 1
    with sqlite3.connect(memory.database.path) as raw:
        (counted,) = raw.execute("SELECT changes FROM memory_seal_changes").fetchone()
        for statement in ("UPDATE memory_seal_changes SET changes = 1", DELETED):
            with pytest.raises(sqlite3.IntegrityError, match="only counts up"):
                raw.execute(statement)
        raw.execute("DELETE FROM memories WHERE value = 'the fee is 2'")
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE name LIKE '%_count'")
        for name, statement in triggers.fetchall():
            raw.execute(f"DROP TRIGGER {name}")
            raw.execute("UPDATE memory_seal_changes SET changes = ?", (counted,))
            raw.execute(statement)
    for one in (memory, other):
        with pytest.raises(WorkshopError, match="not as it was left"):
            one.list_memories("a")
    with pytest.raises(WorkshopError, match="not as it was left"):
        other.add_memory("one more", user_id="a")


def test_with_the_schema_s_version_set_back_too_it_is_noticed_the_next_day(memory, monkeypatch):
    memory.add_memory("the fee is 40", user_id="a")
    sweep_if_due(memory.database)
    assert len(memory.list_memories("a")) == 1
    with sqlite3.connect(memory.database.path, isolation_level=None) as raw:
        (counted,), (version,) = (
            raw.execute(sql).fetchone()
            for sql in ("SELECT changes FROM memory_seal_changes", "PRAGMA schema_version")
        )
        raw.execute("DELETE FROM memories")
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE name LIKE '%_count'")
        for name, statement in triggers.fetchall():
            raw.execute(f"DROP TRIGGER {name}")
            raw.execute("UPDATE memory_seal_changes SET changes = ?", (counted,))
            raw.execute(statement)
        raw.execute(f"PRAGMA schema_version = {version}")
    monkeypatch.setattr(times, "utc_now", lambda: "2999-01-01T00:00:00.000000Z")
    with pytest.raises(WorkshopError, match="not as it was left"):
        sweep_if_due(memory.database)
        memory.add_memory("one more", user_id="a")


def test_a_process_that_died_before_its_commit_left_no_trouble(memory, tmp_path):
    memory.add_memory("the fee is 40", user_id="a")
    memory.list_memories("a")
    watch, database = watch_of(memory.database), memory.database
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.execute("DELETE FROM memories")
        watch.commit(connection)  # the file was written, and then it dies
        1 / 0  # noqa: B018
    assert len(store_at(tmp_path).list_memories("a")) == 1
    assert memory.add_memory("the fee is 50", user_id="a")
    assert len(store_at(tmp_path).list_memories("a")) == 2


@pytest.mark.parametrize("fault", ["missing", "wrong", "no key", "put back"])
def test_a_key_that_is_gone_or_wrong_costs_the_memory_and_no_answer(home, fault):
    with session(user="ana"):
        log_message("t", "user", "hello")
        log_message("t", "assistant", "hello")
        home_memory.add_memory("the fee is 4177", kind="correction", subject="fee")
        key = home / SEAL_KEY
        kept = key.read_text(encoding="ascii")
        if fault == "missing":
            key.unlink()
        elif fault == "put back":
            with sqlite3.connect(home / "agent.sqlite") as raw:
                raw.execute("DELETE FROM memory_seals")
        else:
            key.write_text({"wrong": "ab" * 32, "no key": "?"}[fault], encoding="ascii")
        with standin.script([standin.say("The fee is not known.")]):
            result = run_turn("What is the fee?", "t")
        assert result.status == "completed" and result.answer == "The fee is not known."
        shown = build_context("t", "What is the fee?")
        assert "nothing is recalled now" in shown and "4177" not in shown
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert corrections("fee") == []
        assert "not recalled" in str(told[0].message)
        with pytest.raises(WorkshopError):
            home_memory.list_memories()
        if fault != "put back":
            key.write_text(kept, encoding="ascii")
            assert [m.content for m in home_memory.list_memories()] == ["the fee is 4177"]
