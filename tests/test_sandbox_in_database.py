"""The script that goes to the database, run in an engine that has the language and nothing else."""

import json
import subprocess
from pathlib import Path
from typing import Any

import oracledb
import pytest
from oracle_recording import RecordingPool, oracle_error

from harness.databases import oracle_setup
from harness.databases.oracle import OracleBusiness
from harness.errors import ToolError
from harness.settings import Settings
from harness.tools.sandbox import deno, read_frames, run_js
from harness.tools.sandbox_in_database import script

# What Deno has beside the language is taken away before the script starts.
BARE = """
const { stdout, exit } = Deno;
const encoder = new TextEncoder();
const write = (text) => stdout.writeSync(encoder.encode(text));
const mocked = { importValue: () => REQUEST, exportValue: (_, text) => { write(text); } };
for (const name of ["Deno", "Blob", "TextEncoder", "addEventListener", "console", "fetch"]) {
  delete globalThis[name];
}
"""
CODES = [
    "1 + 1",
    "return input.rows.reduce((sum, row) => sum + row[1], 0)",
    "console.log('a', {b: 1}); console.error('c'); return [1, null, 'Ünïcode 🚢']",
    "return 2n ** 70n",
    "return",
    "throw new RangeError('too far')",
    "return (",
    "return new Map([['a', new Set([1, 2])]])",
    "return await Promise.resolve(NaN)",
    "return typeof Deno + typeof require + typeof process",
]
DATA = json.dumps({"rows": [["a", 2], ["b", 40]]})


def in_a_bare_engine(code: str, folder: Path) -> Any:
    request = json.dumps(json.dumps({"code": code, "input": DATA}))
    file = folder / "bare.js"
    file.write_text(BARE.replace("REQUEST", request) + script("mocked"), encoding="utf-8")
    done = subprocess.run(
        [deno(), "run", "--quiet", "--no-prompt", "--no-remote", str(file)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b"", done.stderr.decode()
    return read_frames(done.stdout, "", lambda: "no end")


@pytest.mark.parametrize("code", CODES)
def test_the_same_comes_out_as_of_deno(code: str, tmp_path: Path) -> None:
    bare, ours = in_a_bare_engine(code, tmp_path), run_js(code, DATA)
    assert (bare.ok, bare.value, bare.returned_nothing) == (
        ours.ok,
        ours.value,
        ours.returned_nothing,
    )
    assert bare.error.partition(" (line")[0] == ours.error.partition(" (line")[0]
    assert bare.stderr == ours.stderr and bare.stdout.split()[:1] == ours.stdout.split()[:1]


class _Written:
    def __init__(self, text: str) -> None:
        self.text = text

    def getvalue(self) -> str:
        return self.text


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> RecordingPool:
    import oracle_recording

    monkeypatch.setattr(
        oracle_recording._Cursor, "var", lambda *_: _Written('{"end": {}}'), raising=False
    )
    return RecordingPool()


def adapter(tmp_path: Path, pool: RecordingPool) -> OracleBusiness:
    return OracleBusiness(Settings(home=tmp_path), pool)


def test_what_is_sent(tmp_path: Path, pool: RecordingPool) -> None:
    assert adapter(tmp_path, pool).run_script("SCRIPT", "REQUEST", 5.0) == '{"end": {}}'
    ((sql, binds), closed) = pool.sent
    assert sql == oracle_setup.statement("compute") and closed == "closed"
    assert "environment => 'SUPPLYCHAIN.WORKSHOP_PURE'" in sql
    assert (binds["request"], binds["script"]) == ("REQUEST", "SCRIPT")


def test_without_mle_there_is_no_second_try(tmp_path: Path, pool: RecordingPool) -> None:
    pool.answers = {"DBMS_MLE": oracle_error("ORA-06550: PLS-00201: DBMS_MLE must be declared")}
    database = adapter(tmp_path, pool)
    assert database.run_script("S", "R", 5.0) is None
    assert database.run_script("S", "R", 5.0) is None and len(pool.statements) == 1


def test_code_that_takes_too_long_is_stopped(tmp_path: Path, pool: RecordingPool) -> None:
    late = oracledb.OperationalError("DPY-4024: call timeout of 5000 ms exceeded")
    pool.answers = {"DBMS_MLE": late}
    with pytest.raises(ToolError) as caught:
        adapter(tmp_path, pool).run_script("S", "R", 5.0)
    assert caught.value.kind == "timeout"
