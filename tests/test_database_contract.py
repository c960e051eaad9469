"""What any adapter does, whichever database is behind it. Run for each that is at hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.databases.ports import BusinessPort
from harness.databases.shelf import Shelf
from harness.databases.state_tables import state_tables
from harness.errors import ToolError, WorkshopError
from harness.guards.sql_guard import check_select
from harness.knowledge.schema_introspection import facts_of, recorded_workload
from tests.databases_at_hand import BUSINESS, PACIFIC, SHELVES, same


@pytest.fixture(scope="module", params=sorted(BUSINESS))
def business(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[BusinessPort]:
    opened = BUSINESS[request.param](tmp_path_factory.mktemp("contract"))
    yield opened
    opened.close()


@pytest.fixture(params=sorted(SHELVES))
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    yield from SHELVES[request.param](tmp_path)


class TestReading:
    def test_columns_and_rows(self, business: BusinessPort) -> None:
        result = business.query(
            "SELECT status, COUNT(*) AS n FROM voyages GROUP BY status ORDER BY status"
        )
        assert result.columns == ["status", "n"] and not result.truncated
        assert [row[0] for row in result.rows] == sorted(row[0] for row in result.rows)
        assert sum(row[1] for row in result.rows) == 600

    @pytest.mark.parametrize("apart", [False, True])
    def test_rows_are_cut_and_that_is_said(self, business: BusinessPort, apart: bool) -> None:
        ask = business.query_apart if apart else business.query
        sql = "SELECT voyage_id FROM voyages ORDER BY voyage_id"
        assert (len(ask(sql, 7).rows), ask(sql, 7).truncated) == (7, True)
        assert (len(ask(sql, 600).rows), ask(sql, 600).truncated) == (600, False)

    @pytest.mark.parametrize(
        ("sql", "value"),
        [
            ("SELECT 1 FROM dual", 1),
            ("SELECT CAST(NULL AS INTEGER) FROM dual", None),
            ("SELECT DATE '2026-06-30' - 1 FROM dual", "2026-06-29"),
            ("SELECT 12345678901234567890 FROM dual", 12345678901234567890),
            ("SELECT CAST(0.1 AS DECIMAL(10, 2)) FROM dual", 0.1),
            ("SELECT COALESCE(NULL, 'x') FROM dual", "x"),
            ("SELECT EXTRACT(YEAR FROM eta) FROM voyages WHERE voyage_id = 1001", 2025),
            ("SELECT 'Ünïcode' FROM dual", "Ünïcode"),
        ],
    )
    def test_values(self, business: BusinessPort, sql: str, value: Any) -> None:
        (got,) = business.query(sql).rows[0]
        assert str(got).removesuffix("T00:00:00") == str(value)

    def test_a_percentile(self, business: BusinessPort) -> None:
        sql = (
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY delay_hours) AS p FROM voyages "
            "WHERE status = 'DELAYED'"
        )
        ((middle,),) = business.query(sql).rows
        rows = business.query("SELECT delay_hours FROM voyages WHERE status = 'DELAYED'", 600).rows
        hours = sorted(row[0] for row in rows)
        assert same(middle) == same((hours[(len(hours) - 1) // 2] + hours[len(hours) // 2]) / 2)

    def test_every_recorded_query_runs(self, business: BusinessPort) -> None:
        for entry in recorded_workload("SUPPLYCHAIN"):
            check_select(entry["sql"], business.dialect)
            assert business.query(entry["sql"], 5).columns, entry["title"]


class TestRefusing:
    @pytest.mark.parametrize(
        "sql",
        [
            "DELETE FROM voyages",
            "UPDATE voyages SET status = 'X'",
            "INSERT INTO carriers SELECT * FROM carriers",
            "DROP TABLE voyages",
            "CREATE TABLE t (a INTEGER)",
        ],
    )
    def test_nothing_but_reading_is_run(self, business: BusinessPort, sql: str) -> None:
        with pytest.raises(ToolError) as caught:
            business.query(sql)
        assert caught.value.kind == "not_allowed"
        assert business.query("SELECT COUNT(*) FROM voyages").rows == [[600]]

    def test_the_nearest_column_and_table_are_named(self, business: BusinessPort) -> None:
        with pytest.raises(ToolError, match=r"Did you mean .*status"):
            business.query("SELECT statuss FROM voyages")
        with pytest.raises(ToolError, match="voyages"):
            business.query("SELECT * FROM voyagez")

    def test_a_query_that_takes_too_long_is_stopped(self, business: BusinessPort) -> None:
        sql = "SELECT COUNT(*) FROM cargo_items a, cargo_items b, cargo_items c"
        with pytest.raises(ToolError) as caught:
            business.query(sql, seconds=0.3)
        assert caught.value.kind == "timeout"
        assert business.query("SELECT COUNT(*) FROM ports").rows == [[30]]


class TestCatalogue:
    def test_tables_columns_comments_and_keys(self, business: BusinessPort) -> None:
        tables = {table.name: table for table in business.catalogue()}
        assert len(tables) == 7 and tables["voyages"].row_count == 600
        assert "2026-06-30" in tables["voyages"].comment
        columns = {column.name: column for column in tables["vessels"].columns}
        assert "never tons" in columns["capacity_teu"].comment
        assert not columns["vessel_id"].nullable
        assert tables["vessels"].primary_key == ["vessel_id"]
        assert [(k.column, k.ref_table) for k in tables["containers"].foreign_keys] == [
            ("voyage_id", "voyages")
        ]

    def test_an_unknown_schema(self, business: BusinessPort) -> None:
        with pytest.raises(WorkshopError):
            business.catalogue("NOWHERE")

    def test_samples_where_there_are_few(self, business: BusinessPort) -> None:
        assert business.samples("voyages", "ocean_region") == [
            "ATLANTIC",
            "INDIAN",
            "MEDITERRANEAN",
            "PACIFIC",
        ]
        assert business.samples("voyages", "voyage_id") == []

    def test_names(self, business: BusinessPort) -> None:
        assert business.names()["ports"][:2] == ["port_id", "unlocode"]

    def test_facts_can_be_made_of_it(self, business: BusinessPort) -> None:
        facts = {fact.subject: fact.body for fact in facts_of(business, "SUPPLYCHAIN")}
        assert "DELAYED" in facts["SUPPLYCHAIN.voyages.status"]


class TestRowPolicy:
    def test_rows_left_out_are_nowhere(self, business: BusinessPort) -> None:
        seen = business.limited([PACIFIC])
        assert seen.query("SELECT DISTINCT ocean_region FROM voyages").rows == [["PACIFIC"]]
        whole = business.query("SELECT COUNT(*) FROM containers").rows[0][0]
        assert 0 < seen.query("SELECT COUNT(*) FROM containers").rows[0][0] < whole

    def test_a_masked_value_is_not_shown(self, business: BusinessPort) -> None:
        rows = business.limited([PACIFIC]).query(
            "SELECT DISTINCT unit_value_cents FROM cargo_items"
        )
        assert rows.rows in ([[0]], [[None]])

    def test_the_whole_is_not_changed_by_it(self, business: BusinessPort) -> None:
        business.limited([PACIFIC])
        assert business.query("SELECT COUNT(*) FROM voyages").rows == [[600]]


class TestState:
    """Through the port for moving: the one that both ends of a move have."""

    def rows(self) -> list[tuple[Any, ...]]:
        return [
            ("contract-test", f"f{number}", text, "2026-06-30", "")
            for number, text in enumerate(["", "\u2400", "two\nlines", "x" * 70_000, "Ünïcode 🚢"])
        ]

    def test_rows_come_back_as_they_were(self, shelf: Shelf) -> None:
        table = state_tables()["scratch_files"]
        before = shelf.count(table)
        shelf.add(table, self.rows())
        assert shelf.count(table) == before + 5
        keys = [row[:2] for row in self.rows()]
        assert shelf.find(table, [*keys, ("contract-test", "none")]) == dict(
            zip(keys, self.rows(), strict=True)
        )

    def test_rows_are_read_in_the_order_of_their_keys(self, shelf: Shelf) -> None:
        table = state_tables()["scratch_files"]
        shelf.add(table, self.rows())
        first = shelf.rows(table, ("contract-test", ""), 2)
        rest = shelf.rows(table, first[-1][:2], 100)
        mine = [row for row in [*first, *rest] if row[0] == "contract-test"]
        assert mine == self.rows()

    def test_a_row_that_is_there_is_not_overwritten(self, shelf: Shelf) -> None:
        table = state_tables()["scratch_files"]
        shelf.add(table, self.rows()[:1])
        with pytest.raises(WorkshopError, match="other rows of scratch_files"):
            shelf.add(table, [self.rows()[1], self.rows()[0]])
        assert shelf.find(table, [self.rows()[1][:2]]) == {}
