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
}
