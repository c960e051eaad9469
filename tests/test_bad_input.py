"""Whatever goes in or is missing: one or two lines that help, and nothing stored is lost.

What is wrong with settings alone is in test_settings.py, with the endpoint in test_endpoint.py,
with the installation and a busy port of the lab in test_workshop_py.py, Ctrl-C in
test_interrupts.py.
"""

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness import build_context, run_turn
from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import memory
from harness.settings import reset_settings, root
from tests.said_in_terminal import (
    ANSWER,
    HIDE_DENO,
    HIDE_MODEL,
    QUESTION,
    REMEMBER,
    also,
    assert_said,
    notebook,
    stored,
    terminal,
)
from tests.slices import in_part

# --- settings, in the terminal and in a notebook


@pytest.mark.parametrize(
    ("text", "words"),
    in_part(
        [
            ("OPENAI_API_KEY", (".env, line 1", "Correct that line")),
            ('A=1\nOPENAI_API_KEY="sk-sec', (".env, line 2", "Correct that line")),
            ("OPENAI_BASE_URL=localhost:8000", ("OPENAI_BASE_URL is not an address",)),
            ("WORKSHOP_MODEL=gpt-5.5", ("needs a key", "OPENAI_API_KEY")),
        ],
        1,
    ),
)
def test_a_broken_env_is_two_lines_wherever_it_is_met(
    lived_in: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    words: tuple[str, ...],
) -> None:
    env = tmp_path / ".env"
    env.write_text(text, encoding="utf-8")
    monkeypatch.setenv("WORKSHOP_OFFLINE", "0")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "WORKSHOP_MODEL"):
        monkeypatch.delenv(name, raising=False)
    patch = "import harness.settings, pathlib\n"
    patch += f"harness.settings.env_path = lambda: pathlib.Path({str(env)!r})"
    done = terminal(lived_in, "ask", QUESTION, first=patch)
    assert done.returncode == 1
    assert_said(done.stdout + done.stderr, *words)
    monkeypatch.setattr("harness.settings.env_path", lambda: env)
    reset_settings()
    said = notebook(f"from harness import agent_turn\nagent_turn({QUESTION!r})")
    assert_said(said, *words)
    assert "sk-sec" not in said


def test_a_busy_port_of_the_stand_in() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = terminal(root() / ".workshop-never", "standin", "--port", port)
    assert done.returncode == 1
    assert_said(done.stdout + done.stderr, f"Port {port}", "--port 0")


# --- something is not installed


def test_without_deno_the_rest_works(lived_in: Path) -> None:
    first = f"{HIDE_DENO}\n{also('ask', QUESTION)}"
    asked = terminal(lived_in, "ask", "What is the median delay of a voyage?", first=first)
    assert asked.returncode == 0 and ANSWER in asked.stdout
    assert "exec_js needs Deno, which is not installed" in asked.stdout
    assert "workshop.py doctor" in asked.stdout and "Traceback" not in asked.stderr


def test_without_an_embedding_model_words_find_it_and_it_is_said_once(tmp_path: Path) -> None:
    ready = terminal(tmp_path, "prepare", first=HIDE_MODEL)
    assert ready.returncode == 0 and "77 facts" in ready.stdout
    first = HIDE_MODEL + also("ask", "How many voyages sail in the ATLANTIC?")
    question = "How many voyages of the carriers from Norway are delayed or so?"
    done = terminal(tmp_path, "ask", question, first=first)
    assert done.returncode == 0
    assert "207 voyages" in done.stdout
    assert_said(done.stderr, "Searching by words only", "workshop.py doctor")


@pytest.mark.full
def test_what_was_stored_without_a_model_is_found_by_meaning_once_there_is_one(
    tmp_path: Path,
) -> None:
    changed = (
        "import harness.retrieval.embedding as e, functools\n"
        "e._shipped = functools.lru_cache(dict)\n"
    )
    assert terminal(tmp_path, "prepare", first=changed + HIDE_MODEL).returncode == 0
    terminal(tmp_path, "ask", REMEMBER, first=changed + HIDE_MODEL)
    with closing(sqlite3.connect(tmp_path / "agent.sqlite")) as database:
        vectors = "SELECT count(vector) FROM facts"
        assert database.execute(vectors).fetchone()[0] == 0
        assert database.execute("SELECT count(*) FROM memory_pending").fetchone()[0] == 1
        done = terminal(tmp_path, "ask", QUESTION)
        assert ANSWER in done.stdout and not done.stderr
        assert database.execute(vectors).fetchone()[0] == 77
        assert database.execute("SELECT count(*) FROM memory_pending").fetchone()[0] == 0


# --- questions and threads

ODD = [
    "it's \"a\"\n'; DROP TABLE threads; --",
    "a\0b",
    "a\udfffb",
    "../../etc",
    "\u202eabc",
    "t" * 9_999,
]


@pytest.mark.parametrize("thread", ODD, ids=range(len(ODD)))
def test_a_thread_may_have_any_name(lived_in: Path, thread: str) -> None:
    before = stored()
    assert ANSWER in run_turn(QUESTION, thread).answer
    assert f"> user: {QUESTION}" in build_context(thread, QUESTION)
    said = [message.content for message in memory.get_thread(thread).get_messages()]
    assert said[0] == QUESTION and ANSWER in said[-1]
    assert set(before) < set(stored())


@pytest.mark.parametrize("question", in_part(["", "   ", "\n\t", None, 5], 2))
def test_an_empty_question(lived_in: Path, question: object) -> None:
    before = stored()
    said = notebook(f"from harness import agent_turn\nagent_turn({question!r})")
    assert_said(said, "The question is empty", "Ask something")
    assert stored() == before
    if isinstance(question, str):
        done = terminal(lived_in, "ask", question)
        assert done.returncode == 1
        assert_said(done.stdout + done.stderr, "The question is empty")


@pytest.mark.parametrize("thread", ["", " ", None, 7])
def test_a_thread_without_a_name(lived_in: Path, thread: object) -> None:
    said = notebook(f"from harness import agent_turn\nagent_turn({QUESTION!r}, {thread!r})")
    assert_said(said, "A thread id must be a text that is not empty")


def test_a_question_of_a_megabyte(lived_in: Path) -> None:
    before = stored()
    question = f"{QUESTION} {'lorem ipsum ' * 90_000}"
    said = notebook(f"from harness import agent_turn\nagent_turn({question!r}, 'monday')")
    assert_said(said, "exceed the window of 128000 tokens", "ask a shorter question")
    assert ANSWER in run_turn(QUESTION, "monday").answer  # the thread goes on
    assert set(before) < set(stored())


@pytest.mark.parametrize("odd", in_part(["\0", "\ud800", "\udcff", "\x07", "\ufeff"], 3))
def test_odd_characters_in_a_question(lived_in: Path, odd: str) -> None:
    assert ANSWER in run_turn(f"How many voyages{odd} are delayed?").answer
    assert "no question in that" in run_turn(odd).answer


@pytest.mark.skipif(os.name == "nt", reason="arguments are text there")
def test_bytes_that_are_no_text_in_the_terminal(lived_in: Path) -> None:
    question = os.fsdecode(b"How many voyages \xff are delayed?")
    done = terminal(lived_in, "ask", question, first=HIDE_MODEL)
    assert done.returncode == 0 and ANSWER in done.stdout


def test_a_state_opened_on_a_folder(tmp_path: Path) -> None:
    (tmp_path / "agent.sqlite").mkdir()
    with pytest.raises(WorkshopError) as caught:
        StateDatabase(tmp_path / "agent.sqlite")
    assert_said(str(caught.value), "can't be opened")
