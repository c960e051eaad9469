"""A function as text that runs by itself: its source, its helpers', and the imports they need."""

import ast
import inspect
import linecache
import re
import sys
import textwrap
from types import FunctionType, ModuleType
from typing import Any

import harness
from harness.course.runner.transfer import file_of, is_harness, used_globals
from harness.course.runner.worker import Sources

_LITERALS = (int, float, bool, str, bytes, type(None), list, dict, tuple, set)


def lines_of(fn: Any) -> Sources:
    """The function's file, its first line there, and its lines; {} when nobody knows them."""
    try:
        lines, first = _lines(fn)
    except (OSError, TypeError):
        return {}
    return {file_of(fn): (max(first, 1), lines)}


def standalone(name: str, fn: Any) -> str | None:
    """Source text which, executed, defines `name` again; None when that can't be had."""
    try:
        parts = [_definition(name, fn)]
        for used, value in used_globals(fn).items():
            if value is not fn and used != name:
                parts.insert(0, _definition(used, value))
    except (OSError, TypeError, ValueError):
        return None
    return "\n\n".join(["from __future__ import annotations", *parts]) + "\n"


def rebuild(name: str, source: str) -> Any:
    """Execute such a text and return what it calls `name`. Raises whatever it raises."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, f"<your {name}>", "exec"), namespace)
    return namespace[name]


def _definition(name: str, value: Any) -> str:
    """The statement that gives `name` this value. Raises ValueError when there is none."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}"
    module = getattr(value, "__module__", None)
    if isinstance(value, type | FunctionType) and module == "__main__":
        return _of_notebook(name, value)
    if is_harness(value) or isinstance(value, type) or callable(value):
        qualified = getattr(value, "__qualname__", getattr(value, "__name__", name))
        if isinstance(value, FunctionType) and _foreign(value):
            return _of_notebook(name, value)
        if module and re.fullmatch(r"\w+", str(qualified)):
            return f"from {module} import {qualified} as {name}"
    if isinstance(value, _LITERALS) and _is_literal(value):
        return f"{name} = {value!r}"
    return f"from harness import {_public_name(name, value)} as {name}"


def _of_notebook(name: str, value: Any) -> str:
    text = textwrap.dedent("".join(_lines(value)[0]))
    return text if value.__name__ == name else f"{text}\n{name} = {value.__name__}"


def _lines(value: Any) -> tuple[list[str], int]:
    """The lines of a function or class, and the number of the first; inspect's errors.

    For a class of a notebook's cell inspect knows no file, but its methods do.
    """
    if not isinstance(value, type) or value.__module__ != "__main__":
        return inspect.getsourcelines(value)
    lines = linecache.getlines(file_of(value))
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError as error:  # the cell has a magic
        raise OSError("could not get source code") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == value.__name__:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return lines[first - 1 : node.end_lineno], first
    raise OSError("could not get source code")


def _foreign(value: FunctionType) -> bool:
    """Whether a function's module can't be imported by its name."""

    return value.__module__ not in sys.modules


def _is_literal(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, RecursionError):
        return False


def _public_name(name: str, value: Any) -> str:
    """The name under which the harness exports this very object."""

    for candidate in (name, *sorted(vars(harness))):
        if vars(harness).get(candidate) is value:
            return candidate
    raise ValueError(f"no statement makes {name}")
