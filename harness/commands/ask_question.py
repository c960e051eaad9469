"""`python -m harness ask QUESTION`: one turn of the agent; what needs a yes is asked for."""

import argparse

from harness.approvals import Approval, attend
from harness.commands.fitting import fitting, say
from harness.loop import run_turn
from harness.ui.terminal import tame


def main(options: argparse.Namespace) -> int:
    """A turn that did not complete still prints its answer, and exits 1."""
    with fitting():
        result = run_turn(options.question, options.thread, verbose=True)
        result = attend(result, asked, verbose=True)
    say(tame(result.answer))
    return 0 if result.status == "completed" else 1


def asked(approval: Approval) -> bool | None:
    """What the person at the terminal says; None, which leaves it open, where nobody answers."""
    say(f"The agent asks for your approval: {approval.words}")
    while True:
        try:
            said = input("Do it? [yes/no] ").strip().lower()
        except EOFError:
            say(f"\nNobody answered: {approval.id} stays open until {approval.expires_at}.")
            return None
        if said in ("y", "yes", "n", "no"):
            return said.startswith("y")
        say("Please say yes or no; Ctrl-D leaves it open.")
