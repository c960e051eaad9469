"""What a tool answers when it refuses."""

from collections.abc import Callable
from typing import Any

import pytest

from harness.errors import ToolError


def refused(tool: Callable[..., Any], *args: Any, **kwargs: Any) -> ToolError:
    """The error that a tool raises for these arguments."""
    with pytest.raises(ToolError) as caught:
        tool(*args, **kwargs)
    return caught.value
