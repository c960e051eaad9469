# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `late_arrivals`."""

RIGHT = {
    "helper functions and python": '''
def late_arrivals(
    carrier: Annotated[str, "Name of the carrier that operated the voyage."],
    min_hours: Hours = 24,
    ocean_region: Annotated[Region | None, "Only voyages of this ocean region."] = None,
) -> dict:
    """List a carrier's voyages that arrived late, the longest delay first.

    Returns carrier, total and voyages: the first 20.
    """
    carrier_id, name = _carrier(carrier)
    sql = "SELECT voyage_id, delay_hours, arrived_at, ocean_region FROM voyages WHERE carrier_id = ? AND status = 'ARRIVED'"
    rows = engine.execute(sql, [carrier_id]).fetchall()
    late = [r for r in rows if r[1] is not None and r[1] >= min_hours and ocean_region in (None, r[3])]
    late.sort(key=lambda r: (-r[1], r[0]))
    shown = [{"voyage_id": v, "delay_hours": h, "arrived_at": a} for v, h, a, _ in late[:20]]
    return {"carrier": name, "total": len(late), "voyages": shown}


def _carrier(asked):
    known = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    for carrier_id, name in known:
        if name.casefold() == asked.casefold():
            return carrier_id, name
    close = nearest(asked, [name for _, name in known])
    hint = f"Did you mean {' or '.join(close)}?" if close else "Look it up in carriers."
    raise ToolError("bad_arguments", f"carrier: there is no {asked!r}.", hint)
''',
    "one query in pieces": """
def late_arrivals(carrier, min_hours=24, ocean_region=None):
    known = dict((name, number) for number, name in engine.execute("SELECT carrier_id, name FROM carriers").fetchall())
    name = next((each for each in known if each.upper() == carrier.upper()), None)
    if name is None:
        near = nearest(carrier, list(known))
        raise ToolError("bad_arguments", f"No carrier is called {carrier!r}.", f"Near it: {', '.join(near)}" if near else "")
    where = ["carrier_id = ?", "status = ?", "delay_hours >= ?"]
    values = [known[name], "ARRIVED", min_hours]
    if ocean_region is not None:
        where.append("ocean_region = ?")
        values.append(ocean_region)
    sql = "SELECT voyage_id, delay_hours, arrived_at FROM voyages WHERE " + " AND ".join(where)
    result = engine.execute(sql + " ORDER BY delay_hours DESC, voyage_id ASC", values)
    rows = result.fetchall()
    return dict(carrier=name, total=len(rows), voyages=[dict(zip(result.columns, row)) for row in rows[:20]])
""",
    "counted by the engine": """
def late_arrivals(carrier: str, min_hours: int = 24, ocean_region: str | None = None) -> dict:
    rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    try:
        [(number, name)] = [row for row in rows if row[1].lower() == carrier.lower()]
    except ValueError:
        close = nearest(carrier, [row[1] for row in rows])
        hint = "Perhaps " + " or ".join(map(repr, close)) if close else "Ask for the names first."
        raise ToolError("bad_arguments", f"There is no carrier {carrier}.", hint) from None
    rest = "FROM voyages WHERE carrier_id = $1 AND status = 'ARRIVED' AND delay_hours >= $2 AND ($3 IS NULL OR ocean_region = $3)"
    values = [number, min_hours, ocean_region]
    [[total]] = engine.execute("SELECT COUNT(*) " + rest, values).fetchall()
    page = engine.execute(f"SELECT voyage_id, delay_hours, arrived_at {rest} ORDER BY 2 DESC, 1 LIMIT 20", values)
    voyages = [{column: value for column, value in zip(page.columns, row)} for row in page.fetchall()]
    return {"carrier": name, "total": total, "voyages": voyages}
""",
    "a class, and the region in a dict of filters": '''
class _Late:
    """List a carrier's late voyages."""

    def __call__(self, carrier: str, min_hours: int = 24, ocean_region: str | None = None) -> dict:
        number, name = self.carrier(carrier)
        filters = {"carrier_id = ?": number, "status = ?": "ARRIVED", "delay_hours >= ?": min_hours}
        if ocean_region:
            filters["ocean_region = ?"] = ocean_region
        found = engine.execute(
            f"SELECT voyage_id, delay_hours, arrived_at FROM voyages WHERE {' AND '.join(filters)} ORDER BY delay_hours DESC, voyage_id",
            list(filters.values()))
        rows = found.fetchall()
        return {"carrier": name, "total": len(rows), "voyages": [self.row(r) for r in rows[:20]]}

    def row(self, values):
        voyage_id, delay_hours, arrived_at = values
        return {"voyage_id": voyage_id, "delay_hours": delay_hours, "arrived_at": arrived_at}

    def carrier(self, asked):
        rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
        found = {name.lower(): (number, name) for number, name in rows}.get(asked.lower())
        if found:
            return found
        close = nearest(asked, [name for _, name in rows])
        raise ToolError("bad_arguments", f"There is no carrier {asked!r}.", "Nearest: " + ", ".join(close) if close else "Search carriers.")


late_arrivals = _Late()
''',
    "the engine finds the carrier, walrus and islice": """
from itertools import islice


def late_arrivals(carrier, min_hours=24, ocean_region=None):
    if not (known := engine.execute("SELECT carrier_id, name FROM carriers WHERE LOWER(name) = LOWER(?)", [carrier]).fetchall()):
        names = [name for (name,) in engine.execute("SELECT name FROM carriers ORDER BY name").fetchall()]
        raise ToolError("bad_arguments", f"Nobody is called {carrier!r}.", " or ".join(nearest(carrier, names)) or "Look at carriers.")
    (number, name), *_ = known
    result = engine.execute("SELECT voyage_id, delay_hours, arrived_at, ocean_region FROM voyages WHERE carrier_id = ? AND status = 'ARRIVED' AND delay_hours >= ? ORDER BY delay_hours DESC, voyage_id", [number, min_hours])
    late = [row[:3] for row in result.fetchall() if ocean_region is None or row[3] == ocean_region]
    keys = ("voyage_id", "delay_hours", "arrived_at")
    return {"carrier": name, "total": len(late), "voyages": [dict(zip(keys, row)) for row in islice(late, 20)]}
""",
}
