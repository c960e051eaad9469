"""Support tickets: made once, asked for what is missing, never half."""

import json
import sqlite3
import threading

import pytest

from harness import (
    TurnConfig,
    dispatch,
    query_internal_kb,
    run_turn,
    session,
    standin,
    submit_support_ticket,
)
from harness.databases.state import state
from harness.run.recorder import forget_turns, open_turn
from harness.tools import support as tools
from tests.tool_answers import refused

BUG = {"category": "bug", "priority": "high"}


def ticket(**fields):
    return json.loads(submit_support_ticket(**{"title": "A title", **BUG, **fields}))


@pytest.fixture
def thread():
    """A turn on a thread of one's own; call it with another name for another thread."""

    def start(name):
        open_turn(name, "")

    yield start
    forget_turns()


def test_a_ticket_has_an_id_a_link_and_a_status(thread):
    thread("ticket-1")
    made = ticket(title="Webhooks  arrive\n twice")
    number = int(made["ticket_id"].removeprefix("T-"))
    assert made == {
        "status": "ok",
        "ticket_id": f"T-{number:04d}",
        "link": f"https://support.harbourline.example/tickets/T-{number:04d}",
        "ticket_status": "open",
        "created": True,
    }
    row = state().read("SELECT * FROM tickets WHERE number = ?", (number,))[0]
    assert (row["title"], row["category"], row["thread_id"]) == (
        "Webhooks arrive twice",
        "bug",
        "ticket-1",
    )
    following = ticket(title="Another")
    assert following["ticket_id"] == f"T-{number + 1:04d}"


def test_the_same_words_on_the_same_thread_are_one_ticket(thread):
    thread("ticket-2")
    first = ticket()
    assert ticket() == {**first, "created": False}
    assert ticket(title=" A  title ")["ticket_id"] == first["ticket_id"]
    others = [
        ticket(priority="low"),
        ticket(category="billing"),
        ticket(title="B title"),
        ticket(description="more"),
    ]
    thread("ticket-2, another")
    others.append(ticket())
    with session(user="somebody else"):
        others.append(ticket())
    ids = [each["ticket_id"] for each in (first, *others)]
    assert len(set(ids)) == 7 and all(each["created"] for each in others)
    numbers = [int(each.removeprefix("T-")) for each in ids]
    assert numbers == list(range(numbers[0], numbers[0] + 7)), "repeats use no number up"
    thread("ticket-2")
    assert ticket() == {**first, "created": False}


def test_many_at_once_are_still_one(thread):
    results, errors = [], []

    def submit():
        try:
            open_turn("ticket-3", "")
            results.append(ticket())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=submit) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    assert len({each["ticket_id"] for each in results}) == 1
    assert sum(each["created"] for each in results) == 1


@pytest.mark.parametrize("left_out", ["title", "category", "priority"])
def test_what_is_missing_is_to_be_asked_of_the_user(left_out):
    fields = {"title": "A title", **BUG}
    del fields[left_out]
    error = refused(submit_support_ticket, **fields)
    assert error.kind == "bad_arguments"
    assert f"parameter '{left_out}' is missing" in str(error)
    assert "Ask the user for it; don't guess." in str(error)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": "x" * 81}, "'title' is wrong: string should have at most 80"),
        ({"title": ""}, "'title' is wrong"),
        ({"title": " \n "}, "title is blank"),
        ({"category": "bugs"}, "'bug', 'feature_request', 'account_issue' or 'billing', not"),
        ({"priority": "urgent"}, "'low', 'medium', 'high' or 'critical', not 'urgent'"),
        ({"priority": "HIGH"}, "'priority' is wrong"),
        ({"assignee": "me"}, "unknown parameter 'assignee'"),
        ({"description": "x" * 4_001}, "'description' is wrong"),
    ],
)
def test_wrong_fields_are_named_and_no_ticket_is_made(fields, named):
    before = state().read("SELECT COUNT(*) FROM tickets")[0][0]
    error = refused(submit_support_ticket, **{"title": "A title", **BUG, **fields})
    assert error.kind == "bad_arguments" and named in str(error)
    assert state().read("SELECT COUNT(*) FROM tickets")[0][0] == before


def test_eighty_characters_are_not_too_many(thread):
    thread("ticket-4")
    assert ticket(title="é" * 80)["created"]


def test_secrets_are_not_stored(thread):
    thread("ticket-5")
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    made = ticket(title=f"Key {secret} leaked", description=f"I pasted {secret}")
    number = int(made["ticket_id"].removeprefix("T-"))
    row = state().read("SELECT title, description FROM tickets WHERE number = ?", (number,))[0]
    assert secret not in "".join(row) and row["title"] == "Key [removed: API Key] leaked"


def test_a_read_only_session_makes_no_ticket(thread):
    thread("ticket-6")
    before = state().read("SELECT COUNT(*) FROM tickets")[0][0]
    with session(read_only=True):
        assert refused(ticket).kind == "not_allowed"
        function = {"name": "submit_support_ticket", "arguments": json.dumps({"title": "x", **BUG})}
        assert dispatch({"id": "c", "function": function}).status == "not_allowed"
        assert json.loads(query_internal_kb("reset API key"))["confident"]
    assert state().read("SELECT COUNT(*) FROM tickets")[0][0] == before


@pytest.mark.parametrize("failure", [sqlite3.OperationalError("disk I/O error"), OSError(28, "x")])
def test_a_failure_names_the_manual_path_and_nothing_of_the_machine(failure, monkeypatch):
    class Broken:
        def write(self):
            raise failure

    monkeypatch.setattr(tools, "state", lambda: Broken())
    error = refused(ticket)
    assert error.kind == "failed" and "was not created" in str(error)
    assert "support@harbourline.example" in str(error)
    assert "https://support.harbourline.example/new" in str(error)


def test_a_ticket_made_in_a_turn_is_on_its_thread():
    turns = [
        standin.call("submit_support_ticket", title="From a turn", **BUG),
        standin.say("I opened it."),
    ]
    with standin.script(turns):
        run_turn("A bug!", "ticket-7", config=TurnConfig(tools=("submit_support_ticket",)))
    rows = state().read("SELECT title FROM tickets WHERE thread_id = 'ticket-7'")
    assert [row["title"] for row in rows] == ["From a turn"]
