"""The offline stand-in for a chat model: deterministic, strict, and scriptable.

It sits behind the real openai client (`StandinTransport`), can be served over HTTP (`serving`,
`python -m harness standin`), misbehaves by model name (faults/), and follows a script in tests:

    with standin.script([call("run_sql", sql="SELECT 1"), say("One.")]) as seen: ...
"""

from importlib import import_module
from typing import Any

from harness.standin.faults.registry import fault
from harness.standin.refusals import ApiError
from harness.standin.scripting import REPEAT, Script, script, script_is_active
from harness.standin.turns import (
    Message,
    Reply,
    call,
    call_raw,
    calls,
    dripping,
    event,
    http,
    normal,
    raw,
    say,
    slowly,
    stream,
)

_LAZY = {
    "StandinTransport": "harness.standin.transport",
    "serving": "harness.standin.server",
    "catalogue": "harness.standin.faults.registry",
}

__all__ = [  # and the lazy ones, which `import *` would load
    "REPEAT",
    "ApiError",
    "Message",
    "Reply",
    "Script",
    "call",
    "call_raw",
    "calls",
    "dripping",
    "event",
    "fault",
    "http",
    "normal",
    "raw",
    "say",
    "script",
    "script_is_active",
    "slowly",
    "stream",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'harness.standin' has no attribute {name!r}")
