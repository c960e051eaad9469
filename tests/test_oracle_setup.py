"""The setup over a connection that records: each statement once, in order, readable by parsers."""

import argparse
import re
from pathlib import Path
from typing import Any

import oracledb
import pytest
import sqlglot
from oracle_recording import RecordingPool, oracle_error
from sqlglot import exp

from harness.commands import oracle_command
from harness.databases import oracle_catalogue, oracle_schema, oracle_setup
from harness.databases.oracle_setup import Accounts, all_steps, set_up
from harness.databases.row_policy import RowPolicy, conditions
from harness.databases.state_tables import state_tables
from harness.errors import WorkshopError
from harness.settings import Settings, reset_settings

ACCOUNTS = Accounts("SUPPLYCHAIN_READER", '"reader-secret"', "AGENT", '"agent-secret"')
POLICIES = oracle_command.role_policies()
ONLY_ORACLE = re.compile(
    r"CREATE USER|GRANT|CONTEXT|PACKAGE|BEGIN|VECTOR|INDEXTYPE|MLE", re.IGNORECASE
)


def steps() -> list[oracle_setup.Step]:
    return list(all_steps(ACCOUNTS, POLICIES))


def plain_sql() -> list[str]:
    """Every statement that standard parsers can be asked about."""
    made = [step.sql for step in steps() if not ONLY_ORACLE.search(step.sql)]
    asked = [step.unless for step in steps() if step.unless]
    catalogue = [
        getattr(oracle_catalogue, name) for name in ("OWNERS", "TABLES", "COLUMNS", "KEYS")
    ]
    predicates = [
        f"SELECT 1 FROM SUPPLYCHAIN.{table} WHERE {words}"
        for policy in POLICIES
        for table, words in conditions(policy, oracle_setup.shipped_tables()).items()
    ]
    return list(dict.fromkeys([*made, *asked, *catalogue, *predicates, oracle_command.RIGHTS]))


def test_sqlglot_reads_what_is_plain_sql() -> None:
    assert len(plain_sql()) > 90
    for sql in plain_sql():
        parsed = sqlglot.parse(sql, read="oracle")
        assert len(parsed) == 1
        assert isinstance(parsed[0], exp.Create | exp.Comment | exp.Select), sql


def read_by_sqlfluff(statements: list[str]) -> None:
    import sqlfluff

    sqlfluff.parse(";\n".join(statements) + ";\n", dialect="oracle")  # raises where it can't


def test_sqlfluff_reads_one_of_each_kind() -> None:
    kinds: dict[str, str] = {}
    for sql in sorted(plain_sql(), key=len):
        kinds.setdefault(" ".join(sql.split()[:2]), sql)
    read_by_sqlfluff(list(kinds.values()))


@pytest.mark.full
def test_sqlfluff_reads_all_of_it() -> None:
    read_by_sqlfluff(plain_sql())


def test_every_other_statement_has_its_page_and_the_right_it_needs() -> None:
    for group, rows in oracle_setup._written().items():
        for row in rows:
            assert row["docs"].startswith("https://docs.oracle.com/"), row
            assert group == "run" or row["needs"], row


def test_each_statement_is_sent_once_and_in_order() -> None:
    pool = RecordingPool({r"SELECT COUNT\(\*\) FROM SUPPLYCHAIN": [(0,)]}, user="system")
    said: list[str] = []
    set_up(pool, ACCOUNTS, POLICIES, said.append)
    expected: list[Any] = []
    for step in steps():
        if step.unless:
            expected.append((step.unless, list(step.binds)))
        expected.append((step.sql, None))
    assert pool.sent[: len(expected)] == expected
    rest = pool.sent[len(expected) :]
    loaded = [each for each in rest if isinstance(each, tuple) and "INSERT INTO" in each[0]]
    shipped = [each for each in loaded if isinstance(each[1], list) and len(each[1]) > 9]
    assert sum(len(each[1]) for each in shipped) == 15_000 + 6_000 + 600 + 153 + 60 + 30 + 15
    assert rest[-2:] == ["commit", "closed"]
    assert any("600 rows loaded" in line for line in said)


def test_a_second_run_changes_nothing() -> None:
    def rows_there(_: Any) -> list[tuple[int]]:
        return [(1,)]

    counts = {
        f"SELECT COUNT.* FROM SUPPLYCHAIN.{table}$": [
            (len(list(oracle_schema.business_rows(table)[1])),)
        ]
        for table in oracle_schema.business_ddl()
    }
    pool = RecordingPool({**counts, "SELECT 1 FROM": rows_there})
    set_up(pool, ACCOUNTS, POLICIES, lambda _: None)
    made = [sql for sql in pool.statements if re.match("CREATE (TABLE|USER|INDEX|VECTOR)", sql)]
    loaded = [sql for sql in pool.statements if "INSERT INTO" in sql and "WORKSHOP_" not in sql]
    assert (made, loaded) == ([], [])


class TestASchemaOfAnOlderVersion:
    """What its dictionary says is there decides which columns are added."""

    def sent(self, without: tuple[str, ...] = (), more: tuple[tuple[str, str], ...] = ()) -> Any:
        there = [
            (table.name.upper(), column.upper())
            for table in state_tables().values()
            for column in table.columns
            if f"{table.name}.{column}" not in without
        ]
        pool = RecordingPool(
            {"SELECT table_name, column_name": [*there, *more], r"SELECT COUNT\(": [(7,)]}
        )
        said: list[str] = []
        set_up(pool, ACCOUNTS, POLICIES, said.append)
        altered = [sql for sql in pool.statements if sql.startswith('ALTER TABLE AGENT."')]
        return altered, [line.strip() for line in said if "ed MEM" in line or "ed MES" in line]

    def test_columns_that_it_lacks_are_added_with_their_default(self) -> None:
        altered, said = self.sent(("messages.seen", "messages.turn_id", "memories.seen"))
        assert altered == [
            'ALTER TABLE AGENT."MEMORIES" ADD ("SEEN" CLOB)',
            'ALTER TABLE AGENT."MESSAGES" ADD ("TURN_ID" CLOB)',
            'ALTER TABLE AGENT."MESSAGES" ADD ("SEEN" CLOB DEFAULT '
            "TO_CLOB(UNISTR('\\2400')) NOT NULL)",
        ]
        assert said == ["added MEMORIES.SEEN", "added MESSAGES.TURN_ID", "added MESSAGES.SEEN"]

    def test_a_column_that_is_each_machines_own_by_now_is_dropped(self) -> None:
        altered, said = self.sent(more=(("MEMORY_VECTORS", "VERSION"),))
        assert altered == [
            'ALTER TABLE AGENT."MEMORY_VECTORS" DROP COLUMN "VERSION" CASCADE CONSTRAINTS'
        ]
        assert said == ["dropped MEMORY_VECTORS.VERSION"]

    def test_one_that_is_up_to_date_is_left_as_it_is(self) -> None:
        assert self.sent() == ([], [])

    def test_both_parsers_read_every_column_that_could_be_missing(self) -> None:
        additions = [
            f'ALTER TABLE AGENT."{table.name.upper()}" ADD '
            f"({oracle_schema.column_definition(table, column)})"
            for table in state_tables().values()
            for column in table.columns
            if column not in table.key
            and (column not in table.required or column in table.defaults)
        ]
        assert len(additions) > 30
        for sql in additions:
            assert isinstance(sqlglot.parse_one(sql, read="oracle"), exp.Alter), sql
        kinds = {re.sub(r'"\w+"', '"X"', sql): sql for sql in additions}
        read_by_sqlfluff(list(kinds.values()))
        drop = oracle_setup._written()["columns"][1]["sql"]  # sqlfluff knows no CASCADE here
        drop = drop.format(agent="AGENT", table="MEMORY_VECTORS", column='"VERSION"')
        assert isinstance(sqlglot.parse_one(drop, read="oracle"), exp.Alter)

    def test_one_that_no_default_can_fill_needs_a_person(self) -> None:
        with pytest.raises(WorkshopError, match=r"too old.*MESSAGES\.MESSAGE_ID") as caught:
            self.sent(("messages.message_id",))
        assert "move --to" in caught.value.hint

    def test_whoever_may_not_is_told_the_grant(self) -> None:
        pool = RecordingPool(
            {
                "SELECT table_name, column_name": [
                    ("SCRATCH_FILES", name) for name in ("USER_ID", "PATH", "CONTENT", "UPDATED_AT")
                ],
                'ALTER TABLE AGENT."SCR': oracle_error("ORA-01031: insufficient privileges"),
            },
            user="somebody",
        )
        with pytest.raises(WorkshopError, match="somebody may not do this: added") as caught:
            set_up(pool, ACCOUNTS, POLICIES, lambda _: None)
        assert "GRANT ALTER ANY TABLE TO somebody;" in caught.value.hint


def test_data_that_was_changed_is_left_alone() -> None:
    pool = RecordingPool({r"SELECT COUNT\(\*\) FROM SUPPLYCHAIN": [(7,)]})
    said: list[str] = []
    set_up(pool, ACCOUNTS, POLICIES, said.append)
    assert sum("left as it is" in line for line in said) == 7


def test_a_right_that_is_missing_is_named_with_its_grant() -> None:
    pool = RecordingPool({"CREATE USER": oracle_error("ORA-01031: insufficient privileges")})
    pool.user = "somebody"
    with pytest.raises(WorkshopError, match="somebody may not do this") as caught:
        set_up(pool, ACCOUNTS, POLICIES, lambda _: None)
    assert "GRANT CREATE USER TO somebody;" in caught.value.hint


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            oracle_error("ORA-28003: password verification failed\nORA-20001: 'reader-secret'?"),
            "refused this: the user who reads the data",
        ),
        (oracledb.InterfaceError("DPY-1001: not connected to database"), "was lost"),
    ],
)
def test_what_nobody_expected_is_said_without_the_password(error: Exception, words: str) -> None:
    pool = RecordingPool({"CREATE USER SUPPLYCHAIN_READER": error})
    with pytest.raises(WorkshopError, match=words) as caught:
        set_up(pool, ACCOUNTS, POLICIES, lambda _: None)
    assert len(str(caught.value).splitlines()) == 2 and "-secret" not in str(caught.value)


def test_a_package_that_does_not_compile_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import oracle_recording

    monkeypatch.setattr(oracle_recording._Cursor, "warning", None, raising=False)

    def compiled(_: Any) -> list[Any]:
        monkeypatch.setattr(oracle_recording._Cursor, "warning", "ORA-24344")
        return []

    pool = RecordingPool({"PACKAGE BODY": compiled})
    with pytest.raises(WorkshopError, match="could not compile this: how it does it"):
        set_up(pool, ACCOUNTS, POLICIES, lambda _: None)


def test_what_is_optional_is_left_out_and_said() -> None:
    pool = RecordingPool(
        {"MLE": oracle_error("ORA-04101: MLE is not available"), r"SELECT COUNT\(": [(1,)]}
    )
    said: list[str] = []
    set_up(pool, ACCOUNTS, POLICIES, said.append)
    assert any("left out: an environment that only computes" in line for line in said)


def test_a_database_without_vectors_is_refused_before_anything_is_made() -> None:
    pool = RecordingPool(version="19.22.0.0.0")
    with pytest.raises(WorkshopError, match="too old for vectors"):
        set_up(pool, ACCOUNTS, POLICIES, lambda _: None)
    assert pool.statements == []
    pool.answers = {r"SELECT COUNT\(": [(1,)]}
    without_state = Accounts(ACCOUNTS.reader, ACCOUNTS.reader_password)
    set_up(pool, without_state, POLICIES, lambda _: None)
    assert not any("AGENT" in sql for sql in pool.statements)


@pytest.mark.parametrize("name", ["a b", "x;DROP", "", "1st", 'a"b'])
def test_a_name_that_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, oracle_user=name, oracle_password="long enough, this")
    with pytest.raises(WorkshopError, match="ORACLE_USER"):
        Accounts.of(settings)


def test_the_reader_gets_nothing_but_reading() -> None:
    grants = [step.sql for step in steps() if re.search(r"\bTO SUPPLYCHAIN_READER", step.sql)]
    assert all(
        re.match(r"GRANT (READ ON|EXECUTE ON|CREATE SESSION|EXECUTE DYNAMIC MLE)", sql)
        for sql in grants
    )
    assert sum("GRANT READ ON SUPPLYCHAIN." in sql for sql in grants) == 7


class TestRowPolicy:
    """The predicates leave what the embedded database leaves; the same words decide in both."""

    def test_the_same_rows_are_left(self, prepared_home: Path) -> None:
        from harness.databases.business import business

        policy = next(each for each in POLICIES if each.rows)
        whole, seen = business(), business().limited([policy])
        predicates = conditions(policy, oracle_setup.shipped_tables())
        assert "cargo_items" in predicates
        for table in ("voyages", "containers", "cargo_items", "vessel_positions", "ports"):
            where = predicates.get(table, "1 = 1")
            count = f"SELECT COUNT(*) FROM {table}"
            assert whole.query(f"{count} WHERE {where}").rows == seen.query(count).rows

    def test_a_policy_of_unknown_names_is_refused(self) -> None:
        with pytest.raises(WorkshopError, match="voyage_log"):
            conditions(RowPolicy(rows=(("voyage_log", "1 = 1"),)), oracle_setup.shipped_tables())

    def test_references_are_those_of_the_embedded_catalogue(self, prepared_home: Path) -> None:
        from harness.databases.business import business

        shipped = oracle_setup.shipped_tables()
        for table in business().catalogue():
            assert table.foreign_keys == shipped[table.name].foreign_keys
            assert [c.name for c in table.columns] == [c.name for c in shipped[table.name].columns]


class TestCommand:
    @pytest.fixture(autouse=True)
    def _settings(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
        monkeypatch.delenv("WORKSHOP_OFFLINE", raising=False)
        values = {
            "WORKSHOP_HOME": str(tmp_path),
            "WORKSHOP_DATABASE": "oracle",
            "ORACLE_DSN": "db.example:1521/FREEPDB1",
            "ORACLE_USER": "supplychain_reader",
            "ORACLE_PASSWORD": "reader-secret",
            "ORACLE_AGENT_USER": "agent",
            "ORACLE_AGENT_PASSWORD": "agent-secret",
        }
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        reset_settings()
        yield
        monkeypatch.undo()
        reset_settings()

    def test_statements_show_no_password(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert oracle_command.main(argparse.Namespace(what="statements")) == 0
        shown = capsys.readouterr().out
        assert "CREATE USER SUPPLYCHAIN_READER" in shown and "-secret" not in shown

    def test_the_setup_asks_for_an_administrator(self) -> None:
        with pytest.raises(WorkshopError, match="user who may make accounts"):
            oracle_command.setup()

    def test_check_names_the_grants_that_are_missing(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pool = RecordingPool(
            {"session_privs": [("CREATE SESSION",)], "all_tables": [("VOYAGES",), ("PORTS",)]}
        )
        assert oracle_command.check(pool) == 1
        shown = capsys.readouterr().out
        assert "GRANT READ ON SUPPLYCHAIN.CARRIERS TO SUPPLYCHAIN_READER;" in shown
        assert "VOYAGES" not in shown

    def test_check_names_rights_that_are_too_many(self, capsys: pytest.CaptureFixture[str]) -> None:
        tables = [(name,) for name in oracle_schema.business_ddl()]
        rights = [("CREATE SESSION",), ("DROP ANY TABLE",)]
        pool = RecordingPool(
            {
                "session_privs": rights,
                "all_tables t LEFT": [("VOYAGES", "")],
                "all_tables": tables,
                r"COUNT\(": [(1,)],
            }
        )
        assert oracle_command.check(pool) == 1
        assert "DROP ANY TABLE" in capsys.readouterr().out
