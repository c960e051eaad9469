"""Wrong versions of every TODO: for each thing that its text says, one that breaks only that.

A file a TODO, with a list WRONG. Each version is our solution with a piece of its text replaced,
and says which statement of the notebook it breaks (a phrase of it) and the finding that it gets.
What the notebook states is read from its source in authoring/: numbered steps, sentences of
docstrings, and since the heading "Your turn" what is bold, numbered, or a row of a table.

    .venv/bin/python -m tests.wrong rrf_fuse      the table: statement, wrong version, finding
"""

import ast
import importlib
import inspect
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authoring.builder.source import BEGIN, read_source, sources
from harness.course.todos import TODOS

_AUTHORING = Path(__file__).resolve().parents[2] / "authoring"


@dataclass(frozen=True)
class Wrong:
    """A wrong version: `breaks` are phrases of the statements it breaks, `code` its finding.

    `changes` are pieces of our solution and what to put in the place of each; `also` are further
    findings that the same fault brings.
    """

    breaks: str | tuple[str, ...]
    code: str
    changes: dict[str, str]
    also: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases as a tuple."""
        return (self.breaks,) if isinstance(self.breaks, str) else self.breaks

    @property
    def title(self) -> str:
        """The version in short, for the name of a test."""
        first = next(iter(self.changes.values())).strip() or "left out"
        return f"{self.code}: {' '.join(first.split())[:40]}"


def wrong_versions(name: str) -> list[Wrong]:
    """The wrong versions of a TODO."""
    module = TODOS[name].check.rsplit(".", 1)[-1]
    return list(importlib.import_module(f"tests.wrong.{module}").WRONG)


def solution_text(name: str) -> str:
    """Our solution, as it stands in solutions/."""
    return inspect.getsource(TODOS[name].written())


def build(name: str, changes: dict[str, str]) -> Any:
    """Our solution with these pieces replaced. Each must be there, once or more."""
    text = solution_text(name)
    for old, new in changes.items():
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    return made(name, text)


def made(name: str, text: str) -> Any:
    """The function of a text, with the names that a notebook would have, and its lines known."""
    namespace = {**vars(importlib.import_module(TODOS[name].answers)), "__name__": "__main__"}
    file = f"<wrong {name} {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), namespace)
    return namespace[name]


def statements(name: str) -> list[str]:
    """Everything that the notebook states about a TODO, each as one line."""
    source = next(s for s in map(read_source, sources(_AUTHORING)) if name in s.roots)
    cells = re.split(r"^# %%.*$", source.text, flags=re.MULTILINE)
    number = next(
        i for i, cell in enumerate(cells) if re.search(rf"^(def|class) {name}\b", cell, re.M)
    )
    found: list[str] = []
    for cell in cells[:number][::-1]:
        text = "\n".join(line[2:] for line in cell.split("\n") if line.startswith("#"))
        turn = text.rfind("## Your turn")
        found = [*_rules(text[max(turn, 0) :]), *found]
        if turn >= 0:
            break
    code = cells[number]
    return [" ".join(each.split()) for each in (*found, *_docstrings(code, name), *_steps(code))]


def _rules(text: str) -> Iterator[str]:
    """What is bold, numbered, or a row of a table below its heading."""
    inside = False
    for line in text.split("\n"):
        if line.startswith("| --- "):
            inside = True
        elif inside and line.startswith("| "):
            yield line
        else:
            inside = False
    yield from (m[0] for m in re.finditer(r"^\d+\. .*(?:\n   .*)*", text, re.MULTILINE))
    yield from (m[1] for m in re.finditer(r"\*\*([^*]+)\*\*", text) if " " in m[1])
    yield from (m[0] for m in re.finditer(r"(?<!\*)\*[A-Z][^*]*\* means[^.]*\.", text))


def _docstrings(code: str, name: str) -> Iterator[str]:
    node = next(n for n in ast.parse(code).body if getattr(n, "name", "") == name)
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(each)):
            yield from _sentences(text)


def _sentences(text: str) -> Iterator[str]:
    """Sentences of running text; a line in columns, with what is indented below it, is one."""
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        if any(re.search(r"\S  +\S", line) for line in lines):
            yield from re.split(r"\n(?=\S)", paragraph)
        else:
            yield from re.split(r"(?<=[.])\s+(?=[A-Z`])", " ".join(lines))


def _steps(code: str) -> Iterator[str]:
    """The numbered steps above each solution."""
    for block in code.split(BEGIN)[:-1]:
        lines = [line.strip() for line in block.split("\n")]
        first = max(i for i, line in enumerate(lines) if line.startswith("# TODO 1."))
        text = " ".join(line.lstrip("# ") for line in lines[first:] if line.startswith("#"))
        yield from re.split(r"\s+(?=TODO \d+\.)", text)
