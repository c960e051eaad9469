"""Hostile use of memory by kinds: who takes back what, fields of odd types, times, grants."""

import json
import uuid

import pytest

from harness import forget, log_message, remember, session
from harness.databases.state import state
from harness.errors import ToolError, WorkshopError
from harness.memory import memory as home_memory
from harness.memory.authorization import sign


def stored(*statements):
    for number, words in enumerate(statements):
        thread = uuid.uuid4().hex
        log_message(thread, "user", words)
        remember(subject=f"statement {number}", body=words, quote=words)
        log_message(thread, "assistant", "ok")


def taken_back(message, about, quote):
    thread = uuid.uuid4().hex
    log_message(thread, "user", message)
    try:
        return json.loads(forget(about=about, quote=quote))
    except ToolError as error:
        return {"forgotten": [], "error": str(error)}
    finally:
        log_message(thread, "assistant", "ok")


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("Don't forget that Alpha owns Beta!", "forget that Alpha owns Beta"),
        (
            "What happens if I ask you to forget that Alpha owns Beta?",
            "forget that Alpha owns Beta",
        ),
        ("Did you forget that Alpha owns Beta?", "forget that Alpha owns Beta"),
        ("Forget what I said about Gamma and Delta.", "Forget what I said about Gamma and Delta"),
    ],
)
def test_what_the_user_does_not_ask_to_forget_stays(home, message, quote):
    with session(user="ana"):
        stored("Alpha owns Beta.", "Gamma owns Delta.")
        answer = taken_back(message, "Alpha owns Beta.", quote)
        assert answer["forgotten"] == [] and len(home_memory.list_memories()) == 2


def test_a_polite_request_is_one(home):
    with session(user="ana"):
        stored("Alpha owns Beta.")
        said = "Could you please forget that Alpha owns Beta?"
        part = taken_back(said, "Alpha owns Beta.", "forget that Alpha owns Beta")
        assert part["forgotten"] == [] and said in part["error"]
        assert taken_back(said, "Alpha owns Beta.", said)["forgotten"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("high_impact", "no"),
        ("model_generated", 0),
        ("quote", 5),
        ("subject", ["x"]),
        ("source_id", {}),
        ("purpose", ["presentation"]),
        ("record_scope", 5),
        ("timestamp", []),
        ("timestamp", float("nan")),
        ("timestamp", b"2026"),
        ("ttl_days", "7"),
    ],
)
def test_a_field_of_another_type_is_refused_by_its_name(memory, field, value):
    with pytest.raises(WorkshopError, match=field.removeprefix("record_")):
        memory.add_memory("the fee is 40", **{field: value})
    assert memory.list_memories() == []


@pytest.mark.parametrize(
    "more",
    [
        {"issued_at": "2999-01-01"},
        {"expires_at": "2020-01-01"},
        {"expires_at": "nan"},
        {"expires_at": 5},
        {"user": None},
        {"user": ["gina"]},
        {"grant": "gina may do all"},
        {"signature": ["x"]},
        {"signature": None},
    ],
)
def test_an_odd_event_grants_nothing(home, more):
    event = {
        "event_id": uuid.uuid4().hex,
        "user": "gina",
        "grant": "gina may rebook",
        "granted_by": "settings",
        "issued_at": "2026-01-01",
        "expires_at": None,
    }
    if "signature" in more:
        event = {**sign(state(), event), **more}
    else:
        event = sign(state(), {**event, **more})
    origin = {"source": "authorization_event", "source_id": "e", "authorization": event}
    with session(user="gina"), pytest.raises(WorkshopError):
        home_memory.add_memory("gina may rebook", type="policy_state", **origin)
