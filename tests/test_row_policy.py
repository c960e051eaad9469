"""Row and column policy: what a query gives is what a database without those rows gives."""

import csv
import json
import random
import uuid
from functools import cache

import duckdb
import pytest

from harness import (
    ToolError,
    WorkshopError,
    find_voyages,
    run_sql,
    session,
    voyage_status,
)
from harness.databases import embedded
from harness.databases.business import business, limited_to
from harness.databases.row_policy import RowPolicy
from harness.databases.values import json_value
from tests.slices import in_part

REGIONS = ("PACIFIC", "ATLANTIC", "INDIAN")


@cache
def rows_of(table):
    with (embedded.data_folder() / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


MASKS = {  # column -> the value in its place
    "cargo_items.unit_value_cents": "0",
    "vessels.flag": "hidden",
    "containers.temperature_c": "",  # NULL
}


def as_masked(table, row):
    masks = {column: MASKS.get(f"{table}.{column}", value) for column, value in row.items()}
    return {**row, **masks}


def reference(region, folder):
    """A database made from the CSVs, row by row in Python, with what this region may see."""
    kept = {name: rows_of(name) for name in ("carriers", "ports", "vessels")}
    kept["voyages"] = [r for r in rows_of("voyages") if r["ocean_region"] == region]
    voyages = {row["voyage_id"] for row in kept["voyages"]}
    for name in ("vessel_positions", "containers"):
        kept[name] = [row for row in rows_of(name) if row["voyage_id"] in voyages]
    containers = {row["container_id"] for row in kept["containers"]}
    kept["cargo_items"] = [r for r in rows_of("cargo_items") if r["container_id"] in containers]
    kept = {name: [as_masked(name, row) for row in rows] for name, rows in kept.items()}
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute(embedded.ddl())
    for name, rows in kept.items():
        file = folder / f"{name}.csv"
        with file.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        connection.execute(
            f"COPY SUPPLYCHAIN.{name} FROM '{file.as_posix()}' (FORMAT csv, HEADER, NULLSTR '')"
        )
    connection.execute("SET search_path = 'main,SUPPLYCHAIN'")
    return connection


def policy(region):
    masks = {column: f"'{value}'" if value else "NULL" for column, value in MASKS.items()}
    return RowPolicy((("voyages", f"ocean_region = '{region}'"),), tuple(masks.items()))


TABLES = {
    "voyages": ("voyage_id", "vessel_id", "carrier_id", "status", "ocean_region", "delay_hours"),
    "containers": ("container_id", "voyage_id", "size_teu", "temperature_c"),
    "cargo_items": ("item_id", "container_id", "quantity", "unit_value_cents", "hs_code"),
    "vessel_positions": ("position_id", "voyage_id", "speed_knots"),
    "ports": ("port_id", "ocean_region", "country"),
    "vessels": ("vessel_id", "carrier_id", "capacity_teu", "flag"),
}
JOINS = [
    "voyages a JOIN containers b ON a.voyage_id = b.voyage_id",
    "containers a JOIN cargo_items b ON a.container_id = b.container_id",
    "voyages a LEFT JOIN vessel_positions b ON a.voyage_id = b.voyage_id",
    "ports a LEFT JOIN voyages b ON a.port_id = b.destination_port_id",
    "vessels a FULL JOIN voyages b ON a.vessel_id = b.vessel_id",
]


class Generator:
    """Queries as a curious model would write them."""

    def __init__(self, seed):
        self.dice = random.Random(seed)

    def query(self):
        return self.dice.choice(
            (
                self.aggregate,
                self.subquery,
                self.with_cte,
                self.union,
                self.join,
                self.windowed,
                self.masked,
                self.by_a_hidden_value,
                self.statistics,
                self.correlated,
                self.faulty,
            )
        )()

    def table(self):
        name = self.dice.choice(list(TABLES))
        return name, self.dice.choice(TABLES[name])

    def condition(self, column):
        return self.dice.choice(
            (
                f"{column} IS NOT NULL",
                f"CAST({column} AS VARCHAR) LIKE '%{self.dice.randint(0, 9)}%'",
                f"HASH({column}) % {self.dice.randint(2, 5)} = 0",
            )
        )

    def aggregate(self):
        name, column = self.table()
        how = self.dice.choice(("COUNT", "MIN", "MAX", "COUNT(DISTINCT", "ANY_VALUE"))
        call = f"{how} {column}))" if "(" in how else f"{how}({column})"
        if how == "ANY_VALUE":
            call = f"MIN(CAST({column} AS VARCHAR))"
        return f"SELECT COUNT(*), {call} FROM {name} WHERE {self.condition(column)}"

    def subquery(self):
        name, column = self.table()
        other, key = self.table()
        return (
            f"SELECT (SELECT COUNT(*) FROM {name}) AS n, COUNT(*) FROM {other} AS hidden "
            f"WHERE {key} IN (SELECT {key} FROM {other} WHERE {self.condition(key)}) "
            f"AND EXISTS (SELECT 1 FROM {name} WHERE {self.condition(column)})"
        )

    def with_cte(self):
        name, column = self.table()
        return (
            f"WITH x AS (SELECT {column} AS c, COUNT(*) AS n FROM {name} GROUP BY 1), "
            f"y AS (SELECT * FROM x WHERE n > {self.dice.randint(0, 3)}) "
            f"SELECT COUNT(*), SUM(n), MIN(CAST(c AS VARCHAR)) FROM y"
        )

    def union(self):
        (one, a), (two, b) = self.table(), self.table()
        how = self.dice.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT"))
        left, right = (
            f"SELECT CAST({c} AS VARCHAR) AS v FROM {t}" for t, c in ((one, a), (two, b))
        )
        inner = f"{left} {how} {right}"
        return f"SELECT COUNT(*), MIN(v), MAX(v) FROM ({inner})"

    def join(self):
        source = self.dice.choice(JOINS)
        return f"SELECT COUNT(*), COUNT(a.*), COUNT(b.*) FROM {source}"

    def windowed(self):
        name, column = self.table()
        key = TABLES[name][0]
        return (
            f"SELECT {key}, {column}, RANK() OVER (ORDER BY {column} DESC NULLS LAST, {key}) AS r "
            f"FROM {name} ORDER BY r LIMIT {self.dice.randint(1, 20)}"
        )

    def masked(self):
        measure = self.dice.choice(
            (
                "SUM(unit_value_cents)",
                "MAX(unit_value_cents * quantity)",
                "COUNT(*) FILTER (WHERE unit_value_cents > 1000)",
                "MIN(CASE WHEN unit_value_cents > 500 THEN item_id END)",
                "MAX(100 / (unit_value_cents + 1))",
                "CORR(unit_value_cents, quantity)",
            )
        )
        return f"SELECT hs_code, {measure} AS m FROM cargo_items GROUP BY 1 ORDER BY 1 LIMIT 15"

    def by_a_hidden_value(self):
        """Asks for rows by what a masked column really holds, or in its order."""
        place = self.dice.choice(list(MASKS))
        name, _, column = place.partition(".")
        key = TABLES[name][0]
        held = [row[column] for row in rows_of(name) if row[column]]
        value, other = (f"'{self.dice.choice(held)}'" for _ in range(2))
        test = self.dice.choice(
            (
                f"{column} = {value}",
                f"{column} <> {value}",
                f"{column} IN ({value}, {other})",
                f"NOT {column} < {value}",
                f"CAST({column} AS VARCHAR) LIKE {value[:-2]}%'",
                f"({column} = {value}) IS NOT FALSE",
                f"CASE WHEN {column} > {value} THEN true ELSE {column} IS NULL END",
                f"{key} IN (SELECT {key} FROM {name} WHERE {column} >= {value})",
                f"EXISTS (SELECT 1 FROM {name} i WHERE i.{column} = {value} AND i.{key} = o.{key})",
            )
        )
        return self.dice.choice(
            (
                f"SELECT COUNT(*), MIN({key}), MAX({key}) FROM {name} o WHERE {test}",
                f"SELECT {key} FROM {name} o WHERE {test} ORDER BY {key} LIMIT 20",
                f"SELECT {key} FROM {name} o ORDER BY {column} DESC, {key} LIMIT 20",
                f"SELECT {key}, {column} FROM {name} o QUALIFY ROW_NUMBER() OVER "
                f"(ORDER BY {column}, {key}) < 9 ORDER BY {column}, {key}",
                f"SELECT COUNT(*) FROM {name} o GROUP BY {column} HAVING {column} > {value} "
                "ORDER BY 1",
                f"SELECT ARG_MAX({key}, ({column}, {key})) FROM {name} o",
                f"SELECT COUNT(*) FROM {name} o JOIN {name} i ON o.{column} = i.{column} "
                f"AND i.{column} < {value}",
            )
        )

    def statistics(self):
        name, column = self.table()
        return (
            f"SELECT APPROX_COUNT_DISTINCT({column}), MODE({TABLES[name][-1]}) IS NULL, "
            f"COUNT(*) FROM {name}"
        )

    def correlated(self):
        return (
            "SELECT ocean_region, (SELECT COUNT(*) FROM voyages v WHERE v.ocean_region = "
            f"p.ocean_region AND v.voyage_id % {self.dice.randint(1, 6)} = 0) AS n "
            "FROM ports p GROUP BY 1 ORDER BY 1"
        )

    def faulty(self):
        return self.dice.choice(
            (
                "SELECT CAST(status AS INTEGER) FROM voyages ORDER BY voyage_id",
                "SELECT 1 / 0 FROM no_such_table",
                f"SELECT error('x') FROM voyages WHERE voyage_id = {self.dice.randint(1001, 1600)}",
                "SELECT SUM(CAST(description AS INTEGER)) FROM cargo_items",
            )
        )


def answer(run, sql):
    try:
        return run(sql)
    except (duckdb.Error, ToolError) as error:
        return f"error: {str(error).splitlines()[0].split(' (')[0][:60].strip('. ')}"


@pytest.mark.parametrize("region", in_part(REGIONS, 1))
def test_a_thousand_queries_give_what_a_database_of_just_these_rows_gives(region, tmp_path):
    made, expected = Generator(region), reference(region, tmp_path)

    def straight(sql):
        return [[json_value(v) for v in row] for row in expected.execute(sql).fetchmany(50)]

    with limited_to((policy(region),)):
        database = business()
        differ, errors = [], 0
        for _ in range(340):
            sql = made.query()
            mine, theirs = answer(lambda q: database.query(q).rows, sql), answer(straight, sql)
            both_failed = isinstance(mine, str) and isinstance(theirs, str)
            errors += both_failed
            if mine != theirs and not both_failed:
                differ.append((sql, mine, theirs))
    assert differ == [] and 0 < errors < 60


def test_by_the_tools_too_and_nothing_brings_it_back():
    seen = json.loads(run_sql("SELECT COUNT(DISTINCT ocean_region) AS n FROM voyages"))
    assert seen["rows"] == [[4]]
    other = json.loads(run_sql("SELECT MIN(voyage_id) FROM voyages WHERE ocean_region = 'INDIAN'"))
    with session(user=uuid.uuid4().hex, role="pacific_analyst"):
        for nested in ({"role": "analyst"}, {"role": "admin"}, {"user": "other"}, {}):
            with session(**nested):
                answer = json.loads(run_sql("SELECT DISTINCT ocean_region FROM voyages"))
                assert answer["rows"] == [["PACIFIC"]]
        assert json.loads(find_voyages(ocean_region="INDIAN"))["total"] == 0
        with pytest.raises(ToolError, match="no voyage"):
            voyage_status(other["rows"][0][0])
        total = json.loads(run_sql("SELECT MAX(unit_value_cents) FROM cargo_items"))
        assert total["rows"] == [[0]]


def test_a_policy_that_names_nothing_there_is_said():
    for wrong, word in (
        (RowPolicy((("voyagez", "true"),)), "voyagez"),
        (RowPolicy(masks=(("voyages.captain", "NULL"),)), "captain"),
        (RowPolicy((("voyages", "no such thing"),)), "can't be applied"),
    ):
        with limited_to((wrong,)), pytest.raises(WorkshopError, match=word):
            business()
