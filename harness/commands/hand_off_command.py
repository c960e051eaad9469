"""`python -m harness handoff`: worksheet, decision matrix, hand-off sheet, checklist, filled in."""

import argparse

from harness.commands.fitting import say
from harness.evals.hand_off_sheets import hand_off


def main(options: argparse.Namespace) -> int:
    """Write the files and say where they are."""
    for path in hand_off(options.folder, measure=not options.quick):
        say(f"written: {path}")
    return 0
