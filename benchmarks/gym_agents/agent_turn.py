"""`agent_turn` as a learner writes it in part 07, on this workshop's harness."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from desk import FUNCTIONS, QUESTION, ROUNDS, SECONDS

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import harness
from harness.course.answers.answers_07 import agent_turn
from harness.settings import reset_settings

_prepared: list[Path] = []  # a home whose databases are made, to copy


def warm() -> None:
    """Make the databases once; each answer gets a copy of them."""
    home = Path(tempfile.mkdtemp(prefix="gym-home-"))
    os.environ["WORKSHOP_HOME"] = str(home)
    harness.build_context("warm", QUESTION)
    _prepared.append(home)


def answer() -> str:
    return in_own_home(lambda: agent_turn(QUESTION, max_iterations=ROUNDS, verbose=False))


def in_own_home(ask: Callable[[], str]) -> str:
    """Ask with the two tools of the comparison, and with databases that nobody used before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        if _prepared:
            shutil.copytree(_prepared[0], home)
        os.environ["WORKSHOP_HOME"] = str(home)
        reset_settings()
        harness.TOOLS.clear()
        for function in FUNCTIONS.values():
            harness.register(
                when="somebody asks about voyages.", returns="what was found.", always=True
            )(function)
        with harness.session(deadline=SECONDS):
            return ask()


if __name__ == "__main__":
    print(answer())
