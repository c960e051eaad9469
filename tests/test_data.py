"""The data: reproducible, consistent, commented, and uneven enough to be worth asking about."""

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml

from harness.databases.business import BusinessDatabase
from harness.databases.embedded import business_file
from harness.guards.sql_guard import check_select
from tests.slices import in_part

DATA = Path(__file__).parent.parent / "data"
FOLDER = DATA / "supplychain"
TODAY = datetime(2026, 6, 30, 12)
Row = dict[str, str]


def table(name: str) -> list[Row]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def when(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@pytest.fixture(scope="module")
def voyages() -> list[Row]:
    return table("voyages")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = BusinessDatabase(business_file(tmp_path_factory.mktemp("home")))
    yield found
    found.close()


@pytest.mark.parametrize("seed", in_part(["0", "4711"], 1))
def test_generator_makes_the_files_that_are_kept(tmp_path: Path, seed: str) -> None:
    subprocess.run(
        [sys.executable, str(DATA / "make_supplychain.py"), str(tmp_path)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == sorted(path.name for path in FOLDER.glob("*.csv"))
    for name in made:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_sizes() -> None:
    sizes = {path.stem: len(table(path.stem)) for path in sorted(FOLDER.glob("*.csv"))}
    positions = sizes.pop("vessel_positions")
    assert sizes == {
        "cargo_items": 15_000,
        "carriers": 15,
        "containers": 6_000,
        "ports": 30,
        "vessels": 60,
        "voyages": 600,
    }
    assert positions >= 30
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000


def test_imo_and_container_numbers_have_valid_check_digits() -> None:
    for vessel in table("vessels"):
        digits = [int(d) for d in vessel["imo"]]
        assert len(digits) == 7
        assert sum(d * w for d, w in zip(digits, range(7, 1, -1), strict=False)) % 10 == digits[6]
    numbers = [container["container_no"] for container in table("containers")]
    assert len(set(numbers)) == len(numbers)
    letters = [n for n in range(10, 39) if n % 11]
    values = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", letters, strict=True))
    for number in numbers:
        total = sum(
            values.get(c, int(c) if c.isdigit() else 0) << i for i, c in enumerate(number[:10])
        )
        assert re.fullmatch(r"[A-Z]{3}U\d{7}", number) and total % 11 % 10 == int(number[10])


def test_ports_are_in_their_country_and_on_the_map() -> None:
    for port in table("ports"):
        assert re.fullmatch(r"[A-Z]{5}", port["unlocode"])
        assert -60 < float(port["lat"]) < 70 and -180 <= float(port["lon"]) <= 180
    codes = {port["name"]: port["unlocode"] for port in table("ports")}
    assert codes["Shanghai"] == "CNSHA" and codes["Rotterdam"] == "NLRTM"


def test_status_and_dates_agree(voyages: list[Row]) -> None:
    for v in voyages:
        departed, eta, arrived = when(v["departed_at"]), when(v["eta"]), when(v["arrived_at"])
        delay = int(v["delay_hours"]) if v["delay_hours"] else None
        assert eta is not None
        if v["status"] in ("SCHEDULED", "LOADING", "CANCELLED"):
            assert departed is None and arrived is None and delay is None, v
            if v["status"] != "CANCELLED":
                assert eta > TODAY
            continue
        assert departed is not None and delay is not None and departed <= TODAY and delay >= 0
        if v["status"] == "ARRIVED":
            assert arrived is not None and departed < arrived <= TODAY
            late = arrived - eta
            assert late == timedelta(hours=delay) if delay else late <= timedelta(0)
        else:
            assert arrived is None and eta + timedelta(hours=delay) > TODAY
            assert (delay >= 24) == (v["status"] == "DELAYED")


def test_a_vessel_is_on_one_voyage_at_a_time(voyages: list[Row]) -> None:
    by_vessel: dict[str, list[Row]] = {}
    for v in voyages:
        if v["status"] != "CANCELLED" and v["departed_at"]:
            by_vessel.setdefault(v["vessel_id"], []).append(v)
    for trips in by_vessel.values():
        trips.sort(key=lambda v: v["departed_at"])
        for before, after in pairwise(trips):
            assert before["status"] == "ARRIVED"
            assert before["arrived_at"] < after["departed_at"]
            assert before["destination_port_id"] == after["origin_port_id"]
        assert sum(v["status"] in ("IN_TRANSIT", "DELAYED") for v in trips) <= 1


def test_the_region_is_that_of_the_destination(voyages: list[Row]) -> None:
    region = {p["port_id"]: p["ocean_region"] for p in table("ports")}
    for v in voyages:
        assert v["ocean_region"] == region[v["destination_port_id"]]
        assert v["origin_port_id"] != v["destination_port_id"]


def test_positions_are_of_the_voyages_at_sea(voyages: list[Row]) -> None:
    at_sea = {v["voyage_id"]: v for v in voyages if v["status"] in ("IN_TRANSIT", "DELAYED")}
    seen = Counter()
    for p in table("vessel_positions"):
        voyage = at_sea[p["voyage_id"]]
        seen[p["voyage_id"]] += 1
        assert p["vessel_id"] == voyage["vessel_id"]
        assert voyage["departed_at"] < p["observed_at"] <= TODAY.isoformat(" ")
        assert -90 <= float(p["lat"]) <= 90 and -180 <= float(p["lon"]) <= 180
        assert 4 <= float(p["speed_knots"]) <= 25
    assert set(seen) == set(at_sea)


def test_answers_are_worth_asking_for(voyages: list[Row]) -> None:
    statuses = Counter(v["status"] for v in voyages)
    assert set(statuses) == {
        "SCHEDULED",
        "LOADING",
        "IN_TRANSIT",
        "DELAYED",
        "ARRIVED",
        "CANCELLED",
    }
    for column in ("status", "ocean_region", "carrier_id"):
        counts = Counter(v[column] for v in voyages).values()
        assert max(counts) > 2 * min(counts), column
    dry = sum(not c["temperature_c"] for c in table("containers"))
    assert 4_500 < dry < 5_700
    alliances = Counter(c["alliance"] for c in table("carriers"))
    assert alliances[""] >= 5 and len(alliances) == 3


def test_cold_goods_travel_in_cold_containers() -> None:
    cold = {c["container_id"] for c in table("containers") if c["temperature_c"]}
    frozen = [i for i in table("cargo_items") if "frozen" in i["description"]]
    assert frozen and all(i["container_id"] in cold for i in frozen)


def test_every_table_and_column_has_a_comment(database: BusinessDatabase) -> None:
    tables = database.catalogue("SUPPLYCHAIN")
    assert len(tables) == 7
    for each in tables:
        assert each.comment and each.primary_key, each.name
        for column in each.columns:
            assert column.comment.endswith("."), f"{each.name}.{column.name}"
    comments = {f"{t.name}.{c.name}": c.comment for t in tables for c in t.columns}
    assert "twenty-foot equivalent units" in comments["vessels.capacity_teu"]
    assert "never tons" in comments["vessels.capacity_teu"]
    assert "US cents" in comments["cargo_items.unit_value_cents"]
    assert "kilograms" in comments["cargo_items.weight_kg"]
    assert "knots" in comments["vessel_positions.speed_knots"]
    assert "today is 2026-06-30" in {t.name: t.comment for t in tables}["voyages"]


def test_the_schema_does_not_say_what_active_means_or_who_is_a_group() -> None:
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("ddl.sql", "workload.yaml")]
    assert not re.search(
        r"\b(in)?active\b|\bgroup of\b|\bcarrier group", " ".join(texts), re.IGNORECASE
    )


def test_foreign_keys(database: BusinessDatabase) -> None:
    keys = {
        f"{t.name}.{k.column}": f"{k.ref_table}.{k.ref_column}"
        for t in database.catalogue()
        for k in t.foreign_keys
    }
    assert len(keys) == 9
    assert keys["voyages.origin_port_id"] == "ports.port_id"
    for key, target in keys.items():
        (child, column), (parent, ref) = key.split("."), target.split(".")
        sql = (
            f"SELECT COUNT(*) FROM {child} c LEFT JOIN {parent} p ON p.{ref} = c.{column} "
            f"WHERE p.{ref} IS NULL AND c.{column} IS NOT NULL"
        )
        assert database.query(sql).rows == [[0]]


WORKLOAD = yaml.safe_load((FOLDER / "workload.yaml").read_text(encoding="utf-8"))


def test_the_workload_is_titled() -> None:
    titles = [each["title"] for each in WORKLOAD]
    assert len(titles) >= 12 and len(set(titles)) == len(titles)
    assert all(set(each) == {"title", "answers", "sql"} for each in WORKLOAD)


@pytest.mark.parametrize("entry", WORKLOAD, ids=lambda entry: entry["title"])
def test_the_workload_runs_and_is_common_ground(entry: Row, database: BusinessDatabase) -> None:
    check_select(entry["sql"])
    assert database.query(entry["sql"], max_rows=5).rows
    assert len(sqlglot.parse(entry["sql"], read="oracle")) == 1
    assert not re.search(r"::|\bLIMIT\b|\bILIKE\b|\|\||\bGROUP BY ALL\b", entry["sql"])
