"""What tables there are in Oracle AI Database: names, types, comments, keys and sizes.

A name is shown as a statement may write it: `voyages` for an ordinary one, which the dictionary
keeps in capitals, and with its quotation marks for any other ("Mixed Case").
"""

import re
from typing import Any

from harness.databases.catalogue import ColumnInfo, ForeignKey, Query, TableInfo, quote
from harness.errors import WorkshopError

ORDINARY = re.compile(r"[A-Z][A-Z0-9_$#]*\Z")

OWNERS = "SELECT DISTINCT owner FROM all_tables WHERE owner NOT IN ('SYS', 'SYSTEM') ORDER BY owner"
TABLES = (
    "SELECT t.table_name, c.comments FROM all_tables t LEFT JOIN all_tab_comments c "
    "ON c.owner = t.owner AND c.table_name = t.table_name "
    "WHERE t.owner = :owner AND t.secondary = 'N' ORDER BY t.table_name"
)
COLUMNS = (
    "SELECT t.table_name, t.column_name, t.data_type, t.char_length, t.data_precision, "
    "t.data_scale, t.nullable, c.comments FROM all_tab_columns t LEFT JOIN all_col_comments c "
    "ON c.owner = t.owner AND c.table_name = t.table_name AND c.column_name = t.column_name "
    "WHERE t.owner = :owner ORDER BY t.table_name, t.column_id"
)
KEYS = (
    "SELECT k.table_name, k.constraint_type, c.column_name, r.table_name, r.column_name "
    "FROM all_constraints k JOIN all_cons_columns c "
    "ON c.owner = k.owner AND c.constraint_name = k.constraint_name "
    "LEFT JOIN all_cons_columns r ON r.owner = k.r_owner "
    "AND r.constraint_name = k.r_constraint_name AND r.position = c.position "
    "WHERE k.owner = :owner AND k.constraint_type IN ('P', 'R') AND k.status = 'ENABLED' "
    "ORDER BY k.table_name, k.constraint_type, k.constraint_name, c.position"
)


def read_oracle_catalogue(run: Query, owner: str) -> list[TableInfo]:
    """The tables of a schema that this user may read, by name.

    Raises WorkshopError for a schema of which it may read nothing.
    """
    schema = stored(owner) if owner.startswith('"') else owner.upper()
    tables = run(TABLES, schema)
    if not tables:
        known = [shown(row[0]) for row in run(OWNERS)]
        raise WorkshopError(
            f"There is no table of {owner!r} that this user may read.",
            f"It may read: {', '.join(known) or 'nothing'}. The owner grants it: "
            f"GRANT READ ON {owner}.a_table TO this_user;",
        )
    columns = _columns(run, schema)
    primary, foreign = _keys(run, schema)
    return [
        TableInfo(
            name=shown(table),
            comment=comment or "",
            row_count=int(run(f"SELECT COUNT(*) FROM {quote(schema)}.{quote(table)}")[0][0]),
            columns=columns.get(table, []),
            primary_key=primary.get(table, []),
            foreign_keys=foreign.get(table, []),
        )
        for table, comment in tables
    ]


def shown(name: str) -> str:
    """A name of the dictionary as a statement may write it."""
    return name.lower() if ORDINARY.match(name) else quote(name)


def stored(name: str) -> str:
    """A name as a statement writes it, as the dictionary keeps it."""
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        return name[1:-1].replace('""', '"')
    return name.upper()


def _columns(run: Query, schema: str) -> dict[str, list[ColumnInfo]]:
    found: dict[str, list[ColumnInfo]] = {}
    for table, name, *type_, nullable, comment in run(COLUMNS, schema):
        column = ColumnInfo(shown(name), _type(*type_), comment or "", nullable == "Y")
        found.setdefault(table, []).append(column)
    return found


def _type(name: str, chars: Any, precision: Any, scale: Any) -> str:
    if "CHAR" in name:
        return f"{name}({int(chars)})" if chars else name
    if name == "NUMBER" and precision is not None:
        return f"NUMBER({int(precision)},{int(scale)})" if scale else f"NUMBER({int(precision)})"
    return "INTEGER" if name == "NUMBER" and scale == 0 else name


def _keys(run: Query, schema: str) -> tuple[dict[str, list[str]], dict[str, list[ForeignKey]]]:
    primary: dict[str, list[str]] = {}
    foreign: dict[str, list[ForeignKey]] = {}
    for table, kind, column, ref_table, ref_column in run(KEYS, schema):
        if kind == "P":
            primary.setdefault(table, []).append(shown(column))
        elif ref_table is not None:  # a parent that this user may not see is not spoken of
            key = ForeignKey(shown(column), shown(ref_table), shown(ref_column))
            foreign.setdefault(table, []).append(key)
    return primary, foreign
