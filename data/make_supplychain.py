"""Write data/supplychain/*.csv: a made-up shipping company's data on the day 2026-06-30.

    python data/make_supplychain.py [folder]

The same bytes on every machine: one seeded generator, whole numbers only, and times in hours.
"""

import csv
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from supplychain_dice import Dice
from supplychain_fleet import Fleet
from supplychain_routes import along, length_of
from supplychain_source import (
    CARRIERS,
    FIRST_NAMES,
    FLAGS,
    OWNER_CODES,
    PORTS,
    PRODUCTS,
    SECOND_NAMES,
)

NOW = datetime(2026, 6, 30, 12)  # the snapshot; every time is a number of hours from here
VOYAGES, VESSELS, CONTAINERS, ITEMS = 600, 60, 6_000, 15_000
Row = dict[str, Any]


def hundredths(value: int, places: int = 2) -> str:
    """A whole number of 10**-places as decimal text: 3123 -> "31.23"."""
    sign, value = ("-" if value < 0 else ""), abs(value)
    return f"{sign}{value // 10**places}.{value % 10**places:0{places}d}"


def at(hours: int | None) -> str:
    """The time so many hours from the snapshot, as text; "" for none."""
    return "" if hours is None else (NOW + timedelta(hours=hours)).strftime("%Y-%m-%d %H:%M:%S")


def imo_number(serial: int) -> int:
    """Seven digits: six given and the check digit (7, 6, 5, 4, 3, 2 times the digits, mod 10)."""
    check = sum(int(d) * w for d, w in zip(str(serial), range(7, 1, -1), strict=True)) % 10
    return serial * 10 + check


def container_number(owner: str, serial: int) -> str:
    """Owner code, six digits and the check digit of ISO 6346."""
    letters = [n for n in range(10, 39) if n % 11]  # A is 10, B is 12: multiples of 11 are skipped
    text = f"{owner}{serial:06d}"
    values = [int(c) if c.isdigit() else letters[ord(c) - ord("A")] for c in text]
    return f"{text}{sum(v << i for i, v in enumerate(values)) % 11 % 10}"


def make_carriers() -> list[Row]:
    """Carriers, with what the generator needs to know of them (home, late)."""
    return [
        {"carrier_id": n, "name": c[0], "country": c[1], "alliance": c[2] or "",
         "home": c[3], "fleet": c[4], "late": c[5]}
        for n, c in enumerate(CARRIERS, start=1)
    ]  # fmt: skip


def make_ports() -> list[Row]:
    """Ports, with their sea node and position in hundredths."""
    return [
        {"port_id": n, "unlocode": p[0], "name": p[1], "country": p[2], "ocean_region": p[3],
         "lat": hundredths(p[4]), "lon": hundredths(p[5]), "at": (p[4], p[5]), "weight": p[6],
         "node": p[7]}
        for n, p in enumerate(PORTS, start=101)
    ]  # fmt: skip


def make_vessels(dice: Dice, carriers: list[Row]) -> list[Row]:
    """Vessels: each carrier's fleet, with an IMO number and a name of its own."""
    owners = [c for c in carriers for _ in range(c["fleet"])]
    names = sorted(f"{a} {b}" for a in FIRST_NAMES.split() for b in SECOND_NAMES.split())
    serials: set[int] = set()
    rows = []
    for n, carrier in enumerate(owners, start=201):
        name = names.pop(dice.between(0, len(names) - 1))
        while (serial := dice.between(925_000, 999_999)) in serials:
            pass
        serials.add(serial)
        low, high = dice.pick([(11, 29), (30, 75), (76, 145), (146, 240)], [4, 6, 5, 3])
        rows.append({
            "vessel_id": n, "imo": imo_number(serial), "name": name,
            "carrier_id": carrier["carrier_id"], "capacity_teu": dice.between(low, high) * 100,
            "built_year": dice.between(2001, 2025),
            "flag": dice.pick([f for f, _ in FLAGS], [w for _, w in FLAGS]), "carrier": carrier,
        })  # fmt: skip
    return rows


def make_voyages(
    dice: Dice, carriers: list[Row], ports: list[Row], vessels: list[Row]
) -> list[Row]:
    """All voyages, numbered in the order of their (planned) departure."""
    counts = [VOYAGES // VESSELS] * VESSELS
    for _ in range(40):  # uneven, and still 600 in all
        give, take = dice.between(0, VESSELS - 1), dice.between(0, VESSELS - 1)
        if give != take and counts[give] > 7:
            counts[give], counts[take] = counts[give] - 1, counts[take] + 1
    fleet = Fleet(dice, carriers, ports)
    legs = [leg for v, n in zip(vessels, counts, strict=True) for leg in fleet.history(v, n)]
    legs.sort(key=lambda leg: (leg["plan"], leg["vessel"]["vessel_id"], leg["status"]))
    for n, leg in enumerate(legs, start=1001):
        leg |= {
            "voyage_id": n, "vessel_id": leg["vessel"]["vessel_id"],
            "carrier_id": leg["carrier"]["carrier_id"],
            "origin_port_id": leg["origin"]["port_id"],
            "destination_port_id": leg["destination"]["port_id"],
            "ocean_region": leg["destination"]["ocean_region"],
            "departed_at": at(leg["departed"]), "eta": at(leg["plan"] + leg["sail"]),
            "arrived_at": at(leg["arrived"]),
            "delay_hours": "" if leg["delay"] is None else leg["delay"],
        }  # fmt: skip
    return legs


def make_positions(dice: Dice, voyages: list[Row]) -> list[Row]:
    """For each vessel at sea: the last few half days, and this morning."""
    rows: list[Row] = []
    for v in voyages:
        if v["status"] not in ("IN_TRANSIT", "DELAYED"):
            continue
        whole, total = v["sail"] + v["delay"], length_of(v["points"])
        last = -dice.between(0, 5)
        times = [last - 12 * n for n in range(3, -1, -1) if last - 12 * n > v["departed"]]
        for time in times or [max(last, v["departed"] + 1)]:
            lat, lon = along(v["points"], total * (time - v["departed"]) // whole)
            knots = max(40, total * 10 // whole + dice.between(-12, 12))
            rows.append({
                "position_id": 5001 + len(rows), "vessel_id": v["vessel_id"],
                "voyage_id": v["voyage_id"], "lat": hundredths(lat), "lon": hundredths(lon),
                "speed_knots": hundredths(knots, 1), "observed_at": at(time),
            })  # fmt: skip
    return rows


def make_containers(dice: Dice, voyages: list[Row]) -> list[Row]:
    """Containers: at least one on a voyage that is not cancelled, some of them cold."""
    spread = {"CANCELLED": (0, 3), "SCHEDULED": (2, 9)}
    weights = [dice.between(*spread.get(v["status"], (5, 20))) for v in voyages]
    sailing = [v for v in voyages if v["status"] != "CANCELLED"]
    chosen = sailing + [dice.pick(voyages, weights) for _ in range(CONTAINERS - len(sailing))]
    chosen.sort(key=lambda v: v["voyage_id"])
    cold = [p for p in PRODUCTS if p[5] is not None]
    numbers: set[str] = set()
    rows = []
    for n, voyage in enumerate(chosen, start=10_001):
        while True:
            number = container_number(dice.pick(OWNER_CODES), dice.between(100_000, 999_999))
            if number not in numbers:
                break
        numbers.add(number)
        product = dice.pick(cold) if dice.chance(14) else None
        rows.append({
            "container_id": n, "container_no": number, "voyage_id": voyage["voyage_id"],
            "size_teu": dice.pick([1, 2], [2, 3]), "product": product,
            "temperature_c": hundredths(product[5] + dice.between(-8, 8), 1) if product else "",
        })  # fmt: skip
    return rows


def make_items(dice: Dice, containers: list[Row]) -> list[Row]:
    """Cargo: cold goods in cold containers; about 3 % of the dry ones are empty."""
    dry = [p for p in PRODUCTS if p[5] is None]
    loaded = [c for c in containers if c["product"] or not dice.chance(3)]
    chosen = loaded + [dice.pick(loaded) for _ in range(ITEMS - len(loaded))]
    chosen.sort(key=lambda c: c["container_id"])
    shares: dict[int, int] = {}
    for c in chosen:
        shares[c["container_id"]] = shares.get(c["container_id"], 0) + 1
    rows = []
    for n, c in enumerate(chosen, start=50_001):
        code, text, low, high, grams, _ = c["product"] or dice.pick(dry)
        most = (14_000 + 6_000 * c["size_teu"]) // shares[c["container_id"]]
        quantity = max(1, dice.between(most // 5, most) * 1000 // grams)
        rows.append({
            "item_id": n, "container_id": c["container_id"], "hs_code": code, "description": text,
            "quantity": quantity, "unit_value_cents": dice.between(low, high),
            "weight_kg": max(1, quantity * grams // 1000),
        })  # fmt: skip
    return rows


COLUMNS = {
    "carriers": "carrier_id name country alliance",
    "ports": "port_id unlocode name country ocean_region lat lon",
    "vessels": "vessel_id imo name carrier_id capacity_teu built_year flag",
    "voyages": "voyage_id vessel_id carrier_id origin_port_id destination_port_id ocean_region "
    "status departed_at eta arrived_at delay_hours",
    "vessel_positions": "position_id vessel_id voyage_id lat lon speed_knots observed_at",
    "containers": "container_id container_no voyage_id size_teu temperature_c",
    "cargo_items": "item_id container_id hs_code description quantity unit_value_cents weight_kg",
}


def make_all(seed: int = 20260630) -> dict[str, list[Row]]:
    """Every table's rows, by table name."""
    dice = Dice(seed)
    carriers, ports = make_carriers(), make_ports()
    vessels = make_vessels(dice, carriers)
    voyages = make_voyages(dice, carriers, ports, vessels)
    containers = make_containers(dice, voyages)
    return {
        "carriers": carriers, "ports": ports, "vessels": vessels, "voyages": voyages,
        "vessel_positions": make_positions(dice, voyages), "containers": containers,
        "cargo_items": make_items(dice, containers),
    }  # fmt: skip


def write_all(folder: Path) -> None:
    """Write one CSV a table: comma, header, \\n, and nothing between commas for NULL."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in make_all().items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            columns = COLUMNS[name].split()
            writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "supplychain")
