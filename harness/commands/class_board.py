"""`python -m harness class DIR`: who is where, what people get wrong, which files are broken."""

import argparse
import sys
from pathlib import Path

from harness.commands.fitting import fitted, say, table
from harness.course.classroom.board import as_csv, as_html, board_rows, summary_lines
from harness.course.classroom.grading import grade_folder
from harness.errors import WorkshopError


def main(options: argparse.Namespace) -> int:
    """Check a folder of notebooks and print the board; --csv and --html write it to files."""
    folder = Path(options.folder)
    if not folder.is_dir():
        raise WorkshopError(f"There is no folder {folder}.", "Name the folder with the notebooks.")
    graded = grade_folder(folder, lambda line: print(fitted(line), file=sys.stderr, flush=True))
    say(table(board_rows(graded)))
    say("\n".join(summary_lines(graded)))
    for path, text in ((options.csv, as_csv), (options.html, as_html)):
        if path:
            Path(path).write_text(text(graded), encoding="utf-8")
            say(f"written: {path}")
    return 0
