"""What `workshop.py` does: make the environment, then the job. Standard library only.

It runs before anything is installed, under whatever Python the person typed.
"""

import argparse
import io
import os
import sys
from pathlib import Path

from harness.commands import environment, lab, offline_bundle, suite, working_copy
from harness.commands.command_line import Parser
from harness.commands.fitting import fitted
from harness.errors import WorkshopError

ROOT = Path(__file__).resolve().parent.parent.parent


def main(argv: list[str]) -> int:
    """Run one command of `workshop.py`; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console that lacks a letter shows a "?"
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(argv)
    try:
        return options.run(options)
    except WorkshopError as error:
        print(fitted(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Nothing is broken: the same command goes on from here.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="workshop.py", description="The agent-loop workshop: one command for everything."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    lab = commands.add_parser("lab", help="JupyterLab on the notebooks")
    lab.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    lab.add_argument("--port", type=_port, default=8888, help="first port to try (default 8888)")
    lab.set_defaults(run=_lab)

    test = commands.add_parser("test", help="every test")
    test.add_argument("--full", action="store_true", help="the long drills too")
    test.set_defaults(run=_test)

    demo = commands.add_parser("demo", help="the three-turn conversation, in the terminal")
    demo.set_defaults(run=_demo)

    build = commands.add_parser("build", help="notebooks/ and solutions/ from authoring/")
    build.add_argument("parts", nargs="*", metavar="part", help="such as 01; default: all")
    build.add_argument("--check", action="store_true", help="only say whether they are up to date")
    build.set_defaults(run=_build)

    bundle = commands.add_parser("bundle", help="one archive for machines without a network")
    bundle.add_argument("--platform", choices=["this", "linux", "macos", "windows"], default="this")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    bundle.add_argument("--python", default=version, help=f"of the machines (default {version})")
    bundle.add_argument("--to", type=Path, default=Path.cwd(), help="the folder for the archive")
    bundle.set_defaults(run=_bundle)

    doctor = commands.add_parser("doctor", help="what is installed, reachable and configured")
    doctor.set_defaults(run=_doctor)
    return parser


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return int(text)


def _lab(options: argparse.Namespace) -> int:
    python = environment.ensure(ROOT)
    environment.prepare(ROOT, python)
    working_copy.refresh(ROOT / "notebooks", ROOT / "work")
    command = lab.command(python, ROOT / "work", options.port, options.no_browser)
    return _become(command)


def _test(options: argparse.Namespace) -> int:
    return suite.run(environment.ensure(ROOT), ROOT, full=options.full)


def _demo(options: argparse.Namespace) -> int:
    python = environment.ensure(ROOT)
    environment.prepare(ROOT, python)
    return _become([str(python), "-m", "harness", "demo"])


def _build(options: argparse.Namespace) -> int:
    python = environment.ensure(ROOT)
    check = ["--check"] if options.check else []
    return _become([str(python), "-m", "authoring.builder", *check, *options.parts])


def _bundle(options: argparse.Namespace) -> int:
    python = environment.ensure(ROOT)
    offline_bundle.make(ROOT, python, options.platform, options.python, options.to)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    return _become([str(environment.ensure(ROOT)), "-m", "harness", "doctor"])


def _become(command: list[str]) -> int:
    """Go on as `command`, in the repository."""
    os.chdir(ROOT)
    return environment.become(command)
