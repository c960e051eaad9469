"""A store that is damaged, too new, too old or full: it is said, and nothing stored is lost."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness import run_turn
from harness.databases import embedded, state
from harness.errors import WorkshopError
from tests.said_in_terminal import ANSWER, QUESTION, assert_said, notebook, stored, terminal
from tests.slices import in_part


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
    in_part(
        [
            (random_bytes, ("is damaged", "Move agent.sqlite* aside")),
            (cut_off, ("is damaged", "Move agent.sqlite* aside")),
            (a_page_overwritten, ("is damaged", "Move agent.sqlite* aside")),
            (newer, ("of a newer version", "Update this checkout")),
            (too_old, ("of an older version", "Move agent.sqlite* aside")),
        ],
        1,
    ),
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
    assert ANSWER in run_turn(QUESTION).answer


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


@pytest.mark.parametrize("damage", in_part([random_bytes, cut_off, another_version], 1))
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
