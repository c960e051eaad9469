"""Ways by sea between ports, in whole numbers: shortest path, and where a vessel is on it."""

import heapq
from itertools import pairwise
from math import isqrt
from typing import Any

from supplychain_source import LANES, SEA

Row = dict[str, Any]
Point = tuple[int, int]  # latitude, longitude in hundredths of a degree


def wrap(lon: int) -> int:
    """A longitude, in hundredths, brought into -180.00 .. 180.00."""
    return (lon + 18_000) % 36_000 - 18_000


def miles(a: Point, b: Point) -> int:
    """Nautical miles between two points: flat at the middle latitude, in whole numbers.

    The cosine is Bhaskara's fraction, off by less than 0.2 %: near enough for a timetable.
    """
    middle = (a[0] + b[0]) // 2
    top, bottom = 324_000_000 - 4 * middle * middle, 324_000_000 + middle * middle
    east = wrap(b[1] - a[1]) * top // bottom
    return max(1, isqrt((b[0] - a[0]) ** 2 + east**2) * 60 // 100)


def sea_graph() -> dict[str, list[str]]:
    """Which sea node leads to which; both ways."""
    graph: dict[str, list[str]] = {name: [] for name in SEA}
    for lane in LANES.split():
        a, b = lane.split("-")
        graph[a].append(b)
        graph[b].append(a)
    return graph


def route(origin: Row, destination: Row, graph: dict[str, list[str]]) -> list[Point]:
    """The shortest way by sea, as points from port to port (Dijkstra; ties by name)."""
    queue = [(0, origin["node"], (origin["node"],))]
    done: set[str] = set()
    while queue:
        length, node, path = heapq.heappop(queue)
        if node == destination["node"]:
            return [origin["at"], *(SEA[name] for name in path), destination["at"]]
        if node in done:
            continue
        done.add(node)
        for other in graph[node]:
            step = length + miles(SEA[node], SEA[other])
            heapq.heappush(queue, (step, other, (*path, other)))
    raise AssertionError(f"no way from {origin['name']} to {destination['name']}")


def length_of(points: list[Point]) -> int:
    """Nautical miles along a route."""
    return sum(miles(a, b) for a, b in pairwise(points))


def along(points: list[Point], travelled: int) -> Point:
    """Where a vessel is after so many miles of a route; in hundredths of a degree."""
    for a, b in pairwise(points):
        leg = miles(a, b)
        if travelled <= leg:
            lon = a[1] + wrap(b[1] - a[1]) * travelled // leg
            return a[0] + (b[0] - a[0]) * travelled // leg, wrap(lon)
        travelled -= leg
    return points[-1]
