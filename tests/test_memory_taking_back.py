"""Taking a memory back, rows that come back by SQL, and stores of an older version."""

import json
import sqlite3

import pytest

from harness import ToolError, log_message, remember
from harness.memory import corrections
from harness.memory import memory as home_memory
from harness.memory.freshness import HEADS
from harness.memory.migration import _SEALED
from harness.memory.signature import SEAL_KEY, read_key, seal_of
from harness.tools.memory import forget
from tests.memory_homes import store_at

CENTS = "Note that cargo_items.unit_value_cents is in US cents, never dollars."


def told(message, tool, thread="t", **arguments):
    """A turn in which the user says something and the model calls a tool."""
    log_message(thread, "user", message)
    try:
        return json.loads(tool(**arguments))
    finally:
        log_message(thread, "assistant", "Done.")


def learned(message=CENTS, subject="cargo_items.unit_value_cents"):
    return told(message, remember, subject=subject, body="as noted", quote=message)["record_id"]


@pytest.mark.parametrize("about", ["CARGO_ITEMS.unit_value_cents", CENTS, "its record"])
def test_the_user_takes_a_memory_back_through_the_agent(home, about):
    record_id = learned()
    about = record_id if about == "its record" else about
    answer = told(
        "Please forget the unit value.", forget, about=about, quote="Please forget the unit value"
    )
    assert answer["forgotten"] == [record_id]
    assert corrections("unit value", 5) == []
    assert home_memory.get_memory(record_id).governed.status == "tombstone"


def test_what_waits_is_taken_back_too(home):
    waits = home_memory.add_memory("Perhaps quay 4 is closed.", source="model_inference")
    asked = "Forget that about quay 4."
    assert told(asked, forget, about=waits, quote=asked)["forgotten"] == [waits]
    assert home_memory.quarantined() == []


def test_only_the_user_can_ask_for_it(home):
    record_id = learned()
    with pytest.raises(ToolError, match="does not stand in the user's message"):
        told("How many are late?", forget, about=record_id, quote="forget the unit value")
    assert len(corrections("unit value", 5)) == 1


def test_what_is_merely_near_is_offered(home):
    record_id = learned()
    answer = told(
        "Forget that about money!", forget, about="money", quote="forget that about money"
    )
    assert answer["forgotten"] == [] and len(corrections("unit value", 5)) == 1
    assert [one["record_id"] for one in answer["candidates"]] in ([], [record_id])


def test_in_other_words_it_is_held_back_until_the_user_confirms_it(home):
    say = "For dispatch, an active voyage means LOADING, IN_TRANSIT or DELAYED."
    first = learned(say, "active voyage")
    home_memory.retract(first)
    anew = "Active voyages are for dispatch those that are LOADING, IN_TRANSIT or DELAYED."
    with pytest.raises(ToolError, match=f"retracted as {first}") as refused:
        told(anew, remember, subject="active voyage", body=anew)
    assert f"again={first}" in refused.value.hint
    arguments = {"subject": "active voyage", "body": anew, "again": first}
    other = "An active voyage means IN_TRANSIT alone."
    assert told(other, remember, subject="active voyage", body=other)["stored"] == "active"
    for message, quote, why in (
        ("How many are late?", "yes", "does not stand"),
        ("Yes, it is right.", "it is wrong", "does not stand"),
        ("No, it is not right.", "right", "only a part"),
        ("Is it right?", "Is it right?", "not confirmed"),
    ):
        with pytest.raises(ToolError, match=why):
            told(message, remember, quote=quote, **arguments)
    yes = "Yes, it is right after all."
    answer = told(yes, remember, quote=yes, **arguments)
    assert (answer["stored"], answer["body"]) == ("active", say)
    assert [each["body"] for each in corrections("active voyage", 5)] == [say]


@pytest.mark.parametrize(
    ("said", "subject", "anew", "other_subject"),
    [
        (
            "The fee of the harbour in Lagos is 40 dollars.",
            "fee of the harbour",
            "In Lagos the harbour fee is 40 dollars.",
            "harbour fee",
        ),
        (
            "Our night crew drinks black tea at sea.",
            "known to nobody",
            "At sea our night crew drinks black tea.",
            "nor this",
        ),
        (
            "vessels.capacity_teu is given in tons.",
            "vessels.capacity_teu",
            "The vessel capacity is given in tons.",
            "vessel capacity",
        ),
    ],
)
def test_in_other_words_about_another_spelling_it_is_held_back(
    home, said, subject, anew, other_subject
):
    first = learned(said, subject)
    home_memory.retract(first)
    with pytest.raises(ToolError, match=f"retracted as {first}"):
        told(anew, remember, subject=other_subject, body=anew)


def test_of_two_statements_about_one_subject_it_is_asked_which(home):
    for said in ("Pilots board at buoy 2.", "Pilots speak Spanish."):
        home_memory.add_memory(said, subject="pilots")
    asked = "Forget what I said about pilots."
    answer = told(asked, forget, about="pilots", quote=asked)
    assert answer["forgotten"] == [] and len(answer["candidates"]) == 2


def test_nothing_is_confirmed_of_which_the_user_was_not_told(home):
    record_id = learned()
    home_memory.retract(record_id)
    with pytest.raises(ToolError, match="not confirmed"):
        told("Yes, it is right.", remember, subject="x", body="y", quote="right", again=record_id)


def test_a_row_put_back_by_sql_is_noticed(tmp_path, memory):
    made = memory.add_memory("the fee is 40", user_id="a")
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("CREATE TABLE aside AS SELECT * FROM memories")
        memory.retract(made)
        raw.execute("REPLACE INTO memories SELECT * FROM aside")
        raw.commit()
    assert memory.list_memories(user_id="a") == [] and memory.search("fee", user_id="a") == []


def test_a_link_made_by_sql_says_nothing(tmp_path, memory):
    one, other = (memory.add_memory(f"the fee is {n}", user_id="a") for n in (40, 50))
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute(
            "INSERT INTO memory_links VALUES ('l', ?, 'memory', ?, 'memory', 'contradicts',"
            " 'contradicts', NULL, NULL, '2026')",
            (one, other),
        )
    assert len(memory.search("fee", user_id="a")) == 2
    assert memory.search("fee", user_id="a", num_hops=1)[0].linked_results == []


def as_first_version(path):
    """Turn a store into one of the first version: seals in the rows, wording as value."""
    key = read_key(path.with_name(SEAL_KEY))
    path.with_name(HEADS).unlink()  # it had none
    with sqlite3.connect(path) as raw:
        raw.row_factory = sqlite3.Row
        raw.execute("ALTER TABLE memories ADD COLUMN seal TEXT NOT NULL DEFAULT ''")
        raw.execute("ALTER TABLE memories DROP COLUMN wording")
        raw.execute("DELETE FROM memory_seals")
        for row in raw.execute("SELECT * FROM memories").fetchall():
            seal = seal_of(key, [row[name] for name in _SEALED])
            raw.execute("UPDATE memories SET seal = ? WHERE row = ?", (seal, row["row"]))


def test_a_store_of_the_first_version_is_brought_up_to_date(tmp_path, memory):
    plain = memory.add_memory("the fee is 40", user_id="a")
    said, lost, forged = (memory.add_memory(f"Alpha owns Beta {n}", user_id="a") for n in range(3))
    quote = '{"quote": "I doubt that Alpha owns Beta."}'
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("UPDATE memories SET source = 'user_statement' WHERE record_id != ?", (plain,))
        raw.execute("UPDATE memories SET metadata = ? WHERE record_id = ?", (quote, said))
    as_first_version(memory.database.path)
    with sqlite3.connect(memory.database.path) as raw:
        raw.execute("UPDATE memories SET value = 'forged' WHERE record_id = ?", (forged,))
    for _ in range(2):
        memory = store_at(tmp_path)
        found = {m.id: m.governed for m in memory.list_memories("a", include_invalid=True)}
        assert set(found) == {plain, said, lost}
        assert (found[plain].value, found[plain].status) == ("the fee is 40", "active")
        assert found[said].value == "I doubt that Alpha owns Beta."
        assert found[said].wording == "Alpha owns Beta 0"
        assert (found[lost].status, found[lost].source) == ("quarantined", "model_inference")
    assert memory.search("doubt", user_id="a")[0].id == said
