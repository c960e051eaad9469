"""The business database: made once, never half, shared, read-only, bounded."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from harness.databases import embedded
from harness.databases.business import BusinessDatabase, business, use_business
from harness.errors import ToolError, WorkshopError
from harness.guards.sql_guard import check_select
from harness.settings import reset_settings, root

COUNT = "SELECT COUNT(*) AS n FROM voyages"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded.business_file(tmp_path_factory.mktemp("made"))


@pytest.fixture
def database(made: Path) -> Iterator[BusinessDatabase]:
    opened = BusinessDatabase(made)
    yield opened
    opened.close()


@pytest.fixture
def home_with_data(tmp_path: Path, made: Path) -> Path:
    """A home of its own that already holds the database."""
    (tmp_path / "business").mkdir()
    shutil.copy(made, tmp_path / "business" / made.name)
    return tmp_path


def test_made_once_and_named_after_data_and_version(made: Path) -> None:
    before = made.stat().st_mtime_ns
    assert embedded.business_file(made.parent.parent) == made
    assert made.stat().st_mtime_ns == before
    assert [each.name for each in made.parent.iterdir()] == [made.name]


def damage_header(content: bytes) -> bytes:
    return b"not a database" + content[14:]


def damage_blocks(content: bytes) -> bytes:
    return content[:12_288] + b"\xa5" * (len(content) - 12_288)


def truncate(content: bytes) -> bytes:
    return content[: len(content) // 3]


def empty(content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [damage_header, damage_blocks, truncate, empty])
def test_a_damaged_file_is_made_again_and_that_is_said(
    home_with_data: Path, damage: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next((home_with_data / "business").iterdir())
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    opened = BusinessDatabase(embedded.business_file(home_with_data))
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 1 and "damaged" in said
    assert opened.query(COUNT).rows == [[600]]
    opened.close()


def test_another_database_under_our_name_is_replaced(home_with_data: Path) -> None:
    path = next((home_with_data / "business").iterdir())
    path.unlink()
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS a")
    opened = BusinessDatabase(embedded.business_file(home_with_data))
    assert opened.query(COUNT).rows == [[600]]
    opened.close()


def test_a_build_that_died_is_not_taken_for_the_database(tmp_path: Path) -> None:
    (tmp_path / "business").mkdir()
    (tmp_path / "business" / "supplychain-000.999.building").write_bytes(b"half")
    opened = BusinessDatabase(embedded.business_file(tmp_path))
    assert opened.query(COUNT).rows == [[600]]
    opened.close()


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    with pytest.raises(WorkshopError, match="can't be written") as caught:
        embedded.business_file(blocked)
    assert "WORKSHOP_HOME" in caught.value.hint


def test_several_processes_start_at_once(tmp_path: Path) -> None:
    code = (
        "from harness.databases.business import business\n"
        "print([business().query('SELECT COUNT(*) AS n FROM cargo_items').rows for _ in range(20)])"
    )
    environment = {**os.environ, "WORKSHOP_HOME": str(tmp_path), "WORKSHOP_OFFLINE": "1"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=root(),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for _ in range(4)
    ]
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert out.count("[[15000]]") == 20
    assert len(list((tmp_path / "business").iterdir())) == 1


def test_threads_share_it(database: BusinessDatabase) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(15):
                assert database.query(COUNT).rows == [[600]]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO SUPPLYCHAIN.carriers VALUES (99, 'x', 'x', NULL)",
        "DELETE FROM SUPPLYCHAIN.cargo_items",
        "CREATE TABLE main.t (a INTEGER)",
        "COPY SUPPLYCHAIN.carriers TO 'out.csv'",
        "ATTACH 'other.duckdb'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('*')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '64GB'",
        "SET temp_directory = '/tmp'",
    ],
)
def test_the_engine_refuses_by_itself(made: Path, sql: str) -> None:
    """The second wall stands even where the first is gone round."""
    connection = embedded.connect(made)
    with pytest.raises(duckdb.Error):
        connection.execute(sql).fetchall()
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE voyages",
        "CREATE TEMP TABLE t AS SELECT 1",
        "PRAGMA version",
        "SELECT 1; SELECT 2",
    ],
)
def test_query_runs_one_reading_statement(database: BusinessDatabase, sql: str) -> None:
    with pytest.raises(ToolError) as caught:
        database.query(sql)
    assert caught.value.kind == "not_allowed"


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_a_query_that_never_ends_is_interrupted(database: BusinessDatabase, seconds: float) -> None:
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        database.query(
            "SELECT COUNT(*) FROM cargo_items a, cargo_items b, cargo_items c", seconds=seconds
        )
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 5
    assert database.query(COUNT).rows == [[600]]


def test_names_with_and_without_schema(database: BusinessDatabase) -> None:
    for name in (
        "voyages",
        "SUPPLYCHAIN.voyages",
        "supplychain.VOYAGES",
        '"SUPPLYCHAIN"."voyages"',
    ):
        assert database.query(f"SELECT COUNT(*) FROM {name}").rows == [[600]]
    assert database.query("SELECT dummy FROM dual").rows == [["X"]]


def test_rows_are_cut_and_that_is_said(database: BusinessDatabase) -> None:
    cut = database.query("SELECT voyage_id FROM voyages ORDER BY voyage_id", max_rows=3)
    assert (cut.rows, cut.truncated) == ([[1001], [1002], [1003]], True)
    whole = database.query("SELECT carrier_id FROM carriers", max_rows=15)
    assert (len(whole.rows), whole.truncated) == (15, False)


def test_values_are_plain(database: BusinessDatabase) -> None:
    row = database.query(
        "SELECT DATE '2026-06-30', TIMESTAMP '2026-06-30 12:00:00', 1.50::DECIMAL(5, 2), "
        "2.00::DECIMAL(5, 2), 9223372036854775807::HUGEINT * 2, 'nan'::DOUBLE, '-inf'::DOUBLE, "
        "TIMESTAMP '2026-06-30 12:00:00' - TIMESTAMP '2026-07-01 14:30:00', [1, 2], {'a': NULL}, "
        "TRUE, NULL, '\\x01'::BLOB"
    ).rows[0]
    assert row == [
        "2026-06-30",
        "2026-06-30T12:00:00",
        1.5,
        2,
        18446744073709551614,
        "NaN",
        "-Infinity",
        "-1 day -02:30:00",
        [1, 2],
        {"a": None},
        True,
        None,
        "01",
    ]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("12345678901234567890.12::DECIMAL(30, 2)", "12345678901234567890.12"),
        ("0.1::DECIMAL(38, 20)", 0.1),
        ("0.12345678901234567891::DECIMAL(38, 20)", "0.12345678901234567891"),
        ("123456789012345678.00::DECIMAL(20, 2)", 123456789012345678),
        ("[1.5::DECIMAL(4, 2), 2]", [1.5, 2]),
        ("INTERVAL 26 HOUR", "26:00:00"),
        ("INTERVAL '1 year 2 months 3 days'", "1 year 2 months 3 days"),
        ("[INTERVAL 1 MONTH]", ["1 month"]),
        ("'infinity'::DATE", "infinity"),
        ("'-infinity'::TIMESTAMP", "-infinity"),
        ("'infinity'::TIMESTAMPTZ", "infinity"),
        ("['infinity'::DATE, DATE '2026-01-02']", ["infinity", "2026-01-02"]),
        ("{'until': 'infinity'::TIMESTAMP, 'n': 1}", {"until": "infinity", "n": 1}),
        ("TIMESTAMP_NS '2026-01-02 03:04:05.123456789'", "2026-01-02T03:04:05.123456789"),
        ("[TIMESTAMP_NS '2026-01-02 03:04:05.000000001']", ["2026-01-02 03:04:05.000000001"]),
        ("DATE '9999-12-31'", "9999-12-31"),
        ("TIMESTAMP '9999-12-31 01:02:03'", "9999-12-31T01:02:03"),
        ("5!", 120),
    ],
)
def test_a_value_is_what_the_engine_says(
    database: BusinessDatabase, sql: str, says: object
) -> None:
    check_select(f"SELECT {sql}")
    query = f"SELECT n, {sql} AS v -- last\nFROM range(3) AS t(n) ORDER BY n DESC; "
    result = database.query(query, max_rows=2)
    assert result.rows == [[2, says], [1, says]] and result.columns == ["n", "v"]
    assert result.truncated


def test_an_infinite_date_among_others(database: BusinessDatabase) -> None:
    rows = database.query(
        "SELECT * FROM (VALUES (DATE '2026-01-02'), ('infinity'::DATE), (NULL)) AS t(d) ORDER BY d"
    ).rows
    assert rows == [["2026-01-02"], ["infinity"], [None]]


def test_huge_cells_and_results_are_bounded(database: BusinessDatabase) -> None:
    cell = database.query("SELECT REPEAT('x', 1000000)").rows[0][0]
    assert len(cell) < 5_000 and "996000 more characters" in cell
    many = database.query("SELECT REPEAT('x', 4000) FROM range(5000)", max_rows=1000)
    assert many.truncated and len(many.rows) < 100


def test_a_renamed_column_is_followed(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.duckdb"
    with duckdb.connect(str(copy)) as writable:
        writable.execute(f"ATTACH '{made}' AS src (READ_ONLY)")
        writable.execute("CREATE SCHEMA SUPPLYCHAIN")
        writable.execute(
            "CREATE TABLE SUPPLYCHAIN.voyages AS SELECT voyage_id, status AS state "
            "FROM src.SUPPLYCHAIN.voyages"
        )
    other = BusinessDatabase(copy)
    with use_business(other):
        assert business() is other
        assert [c.name for c in business().catalogue()[0].columns] == ["voyage_id", "state"]
        assert business().samples("voyages", "state")[0] == "ARRIVED"
        with pytest.raises(ToolError, match='no column "status"') as caught:
            business().query("SELECT status FROM voyages")
        assert "state" in caught.value.hint
    other.close()


def test_business_follows_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home_with_data: Path
) -> None:
    monkeypatch.setenv("WORKSHOP_HOME", str(home_with_data))
    reset_settings()
    try:
        assert business().path.parent == home_with_data / "business"
        assert business() is business()
    finally:
        business().close()
        monkeypatch.undo()
        reset_settings()


def test_catalogue_of_a_schema_that_is_not_there(database: BusinessDatabase) -> None:
    with pytest.raises(WorkshopError, match="no schema 'HR'") as caught:
        database.catalogue("HR")
    assert "SUPPLYCHAIN" in caught.value.hint
    assert [t.name for t in database.catalogue("supplychain")] == [
        "cargo_items",
        "carriers",
        "containers",
        "ports",
        "vessel_positions",
        "vessels",
        "voyages",
    ]


def test_samples_of_columns_of_few_values_only(database: BusinessDatabase) -> None:
    regions = ["ATLANTIC", "INDIAN", "MEDITERRANEAN", "PACIFIC"]
    assert database.samples("ports", "ocean_region") == regions
    assert database.samples("vessels", "name") == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(WorkshopError, match=r"x\.duckdb can't be opened"):
        BusinessDatabase(path)


@pytest.mark.parametrize("name", ["a b", "ünï", "it's", "50%", "a#b;c&d=e", "[x]"])
def test_a_home_may_have_an_odd_name(tmp_path: Path, name: str) -> None:
    opened = BusinessDatabase(embedded.business_file(tmp_path / name))
    assert opened.query_apart(COUNT).rows == opened.query(COUNT).rows == [[600]]
    opened.close()


def test_the_one_name_that_duckdb_cannot_have_is_said(tmp_path: Path) -> None:
    with pytest.raises(WorkshopError, match="WORKSHOP_HOME"):
        embedded.business_file(tmp_path / "a?b")
