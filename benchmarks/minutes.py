"""How long each part takes: reading and writing, from the notebooks as they are.

    .venv/bin/python -m benchmarks.minutes

Reading counts 200 words a minute for prose and 20 lines a minute for code and output; running is
not measured, the table of parts rounds up for it; writing counts two lines of solution a minute
and two minutes a function to read its steps and its findings.
"""

import json
from pathlib import Path

from authoring.builder.source import read_source, sources
from harness.course.parts import PARTS

_ROOT = Path(__file__).resolve().parents[1]
_WORDS, _LINES, _WRITTEN, _FUNCTION = 200, 20, 2, 2.0


def minutes() -> dict[str, tuple[float, float]]:
    """Part -> minutes to read, minutes to write."""
    found = {}
    for source in map(read_source, sources(_ROOT / "authoring")):
        notebook = _ROOT / "notebooks" / f"{source.path.stem}.ipynb"
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        prose = [cell for cell in cells if cell["cell_type"] == "markdown"]
        words = sum(len("".join(cell["source"]).split()) for cell in prose)
        code = sum(
            len("".join(cell["source"]).splitlines())
            for cell in cells
            if cell["cell_type"] == "code"
        )
        written = sum(todo.end - todo.begin - 1 for todo in source.todos)
        write = written / _WRITTEN + _FUNCTION * len(source.roots)
        found[source.part] = words / _WORDS + code / _LINES, write
    return found


if __name__ == "__main__":
    print(f"{'part':<6}{'read':>6}{'write':>7}{'both':>6}{'table':>7}")
    for part, (read, write) in minutes().items():
        both = read + write
        print(f"{part:<6}{read:>6.0f}{write:>7.0f}{both:>6.0f}{PARTS[part].minutes:>7}")
