"""Figures, tables and conditions as text."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from harness.standin.brain.intent import Filter

SHOWN = 20  # rows of a table in an answer


def number(value: Any) -> str:
    """A figure as text: whole numbers plain, others with at most two decimals."""
    if isinstance(value, bool) or value is None:
        return "none" if value is None else str(value)
    if isinstance(value, str):
        try:
            return (
                number(float(value))
                if "." in value and value.replace(".", "", 1).lstrip("-").isdigit()
                else value
            )
        except ValueError:
            return value
    if isinstance(value, float):
        if value == int(value) and abs(value) < 1e15:
            return str(int(value))
        return _rounded(value).rstrip("0").rstrip(".")
    return str(value)


def _rounded(value: float) -> str:
    """Two decimals, halves away from zero as databases round."""
    return str(Decimal(str(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def money(value: Any) -> str:
    """Dollars with separators."""
    return "none" if value is None else f"${float(value):,.2f}"


def cell(value: Any) -> str:
    """One cell of a table; times without seconds."""
    if isinstance(value, str) and len(value) >= 19 and value[4:5] == "-" and value[13:14] == ":":
        return value[:16].replace("T", " ")
    return number(value)


def table(columns: list[str], rows: list[list[Any]], shown: int = SHOWN) -> str:
    """A small text table; what does not fit is counted."""
    texts = [[cell(value) for value in row] for row in rows[:shown]]
    widths = [max(len(line[i]) for line in [columns, *texts]) for i in range(len(columns))]
    numeric = [all(not isinstance(r[i], str) for r in rows[:shown]) for i in range(len(columns))]

    def line(cells: list[str]) -> str:
        parts = [
            c.rjust(w) if n else c.ljust(w) for c, w, n in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(parts).rstrip()

    out = [line(columns), line(["-" * w for w in widths]), *map(line, texts)]
    if len(rows) > shown:
        out.append(f"... and {len(rows) - shown} more")
    return "\n".join(out)


def conditions(filters: list[Filter], related: list[Any] | None = None) -> str:
    """What restricted the rows, in brackets; "" for nothing."""
    parts = [f.said for f in sorted(filters, key=lambda f: f.place) if f.said and not f.scope]
    for each in related or []:
        inner = ", ".join(f.said for f in filters if f.scope and f.scope == each.scope)
        name = each.table.rsplit(".", 1)[-1] + (f" with {inner}" if inner else "")
        if each.op == "none":
            parts.append(f"without {name}")
        elif each.op == "some":
            parts.append(f"with {name}")
        else:
            parts.append(f"{name} {each.op} {number(each.number)}")
    return f" ({'; '.join(dict.fromkeys(parts))})" if parts else ""


def holds(each: Filter, value: Any) -> bool:
    """Whether a value meets a condition, as the database would say."""
    op, values = each.op, each.values
    if op in ("null", "notnull"):
        return (value is None) == (op == "null")
    if value is None:
        return False
    if op in ("in", "="):
        return value in values
    if op in ("not in", "<>"):
        return value not in values
    if op == "between":
        return bool(values[0] <= value <= values[1])
    if op in ("range", "not range"):
        day = str(value)[:10]
        start, end = (v.isoformat() if v else None for v in values)
        inside = (start is None or day >= start) and (end is None or day < end)
        return inside == (op == "range")
    return bool(
        {
            ">": value > values[0],
            "<": value < values[0],
            ">=": value >= values[0],
            "<=": value <= values[0],
        }.get(op, False)
    )
