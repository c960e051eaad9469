"""The voyages of each vessel: a chain of legs from port to port, placed around the snapshot."""

from itertools import pairwise
from typing import Any

from supplychain_dice import Dice
from supplychain_routes import length_of, route, sea_graph

REGION_WEIGHTS = {"PACIFIC": 4, "ATLANTIC": 3, "INDIAN": 3, "MEDITERRANEAN": 4}
Row = dict[str, Any]


class Fleet:
    """Makes the voyages: one vessel after another, each a chain of legs from port to port."""

    def __init__(self, dice: Dice, carriers: list[Row], ports: list[Row]) -> None:
        self.dice, self.carriers, self.ports, self.graph = dice, carriers, ports, sea_graph()

    def next_port(self, here: Row, carrier: Row) -> Row:
        """Where a vessel goes next: near home and near here, mostly."""
        others = [p for p in self.ports if p is not here]
        weights = [
            p["weight"] * REGION_WEIGHTS[p["ocean_region"]]
            * (3 if p["ocean_region"] == carrier["home"] else 1)
            * (4 if p["ocean_region"] == here["ocean_region"] else 1)
            for p in others
        ]  # fmt: skip
        return self.dice.pick(others, weights)

    def leg(self, vessel: Row, origin: Row) -> Row:
        """A voyage without times yet; `sail` is its planned length in hours."""
        carrier, dice = vessel["carrier"], self.dice
        destination = self.next_port(origin, carrier)
        points = route(origin, destination, self.graph)
        if dice.chance(5):  # chartered out: another carrier operates it
            carrier = dice.pick([c for c in self.carriers if c is not carrier])
        return {
            "vessel": vessel, "carrier": carrier, "origin": origin, "destination": destination,
            "points": points, "sail": 12 + length_of(points) * 10 // dice.between(130, 185),
            "departed": None, "arrived": None, "delay": None, "status": "SCHEDULED",
        }  # fmt: skip

    def delay(self, leg: Row) -> int:
        """Hours late, 0 for most; carriers and the Mediterranean differ."""
        extra = 15 if leg["destination"]["ocean_region"] == "MEDITERRANEAN" else 0
        if not self.dice.chance(leg["carrier"]["late"] + extra):
            return 0
        low, high = self.dice.pick([(2, 12), (13, 48), (49, 120), (121, 260)], [55, 30, 12, 3])
        return self.dice.between(low, high)

    def history(self, vessel: Row, count: int) -> list[Row]:
        """So many voyages of one vessel, in time around the snapshot."""
        dice = self.dice
        state = dice.pick(["AT_SEA", "LOADING", "IN_PORT"], [68, 17, 15])
        cancelled = dice.pick([0, 1, 2], [10, 8, 1])
        future = dice.between(1, 2)
        here = dice.pick(self.ports, [p["weight"] for p in self.ports])
        legs = []
        for _ in range(count - cancelled):
            legs.append(self.leg(vessel, here))
            here = legs[-1]["destination"]
        current = len(legs) - 1 - future
        self.set_current(legs[current], state)
        self.set_future(legs[current:])
        free = legs[current]["departed"] if state == "AT_SEA" else None
        self.set_past(legs[:current], free)
        return legs + [self.call_off(dice.pick(legs[2:])) for _ in range(cancelled)]

    def set_current(self, leg: Row, state: str) -> None:
        """Place the leg that the vessel is on now, or starts next."""
        dice = self.dice
        if state == "AT_SEA":
            late = dice.chance(20 + leg["carrier"]["late"] // 3)
            leg["delay"] = dice.between(24, 150) if late else max(0, dice.between(-20, 22))
            leg["status"] = "DELAYED" if late else "IN_TRANSIT"
            passed = max(3, (leg["sail"] + leg["delay"]) * dice.between(6, 94) // 100)
            leg["departed"] = leg["plan"] = -passed
        else:
            leg["status"] = "LOADING" if state == "LOADING" else "SCHEDULED"
            leg["plan"] = dice.between(4, 60) if state == "LOADING" else dice.between(72, 240)

    def set_future(self, legs: list[Row]) -> None:
        """Place the planned legs after the first of these."""
        for before, leg in pairwise(legs):
            ends = before["plan"] + before["sail"] + (before["delay"] or 0)
            leg["plan"] = ends + self.dice.between(30, 150)

    def set_past(self, legs: list[Row], left_port: int | None) -> None:
        """Backwards from when the vessel left its last port (None: it is still there)."""
        dice = self.dice
        for leg in reversed(legs):
            stay = dice.between(30, 150) if left_port is not None else dice.between(6, 90)
            late = self.delay(leg)
            early = 0 if late or dice.chance(40) else dice.between(1, 12)
            leg["arrived"] = (left_port or 0) - stay
            leg["departed"] = leg["plan"] = leg["arrived"] - leg["sail"] - late + early
            leg["delay"], leg["status"] = late, "ARRIVED"
            left_port = leg["departed"]

    def call_off(self, beside: Row) -> Row:
        """A cancelled voyage from the same port and about the same day as a real one."""
        leg = self.leg(beside["vessel"], beside["origin"])
        return leg | {"status": "CANCELLED", "plan": beside["plan"] - self.dice.between(12, 72)}
