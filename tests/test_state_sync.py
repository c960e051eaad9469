"""One state in several homes, through the statements that are sent to Oracle, on a likeness of it.

A home is a folder with a client on it; two of them are two machines with the same keys.
"""

import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from oracle_likeness import OWNER
from shared_machines import TEU, Machine, lived_in

from harness.databases.change_log import stop_noting
from harness.databases.oracle_revisions import SharedShelf
from harness.databases.state_tables import state_tables
from harness.errors import WorkshopError
from harness.settings import root
from tests.homes import python

BERTH = "Berth 4 is closed."


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return tmp_path / "oracle.db"


@pytest.fixture
def one(tmp_path: Path, at: Path) -> Machine:
    """A machine that has handed on what it has."""
    return lived_in(tmp_path / "one", at)


@pytest.fixture
def two(tmp_path: Path, at: Path, one: Machine) -> Machine:
    """Another machine with its keys, which has taken that over."""
    machine = Machine(tmp_path / "two", at, keys=one.home)
    machine.sync.pull()
    return machine


def test_the_first_turn_hands_everything_on(one: Machine) -> None:
    assert one.in_oracle() == one.content()
    assert one.sync.push() == one.sync.pull() == 0


def test_another_machine_goes_on_with_it_and_back(one: Machine, two: Machine) -> None:
    assert two.content() == one.content()
    assert two.recalls(TEU)[0] == TEU
    two.says("And on")
    two.remembers(BERTH)
    (two.home / "skillbox" / "mine.md").write_text("---\nname: mine\n---\nB\n", "utf-8")
    two.sync.push()
    one.sync.pull()
    assert one.heard() == ["Hello", "And on"]
    assert one.recalls(BERTH)[0] == BERTH
    assert (one.home / "skillbox" / "mine.md").read_text("utf-8").endswith("B\n")
    assert one.content() == two.content() == one.in_oracle()
    assert one.sync.push() == 0


def test_only_what_changed_is_sent(one: Machine) -> None:
    before = len(one.pool.sent)
    one.says("More")
    assert one.sync.push() == 1
    sent = [each for each in one.pool.sent[before:] if isinstance(each, tuple)]
    into = [sql for sql, _ in sent if sql.startswith("INSERT")]
    assert [sql.split('"')[1] for sql in into] == ["MESSAGES", "SYNC_CHANGES"]


def test_a_deletion_goes_everywhere(one: Machine, two: Machine) -> None:
    gone = one.remembers(BERTH)
    one.sync.push()
    two.sync.pull()
    assert two.recalls(BERTH)[0] == BERTH
    one.forgets(gone)
    one.sync.push()
    assert BERTH not in str(one.in_oracle())
    two.sync.pull()
    assert BERTH not in two.recalls(BERTH) and two.content() == one.content()
    assert BERTH.encode() not in b"".join(p.read_bytes() for p in two.home.glob("agent.sqlite*"))


def test_a_number_is_not_given_out_again_elsewhere(one: Machine, two: Machine) -> None:
    gone = one.remembers(BERTH)
    one.forgets(gone)
    one.sync.push()
    two.sync.pull()
    rows = [machine.client.database for machine in (one, two)]
    last = [db.read("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")[0][0] for db in rows]
    assert last == [2, 2]


def test_the_later_of_two_is_told_and_nothing_is_overwritten(one: Machine, two: Machine) -> None:
    one.says("From one")
    one.sync.push()
    two.says("From two")
    for act in (two.sync.push, two.sync.pull):
        with pytest.raises(WorkshopError, match=f"{one.home}.* wrote to AGENT") as caught:
            act()
        assert "Nothing was overwritten" in caught.value.message
        assert "empty WORKSHOP_HOME" in caught.value.hint
    assert two.heard() == ["Hello", "From two"] and one.heard() == ["Hello", "From one"]
    assert one.in_oracle() == one.content()


def test_what_another_kernel_writes_while_rows_come_in_is_not_lost(
    one: Machine, two: Machine, at: Path
) -> None:
    one.says("From one")
    one.sync.push()
    other, shelf = Machine(two.home, at), two.sync._shelf
    find = shelf.find

    def found_while_it_writes(*asked: Any) -> Any:
        other.says("From the other kernel")
        return find(*asked)

    shelf.find = found_while_it_writes  # type: ignore[method-assign]
    with pytest.raises(WorkshopError, match="Nothing was overwritten"):
        two.sync.pull()
    assert two.heard() == ["Hello", "From the other kernel"] and two.log.pending() == 1


def test_what_another_kernel_took_over_and_changed_meanwhile_is_not_set_back(
    one: Machine, two: Machine, at: Path
) -> None:
    """The slower of two kernels has asked for what the faster one has gone on from."""
    skill = Path("skillbox") / "mine.md"
    (one.home / skill).write_text("---\nname: mine\n---\nFrom one\n", "utf-8")
    one.sync.push()
    other, shelf = Machine(two.home, at), two.sync._shelf
    find = shelf.find

    def found_while_it_goes_on(*asked: Any) -> Any:
        shelf.find = find  # type: ignore[method-assign]
        found = find(*asked)
        other.sync.pull()
        (two.home / skill).write_text("---\nname: mine\n---\nNewer\n", "utf-8")
        other.sync.push()
        return found

    shelf.find = found_while_it_goes_on  # type: ignore[method-assign]
    assert two.sync.pull() == 0
    assert (two.home / skill).read_text("utf-8").endswith("Newer\n")
    one.sync.pull()
    assert one.content() == two.content() == one.in_oracle()


def test_nobody_waits_for_the_network_while_the_first_rows_come(
    one: Machine, tmp_path: Path, at: Path
) -> None:
    three = Machine(tmp_path / "three", at, keys=one.home)
    other, shelf = Machine(three.home, at), three.sync._shelf
    rows = shelf.rows

    def fetched_while_it_writes(*asked: Any) -> Any:
        shelf.rows = rows  # type: ignore[method-assign]
        other.says("From the other kernel")
        return rows(*asked)

    shelf.rows = fetched_while_it_writes  # type: ignore[method-assign]
    with pytest.raises(WorkshopError, match="Nothing was overwritten"):
        three.sync.pull()
    assert three.heard() == ["From the other kernel"]


def test_skills_that_came_in_become_files_later_if_need_be(
    one: Machine, two: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    skills = one.home / "skillbox"
    (skills / "new.md").write_text("---\nname: new\n---\nN\n", "utf-8")
    (skills / "mine.md").unlink()
    one.sync.push()

    def ended(*asked: Any) -> None:
        raise OSError("ended here")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="ended here"):
        patched.setattr("harness.databases.change_log.write_skills", ended)
        two.sync.pull()
    assert two.sync.pull() == two.sync.push() == two.log.pending() == 0
    assert two.content() == one.content() == one.in_oracle()


def test_a_home_that_shares_no_more_notes_no_more(one: Machine, at: Path) -> None:
    database = one.client.database
    assert stop_noting(database) > 0
    one.says("Alone")
    made = "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'sync%'"
    assert database.read(made)[0][0] == stop_noting(database) == 0
    assert Machine(one.home, at).log.pending() > 1


def test_a_copied_home_is_another_home(one: Machine, tmp_path: Path, at: Path) -> None:
    shutil.copytree(one.home, tmp_path / "copy")
    copy = Machine(tmp_path / "copy", at)
    one.says("From one")
    one.sync.push()
    copy.says("From the copy")
    with pytest.raises(WorkshopError, match="Nothing was overwritten"):
        copy.sync.push()


class TestBrokenOff:
    @pytest.mark.parametrize(
        "after", [3, *(pytest.param(each, marks=pytest.mark.full) for each in (0, 1, 5, 9))]
    )
    def test_a_network_that_drops_loses_nothing(self, one: Machine, after: int) -> None:
        before = one.in_oracle()
        one.says("More")
        one.remembers(BERTH)
        one.pool.dies_after = one.pool.written + after
        with pytest.raises(WorkshopError, match="was lost"):
            one.sync.push()
        one.pool.dies_after = None
        assert one.in_oracle() == before
        assert one.heard() == ["Hello", "More"]
        one.sync.push()
        assert one.in_oracle() == one.content()

    @pytest.mark.parametrize("arrived", [True, False])
    def test_a_commit_whose_answer_is_lost(self, one: Machine, arrived: bool) -> None:
        """Whether it arrived is found out by the next push, or by the next pull."""
        import oracledb

        def lost(commit: Any) -> None:
            if arrived:
                commit()
            raise oracledb.OperationalError("DPY-4011: the database closed the connection")

        one.says("More")
        one.pool.at_commit = lost
        with pytest.raises(WorkshopError, match="was lost"):
            one.sync.push()
        one.pool.at_commit = None
        assert one.sync.pull() == 0
        one.says("And more")
        one.sync.push()
        assert one.in_oracle() == one.content()

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
    @pytest.mark.parametrize("when", ["after", pytest.param("before", marks=pytest.mark.full)])
    def test_a_process_that_is_killed_around_the_commit(
        self, when: str, one: Machine, two: Machine, tmp_path: Path, at: Path
    ) -> None:
        code = f"""
import os, signal, sys
sys.path[:0] = [{str(root() / "tests")!r}]
from shared_machines import Machine
from pathlib import Path
machine = Machine(Path({str(one.home)!r}), Path({str(at)!r}))
machine.says("Last words")
def killed(commit):
    if {when!r} == "after":
        commit()
    os.kill(os.getpid(), signal.SIGKILL)
machine.pool.at_commit = killed
machine.sync.push()
"""
        done = python(code, home=one.home)
        assert done.returncode == -signal.SIGKILL
        one.sync.pull()
        one.sync.push()
        two.sync.pull()
        assert two.heard() == ["Hello", "Last words"] == one.heard()
        assert one.in_oracle() == one.content() == two.content()


def test_two_processes_of_one_home_hand_on_for_each_other(one: Machine, at: Path) -> None:
    other = Machine(one.home, at)
    one.says("From the first kernel")
    other.says("From the second")
    other.sync.push()
    assert one.sync.push() == 0 and one.sync.pull() == 0
    one.says("Again")
    one.sync.push()
    other.says("And again")
    other.sync.push()
    assert one.in_oracle() == one.content()


class TestOtherKeysAndHands:
    def test_a_home_without_the_key_is_told_which_files(
        self, one: Machine, tmp_path: Path, at: Path
    ) -> None:
        stranger = Machine(tmp_path / "stranger", at)
        with pytest.raises(WorkshopError, match="sealed with a key") as caught:
            stranger.sync.pull()
        assert "memory.key" in caught.value.hint
        assert stranger.client.database.read("SELECT COUNT(*) FROM messages")[0][0] == 0

    def test_a_memory_put_back_by_hand_is_noticed(self, one: Machine, two: Machine) -> None:
        """The row with its own seal, as an older revision had it, in the newest one."""
        old = one.in_oracle()
        memory_id = next(row[1] for row in old["memories"])
        one.forgets(memory_id)
        one.sync.push()
        shelf = SharedShelf(one.pool, OWNER)
        for name in ("memories", "memory_seals"):
            shelf.add(state_tables()[name], old[name])
        with pytest.raises(WorkshopError, match="not as it was written"):
            two.sync.pull()
        assert two.recalls(TEU)[0] == TEU  # as it was, until somebody has looked

    def test_an_older_copy_of_the_schema_is_noticed(
        self, one: Machine, at: Path, tmp_path: Path
    ) -> None:
        shutil.copy(at, tmp_path / "backup.db")
        one.says("More")
        one.sync.push()
        restored = Machine(one.home, tmp_path / "backup.db")
        for act in (restored.sync.pull, restored.sync.pull):
            with pytest.raises(WorkshopError, match="is older"):
                act()
        restored.says("And more")
        with pytest.raises(WorkshopError, match="is older"):
            restored.sync.push()

    def test_a_schema_of_before_is_told_how_to_be_brought_up_to_date(self, one: Machine) -> None:
        database = one.pool.database()
        database.execute('ALTER TABLE AGENT."MESSAGES" DROP COLUMN "SEEN"')
        database.close()
        one.says("More")
        with pytest.raises(WorkshopError, match="this version of the workshop") as caught:
            one.sync.push()
        assert "oracle setup" in caught.value.hint

    def test_a_home_of_an_older_version_is_told(self, one: Machine, two: Machine) -> None:
        one.says("More")
        one.sync.push()
        database = one.pool.database()
        database.execute("UPDATE AGENT.SYNC_CHANGES SET \"NAME\" = 'moods'")
        database.close()
        with pytest.raises(WorkshopError, match="has moods, which this version"):
            two.sync.pull()
        assert two.heard() == ["Hello"]

    def test_a_row_of_before_its_column_gets_the_default(self, one: Machine, two: Machine) -> None:
        """As `oracle setup` leaves it: the column is there, with the default in every row."""
        database = one.pool.database()
        database.execute('UPDATE AGENT."MESSAGES" SET "SEEN" = \'\u2400\', "TURN_ID" = NULL')
        database.close()
        one.says("More")
        one.sync.push()
        two.sync.pull()
        assert two.heard() == ["Hello", "More"]

    def test_a_state_that_was_moved_there_is_not_overwritten(
        self, one: Machine, at: Path, tmp_path: Path
    ) -> None:
        database = one.pool.database()
        database.execute("DELETE FROM AGENT.SYNC_REVISION")
        database.close()
        other = Machine(tmp_path / "other", at)
        other.says("Mine")
        with pytest.raises(WorkshopError, match="nobody shares yet"):
            other.sync.push()
        assert one.in_oracle() == one.content()
        assert one.in_oracle() == one.content()
        one.says("Noted after the move")
        assert one.sync.push(settled=one.sync.last_note() - 1) == 1  # what `move` does at its end
        assert one.in_oracle() == one.content() and one.sync.pull() == 0


def test_two_parsers_read_what_is_sent(one: Machine, two: Machine) -> None:
    import sqlfluff

    one.says("More")
    one.sync.push()
    two.sync.pull()
    sent = {*one.pool.statements, *two.pool.statements} - {"SET TRANSACTION READ ONLY"}
    kinds = {re.sub(r'"\w+"|:b\d+(, )?', "", sql): sql for sql in sorted(sent, key=len)}
    assert any("FOR UPDATE WAIT 10" in sql for sql in kinds.values())
    sqlfluff.parse(";\n".join(kinds.values()) + ";\n", dialect="oracle")
    for sql in sent:
        assert len(sqlglot.parse(sql, read="oracle")) == 1
