# ruff: noqa: E501  (a line a version)
"""Wrong versions of `late_arrivals`."""

from tests.wrong import Wrong

_HOURS = "AND delay_hours >= ?"
_VALUES = "[carrier_id, min_hours, ocean_region],"
_CLOSE = "close = nearest(carrier, [name for _, name in rows])"
_TEXT = '"""SELECT voyage_id'

WRONG = [
    Wrong(
        "Never paste a value",
        "pasted",
        {
            _TEXT: 'f"""SELECT voyage_id',
            "carrier_id = ?": "carrier_id = {carrier_id}",
            _VALUES: "[min_hours, ocean_region],",
        },
    ),
    Wrong(
        "Never paste a value",
        "pasted",
        {
            _TEXT: 'f"""SELECT voyage_id',
            _HOURS: "AND delay_hours >= {min_hours}",
            _VALUES: "[carrier_id, ocean_region],",
        },
    ),
    Wrong(
        "Values as ?",
        "pasted",
        {
            _TEXT: 'f"""SELECT voyage_id',
            "AND ocean_region = COALESCE(?, ocean_region)": "AND ocean_region LIKE '{ocean_region or '%'}'",
            _VALUES: "[carrier_id, min_hours],",
        },
    ),
    Wrong(
        "the longest delay first",
        "order_wrong",
        {"delay_hours DESC, voyage_id": "delay_hours, voyage_id DESC"},
    ),
    Wrong(
        "the longest delay first",
        "order_wrong",
        {"ORDER BY delay_hours DESC, voyage_id": "ORDER BY voyage_id"},
    ),
    Wrong(
        "carrier (its name as the data has it)",
        "name_not_looked_up",
        {'"carrier": name': '"carrier": carrier'},
    ),
    Wrong(
        "total (how many there are)",
        "total_wrong",
        {'"total": len(voyages)': '"total": len(voyages[:20])'},
    ),
    Wrong("the first 20", "not_capped", {"voyages[:20]": "voyages"}),
    Wrong("the first 20", "wrong_voyages", {"voyages[:20]": "voyages[:10]"}),
    Wrong("each a dict with voyage_id", "key_missing", {", arrived_at FROM": " FROM"}),
    Wrong(
        "each a dict with voyage_id",
        "not_dicts",
        {"dict(zip(found.columns, row, strict=True))": "row"},
    ),
    Wrong(
        "each a dict with voyage_id",
        "row_wrong",
        {
            "SELECT voyage_id, delay_hours, arrived_at": "SELECT voyage_id, delay_hours, CURRENT_DATE AS arrived_at"
        },
    ),
    Wrong(
        "TODO 1",
        "case_matters",
        {"carrier.lower() not in names": "carrier not in {name for _, name in names.values()}"},
    ),
    Wrong("TODO 1", "other_carriers", {"carrier_id = ?": "? IS NOT NULL"}),
    Wrong(
        "TODO 2",
        "unknown_silent",
        {
            "        raise ToolError(": '        return {"carrier": carrier, "total": 0, "voyages": []}\n        raise ToolError('
        },
    ),
    Wrong("TODO 2", "no_nearest", {"Did you mean {' or '.join(close)}?": "Look it up."}),
    Wrong("TODO 2", "all_names", {_CLOSE: "close = sorted(name for _, name in rows)"}),
    Wrong("TODO 2", "kind_wrong", {'"bad_arguments"': '"failed"'}),
    Wrong("TODO 3", "not_arrived", {"status = 'ARRIVED'": "status IS NOT NULL"}),
    Wrong("TODO 3", "boundary", {"delay_hours >= ?": "delay_hours > ?"}),
    Wrong(
        "TODO 3", "min_hours_ignored", {"delay_hours >= ?": "delay_hours >= COALESCE(NULL, 1, ?)"}
    ),
    Wrong(
        "TODO 3",
        "region_ignored",
        {"COALESCE(?, ocean_region)": "COALESCE(NULLIF(ocean_region, ?), ocean_region)"},
    ),
    Wrong("TODO 3", "ties_by_chance", {"delay_hours DESC, voyage_id": "delay_hours DESC"}),
    Wrong(
        "TODO 3",
        "ties_by_chance",
        {"delay_hours DESC, voyage_id": "delay_hours DESC, voyage_id DESC"},
    ),
    Wrong("TODO 4", "key_missing", {'"total": len(voyages), ': ""}),
    Wrong(
        "List a carrier's voyages",
        "not_a_dict",
        {
            'return {"carrier": name, "total": len(voyages), "voyages": voyages[:20]}': "return voyages[:20]"
        },
    ),
    # Names in other letters, renamed, run together; fewer hours than usual; no key too many.
    Wrong(
        "TODO 1",
        "case_matters",
        {"carrier.lower()": "carrier.title()", "name.lower(): (": "name: ("},
    ),
    Wrong(
        "TODO 1",
        "unknown_silent",
        {
            "carrier.lower()": "carrier.lower().replace(' ', '')",
            "name.lower(): (": "name.lower().replace(' ', ''): (",
        },
    ),
    Wrong(
        "TODO 1",
        "remembers",
        {
            'rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()': 'rows = late_arrivals.__dict__.setdefault("kept", engine.execute("SELECT carrier_id, name FROM carriers").fetchall())'
        },
    ),
    Wrong(
        "TODO 2",
        "no_nearest",
        {
            "close = nearest(carrier, [name for _, name in rows])": "close = nearest(carrier, [name for _, name in rows])[:1]"
        },
    ),
    Wrong(
        "TODO 3",
        "wrong_voyages",
        {"    rows = engine": "    min_hours = max(min_hours, 24)\n    rows = engine"},
    ),
    Wrong("TODO 3", "not_arrived", {"status = 'ARRIVED'": "arrived_at IS NOT NULL"}),
    Wrong(
        "TODO 3",
        "row_wrong",
        {
            "SELECT voyage_id, delay_hours, arrived_at": "SELECT voyage_id, delay_hours // 24 AS delay_hours, arrived_at"
        },
    ),
    Wrong(
        "List a carrier's voyages",
        "writes",
        {
            "    carrier_id, name = names": "    engine.execute('UPDATE voyages SET delay_hours = 0 WHERE delay_hours < 0 OR delay_hours > 108')\n    carrier_id, name = names"
        },
    ),
]
