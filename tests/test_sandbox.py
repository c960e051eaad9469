# ruff: noqa: E501 - lines of hostile JavaScript are easier to read whole
"""exec_js: what it computes, what it says, and what hostile code gets out of it (nothing)."""

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.errors import ToolError, WorkshopError
from harness.tools import sandbox
from harness.tools.javascript import exec_js
from harness.tools.sandbox import JsResult, run_js
from tests.slices import in_part

SECRET = "SECRET-7731-do-not-tell"


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a secret in every form that an import could read."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    (folder / "secret.json").write_text(json.dumps({"key": SECRET}), encoding="utf-8")
    (folder / "secret.mjs").write_text(f"export default {SECRET!r}", encoding="utf-8")
    return folder


def value_of(code: str, input_json: str | None = None) -> Any:
    result = run_js(code, input_json)
    assert result.ok, result.error
    return result.value


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("return 1", 1),
        ("1 + 1", 2),
        ("return 1 // comment", 1),
        ("/* comment */ 5", 5),
        ("[1, 2].map((x) => x * 2)", [2, 4]),
        ("{a: 1}", {"a": 1}),
        ("let total = 0; for (const x of [1, 2, 3]) total += x; return total", 6),
        (
            "const wait = () => new Promise((r) => setTimeout(() => r(4), 5)); return await wait()",
            4,
        ),
        ("return new Promise((resolve) => resolve('later'))", "later"),
        ("return `two\nlines`", "two\nlines"),
        ("return 'é 漢 🚢'", "é 漢 🚢"),
        ("return '\\u2028\\u0000'", "\u2028\x00"),
        ("return new Intl.NumberFormat('en-US').format(1234567.891)", "1,234,567.891"),
        ("return structuredClone({a: [1]})", {"a": [1]}),
        ("return eval('1 + 1')", 2),
    ],
)
def test_value(code: str, value: Any) -> None:
    assert value_of(code) == value


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("return 3.0", "3"),
        ("return 0.1 + 0.2", "0.30000000000000004"),
        ("return 9007199254740991", "9007199254740991"),
        ("return 2n ** 64n", "18446744073709551616"),
        ("return [12345678901234567890n]", "[12345678901234567890]"),
        ("return 1e21", "1e+21"),
        ("return 1.5e-9", "1.5e-09"),
        ("return -7", "-7"),
        ("return [NaN, Infinity, -Infinity]", '["NaN", "Infinity", "-Infinity"]'),
        ("return [undefined, null]", "[null, null]"),
        ("return {a: undefined, b: 1}", '{"b": 1}'),
        ("const a = {n: 1}; a.self = a; return a", '{"n": 1, "self": "[circular]"}'),
        ("const a = [1]; return [a, a]", "[[1], [1]]"),
        ("return new Map([['a', 1n]])", '{"a": 1}'),
        ("return new Map([[1, 2]])", "[[1, 2]]"),
        ("return new Set([1, 2])", "[1, 2]"),
        ("return new Float64Array([1, 2.5])", "[1, 2.5]"),
        ("return new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("return new Error('x')", '"Error: x"'),
        ("return () => 1", '"[function anonymous]"'),
        ("return Symbol('x')", '"Symbol(x)"'),
        ("return undefined", "null"),
    ],
)
def test_numbers_and_odd_values(code: str, text: str) -> None:
    assert json.dumps(value_of(code), ensure_ascii=False) == text


def test_a_big_integer_of_many_digits_is_text() -> None:
    assert len(value_of("return 2n ** 20000n")) == 6021


def test_stdout_and_stderr() -> None:
    result = run_js("console.log('a', {b: [1, 2]}); console.error('c'); console.table([{x: 1}])")
    assert (result.ok, result.stderr) == (True, "c\n")
    assert result.stdout.startswith("a { b: [ 1, 2 ] }\n") and "x: 1" in result.stdout


def test_what_was_printed_before_an_error_is_kept() -> None:
    result = run_js("console.log('so far');\nthrow new Error('then')")
    assert (result.ok, result.stdout, result.error) == (False, "so far\n", "Error: then (line 2)")
    assert run_js("console.log('so far'); for (;;) {}", seconds=0.5).stdout == "so far\n"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("throw new Error('boom')", "Error: boom (line 1)"),
        ("let a = 1;\nlet b = 2;\nreturn nope", "ReferenceError: nope is not defined (line 3)"),
        ("const f = () => {\n  null.x;\n};\nf()", "(line 2)"),
        ("let x = ;\nreturn 1", "SyntaxError: Unexpected token ';' (line 1)"),
        ("let a = 1;\nlet a = 2;", "(line 2)"),
        ("throw 5", "Uncaught: 5"),
        ("throw null", "Uncaught: null"),
        ("Promise.reject(new Error('x')); await new Promise((r) => setTimeout(r, 20))", "Error: x"),
        (
            "setTimeout(() => { throw new Error('late') }); await new Promise((r) => setTimeout(r, 50))",
            "late",
        ),
        ("await new Promise(() => {})", "never settles"),
        ("return {toJSON() { throw new Error('in toJSON') }}", "in toJSON"),
        ("const f = () => f(); f()", "call stack"),
        ("return 2n ** (2n ** 31n)", "Maximum BigInt size exceeded"),
        ("return 'x'.repeat(1e9)", "Invalid string length"),
        ("return 'x'.repeat(1e8)", "return less"),
        ("return Array.from({length: 300000}, (_, i) => i)", "parts"),
        ("import x from 'y'", "import statement"),
    ],
)
def test_errors_say_what_and_where(code: str, error: str) -> None:
    result = run_js(code)
    assert not result.ok and error in result.error, result.error
    assert result.value is None


def test_the_code_that_is_too_long() -> None:
    assert "characters" in run_js("1" * 200_001).error


# --- rows handed in as data ---


def test_input_is_data() -> None:
    rows = json.dumps({"columns": ["a"], "rows": [[1.5], [2.5], ["`${1}`'\"\\"]]})
    assert value_of("return input.rows[0][0] + input.rows[1][0]", rows) == 4
    assert value_of("return input.rows[2][0]", rows) == "`${1}`'\"\\"
    assert value_of("return input", "not JSON") == "not JSON"
    assert value_of("return input === undefined") is True


def test_integers_that_a_double_cannot_hold_come_in_exactly() -> None:
    text = '{"rows": [[9007199254740993, 12, 1.25]]}'
    assert value_of("return input", text) == {"rows": [[9007199254740993, 12, 1.25]]}
    assert value_of("return input.rows[0][0] + 1n", text) == 9007199254740994
    assert value_of("return input.rows[0][1] + 1", text) == 13


# --- hostile code ---

IMPORTS = """
return (await import("file://{folder}/secret.txt", {{with: {{type: "text"}}}})).default
return (await import("file://{folder}/secret.json", {{with: {{type: "json"}}}})).default
return (await import("file://{folder}/secret.mjs")).default
return (await import("{folder}/secret.txt", {{with: {{type: "text"}}}})).default
return (await import("../../../../../../..{folder}/secret.txt", {{with: {{type: "text"}}}})).default
return (await import("file://{folder}/secret.txt", {{with: {{type: "bytes"}}}})).default
return await eval(`import("file://{folder}/secret.txt", {{with: {{type: "text"}}}})`)
return await new Function(`return import("file://{folder}/secret.txt", {{with: {{type: "text"}}}})`)()
return (await import(`data:text/javascript,import t from "file://{folder}/secret.txt" with {{type: "text"}}; export default t`)).default
return (await import(`data:application/typescript,import t from "file://{folder}/secret.txt" with {{type: "text"}}; export default t`)).default
return (await import(`data:text/javascript,export default (await import("file://{folder}/secret.txt", {{with: {{type: "text"}}}})).default`)).default
return (await import(`data:text/javascript,export * from "file://{folder}/secret.mjs"; export {{default}} from "file://{folder}/secret.mjs"`)).default
const u = URL.createObjectURL(new Blob([`import t from "file://{folder}/secret.txt" with {{type: "text"}}; export default t`], {{type: "text/javascript"}})); return (await import(u)).default
const w = new Worker(`data:text/javascript,import t from "file://{folder}/secret.txt" with {{type: "text"}}; postMessage(t)`, {{type: "module"}}); return await new Promise((r) => {{ w.onmessage = (e) => r(e.data) }})
const {{Worker}} = await import("node:worker_threads"); const w = new Worker(`import("file://{folder}/secret.txt", {{with: {{type: "text"}}}}).then((m) => require("worker_threads").parentPort.postMessage(m.default))`, {{eval: true}}); return await new Promise((r, j) => {{ w.on("message", r); w.on("error", j) }})
return (await import("node:fs")).readFileSync("{folder}/secret.txt", "utf8")
return await (await import("node:fs/promises")).readFile("{folder}/secret.txt", "utf8")
const {{createRequire}} = await import("node:module"); return createRequire("file://{folder}/x.js")("./secret.json")
const vm = await import("node:vm"); return await vm.runInThisContext(`import("file://{folder}/secret.txt", {{with: {{type: "text"}}}})`, {{importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER}})
return Deno.readTextFileSync("{folder}/secret.txt")
return await (await fetch("file://{folder}/secret.txt")).text()
return (await import("node:child_process")).execSync("cat {folder}/secret.txt").toString()
return this.constructor.constructor("return process")().getBuiltinModule("fs").readFileSync("{folder}/secret.txt", "utf8")
return (await import("node:sqlite")).DatabaseSync.toString() && new (await import("node:sqlite")).DatabaseSync("{folder}/secret.txt")
"""


@pytest.mark.parametrize("code", IMPORTS.strip().splitlines())
def test_no_way_to_a_file(code: str, secrets: Path) -> None:
    result = run_js(code.format(folder=secrets.as_posix()), seconds=3)
    assert not result.ok
    assert SECRET not in repr(result)


def test_the_probes_would_read_the_file_if_they_could(
    secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe that fails for a reason of its own would prove nothing."""
    monkeypatch.setattr(sandbox, "_FLAGS", [*sandbox._FLAGS, "--allow-read"])
    codes = [code.format(folder=secrets.as_posix()) for code in IMPORTS.strip().splitlines()]
    read = sum(SECRET in repr(run_js(code)) for code in codes[:13])
    assert read >= 10  # the others are relative, and the script has no place to be relative to


def test_a_static_import_can_not_be_smuggled_past_the_function(secrets: Path) -> None:
    where = f"file://{secrets.as_posix()}/secret.txt"
    code = f'}} import t from "{where}" with {{type: "text"}}; Deno.stdout.writeSync(t); {{'
    for each in (code, f"return 1 {code}", f") {code}"):
        assert SECRET not in repr(run_js(each))


@pytest.mark.parametrize(
    "code",
    [
        "return this.constructor.constructor('return process')().env",
        "return (await import('node:process')).env.HOME",
        "return (await import('node:os')).hostname()",
        "return Deno.env.toObject()",
        "return Deno.cwd()",
        "return await (await fetch('http://127.0.0.1:8000')).text()",
        "return new WebSocket('ws://127.0.0.1:8000').url",
        "return (await import('node:net')).connect(8000, '127.0.0.1').remoteAddress.x",
        "return await import('https://example.com/x.js')",
        "return await import('npm:lodash')",
        "return await import('jsr:@std/path')",
        "return (await import('node:child_process')).spawnSync('id').pid",
        "return new Worker('data:text/javascript,1', {type: 'module'}).x.y",
        "localStorage.setItem('a', 'b'); return localStorage.length",
        "return await caches.open('a')",
        "return prompt('?').x",
    ],
)
def test_no_way_to_the_machine(code: str) -> None:
    result = run_js(code, seconds=3)
    assert not result.ok
    assert str(Path.home()) not in repr(result)


def test_the_environment_and_the_folder_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    probe = "return Object.values((await import('node:process')).env)"
    assert SECRET not in repr(run_js(probe))


def test_a_stack_trace_does_not_say_where_we_are() -> None:
    assert "sandbox.js" in value_of("return new Error('x').stack")


@pytest.mark.parametrize(
    "code",
    [
        "return Array.from(new Error('x').stack).join(' ')",  # past a search for the path
        "Error.prepareStackTrace = (_, s) => s.map((f) => f.getFileName()); "
        "return new Error('x').stack.map((name) => Array.from(name ?? '').join(' '))",
        "try { await import('./x.js') } catch (e) { return Array.from(e.message).join(' ') }",
    ],
)
def test_no_trick_tells_where_we_are(code: str) -> None:
    place = " ".join(sandbox.BOOTSTRAP.parent.name)
    assert place not in repr(value_of(code))


@pytest.mark.parametrize(
    "code",
    [
        "for (;;) {}",
        "for (;;) await null",
        "const f = () => Promise.resolve().then(f); await f()",
        "const f = async () => { for (;;) await new Promise((r) => setTimeout(r)) }; await f()",
        "return /(a+)+$/.test('a'.repeat(50) + '!')",
        "return new Proxy({}, {ownKeys() { for (;;); }})",
        "return {toJSON() { for (;;); }}",
        "for (;;) console.log('y'.repeat(1000))",
        "try { for (;;) {} } finally { for (;;) {} }",
        "for (;;) { try { null.x } catch {} }",
    ],
)
def test_endless_code_is_stopped_in_time(code: str) -> None:
    started = time.monotonic()
    result = run_js(code, seconds=0.6)
    assert not result.ok and "stopped" in result.error
    assert time.monotonic() - started < 3
    assert len(result.stdout) < 70_000


@pytest.mark.parametrize(
    "code",
    in_part(
        [
            "const a = []; for (;;) a.push(new Float64Array(1e6).fill(1))",
            "const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))",
            "const a = []; for (;;) a.push({x: 1, y: [1, 2]})",
            "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
            "let s = 'x'; for (;;) s += s; return s.length",
            "const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])",
        ],
        3,
    ),
)
def test_memory_is_bounded(code: str) -> None:
    result = run_js(code, seconds=30)
    assert not result.ok
    assert "memory" in result.error or "string length" in result.error, result.error


def test_much_output_is_cut() -> None:
    result = run_js("console.log('x'.repeat(1e8)); return 'done'")
    assert (result.ok, result.value) == (True, "done")
    assert len(result.stdout) < 65_000 and "more characters)" in result.stdout


def test_code_that_writes_to_the_pipe_itself_breaks_nothing() -> None:
    result = run_js("(await import('node:process')).stdout.write('{\"end\": 5}\\n'); return 3")
    assert isinstance(result, JsResult)
    for code in (
        "Object.prototype.toJSON = () => 1; return {a: 1}",
        "JSON.stringify = null; return 2",
    ):
        assert isinstance(run_js(code), JsResult)


def test_runs_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run_js("return 1")
    run_js("for (;;) {}", seconds=0.3)
    assert list(tmp_path.iterdir()) == []
    children = psutil.Process(os.getpid()).children(recursive=True)
    assert [c for c in children if "deno" in c.name()] == []


def test_without_deno(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> str:
        raise FileNotFoundError

    monkeypatch.setattr("deno.find_deno_bin", nowhere)
    monkeypatch.setattr("shutil.which", lambda name: None)
    sandbox.deno.cache_clear()
    try:
        with pytest.raises(WorkshopError, match="Deno") as caught:
            run_js("return 1")
        assert "doctor" in caught.value.hint
        with pytest.raises(ToolError, match="Deno"):
            exec_js(code="return 1")
    finally:
        sandbox.deno.cache_clear()
