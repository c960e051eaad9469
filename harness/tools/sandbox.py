"""JavaScript in a child process that can do nothing but compute.

The child is Deno, without any permission, in an empty folder and an empty environment. The code
goes in over stdin to a fixed script (`sandbox.js`), as text for a function: so `import` is never
static, and Deno asks for a permission that it doesn't get. What Deno does not limit, this does:
seconds, memory (the child's resident size, looked at every few milliseconds) and output.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from harness.errors import WorkshopError

MAX_CODE_CHARS = 200_000
BOOTSTRAP = Path(__file__).with_name("sandbox.js")
_DATA_URL = "data:text/javascript;base64,"
_DATA_URL_SHOWN = re.compile(rb"data:text/javascript;base64,[\w+/=.]*")  # Deno shortens it
_FLAGS = [
    "--quiet",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--cached-only",
    "--no-config",
    "--no-lock",
    "--v8-flags=--max-old-space-size=256",
]
_POLL_SECONDS = 0.005
_PIPE_BYTES = 2_000_000  # the script sends less; only code that goes round it sends more


@dataclass(frozen=True)
class JsResult:
    """What the code did. `value` is what it returned, or None; `error` is "" where `ok`."""

    ok: bool
    value: Any = None
    stdout: str = ""
    stderr: str = ""
    error: str = ""
    returned_nothing: bool = False


def run_js(
    code: str, input_json: str | None = None, seconds: float = 5.0, memory_mb: int = 400
) -> JsResult:
    """Run the body of an async function, with `input` parsed from JSON text, and report.

    Raises WorkshopError when Deno is not installed; whatever the code does is in the result.
    """
    if len(code) > MAX_CODE_CHARS:
        return JsResult(False, error=f"The code has more than {MAX_CODE_CHARS} characters.")
    request = json.dumps({"code": code, "input": input_json}).encode("utf-8")
    with _child() as child:
        stopped = _watch(child, request, seconds, memory_mb)
        return _result(child, stopped)


class _Child:
    """The process and the two threads that empty its pipes, up to a limit."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.output, self.errors = bytearray(), bytearray()
        self.flooded = False
        self.readers = [
            threading.Thread(target=self._read, args=(pipe, kept), daemon=True)
            for pipe, kept in ((process.stdout, self.output), (process.stderr, self.errors))
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, pipe: IO[bytes], kept: bytearray) -> None:
        while data := os.read(pipe.fileno(), 65_536):
            if len(kept) + len(data) > _PIPE_BYTES:
                self.flooded = True
            else:
                kept += data

    def pause(self, seconds: float) -> None:
        """Wait a little, or until the child has closed its output."""
        if self.readers[0].is_alive():
            self.readers[0].join(timeout=seconds)
        else:
            threading.Event().wait(seconds)

    def send(self, request: bytes) -> None:
        """Hand the request over in a thread of its own: a child that doesn't read can't hold us."""
        threading.Thread(target=self._send, args=(request,), daemon=True).start()

    def _send(self, request: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(request)
            self.process.stdin.close()
        except OSError:  # it ended before it had read everything
            pass


@contextmanager
def _child() -> Iterator[_Child]:
    folder = tempfile.mkdtemp(prefix="workshop-js-")
    environment = {"DENO_DIR": folder, "NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
    if "SYSTEMROOT" in os.environ:  # Windows starts nothing without it
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    process = subprocess.Popen(
        [deno(), "run", *_FLAGS, _bootstrap()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment,
    )
    child = _Child(process)
    try:
        yield child
    finally:
        process.kill()
        process.wait()
        for reader in child.readers:
            reader.join(timeout=1)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def _bootstrap() -> str:
    """The script as a URL that is its own text: code can ask where the script is, and would learn
    where this checkout is.
    """
    return _DATA_URL + base64.b64encode(BOOTSTRAP.read_bytes()).decode("ascii")


def _watch(child: _Child, request: bytes, seconds: float, memory_mb: int) -> str:
    """Wait for the end; returns why it was stopped before, "" if it wasn't."""
    import psutil  # few processes are ever watched

    # A timer, not a clock: it has to fire even when a check has stopped the clock.
    late = threading.Event()
    timer = threading.Timer(seconds, late.set)
    timer.daemon = True
    timer.start()
    child.send(request)
    try:
        usage = psutil.Process(child.process.pid)
        while child.process.poll() is None:
            if usage.memory_info().rss > memory_mb * 1_000_000:
                return f"The code used more than {memory_mb} MB of memory and was stopped."
            if late.is_set():
                return f"The code took longer than {seconds:g} s and was stopped."
            if child.flooded:
                return "The code wrote too much output and was stopped."
            child.pause(_POLL_SECONDS)
    except psutil.Error:  # it ended between two looks
        pass
    finally:
        timer.cancel()
    return ""


def _result(child: _Child, stopped: str) -> JsResult:
    if stopped:
        child.process.kill()
    for reader in child.readers:
        reader.join(timeout=5)
    return read_frames(bytes(child.output), stopped, lambda: _crash(child))


def read_frames(output: bytes, stopped: str, crash: Callable[[], str]) -> JsResult:
    """What the script of the sandbox reported. `stopped` says why it was, `crash` why it died."""
    texts, end = _frames(output)
    out, err = ("".join(texts[name]) for name in ("out", "err"))
    if stopped or end is None:
        return JsResult(False, stdout=out, stderr=err, error=stopped or crash())
    out, err = (_with_rest(text, end, name) for text, name in ((out, "out"), (err, "err")))
    if not end.get("ok"):
        place = f" (line {end['line']})" if end.get("line") else ""
        error = f"{end.get('error') or 'The code failed.'}{place}"
        return JsResult(False, stdout=out, stderr=err, error=error)
    return JsResult(True, json.loads(end["value"]), out, err, "", bool(end.get("nothing")))


def _frames(output: bytes) -> tuple[dict[str, list[str]], dict[str, Any] | None]:
    """What was printed, and the last frame; lines that the script didn't write are left out."""
    texts: dict[str, list[str]] = {"out": [], "err": []}
    output = _DATA_URL_SHOWN.sub(b"sandbox.js", output)
    for line in output.decode("utf-8", "replace").split("\n"):
        try:
            frame = json.loads(line)
            if isinstance(frame.get("end"), dict):
                return texts, frame["end"]
            for name, text in frame.items():
                texts[name].append(str(text))
        except (ValueError, KeyError, AttributeError, RecursionError):
            continue
    return texts, None


def _with_rest(text: str, end: dict[str, Any], name: str) -> str:
    rest = (end.get("dropped") or {}).get(name, 0)
    return f"{text}... ({rest} more characters)" if rest else text


def _crash(child: _Child) -> str:
    words = bytes(child.errors).decode("utf-8", "replace")
    if "out of memory" in words or "heap limit" in words:
        return "The code used more memory than JavaScript may have and was stopped."
    if "never resolved" in words:
        return "The code waits for a promise that never settles."
    return f"The code ended without a result (exit code {child.process.poll()})."


@lru_cache(maxsize=1)
def deno() -> str:
    """Where the Deno program is. Raises WorkshopError when it isn't anywhere."""
    try:
        from deno import find_deno_bin  # may be missing: exec_js alone needs it

        return str(find_deno_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("deno")
    if not found:
        raise WorkshopError(
            "exec_js needs Deno, which is not installed.",
            "Repair the installation: `python workshop.py doctor`, then `python workshop.py lab`.",
        )
    return found
