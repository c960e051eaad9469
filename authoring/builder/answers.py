"""Our solutions as modules of the harness, taken from the sources so that each is written once.

A part's module holds the functions of its TODOs and whatever else of the notebook they lean on:
imports, constants, helpers, each as written in the cell that binds it last before the TODO.
"""

import ast
import builtins
import re
import subprocess
import symtable
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from authoring.builder.source import BEGIN, END, BuildError, Source

FOLDER = "harness/course/answers"
_HERE = Path(__file__).resolve().parents[2] / FOLDER / "made.py"  # whose settings apply
_STEP = re.compile(r"\s*# {1,3}(TODO \d+\. )?")


@dataclass(frozen=True)
class _Binding:
    """A statement at the top of a cell: the names that it binds, its place, its text."""

    names: tuple[str, ...]
    place: int
    node: ast.stmt
    text: str


def files(sources: list[Source]) -> dict[str, str]:
    """Every generated file of the answers: its path in the repository, and its text."""
    made = {f"{FOLDER}/answers_{source.part}.py": module(source) for source in _with_todos(sources)}
    return {f"{FOLDER}/__init__.py": _index(sources), **made}


def module(source: Source) -> str:
    """The module with a part's solutions. Raises BuildError for a name that nothing binds."""
    bindings = list(_bindings(source))
    wanted = [_find(source, bindings, name, len(bindings)) for name in source.roots]
    needed: dict[int, set[str]] = {}
    while wanted:
        binding, name = wanted.pop()
        if name in needed.setdefault(binding.place, set()):
            continue
        needed[binding.place].add(name)
        if not _is_import(binding.node):
            used = _used(binding.text)
            wanted += [_find(source, bindings, each, binding.place) for each in sorted(used)]
    order = sorted(needed, key=lambda place: (not _is_import(bindings[place].node), place))
    parts = [_statement(bindings[place], needed[place]) for place in order]
    about = f"Our solutions of part {source.part}, generated from authoring/{source.path.name}."
    return _tidy(f'"""{about}"""\n# mypy: ignore-errors\n' + "\n\n".join(parts) + "\n")


def _index(sources: list[Source]) -> str:
    rows = {name: source.part for source in _with_todos(sources) for name in source.roots}
    about = "Which TODOs there are, and the part of each: generated from the sources in authoring/."
    return _tidy(f'"""{about}"""\n\nPART_OF = {rows!r}\n')


def _with_todos(sources: list[Source]) -> list[Source]:
    return [source for source in sources if source.todos]


def _bindings(source: Source) -> Iterator[_Binding]:
    place = 0
    for cell in source.code_cells():
        lines = cell.split("\n")
        for node in ast.parse(cell).body if _is_plain(cell) else []:
            names = tuple(_names(node))
            if not names:
                continue
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            text = "\n".join(_without_steps(lines[first - 1 : node.end_lineno]))
            yield _Binding(names, place, node, text)
            place += 1


def _is_plain(cell: str) -> bool:
    try:
        ast.parse(cell)
    except SyntaxError:  # a cell with `await` at its top: nothing for a module
        return False
    return True


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((each.asname or each.name).split(".")[0] for each in node.names)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _without_steps(lines: list[str]) -> list[str]:
    """Without markers, and without the numbered steps above each."""
    kept: list[str] = []
    for line in lines:
        if line.strip() == BEGIN:
            while kept and _STEP.match(kept[-1]):
                kept.pop()
        elif line.strip() != END:
            kept.append(line)
    return kept


def _find(source: Source, bindings: list[_Binding], name: str, place: int) -> tuple[_Binding, str]:
    """Where a name is bound: last before `place`, else first after it."""
    having = [each for each in bindings if name in each.names]
    before = [each for each in having if each.place < place]
    if not having:
        raise BuildError(source.path, None, f"a solution uses {name}, which no cell binds")
    return (before[-1] if before else having[0]), name


def _used(text: str) -> set[str]:
    """The names of the notebook that a statement refers to."""
    found: set[str] = set()
    tables = [symtable.symtable(text, "<cell>", "exec")]
    own = {symbol.get_name() for symbol in tables[0].get_symbols() if symbol.is_assigned()}
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        found |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (top or symbol.is_global())
        }
        tables += table.get_children()
    return found - own - set(vars(builtins))


def _statement(binding: _Binding, names: set[str]) -> str:
    """The text of a statement; of an import only what is needed."""
    if isinstance(binding.node, ast.Import | ast.ImportFrom):
        node = binding.node
        node.names = [e for e in node.names if (e.asname or e.name).split(".")[0] in names]
        return ast.unparse(node)
    return binding.text


def _tidy(text: str) -> str:
    """Imports sorted, the text in the project's form."""
    for arguments in (["check", "--select", "I,E402", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(_HERE), "-"],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        text = done.stdout or text
    return text
