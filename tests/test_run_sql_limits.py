"""run_sql under load: deadlines, memory, processes that die, several queries at once."""

import contextvars
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from harness.databases import query_process
from harness.databases.business import BusinessDatabase, business, use_business
from harness.errors import ToolError
from tests.slices import in_part
from tests.sql_answers import ask, refusal

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize(
    "sql",
    in_part(
        [
            "SELECT range(1000000000)",  # eight gigabytes in one value, which no interrupt reaches
            "SELECT UNNEST(RANGE(voyage_id * 1000000)) FROM voyages",
            "SELECT LIST_SORT(RANGE(100000000))",
            "SELECT LENGTH(REPEAT('x', 2000000000))",  # takes ten seconds
        ],
        3,
    ),
)
def test_a_query_that_would_eat_the_memory_is_stopped(sql: str) -> None:
    here = psutil.Process()
    before = here.memory_info().rss
    error = refusal(sql)
    assert error.kind == "failed" and "emory" in str(error)
    assert here.memory_info().rss < before + 100_000_000
    assert ask("SELECT COUNT(*) FROM voyages")["rows"] == [[600]]


def test_a_function_that_no_interrupt_reaches_is_stopped_in_time(
    database: BusinessDatabase,
) -> None:
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        database.query_apart("SELECT LPAD('x', 1000000000, 'y')", seconds=0.5)
    assert caught.value.kind == "timeout" and "0.5 s" in str(caught.value)
    assert time.monotonic() - started < 4


def test_a_query_process_that_dies_costs_its_own_query_only(database: BusinessDatabase) -> None:
    ask("SELECT 1")
    (child,) = [child for held, child in query_process._idle if held == database.path]
    child.process.kill()
    child.process.wait()
    assert ask("SELECT 2")["rows"] == [[2]]
    (child,) = [child for held, child in query_process._idle if held == database.path]
    threading.Timer(0.3, child.process.kill).start()
    assert "without a result" in str(refusal("SELECT SUM(range) FROM range(100000000000)"))


def test_few_query_processes_are_kept_however_many_databases_there_were(tmp_path: Path) -> None:
    for number in range(4):
        copy = tmp_path / f"{number}.duckdb"
        shutil.copy(business().path, copy)
        with use_business(BusinessDatabase(copy)):
            assert ask("SELECT 1")["rows"] == [[1]]
    assert len(query_process._idle) == 2


def test_a_query_process_without_a_query_is_ended(
    database: BusinessDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("SELECT 1")
    (child,) = [child for held, child in query_process._idle if held == database.path]
    monkeypatch.setattr(query_process, "IDLE_SECONDS", 0.05)
    ask("SELECT 1")
    child.process.wait(timeout=20)
    assert ask("SELECT 2")["rows"] == [[2]]


def test_queries_at_once_each_get_their_own_answer() -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(contextvars.copy_context().run, ask, f"SELECT {n}") for n in range(12)]
        assert [each.result()["rows"] for each in asked] == [[[n]] for n in range(12)]
