"""The one command of the workshop; needs nothing but Python 3.11 or newer.

    python workshop.py lab      JupyterLab on the notebooks
    python workshop.py test     every test
    python workshop.py demo     the three-turn conversation, in the terminal
    python workshop.py build    notebooks/ and solutions/ from authoring/
    python workshop.py doctor   what is installed, reachable and configured

The work is in harness/commands/. This file stays so plain that any Python can read it and say
which one it should have been.
"""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an old Python is the reader here
    sys.stderr.write(
        "The workshop needs Python 3.11 or newer; this is Python "
        + ".".join(str(part) for part in sys.version_info[:3])
        + ".\nInstall a newer one (python.org has it) and use it: "
        + ("py -3.11" if os.name == "nt" else "python3.11")
        + " workshop.py lab\n"
    )
    sys.exit(1)

from harness.commands.workshop import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
