"""`python -m harness standin`: the offline model over HTTP, or the names of its misbehaviours."""

import argparse

from harness.commands.fitting import say, table
from harness.standin import server
from harness.standin.faults.registry import PREFIX, catalogue


def main(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C, or list the misbehaving models. Raises WorkshopError."""
    if options.list:
        rows = [(f"{PREFIX}{name}", description) for name, description in catalogue()]
        say(table([("model", "what it does"), *rows]))
    else:
        server.main(options.port)
