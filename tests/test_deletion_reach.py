"""What a person has deleted is gone from the database, its log, and the traces of their turns."""

import pytest

from harness import log_message, run_turn, session, standin
from harness.databases.state import state
from harness.memory import memory
from harness.traces import trace_reader

SAID = "The purple walrus sails on Thursdays, " + "as everybody in the port of Oakland knows " * 12


def held(home, word=b"walrus"):
    state().read("PRAGMA wal_checkpoint(TRUNCATE)")
    return {path.name for path in home.rglob("*") if path.is_file() and word in path.read_bytes()}


def asked(user, thread, text):
    with session(user=user), standin.script([standin.say(f"Noted: {text}")]):
        return run_turn(text, thread).trace_id


@pytest.fixture
def turns(home):
    first = asked("ana", "t", SAID)
    return {"ana": first, "second": asked("ana", "u", "Zebra?"), "bob": asked("bob", "t", "Otter?")}


def left():
    return {turn.trace_id for turn in trace_reader.turns()}


@pytest.mark.parametrize("what", ["user", "thread", "message", "expired message"])
def test_a_turn_goes_with_what_was_said_in_it(home, turns, what):
    assert held(home) and left() == set(turns.values())
    with session(user="ana"):
        thread = memory.get_thread("t")
        for message in thread.get_messages() if "message" in what else ():
            if what == "message":
                thread.delete_message(message.id)
            else:
                thread.update_message(message.id, ttl_days=-1)
        if what == "user":
            memory.delete_user("ana")
        elif what == "thread":
            memory.delete_thread("t")
        elif what == "expired message":
            state().run("DELETE FROM tool_outputs")
            memory.sweep()
    assert held(home) == set()
    kept = {"bob"} if what == "user" else {"second", "bob"}
    assert left() == {turns[name] for name in kept}
    assert "Otter?" in str(trace_reader.events_of(turns["bob"]))


def test_traces_go_on_after_a_deletion(home, turns):
    memory.delete_user("ana")
    again = asked("ana", "t", "Heron?")
    assert left() == {turns["bob"], again}


def test_a_memory_said_by_hand_goes_as_well(home):
    log_message("t", "user", "walrus, walrus")
    log_message("t", "assistant", "walrus")
    memory.delete_thread("t")
    assert held(home) == set()
