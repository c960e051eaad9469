"""What the agent remembers: threads, messages, memories, and the rules for both.

The public client has the names of `oracleagentmemory`. Importing this package makes it the
attribute `harness.memory`, so the package passes the client's names on: after `from harness import
memory` one can call `memory.search(...)`, whichever of the two it is.
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.memory.client import memory as memory
    from harness.memory.recall import corrections as corrections

_WHERE = {
    "memory": "client",
    "MemoryClient": "client",
    "corrections": "recall",
    "SearchScope": "shapes",
    "RecordStatus": "shapes",
    "TimeToLiveAnchor": "shapes",
    "Message": "shapes",
    "EVERY_USER": "default_user",
    "overview": "own_page",
}

__all__ = [*sorted(_WHERE)]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    if not name.startswith("_"):
        if importlib.util.find_spec(f"{__name__}.{name}"):  # a module of ours: not the client's
            return importlib.import_module(f"{__name__}.{name}")
        client = importlib.import_module(f"{__name__}.client").memory
        if hasattr(type(client), name):
            return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
