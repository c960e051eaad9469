"""Narrow tools beside run_sql: the two questions that dispatch asks all day.

They know the tables, so a model can't get a join wrong; names are looked up and, where there is no
such name, the nearest are given back.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from harness.databases.business import QueryResult, business
from harness.databases.sql_errors import nearest
from harness.errors import ToolError
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.session import current_session
from harness.tools.toolbox import register

_SECONDS = 10.0
Status = Literal["SCHEDULED", "LOADING", "IN_TRANSIT", "DELAYED", "ARRIVED", "CANCELLED"]
Region = Literal["PACIFIC", "ATLANTIC", "INDIAN", "MEDITERRANEAN"]
_FROM = """
    FROM SUPPLYCHAIN.voyages v
    JOIN SUPPLYCHAIN.vessels s ON s.vessel_id = v.vessel_id
    JOIN SUPPLYCHAIN.carriers c ON c.carrier_id = v.carrier_id
    JOIN SUPPLYCHAIN.ports o ON o.port_id = v.origin_port_id
    JOIN SUPPLYCHAIN.ports d ON d.port_id = v.destination_port_id
"""
_COLUMNS = """v.voyage_id, v.status, v.ocean_region, s.name AS vessel, c.name AS carrier,
    o.name AS origin, d.name AS destination, v.departed_at, v.eta, v.arrived_at, v.delay_hours"""


@register(
    tier="read",
    when="someone asks which voyages have a status, an ocean region, a carrier or ports; safer "
    "than run_sql.",
    returns="'total' counts every match, 'voyages' lists the first of them by voyage_id; "
    "delay_hours is in hours, times are UTC.",
    cost="low",
    example={"carrier": "Kestrel Ocean"},
    effects=(Effect("shipping", "read"),),
)
def find_voyages(
    status: Annotated[Status | None, "Status of the voyages."] = None,
    ocean_region: Annotated[Region | None, "What they cross."] = None,
    carrier: Annotated[str | None, "The carrier's name."] = None,
    origin: Annotated[str | None, "Port of origin: name or UN/LOCODE."] = None,
    destination: Annotated[str | None, "Likewise, where they end."] = None,
    limit: Annotated[int, Field(ge=1, le=200, description="To list at most.")] = 20,
) -> dict[str, Any]:
    """Find voyages; every filter is optional."""
    filters = {
        "v.status": _text(status),
        "v.ocean_region": _text(ocean_region),
        "v.carrier_id": _carrier_id(carrier),
        "v.origin_port_id": _port_id("origin", origin),
        "v.destination_port_id": _port_id("destination", destination),
    }
    chosen = [f"{column} = {value}" for column, value in filters.items() if value is not None]
    where = f"WHERE {' AND '.join(chosen)}" if chosen else ""
    total = _query(f"SELECT COUNT(*) AS n FROM SUPPLYCHAIN.voyages v {where}", 1).rows[0][0]
    found = _query(f"SELECT {_COLUMNS} {_FROM} {where} ORDER BY v.voyage_id", limit)
    return {"total": total, "voyages": _records(found)}


@register(
    tier="read",
    when="someone asks about one voyage and you have its voyage_id: where it is, whether it is "
    "late, what it carries.",
    returns="'voyage' with vessel, carrier, ports and times (UTC); 'last_position' is null unless "
    "the vessel is at sea; 'containers' and 'teu' count what is booked on it.",
    cost="low",
    example={"voyage_id": 1400},
    effects=(Effect("shipping", "read"),),
)
def voyage_status(
    voyage_id: Annotated[int, "Key of the voyage, as in voyages.voyage_id."],
) -> dict[str, Any]:
    """Show one voyage: status, vessel, route, times, delay, last position, containers."""
    voyage = _records(_query(f"SELECT {_COLUMNS} {_FROM} WHERE v.voyage_id = {voyage_id:d}", 1))
    if not voyage:
        low, high = _query(
            "SELECT MIN(voyage_id) AS a, MAX(voyage_id) AS b FROM SUPPLYCHAIN.voyages", 1
        ).rows[0]
        raise ToolError(
            "bad_arguments",
            f"voyage_id: there is no voyage {voyage_id}.",
            f"Voyages are numbered {low} to {high}; find_voyages lists them.",
        )
    position = _records(
        _query(
            "SELECT lat, lon, speed_knots, observed_at FROM SUPPLYCHAIN.vessel_positions "
            f"WHERE voyage_id = {voyage_id:d} ORDER BY observed_at DESC FETCH FIRST 1 ROWS ONLY",
            1,
        )
    )
    containers, teu = _query(
        "SELECT COUNT(*) AS n, COALESCE(SUM(size_teu), 0) AS teu FROM SUPPLYCHAIN.containers "
        f"WHERE voyage_id = {voyage_id:d}",
        1,
    ).rows[0]
    return {
        "voyage": voyage[0],
        "last_position": position[0] if position else None,
        "containers": containers,
        "teu": teu,
    }


def _carrier_id(name: str | None) -> int | None:
    if name is None:
        return None
    rows = _query("SELECT carrier_id, name FROM SUPPLYCHAIN.carriers", 1000).rows
    return _look_up("carrier", name, {str(row[1]): int(row[0]) for row in rows})


def _port_id(parameter: str, name: str | None) -> int | None:
    if name is None:
        return None
    rows = _query("SELECT port_id, name, unlocode FROM SUPPLYCHAIN.ports", 1000).rows
    known = {str(row[1]): int(row[0]) for row in rows} | {str(row[2]): int(row[0]) for row in rows}
    return _look_up(parameter, name, known)


def _look_up(parameter: str, name: str, known: dict[str, int]) -> int:
    """The id of a name, whatever its case; a part of a name does where only one name has it."""
    wanted = " ".join(name.split()).lower()
    exact = [each for each in known if each.lower() == wanted]
    parts = [each for each in known if wanted and wanted in each.lower()]
    ids = {known[each] for each in exact or parts}
    if len(ids) == 1:
        return ids.pop()
    close = sorted(parts) if ids else nearest(wanted, list(known))
    raise ToolError(
        "bad_arguments",
        f"{parameter}: {'more than one name contains' if ids else 'there is no'} "
        f"{short_repr(name)}.",
        f"Did you mean {' or '.join(close[:5])}?" if close else f"There are: {_some(known)}.",
    )


def _some(known: dict[str, int]) -> str:
    names = sorted(known)
    return ", ".join(names[:20]) + (" ..." if len(names) > 20 else "")


def _text(value: str | None) -> str | None:
    return None if value is None else f"'{value}'"


def _query(sql: str, max_rows: int) -> QueryResult:
    return business().query(sql, max_rows, min(_SECONDS, current_session().seconds_left()))


def _records(result: QueryResult) -> list[dict[str, Any]]:
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]
