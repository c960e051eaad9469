"""Sources to notebooks, without running anything: the same source always gives the same bytes."""

import json

import jupytext
from nbformat import NotebookNode, v4

from authoring.builder.source import BuildError, Source
from authoring.builder.tables import fill
from harness.commands.working_copy import cells_sha256

KEPT = ("tags", "jupyter", "collapsed")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def learner(source: Source) -> NotebookNode:
    """What learners open: every TODO unsolved."""
    return _notebook(source, source.learner_text(), "learner")


def solution(source: Source) -> NotebookNode:
    """The complete notebook, not yet executed."""
    return _notebook(source, source.solution_text(), "solution")


def _notebook(source: Source, text: str, copy: str) -> NotebookNode:
    try:
        parsed = jupytext.reads(text, fmt="py:percent")
    except Exception as error:  # jupytext raises many kinds, all about the text
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise BuildError(source.path, None, f"jupytext can't read it: {first}") from error
    cells = []
    for position, cell in enumerate(parsed.cells):
        new = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}
        metadata = {name: cell.metadata[name] for name in KEPT if name in cell.metadata}
        text = fill(cell.source, source) if cell.cell_type == "markdown" else cell.source
        made = new[cell.cell_type](text, metadata=metadata)
        made["id"] = f"part-{source.part}-cell-{position:03d}"
        cells.append(made)
    notebook = v4.new_notebook(cells=cells)
    notebook.metadata.update(
        kernelspec=KERNEL,
        language_info=LANGUAGE,
        workshop={"copy": copy, "part": source.part, "source_sha256": source.sha256},
    )
    if copy == "learner":  # by which a copy tells whether it was changed
        notebook.metadata.workshop["cells_sha256"] = cells_sha256(notebook)
    return notebook


def without_outputs(notebook: NotebookNode) -> NotebookNode:
    """A copy as it was before it was executed."""
    copied = NotebookNode(json.loads(json.dumps(notebook)))
    for cell in copied["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return copied


def dumps(notebook: NotebookNode) -> str:
    """The text of a notebook file, as JupyterLab would save it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
