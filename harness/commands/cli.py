"""`python -m harness <command>`: finds the module that does the work and hands over.

Modules load only when their command runs, so that `--help` answers at once.
"""

import argparse
import contextlib
import errno
import importlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.commands.command_line import Parser
from harness.commands.environment import become, python_of
from harness.commands.fitting import fitted
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
        from harness.ui.terminal import tame  # with it comes pydantic, which is slow

        print(fitted(tame(error)), file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:  # most often another Python than .venv's
        if (error.name or "harness").startswith("harness"):
            raise
        return _under_own_python(argv, error)
    except BrokenPipeError:  # the reader went away: `... | head`
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print("No space left to write to.\nMake room, then run the command again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _under_own_python(argv: list[str], missing: ModuleNotFoundError) -> int:
    """The same command under .venv's Python, so that it works from any; else says what to do."""
    venv = Path(__file__).resolve().parents[2] / ".venv"
    own = python_of(venv)
    # A broken environment (no pyvenv.cfg, PYTHONHOME) has another prefix, and is still its Python.
    is_own = venv.resolve() == Path(sys.prefix).resolve() or str(own) == sys.executable
    if own.exists() and not is_own:
        with contextlib.suppress(OSError):  # it doesn't start here: made on another system
            return become([str(own), "-m", "harness", *argv])
    said = (
        f"This Python has no {missing.name}: {sys.executable}\n"
        "Make the workshop's own, or mend it: `python workshop.py doctor`. Then run this again."
    )
    print(fitted(said), file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m harness")
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
    add(
        "lint-tools",
        _body("harness.commands.lint_command"),
        "find the faults of our tool contracts",
    )

    contract = add(
        "contract",
        _body("harness.commands.contract_command", True),
        "whether the configured endpoint speaks as the stand-in does",
    )
    contract.add_argument("--record", metavar="FILE", help="keep the shapes of its answers")

    envelope = add("envelope", _envelope, "the worst that an authority envelope allows our tools")
    envelope.add_argument("file", help="a YAML file, or the name of a role")

    context = add("context", _context, "the context of a question, with a count a layer")
    context.add_argument("question")

    ask = add(
        "ask",
        _body("harness.commands.ask_question", True),
        "one turn of the agent, with every step",
    )
    ask.add_argument("question")
    ask.add_argument("--thread", default="terminal", help="the conversation to go on with")

    kept = add(
        "memory",
        _body("harness.commands.memory_command", True),
        "see, correct and delete what is remembered of you",
    )
    _memory_arguments(kept)

    trace = add("trace", _body("harness.commands.trace_command", True), "look at what turns did")
    _trace_arguments(trace)

    evals = add("eval", _body("harness.commands.eval_command", True), "measure a model or an agent")
    _eval_arguments(evals)

    board = add("class", _body("harness.commands.class_board", True), "check a folder of notebooks")
    board.add_argument("folder", help="with everybody's notebooks, also in folders of their own")
    board.add_argument("--csv", help="write the table to this file")
    board.add_argument("--html", help="write it as a page")

    move = add(
        "move",
        _body("harness.commands.move_command", True),
        "copy threads, memories, skills and scratch files to another place",
    )
    move.add_argument(
        "--to", required=True, metavar="{oracle,embedded,FOLDER}", help="where to; FOLDER is a home"
    )

    oracle = add(
        "oracle",
        _body("harness.commands.oracle_command", True),
        "make the schemas in Oracle AI Database, or look at them",
    )
    oracle.add_argument(
        "what",
        choices=["setup", "statements", "check", "sync", "leave"],
        help="make what is missing; print the statements; what may the reading user do?; exchange "
        "the agent's state now; note no more what is changed in a home that shared it",
    )

    handed = add(
        "handoff",
        _body("harness.commands.hand_off_command", True),
        "worksheet, decision matrix, hand-off sheet and checklist, filled from your agent",
    )
    handed.add_argument("folder", nargs="?", default="handoff", help="where to (handoff)")
    handed.add_argument("--quick", action="store_true", help="only read the agent, don't run it")

    gym = add("gym", _body("harness.commands.gym_command", True), "any agent, against bad models")
    _gym_arguments(gym)

    standin = add(
        "standin",
        _body("harness.commands.standin_command", True),
        "serve the offline stand-in model over HTTP",
    )
    standin.add_argument("--port", type=int, default=8000)
    standin.add_argument("--list", action="store_true", help="name its misbehaviours and stop")
    return parser


def _count(text: str) -> int:
    """A number from 1 on, of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def _trace_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--last", type=_count, default=20, help="how many turns (default 20)")
    parser.add_argument("--status", help="only turns that ended so, such as safety_trip")
    parser.add_argument("--find", help="only turns with this in question, path or thread")
    parser.add_argument("--folder", type=Path, help="where the trace files are")
    kinds = parser.add_subparsers(dest="what", metavar="[show | follow | review | export]")
    show = kinds.add_parser("show", help="one turn, step by step")
    show.add_argument("id", nargs="?", default="last", help="the id, or how it begins")
    show.add_argument("--full", action="store_true", help="whole texts")
    kinds.add_parser("follow", help="every event, as it is written; end with Ctrl-C")
    many = kinds.add_parser("review", help="many turns: circles, costs, slowest steps, alerts")
    many.add_argument("--turns", type=_count, default=200, help="how many (default 200)")
    export = kinds.add_parser("export", help="one turn as OpenTelemetry spans (OTLP, JSON)")
    export.add_argument("id", nargs="?", default="last")
    export.add_argument("--to", help="the address of a collector, such as http://localhost:4318")


def _eval_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="as in WORKSHOP_MODEL; standin/... misbehaves")
    parser.add_argument(
        "--harness",
        nargs="+",
        default=["reference"],
        help="mine, prompt-first, without-skills, module:function, ...; several are compared; "
        "ablations: the reference, and all that leave a part out",
    )
    parser.add_argument("--tasks", nargs="+", default=["all"], help="all, slice, board, or names")
    parser.add_argument("--times", type=int, default=1, help="how often each task (default 1)")
    parser.add_argument("--parallel", type=int, default=1, help="trials at once (default 1)")
    parser.add_argument("--seconds", type=float, default=120.0, help="of one question (120)")
    parser.add_argument("--rounds", type=int, default=8, help="of one question (8)")
    parser.add_argument("--price", help="dollars for a million tokens, in/out, such as 1.25/10")
    parser.add_argument("--cap-usd", type=float, help="stop before it costs more; needs --price")
    parser.add_argument("--cap-tokens", type=int, help="stop before it takes more tokens")
    parser.add_argument("--resume", nargs="?", const="last", help="go on with a run (the last)")
    parser.add_argument("--report", nargs="*", help="only show a run (the last), or compare some")
    parser.add_argument("--list", action="store_true", help="name the tasks and stop")
    parser.add_argument("--yes", action="store_true", help="do not ask before it starts")


def _gym_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="a dozen cases, not all")
    parser.add_argument("--only", default="", help="the cases to run, with commas between them")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each case (default 30)")
    parser.add_argument("--requests", type=_count, default=25, help="of each case (default 25)")
    parser.add_argument("--jobs", type=_count, default=2, help="cases at the same time (default 2)")
    parser.add_argument("--name", default="", help="how to call the agent in reports")
    parser.add_argument("--question", default="", help="what takes the place of {question}")
    parser.add_argument("--jsonl", type=Path, help="write a record a case to this file")
    parser.add_argument("--html", type=Path, help="write a page")
    parser.add_argument("--serve", action="store_true", help="only serve: you run the client")
    parser.add_argument("--port", type=int, default=0, help="for --serve")
    parser.add_argument("target", nargs="*", metavar="COMMAND", help="or module:function")


def _memory_arguments(kept: argparse.ArgumentParser) -> None:
    kept.add_argument("--user", help="of whom (default: you)")
    ways = kept.add_subparsers(dest="what", metavar="[profile | show | correct | forget | delete]")
    ways.add_parser("profile", help="what was inferred of you, and what for")
    for name, about in (
        ("show", "one entry, with its history"),
        ("correct", "put your own words in its place"),
        ("forget", "take it back: not recalled, not learned again"),
        ("delete", "delete it for good, everywhere"),
    ):
        way = ways.add_parser(name, help=about)
        way.add_argument("id", help="its id, as the list shows it")
        if name == "correct":
            way.add_argument("text", nargs="+")


def _load(module: str, name: str = "main") -> Callable[..., Any]:
    return getattr(importlib.import_module(module), name)


def _body(module: str, takes_options: bool = False) -> Command:
    return lambda options: _load(module)(*([options] if takes_options else []))


def _envelope(options: argparse.Namespace) -> int | None:
    return _load("harness.commands.envelope_table")(options.file)


def _context(options: argparse.Namespace) -> int | None:
    return _load("harness.commands.show_context")(options.question)
