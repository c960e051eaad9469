"""Reading a source: where its TODOs are, and what is wrong with its markers.

A TODO is a function whose numbered steps are comments right above its solution:

    # TODO 1. Say what to do first,
    #   going on where a line is too short.
    # TODO 2. Then this.
    ### BEGIN SOLUTION
    ...
    ### END SOLUTION
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.course.parts import NUMBER

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
NAME = re.compile(rf"(?P<part>{NUMBER.pattern})_[a-z0-9_]+\.py")
CELL = re.compile(r"# ?%%(?P<rest>.*)")
STEP = re.compile(r"\s*# TODO (?P<number>\d+)\. \S")
LIKE_A_MARKER = re.compile(r"#.*\b(BEGIN|END)[ _]*SOLUTION|^\s*(BEGIN|END) SOLUTION", re.IGNORECASE)
TOP_LEVEL_AWAIT = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class BuildError(Exception):
    """A source that can't be built; the text names the file and, where there is one, the line."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        where = f"{path.name}:{line}" if line else path.name
        super().__init__(f"{where}: {message}")


@dataclass(frozen=True)
class Todo:
    """One solution: its marker lines (counted from 1), and the function that holds it."""

    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class Source:
    """One file of authoring/, checked."""

    path: Path
    text: str
    todos: tuple[Todo, ...]

    @property
    def part(self) -> str:
        """The part's number, such as "07" or "08b"."""
        return part_in(self.path)

    @property
    def roots(self) -> list[str]:
        """The functions and classes that the TODOs belong to, in order."""
        return list(dict.fromkeys(todo.name.split(".")[0] for todo in self.todos))

    @property
    def sha256(self) -> str:
        """The hash of the text that both notebooks carry."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()

    def code_cells(self) -> list[str]:
        """The text of each code cell, solutions and markers included."""
        return ["\n".join(cell.lines) for cell in _cells(self.text) if cell.is_code]

    def learner_text(self) -> str:
        """The source with every solution replaced by a NotImplementedError."""
        lines = self.text.split("\n")
        for todo in reversed(self.todos):
            marker = lines[todo.begin - 1]
            indent = marker[: len(marker) - len(marker.lstrip())]
            message = f'{indent}raise NotImplementedError("{todo.name} is yours to write")'
            lines[todo.begin - 1 : todo.end] = [message]
        return "\n".join(lines)

    def solution_text(self) -> str:
        """The source without its markers."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if line.strip() not in (BEGIN, END))


def read_source(path: Path) -> Source:
    """Read and check one file. Raises BuildError for anything that can't be built."""
    part_in(path)
    text = path.read_text(encoding="utf-8")
    todos = [todo for cell in _cells(text) for todo in _todos(path, cell)]
    source = Source(path, text, tuple(todos))
    for cell in _cells(source.learner_text()):
        if cell.is_code:
            _parse(path, cell)
    return source


def part_in(path: Path) -> str:
    """The number at the head of a source's name. Raises BuildError for a name without one."""
    found = NAME.fullmatch(path.name)
    if not found:
        raise BuildError(path, None, "a source is named like 07_agent_loop.py")
    return found["part"]


def sources(folder: Path) -> list[Path]:
    """The sources of a folder, in the order of the parts."""
    return sorted(path for path in folder.glob("*.py") if NAME.fullmatch(path.name))


@dataclass(frozen=True)
class _Cell:
    """A cell as it is in the file; `first` is the number of its first line after the header."""

    is_code: bool
    first: int
    lines: tuple[str, ...]

    def numbered(self) -> Iterator[tuple[int, str]]:
        return enumerate(self.lines, self.first)


def _cells(text: str) -> list[_Cell]:
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if CELL.match(line)]
    cells = []
    # what comes before the first header is jupytext's own
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        header = CELL.match(lines[start])
        is_code = header is not None and not re.search(r"\[(markdown|md|raw)\]", header["rest"])
        cells.append(_Cell(is_code, start + 2, tuple(lines[start + 1 : stop])))
    return cells


def _todos(path: Path, cell: _Cell) -> list[Todo]:
    pairs = _pairs(path, cell)
    if not cell.is_code:
        return []
    tree = _parse(path, cell)
    todos = []
    claimed: set[int] = set()
    for begin, end in pairs:
        claimed.update(_steps_above(path, cell, begin))
        todos.append(Todo(_function_around(path, cell, tree, begin, end), begin, end))
    for number, line in cell.numbered():
        if STEP.match(line) and number not in claimed:
            raise BuildError(path, number, f"a TODO step that no {BEGIN} follows")
    return todos


def _pairs(path: Path, cell: _Cell) -> list[tuple[int, int]]:
    """The line numbers of each begin and its end."""
    pairs: list[tuple[int, int]] = []
    begin = None
    for number, line in cell.numbered():
        if not LIKE_A_MARKER.search(line):
            continue
        if not cell.is_code:
            raise BuildError(path, number, "a solution marker in a cell that is not code")
        marker = line.strip()
        if marker == BEGIN:
            if begin is not None:
                raise BuildError(path, number, f"{BEGIN} inside the one of line {begin}")
            begin = number
        elif marker == END:
            if begin is None:
                raise BuildError(path, number, f"{END} without {BEGIN}")
            pairs.append((begin, number))
            begin = None
        else:
            raise BuildError(path, number, f"almost a marker: write {BEGIN} or {END}, alone")
    if begin is not None:
        raise BuildError(path, begin, f"{BEGIN} is not closed before the cell ends")
    return pairs


def _steps_above(path: Path, cell: _Cell, begin: int) -> list[int]:
    """The lines of the numbered steps right above a begin marker."""
    steps: list[tuple[int, int]] = []
    number = begin - 1
    while number >= cell.first and cell.lines[number - cell.first].strip().startswith("#"):
        if found := STEP.match(cell.lines[number - cell.first]):
            steps.insert(0, (number, int(found["number"])))
        number -= 1
    if not steps:
        raise BuildError(path, begin, f"{BEGIN} without a step such as `# TODO 1. ...` above it")
    if [step for _, step in steps] != list(range(1, len(steps) + 1)):
        raise BuildError(path, steps[0][0], "TODO steps are not numbered 1, 2, 3 ...")
    return [line for line, _ in steps]


def _function_around(path: Path, cell: _Cell, tree: ast.Module, begin: int, end: int) -> str:
    """The qualified name of the function that holds a solution. Elsewhere a raise would stop the
    notebook, and an empty solution would ask for nothing.
    """
    inside = [n for n, line in cell.numbered() if begin < n < end and _is_code(line)]
    if not inside:
        raise BuildError(path, begin, "no code between the markers")
    first, last = inside[0] - cell.first + 1, inside[-1] - cell.first + 1
    names: list[str] = []
    in_function = False
    for node in ast.walk(tree):  # breadth first: the outermost comes first
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.lineno < begin - cell.first + 1 and last <= (node.end_lineno or 0):
            names.append(node.name)
            in_function = not isinstance(node, ast.ClassDef)
    if not in_function or first < 1:
        raise BuildError(path, begin, f"{BEGIN} outside of a function")
    return ".".join(names)


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def _parse(path: Path, cell: _Cell) -> ast.Module:
    try:
        tree = compile("\n".join(cell.lines), path.name, "exec", TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        line = cell.first + (error.lineno or 1) - 1
        raise BuildError(path, line, f"not Python: {error.msg}") from None
    assert isinstance(tree, ast.Module)
    return tree
