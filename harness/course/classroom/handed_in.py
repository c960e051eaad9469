"""What a notebook hands in: its TODOs, each with the definitions that it needs and nothing else.

Cells are never run as they are: a cell may ask a model for a minute, and a straggler's may never
end. Of the whole notebook only those statements are taken that define what a TODO's function uses.
"""

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MAGIC = ("%", "!", "?")  # what begins a line that is IPython's, not Python's
_MOST_BYTES = 50_000_000  # a larger file isn't a notebook of this workshop


@dataclass
class HandedIn:
    """One notebook: the source that defines each TODO, and what of it could not be read."""

    sources: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read_notebook(path: Path, names: Iterable[str]) -> HandedIn:
    """The TODOs among `names` that a notebook defines. A fault is a line for a person."""
    found = HandedIn()
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is too large")
        cells = _code_cells(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        found.faults.append(f"it can't be read as a notebook ({str(error)[:100]})")
        return found
    statements: list[ast.stmt] = []
    for number, source in enumerate(cells, 1):
        try:
            statements += ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            what = error.msg if isinstance(error, SyntaxError) else "it can't be parsed"
            found.faults.append(f"code cell {number}{where}: {what}")
    for name in names:
        needed = _needed(statements, name)
        if needed:
            found.sources[name] = "\n\n".join(ast.unparse(statement) for statement in needed)
    return found


def _code_cells(notebook: Any) -> list[str]:
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no cells")
    sources = [c.get("source", "") for c in cells if isinstance(c, dict)
               and c.get("cell_type") == "code"]  # fmt: skip
    return [_python("".join(s) if isinstance(s, list) else str(s)) for s in sources]


def _python(source: str) -> str:
    """A cell without the lines that are IPython's own."""
    lines = source.splitlines()
    return "\n".join("" if line.lstrip().startswith(_MAGIC) else line for line in lines)


def _needed(statements: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements that define `name` and, in turn, what those use; in their order."""
    makers: dict[str, list[int]] = {}
    for number, statement in enumerate(statements):
        for made in _made(statement):
            makers.setdefault(made, []).append(number)
    makers[name] = [n for n in makers.get(name, ()) if not _takes(statements[n])]
    if not makers[name]:
        return []
    wanted, taken = [name], set[int]()
    while wanted:
        for number in makers.get(wanted.pop(), ()):
            if number not in taken:
                taken.add(number)
                wanted += _used(statements[number])
    return [statements[number] for number in sorted(taken)]


def _takes(statement: ast.stmt) -> bool:
    """Whether it takes a function that is there, by import or by mine(...), and writes none."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    called = value.func if isinstance(value, ast.Call) else None
    return "mine" in (getattr(called, "id", ""), getattr(called, "attr", ""))


def _made(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a cell gives a value."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for each in statement.names:
            yield (each.asname or each.name).split(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _used(node: ast.AST) -> set[str]:
    """The names that a statement takes from outside of itself."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inside = set().union(*map(_used, ast.iter_child_nodes(node)))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        inside -= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        kept = {name for n in ast.walk(node) if isinstance(n, ast.Global) for name in n.names}
        stored = {n.id for n in ast.walk(node)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        inside = (inside - stored) | kept
    return inside
