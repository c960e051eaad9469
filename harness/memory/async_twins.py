"""`name_async` beside every call, as `oracleagentmemory` has them: the same work in a thread."""

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def with_async_twins(cls: C) -> C:
    """Give a class an awaitable twin of each public call, its own and the inherited ones."""
    for name, call in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and not name.endswith("_async"):
            setattr(cls, f"{name}_async", _twin(call))
    return cls


def _twin(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def twin(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(call, *args, **kwargs)

    twin.__name__ = f"{call.__name__}_async"
    return twin
