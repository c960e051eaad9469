"""Looking for solutions in what learners get to see."""

from collections.abc import Iterator

from nbformat import NotebookNode

from authoring.builder.source import Source

SHORT = 25  # characters: anything shorter, such as `return answer`, is no one's secret
RUN = 3  # lines in a row that give a solution away in another part


def solution_lines(source: Source) -> list[list[str]]:
    """For each TODO, the lines of code of its solution that say something of their own."""
    lines = source.text.split("\n")
    blocks = (lines[todo.begin : todo.end - 1] for todo in source.todos)
    return [[line.strip() for line in block if _says_something(line)] for block in blocks]


def leaks(source: Source, notebook: NotebookNode) -> list[str]:
    """Solution lines of a part that appear, word for word, in its own learner copy."""
    shown = set(_lines(notebook))
    return [line for block in solution_lines(source) for line in block if line in shown]


def runs(source: Source, notebook: NotebookNode) -> list[str]:
    """The first lines of runs of solution lines that appear in a learner's notebook of any part."""
    shown = [line for line in _lines(notebook) if _says_something(line)]
    seen = {tuple(shown[i : i + RUN]) for i in range(len(shown) - RUN + 1)}
    found = []
    for block in solution_lines(source):
        pieces = [tuple(block[i : i + RUN]) for i in range(len(block) - RUN + 1)]
        found += [piece[0] for piece in pieces if piece in seen]
    return found


def _lines(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        yield from (line.strip() for line in cell.source.split("\n"))


def _says_something(line: str) -> bool:
    return len(line.strip()) >= SHORT and not line.strip().startswith("#")
