"""What the tests of run_sql share: an answer read, a refusal caught, lists of SQL one a line."""

import json
from typing import Any

import pytest

from harness.errors import ToolError
from harness.tools.sql import run_sql


def ask(sql: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(run_sql(sql=sql, **arguments))


def refusal(sql: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        run_sql(sql=sql)
    return caught.value


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line]
