"""The narrow tools answer what run_sql would, and look names up."""

import json
from typing import Any

import pytest

from harness.databases.business import BusinessDatabase
from harness.errors import ToolError
from harness.tools.voyages import find_voyages, voyage_status

pytestmark = pytest.mark.usefixtures("database")


def find(**filters: Any) -> dict[str, Any]:
    return json.loads(find_voyages(**filters))


def test_filters_agree_with_sql(database: BusinessDatabase) -> None:
    for filters, where in [
        ({}, "1 = 1"),
        ({"status": "DELAYED"}, "v.status = 'DELAYED'"),
        ({"ocean_region": "INDIAN"}, "v.ocean_region = 'INDIAN'"),
        ({"carrier": "Kumo Lines"}, "c.name = 'Kumo Lines'"),
        (
            {"origin": "CNSHA", "destination": "Los Angeles"},
            "o.name = 'Shanghai' AND d.unlocode = 'USLAX'",
        ),
        (
            {"status": "CANCELLED", "ocean_region": "PACIFIC"},
            "v.status = 'CANCELLED' AND v.ocean_region = 'PACIFIC'",
        ),
    ]:
        sql = (
            "SELECT v.voyage_id FROM voyages v JOIN carriers c ON c.carrier_id = v.carrier_id "
            "JOIN ports o ON o.port_id = v.origin_port_id "
            f"JOIN ports d ON d.port_id = v.destination_port_id WHERE {where} ORDER BY 1"
        )
        ids = [row[0] for row in database.query(sql, max_rows=1000).rows]
        answer = find(**filters, limit=200)
        assert answer["total"] == len(ids) > 0
        assert [v["voyage_id"] for v in answer["voyages"]] == ids[:200]


def test_names_in_any_case_and_unique_parts() -> None:
    whole = find(carrier="Kestrel Ocean")
    assert find(carrier="  kestrel   ocean ") == find(carrier="Kestrel") == whole
    assert find(origin="cnsha") == find(origin="SHANGHAI")


@pytest.mark.parametrize(
    ("filters", "says"),
    [
        ({"carrier": "Kestral Ocean"}, "Did you mean Kestrel Ocean?"),
        ({"carrier": "Lines"}, "Kumo Lines or Santa Ria Lines"),
        ({"origin": "Shangai"}, "Shanghai"),
        ({"destination": "x' OR 1=1 --"}, "There are: AEJEA"),
        ({"carrier": ""}, "There are: Andinave"),
        ({"status": "delayed"}, "status"),
        ({"ocean_region": "ARCTIC"}, "ocean_region"),
        ({"limit": 0}, "limit"),
        ({"port": "CNSHA"}, "port"),
    ],
)
def test_a_miss_names_the_argument_and_the_nearest(filters: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolError) as caught:
        find_voyages(**filters)
    assert caught.value.kind == "bad_arguments"
    assert says in str(caught.value)


def test_voyage_status(database: BusinessDatabase) -> None:
    at_sea = database.query("SELECT MIN(voyage_id) FROM voyages WHERE status = 'DELAYED'").rows[0][
        0
    ]
    answer = json.loads(voyage_status(voyage_id=at_sea))
    assert answer["voyage"]["status"] == "DELAYED" and answer["voyage"]["arrived_at"] is None
    latest = database.query(
        "SELECT lat, lon, speed_knots, observed_at FROM vessel_positions "
        f"WHERE voyage_id = {at_sea} ORDER BY observed_at DESC"
    ).rows[0]
    assert list(answer["last_position"].values()) == latest
    count = database.query(
        f"SELECT COUNT(*), SUM(size_teu) FROM containers WHERE voyage_id = {at_sea}"
    )
    assert [answer["containers"], answer["teu"]] == count.rows[0]
    assert json.loads(voyage_status(voyage_id=1001))["last_position"] is None


@pytest.mark.parametrize("voyage_id", [1, -5, 10**30])
def test_a_voyage_that_is_not_there(voyage_id: int) -> None:
    with pytest.raises(ToolError, match="1001 to 1600"):
        voyage_status(voyage_id=voyage_id)
