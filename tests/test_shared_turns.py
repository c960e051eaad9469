"""A state that is shared, by settings alone: a turn takes over, answers, hands on."""

import argparse
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import oracledb
import pytest
from oracle_likeness import OWNER, LikenessPool
from shared_machines import TEU, Machine, lived_in

from harness import log_message, session
from harness.commands import move_command, oracle_command
from harness.databases.oracle_revisions import SharedShelf
from harness.databases.state import state
from harness.errors import WorkshopError
from harness.memory import state_sync
from harness.memory.client import MemoryClient
from harness.settings import reset_settings, settings
from tests.homes import home_at


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return tmp_path / "oracle.db"


@pytest.fixture
def one(tmp_path: Path, at: Path) -> Machine:
    """Another machine, which has handed on what it has."""
    return lived_in(tmp_path / "one", at)


class TestTurns:
    """By settings alone: a turn takes over, answers, hands on."""

    @pytest.fixture
    def shared(
        self, home: Path, at: Path, one: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[LikenessPool]:
        values = {
            "WORKSHOP_OFFLINE": "0",
            "WORKSHOP_MODEL": "standin",
            "WORKSHOP_DATABASE": "oracle",
            "ORACLE_STATE": "1",
            **{f"ORACLE_{name}": "x" for name in ("DSN", "USER", "PASSWORD")},
            **{f"ORACLE_AGENT_{name}": "x" for name in ("USER", "PASSWORD")},
        }
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("harness.settings.read_env_file", lambda _: {})
        monkeypatch.setattr(state_sync, "_open", {})
        monkeypatch.setattr("atexit.register", lambda _: None)
        pool = LikenessPool().open(at)
        monkeypatch.setattr(state_sync, "shelf_of", lambda _: SharedShelf(pool, OWNER))
        shutil.copy(one.home / "memory.key", home / "memory.key")
        reset_settings()
        yield pool
        monkeypatch.undo()
        reset_settings()

    def turn(self) -> None:
        with session(user="anna"):
            log_message("t1", "user", "Which berth?")
            log_message("t1", "assistant", "Berth 4.")

    def test_what_others_wrote_is_there_and_what_it_says_is_handed_on(
        self, shared: LikenessPool, one: Machine
    ) -> None:
        self.turn()
        one.sync.pull()
        assert one.heard() == ["Hello", "Which berth?", "Berth 4."]

    def test_a_first_look_by_hand_finds_it_too(self, shared: LikenessPool) -> None:
        with session(user="anna"):
            found = MemoryClient().list_memories(user_id="anna")
        assert [each.content for each in found] == [TEU]

    def test_no_network_costs_a_word_and_no_turn(
        self, shared: LikenessPool, one: Machine, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shared.lost = WorkshopError("The connection was lost.")
        self.turn()
        self.turn()
        assert capsys.readouterr().err.count("The connection was lost.") == 1
        shared.lost = None
        state_sync.sync_of(settings()).rests_until = 0.0
        with pytest.raises(WorkshopError, match="Nothing was overwritten"):
            oracle_command.sync()  # this home had begun without what is there

    def test_an_error_that_nobody_expected_costs_no_turn_either(
        self, shared: LikenessPool, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shared.lost = oracledb.DatabaseError("ORA-12899: value too large for column")
        self.turn()
        assert capsys.readouterr().err.count("ORA-12899") == 1
        with pytest.raises(oracledb.DatabaseError):
            oracle_command.sync()

    def test_the_command_says_how_much(
        self, shared: LikenessPool, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert oracle_command.sync() == 0
        assert re.search(r"[1-9]\d* rows taken over, 0 rows handed on", capsys.readouterr().out)

    def test_a_home_for_a_block_is_not_shared(self, shared: LikenessPool, tmp_path: Path) -> None:
        assert settings().shares_state
        with home_at(tmp_path / "trial"):
            assert not settings().shares_state
            with pytest.raises(WorkshopError, match="in this home only"):
                oracle_command.sync()

    def test_after_a_move_both_go_on_from_there(self, shared: LikenessPool, home: Path) -> None:
        """A move sends what is there; the exchange that follows sends none of it again."""
        schema = shared.database()
        for (table,) in schema.execute(
            "SELECT name FROM AGENT.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).fetchall():
            schema.execute(f'DELETE FROM AGENT."{table}"')
        schema.close()
        with session(user="anna"):
            MemoryClient(state()).add_memory(TEU, user_id="anna")
        assert move_command.main(argparse.Namespace(to="oracle")) == 0
        before = len(shared.sent)
        assert oracle_command.sync() == 0
        assert not [each for each in shared.sent[before:] if "INSERT" in str(each)]
        assert move_command.main(argparse.Namespace(to="embedded")) == 0
