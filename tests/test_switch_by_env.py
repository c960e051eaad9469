"""Another database by environment alone: the same loop, tools and questions in another process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.settings import root

ENV = {
    "WORKSHOP_DATABASE": "oracle",
    "ORACLE_DSN": "db.example:1521/FREEPDB1",
    "ORACLE_USER": "supplychain_reader",
    "ORACLE_PASSWORD": "not-shown",
    "WORKSHOP_MODEL": "standin",
}
# The pool is the only thing that is put in place: no server is near.
PROGRAM = """
import json
from harness.databases import oracle
from harness.settings import settings
from oracle_on_duckdb import DuckDbPool
from databases_at_hand import PACIFIC
pool = DuckDbPool().open(settings().home, (PACIFIC,))
oracle.OraclePool = lambda *_: pool
from harness import SYSTEM_PROMPT, TOOLS, run_turn, session
from harness.databases.business import business
from harness.knowledge.fact_search import all_facts
question = "How many voyages are delayed?"
whole = run_turn(question, "t")
with session(role="pacific_analyst"):
    part = run_turn(question, "p")
print(json.dumps({
    "prompt": str(SYSTEM_PROMPT), "tool": TOOLS["run_sql"][1]["function"]["description"],
    "facts": [f["body"] for f in all_facts("column") if f["subject"].endswith("voyages.status")],
    "whole": [whole.status, whole.answer], "part": [part.status, part.answer],
    "source": business().source,
    "count": business().query("SELECT COUNT(*) FROM voyages WHERE status = 'DELAYED'").rows[0][0],
    "read_only": "SET TRANSACTION READ ONLY" in pool.statements}))
"""


@pytest.mark.full
def test_a_turn_on_the_other_adapter(template_home: Path, tmp_path: Path) -> None:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("WORKSHOP_", "OPENAI_", "ORACLE_"))
    }
    home = shutil.copytree(template_home, tmp_path / "home")
    paths = [str(root()), str(root() / "tests"), os.environ.get("PYTHONPATH", "")]
    env = {
        **kept,
        **ENV,
        "WORKSHOP_HOME": str(home),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=root(),
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert "Oracle SQL" in said["prompt"] and "Speaks Oracle SQL" in said["tool"]
    assert "DuckDB" not in said["prompt"] + said["tool"]
    assert said["source"] == "oracle:supplychain_reader@db.example:1521/FREEPDB1"
    assert "VARCHAR2" in said["facts"][0]  # scanned anew: the home knew another database before
    assert said["whole"][0] == said["part"][0] == "completed" and said["read_only"]
    assert str(said["count"]) in said["whole"][1]
    assert said["part"][1] != said["whole"][1]
    assert "not-shown" not in done.stdout + done.stderr
