"""The house: imports point one way and have no circle, names are unique, files stay short."""

import ast
import re
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from harness.settings import root
from tests.homes import printed

HARNESS_LINES, TEST_LINES, LOOP_LINES = 300, 400, 150  # of one file, at most
AROUND = ("__main__", "checks", "commands", "course", "evals", "standin")  # not the agent
EMPTY = ("{}", "[]", "set()", "dict()", "OrderedDict()", "WeakSet()", "weakref.WeakKeyDictionary()")
PUBLIC = "harness"  # its __init__ loads names when they are used, and imports nothing itself


def module_name(file: Path) -> str:
    parts = file.relative_to(root()).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


FILES = {module_name(file): file for file in sorted((root() / "harness").rglob("*.py"))}


@cache
def source(name: str) -> tuple[str, ast.Module]:
    """The text of a module, and what it says."""
    text = FILES[name].read_text(encoding="utf-8")
    return text, ast.parse(text)


@cache
def imports(name: str) -> frozenset[str]:
    """The modules of harness that a module imports, wherever in its file it does so."""
    found: set[str] = set()
    for node in ast.walk(source(name)[1]):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import, which this test can't follow"
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(below & FILES.keys() or {node.module or ""})
    return frozenset(found & FILES.keys() - {name, PUBLIC})


def room(name: str) -> str:
    """The folder of harness that a module is in; of a file at the top, the file."""
    return [*name.split("."), ""][1]


def test_no_import_goes_round_in_a_circle():
    try:
        TopologicalSorter({name: imports(name) for name in FILES}).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' <- '.join(error.args[1])}")


def test_the_agent_knows_nothing_of_the_course():
    agent = [name for name in FILES if room(name) not in AROUND]
    assert [
        f"{name} imports {other}"
        for name in agent
        for other in imports(name)
        if room(other) in ("course", "checks", "commands")
    ] == []


def test_one_module_of_the_agent_reaches_the_stand_in():
    agent = [name for name in FILES if room(name) not in AROUND]
    reach = [name for name in agent if any(room(other) == "standin" for other in imports(name))]
    assert len(reach) == 1 and room(reach[0]) == "model", reach


def test_the_stand_in_knows_nothing_of_either():
    """It may use what imports nothing of ours itself, such as the counting of tokens."""
    assert [
        f"{name} imports {other}"
        for name in FILES
        if room(name) == "standin"
        for other in imports(name)
        if room(other) != "standin" and imports(other)
    ] == []


def test_each_file_has_a_name_of_its_own():
    names = Counter(path.stem for path in FILES.values() if not path.stem.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    ("folder", "most"),
    [("harness", HARNESS_LINES), ("tests", TEST_LINES)],
)
def test_files_stay_short(folder, most):
    files = (root() / folder).rglob("*.py")
    lines = {
        p.relative_to(root() / folder).as_posix(): len(p.read_text("utf-8").splitlines())
        for p in files
    }
    assert {name for name, count in lines.items() if count > most} == set()


def test_the_loop_can_be_read_at_one_sitting():
    assert len((root() / "harness" / "loop.py").read_text("utf-8").splitlines()) <= LOOP_LINES


def test_importing_harness_loads_nothing_heavy():
    heavy = {"torch", "duckdb", "numpy", "openai", "pydantic", "jupyterlab", "IPython"}
    assert printed(f"import sys, harness; print({heavy!r} & set(sys.modules))") == "set()"


def lazy_imports(tree):
    """The import statements inside of functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield node


def test_an_import_inside_a_function_says_why():
    """Everything else is imported at the top, where a reader looks for it."""
    unsaid = []
    for name in FILES:
        text, tree = source(name)
        lines = ["", *text.splitlines()]
        for node in lazy_imports(tree):
            comment = lines[node.lineno].partition("#")[2]
            if not (comment or lines[node.lineno - 1].lstrip().startswith("#")):
                unsaid.append(f"{name}, line {node.lineno}")
    assert unsaid == []


def kept_by_the_process(tree):
    """Names of a module that hold what changes while the process runs: context variables, empty
    collections that wait to be filled, and whatever a function declares `global`."""
    names = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            made = ast.unparse(node.value)
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if made.startswith(("ContextVar(", "ContextVar[")) or made in EMPTY:
                names.add(ast.unparse(target))
    return names


def test_the_state_of_a_process_is_on_one_page():
    page = (root() / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(?:[\w/]+\.)?(\w+)`", page[page.index("## State of the process") :]))
    missing = []
    for name in FILES:
        kept = kept_by_the_process(source(name)[1]) - named
        missing += [f"{name}.{each}" for each in kept]
    assert sorted(missing) == []
