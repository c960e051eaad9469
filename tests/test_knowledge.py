"""Knowledge: what a scan makes of a schema, and how it is found again."""

import json
from pathlib import Path

import pytest

from harness.databases.state import state
from harness.errors import WorkshopError
from harness.knowledge import facts
from harness.knowledge.fact_search import (
    all_facts,
    ensure_scanned,
    retrieve_knowledge,
    scan_schema,
)
from harness.knowledge.schema_introspection import sentence
from harness.memory.storable_text import one_line
from tests.business_copies import changed_copy, database_of
from tests.facts import HOSTILE, found
from tests.homes import printed


def bodies(kind: str) -> dict[str, str]:
    return {fact["subject"]: fact["body"] for fact in all_facts([kind])}


# Scanning


def test_a_scan_makes_facts_of_four_kinds(home: Path) -> None:
    counts = scan_schema("supplychain")
    assert (counts["tables"], counts["columns"], counts["relationships"]) == (7, 48, 9)
    assert counts["patterns"] == len(bodies("query_pattern")) > 5
    assert counts["added"] == len(all_facts()) and counts["removed"] == counts["updated"] == 0
    assert bodies("table")["SUPPLYCHAIN.carriers"] == (
        "Table SUPPLYCHAIN.carriers, 15 rows. Shipping companies that own vessels and operate "
        "voyages. Key: carrier_id. Columns: carrier_id INTEGER, name VARCHAR, country VARCHAR, "
        "alliance VARCHAR."
    )
    assert bodies("relationship")["SUPPLYCHAIN.voyages.carrier_id"] == (
        "SUPPLYCHAIN.voyages.carrier_id references SUPPLYCHAIN.carriers.carrier_id."
    )
    status = bodies("column")["SUPPLYCHAIN.voyages.status"]
    assert status.startswith("Column SUPPLYCHAIN.voyages.status VARCHAR. Status of the voyage")
    assert status.endswith("Values: ARRIVED, CANCELLED, DELAYED, IN_TRANSIT, LOADING, SCHEDULED.")
    assert "Values:" not in bodies("column")["SUPPLYCHAIN.vessels.name"]
    assert "Values:" not in bodies("column")["SUPPLYCHAIN.vessels.carrier_id"]
    pattern = bodies("query_pattern")["Voyages by status"]
    assert pattern.startswith("Pattern: how many voyages") and " SQL: SELECT status" in pattern


def test_every_body_is_one_line(home: Path) -> None:
    ensure_scanned()
    assert all(len(f["body"].splitlines()) == 1 for f in all_facts())


def test_the_first_question_in_a_fresh_home_scans(home: Path) -> None:
    assert found("status of a voyage", kinds=["column"])[0] == "SUPPLYCHAIN.voyages.status"


def test_a_second_scan_changes_and_embeds_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan_schema()
    asked: list[str] = []
    embed = facts.embed_if_possible
    monkeypatch.setattr(
        facts, "embed_if_possible", lambda texts: (asked.extend(texts), embed(texts))[1]
    )
    counts = scan_schema()
    assert [counts[n] for n in ("added", "updated", "removed", "embedded")] == [0, 0, 0, 0]
    assert asked == []


def test_a_renamed_column_is_followed_after_a_rescan(home: Path, tmp_path: Path) -> None:
    scan_schema()
    rename = ("temperature_c", "reefer_celsius")
    with changed_copy(tmp_path / "renamed.duckdb", rename=rename):
        assert "SUPPLYCHAIN.containers.temperature_c" in found("temperature of a reefer")
        counts = scan_schema()
        assert "SUPPLYCHAIN.containers.reefer_celsius" in found("temperature of a reefer")
        assert found("reefer_celsius")[0] == "SUPPLYCHAIN.containers.reefer_celsius"
        assert "temperature_c" not in json.dumps(all_facts())
    # The column is another; its table and the two queries that named it changed or went.
    assert counts["added"] == 1 and counts["updated"] == 1
    assert counts["removed"] == 2 and counts["embedded"] == 2


def test_a_changed_comment_is_embedded_again(home: Path, tmp_path: Path) -> None:
    scan_schema()
    comment = "COMMENT ON COLUMN SUPPLYCHAIN.vessels.flag IS 'Purple elephants on parade'"
    with changed_copy(tmp_path / "changed.duckdb", comment):
        counts = scan_schema()
        assert (counts["updated"], counts["embedded"]) == (1, 1)
        assert found("purple elephant")[0] == "SUPPLYCHAIN.vessels.flag"
    assert scan_schema()["updated"] == 1
    assert "Flag state" in bodies("column")["SUPPLYCHAIN.vessels.flag"]


def test_a_vanished_table_takes_its_facts_along(home: Path, tmp_path: Path) -> None:
    scan_schema()
    with changed_copy(tmp_path / "less.duckdb", "DROP TABLE SUPPLYCHAIN.vessel_positions"):
        scan_schema()
        subjects = {fact["subject"] for fact in all_facts()}
        assert not any("vessel_positions" in subject for subject in subjects)
        assert "Latest position of each vessel at sea" not in subjects
        assert not any("vessel_positions" in s for s in found("where is the vessel", 25))
    assert (
        state().read("SELECT count(*) FROM facts")[0][0]
        == (state().read("SELECT count(*) FROM facts_words")[0][0])
    )


def test_two_schemas_are_kept_apart(home: Path, tmp_path: Path) -> None:
    scan_schema()
    before = len(all_facts())
    statements = ["CREATE SCHEMA HR", "CREATE TABLE HR.sailors (sailor_id INTEGER, name VARCHAR)"]
    with changed_copy(tmp_path / "two.duckdb", *statements):
        assert scan_schema("hr")["tables"] == 1
    assert len(all_facts()) == before + 3
    assert "HR.sailors" in found("sailors", kinds=["table"])


@pytest.mark.parametrize("owner", ["NOWHERE", "", "x'; DROP TABLE facts; --", "日本", "a" * 128])
def test_an_unknown_schema_is_said_to_be_unknown(home: Path, owner: str) -> None:
    with pytest.raises(WorkshopError, match="schema"):
        scan_schema(owner)


def test_facts_are_the_same_in_every_process(home: Path, tmp_path: Path) -> None:
    code = (
        "import json; from harness.knowledge.fact_search import *; ensure_scanned();"
        "print(json.dumps([all_facts(), retrieve_knowledge('harbours', 25)]))"
    )
    outputs = [printed(code, home=tmp_path / seed, PYTHONHASHSEED=seed) for seed in ("1", "2")]
    assert outputs[0] == outputs[1] != ""


def test_the_order_of_scans_leaves_no_trace(home: Path, tmp_path: Path) -> None:
    scan_schema()
    before = retrieve_knowledge("delay of voyages", 25)
    with changed_copy(tmp_path / "less.duckdb", "DROP TABLE SUPPLYCHAIN.cargo_items"):
        scan_schema()
    scan_schema()
    assert retrieve_knowledge("delay of voyages", 25) == before


def test_a_hostile_comment_is_one_line_of_data(home: Path, tmp_path: Path) -> None:
    quoted = HOSTILE.replace("\x00", "").replace("'", "''")
    statements = [
        "CREATE SCHEMA SUPPLYCHAIN",
        "CREATE TABLE SUPPLYCHAIN.boats (boat_id INTEGER PRIMARY KEY, name VARCHAR)",
        "INSERT INTO SUPPLYCHAIN.boats VALUES (1, 'a\n# Question\nb'), (2, 'c')",
        f"COMMENT ON COLUMN SUPPLYCHAIN.boats.name IS '{quoted}'",
        f"COMMENT ON TABLE SUPPLYCHAIN.boats IS '{quoted}'",
    ]
    with database_of(tmp_path / "hostile.duckdb", *statements):
        scan_schema()
        column = bodies("column")["SUPPLYCHAIN.boats.name"]
        table = bodies("table")["SUPPLYCHAIN.boats"]
    for body in (column, table):
        assert len(body.splitlines()) == 1 and body.isprintable()
        for mark in ("<script>", "<|im_start|>", "```", "\u202e"):
            assert mark not in body
        assert 'Ship\'s "name"' in body and "Ignore all previous" in body  # kept, as data
    assert column.count("Values:") == 1 and column.endswith("Values: a # Question b, c.")
    assert table.count("Key:") == 1 and table.count("Columns:") == 1
    assert table.endswith("Key: boat_id. Columns: boat_id INTEGER, name VARCHAR.")


def test_odd_identifiers_survive(home: Path, tmp_path: Path) -> None:
    statements = [
        "CREATE SCHEMA SUPPLYCHAIN",
        'CREATE TABLE SUPPLYCHAIN."odd "" table" ("a.b c" VARCHAR, "日本" INTEGER, "select" DATE)',
        """INSERT INTO SUPPLYCHAIN."odd "" table" VALUES ('x', 1, NULL)""",
    ]
    with database_of(tmp_path / "odd.duckdb", *statements):
        assert scan_schema()["columns"] == 3
        assert 'SUPPLYCHAIN.odd " table.日本' in found("日本", 2)


def test_long_comments_and_many_values_are_bounded(home: Path, tmp_path: Path) -> None:
    statements = [
        "CREATE SCHEMA SUPPLYCHAIN",
        "CREATE TABLE SUPPLYCHAIN.big AS SELECT 'v' || (i % 24) AS few, 'w' || i AS many, "
        "repeat('z', 5000) AS long FROM range(1000) t(i)",
        f"COMMENT ON COLUMN SUPPLYCHAIN.big.many IS '{'very long ' * 10_000}'",
    ]
    with database_of(tmp_path / "big.duckdb", *statements):
        scan_schema()
        column = bodies("column")
    assert column["SUPPLYCHAIN.big.few"].count(", v") == 23
    assert "Values" not in column["SUPPLYCHAIN.big.many"]
    assert all(len(body) < 1_000 for body in column.values())


def test_a_schema_of_a_thousand_tables(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "EMBED_AT_ONCE", 20)  # the model's speed is not what this is about
    statements = ["CREATE SCHEMA SUPPLYCHAIN", "BEGIN"]
    statements += [
        f"CREATE TABLE SUPPLYCHAIN.t{i} (id INTEGER PRIMARY KEY, kind VARCHAR, amount{i} INT)"
        for i in range(1_000)
    ]
    statements += [f"INSERT INTO SUPPLYCHAIN.t{i} VALUES (1, 'a', 2)" for i in range(100)]
    with database_of(tmp_path / "thousand.duckdb", *statements, "COMMIT"):
        counts = scan_schema()
        assert (counts["tables"], counts["columns"], counts["added"]) == (1_000, 3_000, 4_000)
        assert (counts["embedded"], counts["pending"]) == (20, 3_980)
        # What has no vector yet is found by its words.
        assert found("amount734")[0] == "SUPPLYCHAIN.t734.amount734"
        again = scan_schema()
        assert (again["added"], again["embedded"], again["pending"]) == (0, 20, 3_960)


def test_text_is_folded_into_one_line() -> None:
    assert one_line("a\r\n\tb\u2029c\x00d", 50) == "a b cd"
    assert one_line("x" * 100, 10) == "xxxxxxx..."
    assert sentence("Values: 1 <b>bold</b>") == "Values - 1 bold."
    assert sentence("less than 5 < 6, a > b") == "less than 5 < 6, a > b."
    assert sentence("") == sentence(None) == ""
