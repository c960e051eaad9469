"""The line to the parent process, and the watch that ends a step which takes too long."""

import faulthandler
import json
import os
import re
import threading
from pathlib import Path
from typing import Any, BinaryIO


class Line:
    """The connection to the parent: one JSON object a line, one writer at a time."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self.incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def silence(self) -> None:
        """In a process that was forked off: what it answers must not be taken for our answer."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (self.incoming, self._outgoing):
            os.dup2(nothing, stream.fileno())
        os.close(nothing)

    def send(self, **message: Any) -> None:
        """Tell the parent something."""
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            self._outgoing.write(data)
            self._outgoing.flush()


class Watch:
    """Ends this process when a step takes too long, also where Python itself is stuck.

    It leaves behind where the code was at that moment, for the parent to read.
    """

    def __init__(self, line: Line, trace_file: Path, seconds: float) -> None:
        self._line = line
        self._seconds = seconds
        self._file = trace_file.open("w", encoding="utf-8")

    def step(self, situation: str, findings: list[dict[str, str]]) -> None:
        """A new step begins; tell the parent which, and what was found so far."""
        self._line.send(situation=situation, findings=findings)
        if situation:  # before the first one, what the function imports may take its time
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._file)

    def close(self) -> None:
        """The work is done in time."""
        faulthandler.cancel_dump_traceback_later()
        self._file.close()


def read_trace(path: Path) -> list[tuple[str, int, str]]:
    """The frames that a watch left behind, innermost first."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    frames = re.findall(r'File "(.*)", line (\d+) in (.*)', text)
    return [(file, int(line), name.strip()) for file, line, name in frames]
