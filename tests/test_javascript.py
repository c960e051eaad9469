"""exec_js: what the model gets back, within its deadline, and how a result is handed in."""

import json
import time
from typing import Any

import pytest

from harness.errors import ToolError
from harness.run.recorder import forget_turns, open_turn
from harness.session import session
from harness.tools.dispatch import dispatch
from harness.tools.javascript import exec_js


def test_tool_answers() -> None:
    assert json.loads(exec_js(code="console.log('hi'); return 2 ** 10")) == {
        "status": "ok",
        "ok": True,
        "value": 1024,
        "stdout": "hi\n",
        "stderr": "",
    }
    said = json.loads(exec_js(code="console.log('%s has %d of %o', 'x', 3, {a: 1}, 'y'); return 1"))
    assert said["stdout"] == "x has 3 of { a: 1 } y\n"
    failed = json.loads(exec_js(code="return nope"))
    assert (failed["status"], failed["ok"], failed["value"]) == ("error", False, None)
    assert failed["error"] == "ReferenceError: nope is not defined (line 1)"
    assert "return" in json.loads(exec_js(code="const x = 1;"))["note"]


def test_the_deadline_of_the_session_bounds_it() -> None:
    started = time.monotonic()
    with session(deadline=0.5):
        try:
            answer = json.loads(exec_js(code="for (;;) {}"))
            assert not answer["ok"]
        except ToolError as error:
            assert error.kind == "timeout"
    assert time.monotonic() - started < 3


def test_input_from_hands_over_an_earlier_result() -> None:
    def tool_call(id: str, name: str, **arguments: Any) -> dict[str, Any]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": id, "type": "function", "function": function}

    open_turn("thread-of-test-sandbox", "How many voyages?")
    try:
        sql = "SELECT status, COUNT(*) AS n FROM voyages GROUP BY status"
        assert dispatch(tool_call("call_sql_1", "run_sql", sql=sql)).status == "ok"
        code = "return input.rows.reduce((sum, row) => sum + row[1], 0)"
        result = dispatch(tool_call("call_js_1", "exec_js", code=code, input_from="call_sql_1"))
        assert json.loads(result.content)["value"] == 600
    finally:
        forget_turns()


def test_input_from_an_unknown_call() -> None:
    with pytest.raises(ToolError, match="call_nope"):
        exec_js(code="return input", input_from="call_nope")


@pytest.mark.parametrize(
    "code",
    [
        "```js\nreturn 6 * 7\n```",
        "```javascript\r\nreturn 6 * 7\r\n```\n",
        "\n```\nconst s = `6`\nreturn s * 7\n```",
        "~~~\n6 * 7\n~~~",
        "````js\nreturn 6 * 7 // ```\n````",
        "Here it is:\n```js\nreturn 6 * 7\n```\nThat is all.",
    ],
)
def test_a_fenced_block_is_its_code(code: str) -> None:
    assert json.loads(exec_js(code))["value"] == 42
