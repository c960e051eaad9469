"""The child process of query_process.py: a request a line, an answer a line, on one database."""

import dataclasses
import json
import signal
import sys

from harness.databases.duckdb_business import BusinessDatabase
from harness.databases.query_process import too_large
from harness.errors import ToolError


def serve(path: str) -> None:
    """Answer requests until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    database = BusinessDatabase(path)
    for line in sys.stdin.buffer:
        try:
            answer = dataclasses.asdict(database.query(**json.loads(line)))
        except ToolError as error:
            answer = {"error": (error.kind, error.message, error.hint)}
        except MemoryError:
            answer = {"error": (too_large().kind, too_large().message, too_large().hint)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
