"""What the agent remembers: threads, messages, memories, and the rules for both.

The public client has the names of `oracleagentmemory`: `from harness.memory import memory`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.memory.client import memory as memory
    from harness.memory.recall import corrections as corrections
    from harness.memory.threads import log_message as log_message

_WHERE = {
    "memory": "client",
    "MemoryClient": "client",
    "log_message": "threads",
    "corrections": "recall",
    "SearchScope": "shapes",
    "RecordStatus": "shapes",
    "TimeToLiveAnchor": "shapes",
}

__all__ = [*sorted(_WHERE)]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
