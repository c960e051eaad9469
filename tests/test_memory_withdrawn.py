"""A withdrawn correction changes the answer back, wherever it was said and whoever asks."""

import sqlite3
import subprocess
import sys

import pytest

from harness import build_context, log_message, memory, run_turn, session, standin
from harness.context import build_layers
from harness.memory.journal import find_output, record_observation, record_tool_calls
from harness.memory.threads import EVERY

ASK = "How many active voyages are there?"
TELL = (
    "Important: for dispatch, an active voyage means LOADING, IN_TRANSIT or DELAYED. "
    "Save this as a correction by calling remember before you respond."
)
FORGET = "Please forget what I said about active voyages."


def first_line(answer):
    return answer.splitlines()[0]


def asked(thread):
    return first_line(run_turn(ASK, thread_id=thread).answer)


def asked_in_another_process(thread):
    command = [sys.executable, "-m", "harness", "ask", ASK, "--thread", thread]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return first_line(done.stdout.split("final answer\n")[-1])


def taken_back_by_the_agent(record_id):
    about = standin.call("forget", about="active voyage", quote=FORGET)
    with standin.script([about, standin.say("It counts no longer.")]):
        result = run_turn(FORGET, thread_id="told")
    assert [(step["tool"], step["status"]) for step in result.steps] == [("forget", "ok")]


WAYS = {
    "retract": memory.retract,
    "delete": memory.delete_memory,
    "archive": memory.archive,
    "agent": taken_back_by_the_agent,
}


@pytest.mark.parametrize("way", list(WAYS))
def test_the_next_answer_changes_back(prepared_home, way):
    with session(user="ana"):
        before = asked("told")
        run_turn(TELL, thread_id="told")
        changed = asked("told")
        assert changed != before and asked("other") == changed
        WAYS[way](memory.list_memories(user_id="ana")[0].id)
        context = build_context("told", ASK)
        assert "LOADING, IN_TRANSIT" not in context and "[[47]]" not in context
        assert asked("told") == before == asked("other") == asked("new")


def test_in_another_process_and_with_summaries(prepared_home, monkeypatch):
    monkeypatch.setenv("WORKSHOP_USER", "ana")
    before = asked("told")
    run_turn(TELL, thread_id="told")
    changed = asked("told")
    for n in range(EVERY):
        log_message("told", "user", f"Thanks, {n}")
        log_message("told", "assistant", "You are welcome.")
    assert "summary of earlier" in build_context("told", ASK)
    assert asked("told") == changed
    memory.retract(memory.list_memories(user_id="ana")[0].id)
    assert [asked_in_another_process(thread) for thread in ("told", "new")] == [before, before]
    assert "LOADING" not in memory.get_thread("told").get_summary().content


def test_a_model_s_summary_is_not_kept_that_may_tell_it(home):
    said = "Alpha owns Beta, said the harbour office."
    log_message("t", "user", said)
    message = memory.get_thread("t").get_messages()[0]
    made = memory.add_memory(said, source="user_statement", source_id=message.id)
    for n in range(EVERY):
        log_message("t", "assistant" if n % 2 == 0 else "user", f"line {n}")
    paraphrase = "The owner of Beta is Alpha."
    memory.database.run("UPDATE threads SET summary = ?, summary_by_model = 1", (paraphrase,))
    memory.retract(made)
    log_message("t", "assistant", "One more line.")
    shown = memory.get_thread("t").get_context_card(query="who owns Beta?").content
    assert "Alpha" not in shown and "line 5" in shown


def test_what_was_replaced_and_what_replaced_it_are_never_both_shown(home):
    for said in ("The fee for storage is 40 dollars.", "The fee for storage is 50 dollars."):
        log_message("t", "user", said)
        memory.add_memory(
            said,
            kind="correction",
            subject="storage fee",
            source="user_statement",
            source_id=memory.get_thread("t").get_messages()[-1].id,
        )
        log_message("t", "assistant", f"Noted: {said}")
    (layer,) = [layer for layer in build_layers("t", "storage fee?") if layer.name == "memory"]
    assert "50 dollars" in layer.text and "40 dollars" not in layer.text


def test_a_stored_output_shows_what_was_withdrawn_as_that(home):
    made = memory.add_memory("Alpha owns Beta since June.", kind="correction", subject="Beta")
    log_message("t", "user", "who?")
    text = '{"facts": ["Alpha owns Beta since June.", "Gamma is a port."]}'
    record_observation("t", "turn", "c1", "search_knowledge", text, "ok")
    assert "Alpha" in find_output("c1", "t")
    memory.retract(made)
    assert find_output("c1", "t") == '{"facts": ["[withdrawn].", "Gamma is a port."]}'
    memory.reinstate(made)
    assert find_output("c1", "t") == text


def test_a_deletion_reaches_everything_that_was_written_down(home):
    said = 'The "vault" of Zanzibar opens at nine.'
    with session(user="ana"):
        log_message("t", "user", f"Hello. {said}")
        made = memory.add_memory(said, source="user_statement")
        call = {"id": "c1", "function": {"name": "remember", "arguments": f'{{"q": "{said}"}}'}}
        record_tool_calls("t", "turn", {"tool_calls": [call]})
        record_observation("t", "turn", "c1", "remember", f"stored: {said}", "ok")
        log_message("t", "assistant", 'Saved: "vault of Zanzibar opens at nine"')
    events = home / "traces" / "2026-01-01.jsonl"
    events.parent.mkdir(exist_ok=True)
    line = '{"output": "The \\"vault\\" of Zanzibar opens at nine.", "input": "the vault"}\n'
    events.write_text(line, encoding="utf-8")
    memory.archive(made, f"no more of {said}", user_id="ana")
    assert memory.delete_memory(made, user_id="ana") == 1
    assert memory.audit(made, user_id="ana")[-1]["action"] == "hard_delete"
    assert len(events.read_text(encoding="utf-8")) == len(line)
    left = [p.name for p in home.rglob("*") if p.is_file() and b"Zanzibar" in p.read_bytes()]
    assert left == []
    with sqlite3.connect(home / "agent.sqlite") as raw:
        assert (
            raw.execute("SELECT content FROM messages ORDER BY seq")
            .fetchone()[0]
            .startswith("Hello.")
        )
