"""Whether one known thing is so."""

from typing import Any

from harness.standin.brain.tree import Both, Condition, Either, Not, Test, Value


def _holds(each: Condition, row: dict[str, Any]) -> bool:
    if isinstance(each, Not):
        return not _holds(each.part, row)
    if isinstance(each, Both):
        return all(_holds(part, row) for part in each.parts)
    if isinstance(each, Either):
        return any(_holds(part, row) for part in each.parts)
    return isinstance(each, Test) and _test_holds(each, row)


def _test_holds(test: Test, row: dict[str, Any]) -> bool:
    """Whether a row's value meets a test, as the database would say."""
    value = row.get(
        test.value.name,
        next((v for k, v in row.items() if k.endswith(test.value.name)), list(row.values())[-1]),
    )
    if test.op in ("null", "given"):
        return (value is None) == (test.op == "null")
    if value is None:
        return False
    if test.op == "in":
        return value in test.values
    if test.op == "range":
        day = str(value)[:10]
        start, end = (v.isoformat() if v else None for v in test.values)
        return (start is None or day >= start) and (end is None or day < end)
    low = test.values[0]
    if isinstance(low, Value):
        low = row.get(low.name)
    if test.op == "between":
        return bool(low <= value <= test.values[1])
    return bool(
        {
            ">": value > low,
            "<": value < low,
            ">=": value >= low,
            "<=": value <= low,
            "=": value == low,
        }.get(test.op, False)
    )
