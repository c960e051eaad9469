"""Moving the agent's state: every row arrives, a second time changes nothing, all is counted."""

import argparse
from pathlib import Path
from typing import Any

import pytest
from oracle_likeness import OWNER, LikenessPool

from harness import session
from harness.commands import move_command
from harness.databases.moving import move
from harness.databases.oracle_shelf import OracleShelf
from harness.databases.shelf import HomeShelf
from harness.databases.state_tables import state_tables
from harness.errors import WorkshopError
from tests.memory_homes import store_at

TEU = "Capacity is given in TEU."
QUIET: Any = lambda _line: None  # noqa: E731


@pytest.fixture
def lived_in(tmp_path: Path) -> Path:
    """A home with threads, memories, a link, scratch files, a skill and texts that are awkward."""
    home = tmp_path / "lived-in"
    client = store_at(home)
    with session(user="anna"):
        thread = client.create_thread(thread_id="t1", user_id="anna", metadata={"of": "ships"})
        awkward = ["", "\u2400", "\u2400\u2400x", "two\nlines", "Ünïcode 🚢", "x" * 40_000]
        for text in awkward:
            thread.add_messages([{"role": "user", "content": text}])
        old = client.add_memory("Capacity is in tons.", user_id="anna", metadata={"of": "vessels"})
        new = client.add_memory(TEU, user_id="anna", metadata={"of": "vessels"})
        client.link_records(new, "memory", old, "memory", "supersedes")
        for number in range(5):
            client.add_memory(f"Fact number {number}.", user_id="anna")
    client.database.run(
        "INSERT INTO scratch_files VALUES ('anna', 'notes/a.sql', '', '2026-06-30T12:00:00', '')"
    )
    (home / "skillbox").mkdir()
    (home / "skillbox" / "mine.md").write_text("---\nname: mine\n---\nText\n", encoding="utf-8")
    return home


def shelf(home: Path) -> HomeShelf:
    return HomeShelf(home, home / "skillbox")


def content(of: Any) -> dict[str, Any]:
    return {table.name: of.rows(table, None, 10_000) for table in state_tables().values()}


def recalled(home: Path) -> list[str]:
    found = store_at(home).search(TEU, user_id="anna", max_results=3)
    return [each.content for each in found]


def test_from_home_to_home_and_back(lived_in: Path, tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    target = shelf(other)
    target.take_keys(lived_in)
    copied = move(shelf(lived_in), target, QUIET, batch=3)
    assert copied == sum(len(rows) for rows in content(shelf(lived_in)).values()) > 20
    assert content(target) == content(shelf(lived_in))
    assert recalled(other) == recalled(lived_in) and recalled(other)[0] == TEU
    assert move(shelf(lived_in), target, QUIET) == 0
    back = shelf(third)
    back.take_keys(other)
    move(target, back, QUIET)
    assert content(back) == content(shelf(lived_in))
    assert (third / "skillbox" / "mine.md").read_text("utf-8").endswith("Text\n")


def test_what_was_moved_can_be_gone_on_with(lived_in: Path, tmp_path: Path) -> None:
    target = shelf(tmp_path / "other")
    target.take_keys(lived_in)
    move(shelf(lived_in), target, QUIET)
    client = store_at(tmp_path / "other")
    with session(user="anna"):
        client.add_memory("Berth 4 is closed.", user_id="anna")
        thread = client.get_thread("t1")
        thread.add_messages([{"role": "user", "content": "Hello again"}])
        assert thread.get_messages()[-1].content == "Hello again"
        assert "Berth 4 is closed." in recalled_for(client, "Berth 4")


def recalled_for(client: Any, query: str) -> list[str]:
    return [each.content for each in client.search(query, user_id="anna")]


class TestOracle:
    """Through the statements that are sent to Oracle, run on a likeness of it."""

    def test_there_and_back(self, lived_in: Path, tmp_path: Path) -> None:
        pool = LikenessPool().open(tmp_path / "agent.db")
        oracle = OracleShelf(pool, OWNER)
        move(shelf(lived_in), oracle, QUIET, batch=4)
        assert content(oracle) == content(shelf(lived_in))
        assert move(shelf(lived_in), oracle, QUIET) == 0
        back = shelf(tmp_path / "back")
        back.take_keys(lived_in)
        move(oracle, back, QUIET, batch=3)
        assert content(back) == content(shelf(lived_in))
        assert recalled(tmp_path / "back")[0] == TEU

    def test_statements_their_binds_and_their_order(self, tmp_path: Path) -> None:
        home = tmp_path / "small"
        store_at(home).database.run("INSERT INTO scratch_files VALUES ('anna', 'a', '', 'now', '')")
        pool = LikenessPool().open(tmp_path / "agent.db")
        move(shelf(home), OracleShelf(pool, OWNER), QUIET)
        files = [each for each in pool.sent if "SCRATCH_FILES" in each[0]]
        names = '"USER_ID", "PATH", "CONTENT", "UPDATED_AT", "SEEN"'
        table = 'AGENT."SCRATCH_FILES"'
        assert files == [
            (
                f'SELECT {names} FROM {table} WHERE ("USER_ID", "PATH") IN ((:b1, :b2))',
                ["anna", "a"],
            ),
            (
                f"INSERT INTO {table} ({names}) VALUES (:b1, :b2, :b3, :b4, :b5)",
                [["anna", "a", "\u2400", "now", "\u2400"]],
            ),
            (f"SELECT COUNT(*) FROM {table}", []),
        ]
        inserted = pool.sent.index(files[1])
        assert pool.sent[inserted + 1 : inserted + 3] == ["commit", "closed"]

    def test_vectors_can_be_searched_there(self, lived_in: Path, tmp_path: Path) -> None:
        pool = LikenessPool().open(tmp_path / "agent.db")
        move(shelf(lived_in), OracleShelf(pool, OWNER), QUIET)
        (sent,) = [each for each in pool.sent if 'INTO AGENT."MEMORY_VECTORS"' in each[0]]
        assert sent[0].endswith('("ROW", "VECTOR", "EMBEDDING") VALUES (:b1, :b2, :b3)')
        assert all(len(row[2]) == 384 and row[2].typecode == "f" for row in sent[1])

    def test_a_move_that_was_cut_off_goes_on(self, lived_in: Path, tmp_path: Path) -> None:
        pool = LikenessPool().open(tmp_path / "agent.db")
        pool.dies_after = 4
        with pytest.raises(WorkshopError, match="was lost"):
            move(shelf(lived_in), OracleShelf(pool, OWNER), QUIET, batch=2)
        pool.dies_after = None
        rest = move(shelf(lived_in), OracleShelf(pool, OWNER), QUIET, batch=2)
        assert 0 < rest < sum(len(rows) for rows in content(shelf(lived_in)).values())
        assert content(OracleShelf(pool, OWNER)) == content(shelf(lived_in))


def test_something_else_in_the_way_is_not_overwritten(lived_in: Path, tmp_path: Path) -> None:
    other = store_at(tmp_path / "other")
    other.create_thread(thread_id="t1", user_id="anna", metadata={"of": "trains"})
    with pytest.raises(WorkshopError, match="has other rows of threads"):
        move(shelf(lived_in), shelf(tmp_path / "other"), QUIET)
    with session(user="anna"):
        assert other.get_thread("t1").metadata == {"of": "trains"}


def test_counts_that_differ_are_said(lived_in: Path, tmp_path: Path) -> None:
    store_at(tmp_path / "other").create_thread(thread_id="another", user_id="bert")
    target = shelf(tmp_path / "other")
    with pytest.raises(WorkshopError, match=r"counts differ: threads \(1 here, 2 there\)"):
        move(shelf(lived_in), target, QUIET)


def test_a_key_of_its_own_is_not_replaced(lived_in: Path, tmp_path: Path) -> None:
    store_at(tmp_path / "other").add_memory("Mine.", user_id="bert")
    before = (tmp_path / "other" / "memory.key").read_bytes()
    with pytest.raises(WorkshopError, match="key of its own"):
        shelf(tmp_path / "other").take_keys(lived_in)
    assert (tmp_path / "other" / "memory.key").read_bytes() == before


def test_the_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "elsewhere"
    assert move_command.main(argparse.Namespace(to=str(target))) == 0
    said = capsys.readouterr().out
    assert "the counts agree" in said and (target / "agent.sqlite").exists()
    with pytest.raises(WorkshopError, match="the home that is in use"):
        move_command.main(argparse.Namespace(to=str(home)))
    with pytest.raises(WorkshopError, match="account that owns the agent's state"):
        move_command.main(argparse.Namespace(to="oracle"))
