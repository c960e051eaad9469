"""exec_js inside the database, where it has an engine that can do nothing but compute.

The script is the one that Deno runs, between two pieces that replace what only Deno has. So a
value, an error or a printed line comes out the same, wherever the code ran.
"""

import json
from functools import lru_cache
from pathlib import Path

from harness.databases.business import run_script
from harness.errors import ToolError
from harness.tools.sandbox import BOOTSTRAP, MAX_CODE_CHARS, JsResult, read_frames

_BEFORE = Path(__file__).with_name("sandbox_in_database.js")
_IMPORT = 'await import("mle-js-bindings")'
_AFTER = '\nbindings.exportValue("answer", frames.join(""));\n})();'


def run_in_database(code: str, input_json: str | None, seconds: float) -> JsResult | None:
    """Run the body of an async function as `run_js` does; None where the database can't."""
    if len(code) > MAX_CODE_CHARS:
        return None  # run_js says so
    request = json.dumps({"code": code, "input": input_json})
    try:
        written = run_script(script(), request, seconds)
    except ToolError:
        return JsResult(False, error=f"The code took longer than {seconds:g} s and was stopped.")
    if written is None:
        return None
    return read_frames(written.encode("utf-8", "replace"), "", lambda: "It ended without a result.")


@lru_cache(maxsize=1)
def script(bindings: str = _IMPORT) -> str:
    """The whole script; `bindings` is where values come from and go to."""
    before = _BEFORE.read_text(encoding="utf-8").replace("BINDINGS", bindings)
    return before + BOOTSTRAP.read_text(encoding="utf-8") + _AFTER
