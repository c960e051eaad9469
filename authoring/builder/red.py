"""Proving learner copies red: unsolved, in strict mode, every check of a TODO must fail.

nbval can't do it: there a cell that should raise and does not is a pass.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from authoring.builder.execute import execute
from authoring.builder.source import Source


def not_red(source: Source, notebook: NotebookNode, folder: Path, root: Path) -> list[str]:
    """What is wrong with an unsolved copy; [] when it is red where it must be and only there.

    Runs the notebook with WORKSHOP_STRICT=1 in `folder`.
    """
    executed = execute(notebook, folder, root, WORKSHOP_STRICT="1")
    names = {name for todo in source.todos for name in todo.name.split(".")}
    unchecked = {todo.name for todo in source.todos}
    problems = []
    for number, cell in enumerate(executed.cells):
        if cell.cell_type != "code":
            continue
        failed = [out for out in cell.outputs if out.output_type == "error"]
        checked = {name for name in checks_in(cell.source) if name in names}
        unchecked = {todo for todo in unchecked if not checked & set(todo.split("."))}
        if checked and not failed:
            problems.append(f"cell {number}: the check of {min(checked)} passes unsolved")
        if failed and not checked and "raises-exception" not in cell.metadata.get("tags", []):
            problems.append(f"cell {number}: {failed[0].ename}: {failed[0].evalue}")
    return problems + [f"no check of {todo}" for todo in sorted(unchecked)]


def checks_in(source: str) -> Iterator[str]:
    """The names that a cell's `check("...")` calls are about."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic: no check in it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            first = node.args[0] if node.args else None
            if name == "check" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
