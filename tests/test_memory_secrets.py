"""Secrets never enter, through whatever field."""

import pytest

from harness import ToolError, WorkshopError, log_message, remember, scratch_write
from harness.guards.secrets import redact
from harness.memory import memory

SECRETS = [
    "sk-live4f9a8b7c6d5e4f3a2b1c",
    "sk_live_4f9a8b7c6d5e4f3a2b1c",
    "ghp_abcdefghijklmnopqrst12",
    "glpat-abcdefghijklmnopqrst",
    "AKIAABCDEFGHIJKLMNOP",
    "xoxb-1234567890-abcdefgh",
    "postgres://bob:hunter2hunter2@db",
    "password is hunter2hunter2",
    "das Passwort ist hunter2hunter2",
    "密码是hunter2hunter2",
    "api_key=hunterhunter",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_taken_out(secret):
    assert secret not in redact(f"note that {secret} is it")


@pytest.mark.parametrize(
    "text",
    ["the password policy changed", "task_risk_factor_is_high", "bearer of good news", "a://b/c?d"],
)
def test_what_is_none_stays(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    "field",
    [
        {"content": "it is {}"},
        {"subject": "{}"},
        {"quote": "{}"},
        {"metadata": {"a": [{"b": "{}"}]}},
        {"source_id": "{}"},
        {"record_scope": "{}"},
    ],
)
def test_no_field_of_a_memory_takes_one(home, field):
    secret = "sk-live4f9a8b7c6d5e4f3a2b1c"
    hidden = secret[:9] + "\u200b" + secret[9:]
    for each in (secret, hidden):
        filled = eval(repr(field).replace("{}", each))
        with pytest.raises(WorkshopError, match="secret"):
            memory.add_memory(**{"content": "the port is closed", **filled})
    left = [p.name for p in home.rglob("*") if p.is_file() and b"4f9a8b7c" in p.read_bytes()]
    assert left == []


def test_a_sentence_with_a_secret_beside_the_quote_is_refused(home):
    log_message("t", "user", "Rates are in euros and the key is sk-live4f9a8b7c6d5e4f3a2b1c.")
    with pytest.raises(ToolError, match="secret"):
        remember(subject="rates", body="rates are in euros", quote="Rates are in euros")


def test_messages_users_and_scratch_files_are_cleaned(home):
    secret = "sk-live4f9a8b7c6d5e4f3a2b1c"
    log_message("t", "user", f"use {secret}")
    thread = memory.get_thread("t")
    made = thread.get_messages()[0]
    thread.update_message(made.id, f"no, {secret}", metadata={"key": secret})
    thread.add_messages([{"role": "user", "content": secret, "metadata": {"key": secret}}])
    memory.add_user("ana", f"her key is {secret}", {"key": secret})
    memory.create_thread(thread_id="u", metadata={"key": secret})
    scratch_write(path="a.txt", content=f"key {secret}")
    left = [p.name for p in home.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]
    assert left == []


def test_neither_ids_nor_a_subject_with_its_value_hold_one(home):
    secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for call in (
        lambda: log_message(f"thread {secret}", "user", "hello"),
        lambda: memory.create_thread(thread_id=secret),
        lambda: memory.add_memory("a note", agent_id=secret),
        lambda: memory.add_memory("hunter2hunter2", subject="password"),
    ):
        with pytest.raises(WorkshopError, match="secret"):
            call()
    left = [p.name for p in home.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]
    assert left == []
