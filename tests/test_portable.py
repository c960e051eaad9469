"""What Windows and other locales need, read from the sources: no machine here runs them all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.settings import root

FOLDERS = ("harness", "tests", "benchmarks", "authoring", "data")
FILES = [path for name in FOLDERS for path in sorted((root() / name).rglob("*.py"))]
FILES += [root() / "workshop.py", root() / "conftest.py"]
UNIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
UNIX_NAMES = {
    "os": {"fork", "forkpty", "getpgid", "getuid", "killpg", "setsid", "uname", "wait4"},
    "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "alarm", "setitimer"},
}


def modes(call: ast.Call) -> list[str] | None:
    """How a call opens a file, "r" if it doesn't say; None where it opens no file."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in ("open", "fdopen"):
        return None
    place = 0 if name == "open" and isinstance(call.func, ast.Attribute) else 1
    given = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    given += call.args[place : place + 1]
    said = [n.value for each in given for n in ast.walk(each) if isinstance(n, ast.Constant)]
    if given and not (said and all(isinstance(s, str) and set(s) <= set("rwaxbt+") for s in said)):
        return None  # os.open, a pool's or a viewer's open
    return said or ["r"]


def lacks_encoding(call: ast.Call) -> bool:
    """Whether a call reads or writes text in whatever encoding this machine has."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    named = {keyword.arg for keyword in call.keywords}
    if "encoding" in named or None in named:  # None: **options
        return False
    if name in ("read_text", "write_text"):
        return len(call.args) <= (name == "write_text")
    if name in ("run", "Popen", "check_output", "check_call"):
        return bool(named & {"text", "universal_newlines"})
    opened = modes(call)
    return opened is not None and any("b" not in mode for mode in opened)


def guarded(tree: ast.Module) -> set[ast.AST]:
    """What runs only after a question about the system: inside an `if` (or behind an `and`) that
    asks, below a mark that skips, or in a function that has returned elsewhere."""
    asked = ("win32", "os.name", "hasattr(")
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        tests = [node.test] if isinstance(node, ast.If | ast.IfExp) else []
        tests += node.values[:1] if isinstance(node, ast.BoolOp) else []
        tests += node.decorator_list if isinstance(node, ast.FunctionDef) else []
        if any(word in ast.unparse(test) for test in tests for word in asked):
            found.update(ast.walk(node))
    return found


def only_on_unix(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in UNIX_ONLY for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in UNIX_ONLY
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr in UNIX_NAMES.get(node.value.id, ())
    return False


def places(path: Path, nodes: list[ast.AST]) -> list[str]:
    return [f"{path.relative_to(root()).as_posix()}:{node.lineno}" for node in nodes]  # type: ignore[attr-defined]


def parsed(*words: str) -> Iterator[tuple[Path, ast.Module]]:
    """The files that have one of these words: reading all of the others would take too long."""
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if re.search(rf"\b(?:{'|'.join(words)})", text):
            yield path, ast.parse(text)


def test_text_is_read_and_written_as_utf_8():
    found = []
    for path, tree in parsed(r"f?d?open\(", r"read_text\(\)", r"write_text\(", "text=True"):
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        found += places(path, [call for call in calls if lacks_encoding(call)])
    assert found == []


def test_what_only_unix_has_is_asked_for_first():
    found = []
    for path, tree in parsed(*UNIX_ONLY, *UNIX_NAMES["os"], *UNIX_NAMES["signal"]):
        if path.is_relative_to(root() / "benchmarks"):
            continue  # for who maintains this, on a machine of their own
        nodes = [node for node in ast.walk(tree) if only_on_unix(node)]
        safe = guarded(tree) if nodes else ()
        found += places(path, [node for node in nodes if node not in safe])
    assert found == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("path.open()", True),
        ("open(name, 'w')", True),
        ("path.open('a' if more else 'w')", True),
        ("path.open('rb')", False),
        ("open(0, 'rb')", False),
        ("viewer.open(chosen)", False),
        ("os.open(path, os.O_RDWR)", False),
        ("path.read_text()", True),
        ("path.write_text(text, 'utf-8')", False),
        ("subprocess.run(command, text=True)", True),
        ("subprocess.run(command, text=True, encoding='utf-8')", False),
    ],
)
def test_the_rule_tells_text_from_bytes(code, expected):
    call = ast.parse(code).body[0].value  # type: ignore[attr-defined]
    assert lacks_encoding(call) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import fcntl", 1),
        ("if os.name != 'nt':\n    import fcntl", 0),
        ("os.killpg(1, signal.SIGKILL)", 2),
        ("if hasattr(os, 'fork'):\n    os.fork()", 0),
        ("hasattr(os, 'getuid') and os.getuid()", 0),
        ("signal.SIGINT", 0),
    ],
)
def test_the_rule_knows_what_is_guarded(code, expected):
    tree = ast.parse(code)
    safe = guarded(tree)
    assert sum(only_on_unix(n) and n not in safe for n in ast.walk(tree)) == expected
