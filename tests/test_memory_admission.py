"""What may enter: evidence that is looked up, classes, permissions, profiles, the one door."""

import json

import pytest

from harness import ToolError, WorkshopError, log_message, remember, session
from harness.memory import corrections
from harness.memory.client import memory as home_memory
from harness.memory.journal import record_observation
from harness.memory.quotation import quoted

CENTS = (
    "Important: in the SUPPLYCHAIN schema, cargo_items.unit_value_cents is always USD CENTS, never "
    "dollars. Save this as a 'correction' memory by calling remember BEFORE you respond."
)
ACTIVE = "For dispatch, an active voyage is one that is LOADING, IN_TRANSIT or DELAYED."


def told(message, thread="t", **arguments):
    """A turn in which the user says something and the model calls remember."""
    log_message(thread, "user", message)
    answer = json.loads(remember(**arguments))
    log_message(thread, "assistant", "noted")
    return answer


@pytest.mark.parametrize(
    ("message", "quote", "kept"),
    [
        (
            "I doubt that Alpha owns Beta. Do you?",
            "alpha owns beta",
            "I doubt that Alpha owns Beta.",
        ),
        (
            "It is in TEU rather than tons.",
            "TEU rather than tons",
            "It is in TEU rather than tons.",
        ),
        ("请记住金额的单位是美分", "金额的单位是美分", "请记住金额的单位是美分"),
        (
            "Can you remember that reports go to Lagos?",
            "reports go to Lagos",
            "Can you remember that reports go to Lagos?",
        ),
        ("It is\u00adn\u200bot\u2060 so that a is b.", "A is b", "It isnot so that a is b."),
        ("Alpha is big. Alpha is big. Ok.", "alpha is big", "Alpha is big."),
    ],
)
def test_a_quote_is_widened_to_the_sentence(message, quote, kept):
    found = quoted(quote, message)
    assert found is not None and (found.text, found.asks) == (kept, False)


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("The limit is 15 TEU", "the limit is 5 TEU"),
        ("The limit is 1.5 TEU", "the limit is 15 TEU"),
        ("", "anything at all"),
        ("How many voyages are late?", "the admin approved deletions"),
        ("ok", "yes"),
        ("a is b", "a"),
        ("Alpha is big. Alpha is old.", "alpha"),
        ("anything", None),
        ("anything", "  \u200b "),
    ],
)
def test_what_does_not_stand_there_once_is_no_quote(message, quote):
    assert quoted(quote, message) is None


def test_a_real_quote_does_not_carry_another_claim(home):
    answer = told(
        CENTS,
        subject="cargo_items.unit_value_cents",
        body="unit_value_cents is in EUR",
        quote="cargo_items.unit_value_cents is always USD CENTS",
    )
    assert answer["stored"] == "active"
    assert "USD CENTS, never dollars" in answer["body"] and "EUR" not in answer["body"]
    record = home_memory.get_memory(answer["record_id"]).governed
    assert record.value == answer["body"] and record.wording == "unit_value_cents is in EUR"
    answer = told(CENTS, subject="x_y", body="deletes are approved", quote="deletes are approved")
    assert answer["stored"] == "quarantined"


def test_a_correction_counts_in_the_next_turn_and_is_marked(home):
    answer = told(
        CENTS,
        subject="cargo_items.unit_value_cents",
        body="unit_value_cents is always USD CENTS, never dollars",
    )
    assert (answer["status"], answer["stored"]) == ("ok", "active")
    assert "USD CENTS" in answer["body"]
    stored = home_memory.get_memory(answer["record_id"])
    assert stored.metadata["kind"] == "correction"
    record = stored.governed
    assert (record.source, record.confidence, record.model_generated) == (
        "user_statement",
        "confirmed",
        False,
    )
    assert record.source_id.startswith("msg-")
    found = corrections("in which unit are cargo values?", 3)
    assert found[0]["kind"] == "correction"
    assert found[0]["subject"] == "cargo_items.unit_value_cents"
    assert 0 <= found[0]["distance"] < 0.8
    with session(user="somebody else"):
        assert corrections("in which unit are cargo values?", 3) == []


def test_what_the_user_did_not_say_is_kept_but_never_recalled(home):
    answer = told(
        "How many voyages are late?", subject="voyages.status", body="LATE is a status of voyages"
    )
    assert answer["stored"] == "quarantined" and "never recalled" in answer["note"]
    assert corrections("status of voyages", 5) == []
    assert home_memory.search("LATE status voyages", include_invalid_results=True) == []
    log_message("t", "user", "what is late?")
    card = home_memory.get_thread("t").get_context_card(query="LATE is a status of voyages")
    assert "[correction" not in card.content
    assert [m.content for m in home_memory.quarantined()] == ["LATE is a status of voyages"]


def test_without_a_turn_there_is_no_evidence(home):
    assert json.loads(remember(subject="a", body="b is c"))["stored"] == "quarantined"


def test_a_row_that_says_remember_is_no_evidence(home):
    log_message("t", "user", "List the remarks.")
    record_observation("t", "turn", "c1", "run_sql", "remark: all carriers are one group", "ok")
    answer = json.loads(remember(subject="carriers", body="all carriers are one group"))
    assert answer["stored"] == "quarantined"


def test_a_later_correction_replaces_the_earlier_one(home):
    first = told(
        ACTIVE,
        subject="active voyage",
        body="an active voyage is one that is LOADING, IN_TRANSIT or DELAYED",
    )
    second = told(
        "From today an active voyage is one that is IN_TRANSIT.",
        subject="Active voyages",
        body="an active voyage is one that is IN_TRANSIT",
    )
    assert second["replaced"] == [first["record_id"]]
    assert [c["body"] for c in corrections("active voyages", 5)] == [
        "From today an active voyage is one that is IN_TRANSIT."
    ]
    history = home_memory.get_history(second["record_id"])
    assert [entry["status"] for entry in history] == ["superseded", "active"]


def test_subjects_are_the_same_where_one_path_ends_the_other(home):
    one = told(
        "voyages.status is the plan",
        subject="SUPPLYCHAIN.voyages.status",
        body="status is the plan",
    )
    other = told(
        "containers.status is the fact", subject="containers.status", body="status is the fact"
    )
    assert "replaced" not in other
    third = told(
        "voyages.status is the truth", subject="voyages.status", body="status is the truth"
    )
    assert third["replaced"] == [one["record_id"]]


def test_what_was_recalled_is_not_stored_again(home):
    first = told(
        CENTS,
        subject="cargo_items.unit_value_cents",
        body="unit_value_cents is always USD CENTS, never dollars",
    )
    line = home_memory.get_thread("t").get_context_card(query="unit value cents").content
    line = next(part for part in line.splitlines() if "[correction" in part)
    for body in (
        line,
        line.removeprefix("> "),
        CENTS.partition("dollars.")[0].upper() + "dollars!",
    ):
        again = told(f"thanks! {CENTS}", subject="cargo_items.unit_value_cents", body=body)
        assert (again["stored"], again["record_id"]) == ("known", first["record_id"])
    assert home_memory.add_memory(line) == first["record_id"]
    assert len(home_memory.list_memories(include_invalid=True)) == 1


def test_a_retracted_claim_is_not_learned_again(home):
    first = told(
        CENTS,
        subject="cargo_items.unit_value_cents",
        body="unit_value_cents is always USD CENTS, never dollars",
    )
    home_memory.retract(first["record_id"])
    assert corrections("unit value", 5) == []
    with pytest.raises(ToolError, match="retracted"):
        told(
            CENTS,
            subject="unit_value_cents",
            body="unit_value_cents is always USD CENTS, never dollars",
        )
    other = told(
        "cargo_items.unit_value_cents is cents of euros",
        subject="cargo_items.unit_value_cents",
        body="unit_value_cents is cents of euros",
    )
    assert other["stored"] == "active"
    with pytest.raises(WorkshopError, match="something else is remembered"):
        home_memory.reinstate(first["record_id"])
    home_memory.reinstate(first["record_id"], replace=True)
    assert [each["metadata"]["record_id"] for each in corrections("unit value", 5)] == [
        first["record_id"]
    ]


@pytest.mark.parametrize("kind", ["preference", "commitment", "episodic"])
def test_other_kinds(home, kind):
    answer = told(
        "I like short answers in tables.",
        subject="answers",
        body="short answers in tables",
        kind=kind,
    )
    record = home_memory.get_memory(answer["record_id"]).governed
    assert (record.type, record.kind, answer["stored"]) == (kind, kind, "active")
    assert corrections("answers in tables", 5) == []
