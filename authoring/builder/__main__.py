"""`python -m authoring.builder [--check] [part ...]`: build, or say what is not up to date."""

import argparse
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from authoring.builder import answers
from authoring.builder.execute import execute, passing
from authoring.builder.notebook import dumps, learner, solution, without_outputs
from authoring.builder.source import BuildError, Source, part_in, read_source, sources
from authoring.builder.tables import readme
from harness.commands.working_copy import cells_sha256
from harness.course.parts import numbered

ROOT = Path(__file__).resolve().parent.parent.parent
AT_ONCE = 2  # kernels: each takes a core


def main(argv: list[str], root: Path = ROOT) -> int:
    """Build or check the parts that are named, or all; returns the exit code."""
    parser = argparse.ArgumentParser(prog="workshop.py build")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(argv)
    try:
        chosen = _chosen(root, options.parts)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        if options.check:
            problems = check_made(root) + check(chosen, root, options.parts)
        else:
            make(root)
            problems = build(chosen, root)
    except BuildError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if options.check and not problems:
        print(f"{len(chosen)} parts, both copies up to date")
    return 1 if problems else 0


def build(chosen: list[Source], root: Path) -> list[str]:
    """Write both notebooks of each source; returns what went wrong, and leaves those files be."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda source: _build_one(source, root), chosen)
        return [problem for problems in found for problem in problems]


def check(chosen: list[Source], root: Path, parts: list[str]) -> list[str]:
    """What is not as its source says, without executing anything."""
    problems = [problem for source in chosen for problem in _check_one(source, root)]
    if not parts:
        names = {source.path.stem for source in chosen}
        for folder in ("notebooks", "solutions"):
            found = [p for p in (root / folder).glob("*.ipynb") if p.stem not in names]
            stale = [
                path for path in found if _is_built(path)
            ]  # anybody's own notebook may lie here
            problems += [f"{folder}/{p.name} has no source in authoring/" for p in sorted(stale)]
    return problems


def make(root: Path) -> None:
    """Write the modules of our solutions and README's table, where they have changed."""
    wanted = _made(root)
    for stray in _strays(root, wanted):
        stray.unlink()
    for name, text in wanted.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _says(path, text):
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}", flush=True)


def check_made(root: Path) -> list[str]:
    """Which of these files are not what the sources and the table of parts say."""
    wanted = _made(root)
    stale = [name for name, text in wanted.items() if not _says(root / name, text)]
    stale += [path.relative_to(root).as_posix() for path in _strays(root, wanted)]
    return [f"{name} is not what its sources say; run: python workshop.py build" for name in stale]


def _made(root: Path) -> dict[str, str]:
    wanted = answers.files([read_source(path) for path in sources(root / "authoring")])
    text = readme(root)
    return wanted if text is None else {**wanted, "README.md": text}


def _strays(root: Path, wanted: dict[str, str]) -> list[Path]:
    """Modules of solutions whose source is gone."""
    found = sorted((root / answers.FOLDER).glob("*.py"))
    return [path for path in found if path.relative_to(root).as_posix() not in wanted]


def _says(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def _chosen(root: Path, parts: list[str]) -> list[Source]:
    folder = root / "authoring"
    paths = {part_in(path): path for path in sources(folder)}
    for part in parts:
        if numbered(part) not in paths:
            raise BuildError(folder, None, f"no part {part}; there are {', '.join(paths)}")
    wanted = {numbered(part) for part in parts} or set(paths)
    return [read_source(path) for part, path in paths.items() if part in wanted]


def _build_one(source: Source, root: Path) -> list[str]:
    name = f"{source.path.stem}.ipynb"
    target = root / "solutions" / name
    target.parent.mkdir(exist_ok=True)
    try:
        executed = execute(solution(source), target.parent, root)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        plain = re.sub(r"\x1b\[[\d;]*m", "", str(error))
        return [f"{source.path.name}: the solution does not run\n{plain}"]
    if unfit := passing(executed):
        return [f"{source.path.name}: outputs that change, in {problem}" for problem in unfit]
    _write(target, executed)
    _keep_edits(root / "notebooks" / name, root / "work")
    _write(root / "notebooks" / name, learner(source))
    print(f"built {name}", flush=True)
    return []


def _check_one(source: Source, root: Path) -> list[str]:
    name = f"{source.path.stem}.ipynb"
    problems = []
    try:
        if (root / "notebooks" / name).read_text(encoding="utf-8") != dumps(learner(source)):
            problems.append(f"notebooks/{name} is not what {source.path.name} says")
        text = (root / "solutions" / name).read_text(encoding="utf-8")
        stored = nbformat.reads(text, as_version=4)
        if dumps(without_outputs(stored)) != dumps(solution(source)):
            problems.append(f"solutions/{name} is not what {source.path.name} says")
        elif not _executed(stored):
            problems.append(f"solutions/{name} has cells that were not executed")
    except FileNotFoundError as error:
        problems.append(f"{Path(error.filename).relative_to(root).as_posix()} is missing")
    except (ValueError, nbformat.ValidationError):
        problems.append(f"solutions/{name} is not a notebook")
    return [f"{problem}; run: python workshop.py build {source.part}" for problem in problems]


def _is_built(path: Path) -> bool:
    return '"source_sha256"' in path.read_text(encoding="utf-8")


def _executed(notebook: NotebookNode) -> bool:
    counts = [
        cell.execution_count
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.strip()
    ]
    return counts == list(range(1, len(counts) + 1))


def _keep_edits(path: Path, work: Path) -> None:
    """Before a notebook is written anew: what somebody wrote into it is copied to work/."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        edited = cells_sha256(stored) != stored["metadata"]["workshop"]["cells_sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if edited:
        work.mkdir(exist_ok=True)
        kept = work / f"{path.stem}.edited-{cells_sha256(stored)[:6]}.ipynb"
        path.replace(kept)
        print(f"notebooks/{path.name} had been edited: that version is now work/{kept.name}")


def _write(path: Path, notebook: NotebookNode) -> None:
    """Write aside and rename: nobody opens half a notebook."""
    path.parent.mkdir(exist_ok=True)
    aside = path.with_suffix(".new")
    aside.write_text(dumps(notebook), encoding="utf-8", newline="\n")
    aside.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
