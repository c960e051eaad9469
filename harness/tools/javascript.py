"""exec_js: computing what SQL should not, and what a model must not do in its head."""

from typing import Annotated, Any

from pydantic import Field

from harness.guards.effect import Effect
from harness.session import current_session
from harness.tools.fenced import unfenced
from harness.tools.outputs import stored_output
from harness.tools.sandbox import MAX_CODE_CHARS, run_js
from harness.tools.sandbox_in_database import run_in_database
from harness.tools.toolbox import register

_SECONDS = 5.0


@register(
    tier="read",
    when="an answer needs a percentile, a weighted mean, a distance or a conversion worked out "
    "from rows that you have.",
    returns="'ok' says whether the code ran, 'value' is what it returned, 'stdout' and 'stderr' "
    "are what it printed. Where ok is false, 'error' says why and at which line.",
    instructions="""
The code is the body of an async function: end it with `return ...` (a bare expression is its own
value). To work on rows, name the tool_call_id of the run_sql call in input_from: `input` is then
its parsed result, with input.columns and input.rows. Don't paste rows into the code. There are no
files, no network and no modules; 5 seconds and 400 MB. Whole numbers beyond 2**53 come in and go
out exactly, as BigInt.
""",
    cost="low",
    example={
        "code": "return input.rows.length",
        "input_from": "call_1",
    },
    timeout=_SECONDS + 5,
    always=True,  # the system prompt's rules name it
    effects=(Effect("compute", "run"),),
)
def exec_js(
    code: Annotated[
        str, Field(max_length=MAX_CODE_CHARS, description="JavaScript: the body of a function.")
    ],
    input_from: Annotated[
        str | None, "tool_call_id of an earlier call; its result is `input` in the code."
    ] = None,
) -> dict[str, Any]:
    """Run JavaScript in a sandbox and return its value and what it printed."""
    data = None
    if input_from is not None:
        data = stored_output(input_from)
    seconds = min(_SECONDS, current_session().seconds_left())
    code = unfenced(code)
    result = run_in_database(code, data, seconds)
    if result is None:
        result = run_js(code, data, seconds)
    answer: dict[str, Any] = {
        "status": "ok" if result.ok else "error",
        "ok": result.ok,
        "value": result.value,
        "stdout": result.stdout,
        "stderr": result.stderr,
    }
    if result.error:
        answer["error"] = result.error
    elif result.returned_nothing and not result.stdout:
        answer["note"] = "The code returned nothing. End it with `return ...`."
    return answer
