"""What `scan_tables` is given: a small harbour, and a table with odd things in it."""

from harness.databases.catalogue import ColumnInfo, ForeignKey, TableInfo


def catalogue() -> list[TableInfo]:
    """A small harbour: a key of two columns, two references in a table, a table with nothing."""

    def column(name: str, type_: str, comment: str = "") -> ColumnInfo:
        return ColumnInfo(name, type_, comment, True)

    berths = [
        column("berth_id", "INTEGER", "Key of the berth."),
        column("code", "VARCHAR", "Code painted on the quay"),
        column("depth_m", "DOUBLE", "Depth in metres at low tide."),
    ]
    calls = [
        column("call_id", "INTEGER", "Key of the call."),
        column("at_berth", "INTEGER", "Berth where the ship lies."),
        column("next_berth", "SMALLINT", "Where it will be shifted to; NULL if it stays."),
        column("arrived", "TIMESTAMP", "Time of the first line ashore, UTC."),
    ]
    services = [
        column("call_id", "INTEGER", "The call."),
        column("service_no", "INTEGER", "Number of the service within the call."),
        column("fee", "DECIMAL(10,2)", "Fee in euros."),
    ]
    to_berth = [ForeignKey(name, "berths", "berth_id") for name in ("at_berth", "next_berth")]
    to_call = [ForeignKey("call_id", "calls", "call_id")]
    return [
        TableInfo("berths", "Places where ships lie.", 17, berths, ["berth_id"]),
        TableInfo("calls", "Visits of ships.", 2309, calls, ["call_id"], to_berth),
        TableInfo("services", "What is done.", 0, services, ["call_id", "service_no"], to_call),
        TableInfo("notes", "", 4, [column("body_text", "VARCHAR")]),
    ]


def odd_table() -> TableInfo:
    """Fourteen columns, types with values in them, a reference to itself, a column with two."""
    types = ("INTEGER", "ENUM('In port', 'AT SEA')", "DECIMAL(12,3)", "INTEGER[]", "VARCHAR(40)")
    columns = [
        ColumnInfo(f"part_{number:02d}", types[number % len(types)], f"Part {number}.", True)
        for number in range(14)
    ]
    keys = [
        ForeignKey("part_05", "gates", "part_00"),
        ForeignKey("part_10", "berths", "berth_id"),
        ForeignKey("part_10", "calls", "call_id"),
    ]
    return TableInfo("gates", "Gates.", 1, columns, ["part_00"], keys)
