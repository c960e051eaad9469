"""Figures, tables and conditions as text."""

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from harness.standin.brain.factlines import short
from harness.standin.brain.tree import Both, Condition, Either, Not, Related, Test
from harness.standin.brain.words import playbook

SHOWN = 30  # rows of a table in an answer


def number(value: Any) -> str:
    """A figure as text: whole numbers plain, others with at most two decimals."""
    if value is None:
        return "none"
    if isinstance(value, str) and re.fullmatch(r"-*(\d+\.\d*|\.\d+)", value):
        value = float(value)
    if not isinstance(value, float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    rounded = Decimal(str(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return str(rounded).rstrip("0").rstrip(".")


def cell(value: Any) -> str:
    """One cell of a table; times without seconds."""
    if isinstance(value, str) and len(value) >= 19 and value[4:5] == "-" and value[13:14] == ":":
        return value[:16].replace("T", " ")
    return number(value)


def table(columns: list[str], rows: list[list[Any]], shown: int = SHOWN) -> str:
    """A small text table; what does not fit is counted."""
    kept = [*zip(*rows[:shown], strict=True)] or [()] * len(columns)
    lines = [[] for _ in range(min(len(rows), shown) + 2)]  # type: list[list[str]]
    for name, values in zip(columns, kept, strict=True):
        texts = [name, *map(cell, values)]
        width = max(map(len, texts))
        left = any(isinstance(value, str) for value in values)
        for line, text in zip(lines, [name, "-" * width, *texts[1:]], strict=True):
            line.append(text.ljust(width) if left else text.rjust(width))
    out = ["  ".join(line).rstrip() for line in lines]
    return "\n".join([*out, *([f"... and {len(rows) - shown} more"] if len(rows) > shown else [])])


def words(column: str) -> str:
    """A column's name in words."""
    return column.replace("_", " ")


def period(value: Any, unit: str) -> Any:
    """A part of a time, which SQL made a number."""
    if unit in ("month", "week"):
        return f"{int(value) // 100}-{'W' if unit == 'week' else ''}{int(value) % 100:02d}"
    if unit == "quarter":
        return f"{int(value) // 10} Q{int(value) % 10}"
    return str(list(playbook()["weekdays"])[int(value) - 1]).title() if unit == "weekday" else value


def miles(value: Any) -> str:
    """A distance in nautical miles, with kilometres."""
    if not isinstance(value, dict):
        return number(value)
    far, km = value.get("nautical_miles"), value.get("km")
    figure = f"{round(float(far))} nautical miles" if far is not None else ""
    return f"{figure} ({round(float(km))} km)".strip() if km is not None else figure


def told(each: Condition) -> str:
    """A condition in words."""
    if isinstance(each, Not):
        inner = told(each.part)
        first, _, rest = inner.partition(" ")
        return f"{first} not {rest}" if isinstance(each.part, Test) and rest else f"not {inner}"
    if isinstance(each, (Both, Either)):
        parts = list(dict.fromkeys(told(part) for part in each.parts))
        return (" and " if isinstance(each, Both) else " or ").join(parts)
    if isinstance(each, Test):
        return each.said.strip()
    return _told_related(each)


def _told_related(each: Related) -> str:
    inner = ", ".join(told(c) for c in each.where)
    name = each.said or short(each.path[-1].target)
    whole = f"{name} with {inner}" if inner else name
    if each.op == "none":
        return name if name.startswith("without") else f"without {whole}"
    if each.op == "between":
        return f"{whole} between {number(each.numbers[0])} and {number(each.numbers[1])}"
    if each.op:
        return f"{whole} {each.op} {number(each.numbers[0])}"
    return whole if inner else f"with {name}"


def brackets(where: tuple[Condition, ...]) -> str:
    """What restricted the rows, in brackets; "" for nothing."""
    parts = [told(c) for c in where]
    return f" ({'; '.join(dict.fromkeys(p for p in parts if p))})" if parts else ""
