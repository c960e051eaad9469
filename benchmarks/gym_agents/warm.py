"""Loads an agent's library once and runs each case in a fork of its own (not on Windows).

    python warm.py serve SOCKET MODULE     waits for cases
    python warm.py run SOCKET              one case: the same as `python MODULE.py`, sooner

`run` hands over its environment and its two outputs, waits for the end, and ends the same way. When
it is killed, its case is killed too. A library takes seconds to load, and there are sixty cases.
"""

import importlib
import json
import os
import signal
import socket
import sys
import threading
import traceback


def serve(path: str, name: str) -> None:
    """Load the module, then fork for each case until stdin closes."""
    agent = importlib.import_module(name)
    if hasattr(agent, "warm"):
        agent.warm()
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)
    while True:
        connection, _ = server.accept()
        data, files, _, _ = socket.recv_fds(connection, 1 << 20, 2)
        child = os.fork()
        if not child:
            server.close()
            connection.close()
            _case(agent, json.loads(data), files)
        for file in files:
            os.close(file)
        threading.Thread(target=_watch, args=(connection, child), daemon=True).start()


def _case(agent: object, environ: dict[str, str], files: list[int]) -> None:
    """In the fork: become the process that the gym started."""
    code = 0
    os.setsid()
    os.dup2(files[0], 1)
    os.dup2(files[1], 2)
    os.environ.update(environ)
    try:
        print(agent.answer(), flush=True)  # type: ignore[attr-defined]
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _watch(connection: socket.socket, child: int) -> None:
    """Tell how the case ended; end it when nobody waits any more."""
    ended = threading.Event()

    def wait() -> None:
        _, status = os.waitpid(child, 0)
        ended.set()
        try:
            connection.sendall(bytes([os.waitstatus_to_exitcode(status) & 255]))
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    threading.Thread(target=wait, daemon=True).start()
    connection.recv(1)
    if not ended.is_set():
        os.killpg(child, signal.SIGKILL)


def run(path: str) -> int:
    """One case."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    socket.send_fds(connection, [json.dumps(dict(os.environ)).encode()], [1, 2])
    code = connection.recv(1)
    return code[0] if code else 1


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    sys.exit(run(sys.argv[2]))
