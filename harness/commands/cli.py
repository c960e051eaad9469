"""`python -m harness <command>`: finds the module that does the work and hands over.

Modules load only when their command runs, so that `--help` answers at once.
"""

import argparse
import importlib
import io
import sys
from collections.abc import Callable
from typing import Any

from harness.errors import WorkshopError

Command = Callable[[argparse.Namespace], int | None]


def main(argv: list[str]) -> int:
    """Run one command; returns its exit code. Expected trouble is one or two lines on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console that lacks a letter shows a "?"
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(argv)
    run: Command = options.run
    try:
        return run(options) or 0
    except WorkshopError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader went away: `... | head`
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m harness")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, run: Command, about: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(run=run)
        return command

    add(
        "prepare",
        _body("harness.commands.prepare"),
        "build the embedded databases and scan the schema",
    )
    add("demo", _body("harness.commands.demo"), "the three-turn conversation, with every step")
    add("doctor", _body("harness.commands.doctor"), "what is installed, reachable and configured")
    add("lint-tools", _body("harness.tools.lint"), "find the faults of our tool contracts")

    envelope = add("envelope", _envelope, "the worst that an authority envelope allows our tools")
    envelope.add_argument("file", help="a YAML file, or the name of a role")

    context = add("context", _context, "the context of a question, with a count a layer")
    context.add_argument("question")

    ask = add("ask", _ask, "one turn of the agent, with every step")
    ask.add_argument("question")
    ask.add_argument("--thread", default="terminal", help="the conversation to go on with")

    standin = add("standin", _standin, "serve the offline stand-in model over HTTP")
    standin.add_argument("--port", type=int, default=8000)
    standin.add_argument("--list", action="store_true", help="name its misbehaviours and stop")
    return parser


def _load(module: str, name: str = "main") -> Callable[..., Any]:
    return getattr(importlib.import_module(module), name)


def _body(module: str) -> Command:
    return lambda _options: _load(module)()


def _envelope(options: argparse.Namespace) -> int | None:
    return _load("harness.commands.envelope_table")(options.file)


def _context(options: argparse.Namespace) -> int | None:
    return _load("harness.commands.show_context")(options.question)


def _standin(options: argparse.Namespace) -> int | None:
    return _load("harness.standin.server")(options.port, options.list)


def _ask(options: argparse.Namespace) -> int:
    """A turn that did not complete still prints its answer, and exits 1."""
    result = _load("harness.loop", "run_turn")(options.question, options.thread, verbose=True)
    print(result.answer)
    return 0 if result.status == "completed" else 1
