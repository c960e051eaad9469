"""Values as python-oracledb gives them, as JSON can carry them."""

import array
from collections.abc import Sequence
from typing import Any

import oracledb

from harness.databases.values import CELL_CHARS, json_value

_WITH_ZONE = "TO_CHAR(c{0}, 'YYYY-MM-DD\"T\"HH24:MI:SS.FFTZH:TZM') AS c{0}"


def oracle_value(value: Any) -> Any:
    """One value: numbers exactly, long texts shortened before they are fetched, vectors as lists.

    A NUMBER comes as a Decimal and stays text where a float would be another number.
    """
    if isinstance(value, oracledb.LOB):
        return _beginning(value)
    if isinstance(value, array.array):
        return json_value(list(value))
    if isinstance(value, oracledb.IntervalYM):
        sign = "-" if value.years < 0 or value.months < 0 else ""
        return f"{sign}{abs(value.years)}-{abs(value.months):02d}"
    return json_value(value)


def with_time_zones(sql: str, description: Sequence[Any]) -> str:
    """The statement with its times as text that names their zone; "" where none has one.

    The driver gives such a time as a naive datetime, and what it means would be lost.
    """
    kinds = [column[1] for column in description]
    if oracledb.DB_TYPE_TIMESTAMP_TZ not in kinds or sql.lstrip()[:4].upper() == "WITH":
        return ""
    names = ", ".join(f"c{number}" for number in range(len(kinds)))
    shown = ", ".join(
        _WITH_ZONE.format(number) if kind is oracledb.DB_TYPE_TIMESTAMP_TZ else f"c{number}"
        for number, kind in enumerate(kinds)
    )
    return f"WITH exact_rows ({names}) AS ({sql}) SELECT {shown} FROM exact_rows"


def read_lob(value: Any) -> str:
    """The whole text of a CLOB that was bound."""
    return str(value.read() if isinstance(value, oracledb.LOB) else value or "")


def _beginning(lob: Any) -> Any:
    text = lob.read(1, CELL_CHARS + 1)
    if text is None or len(text) <= CELL_CHARS:
        return json_value(text)
    if isinstance(text, bytes):
        return json_value(text)
    return f"{text[:CELL_CHARS]}... ({lob.size() - CELL_CHARS} more characters)"
