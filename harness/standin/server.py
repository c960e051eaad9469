"""The stand-in over HTTP on loopback, for clients other than ours: `python -m harness standin`."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harness.errors import WorkshopError
from harness.standin.protocol import MODEL
from harness.standin.refusals import ApiError
from harness.standin.service import models, respond, unknown_route
from harness.standin.turns import Reply
from harness.standin.wire import refusal

HOST = "127.0.0.1"
_MAX_BODY = 64 * 1024 * 1024


class Handler(BaseHTTPRequestHandler):
    """One connection; HTTP/1.1, so that a client can keep it open."""

    protocol_version = "HTTP/1.1"
    server_version = "standin"
    sys_version = ""
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a request without a body."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer a request with a body."""
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._send(refusal(ApiError("A request needs a Content-Length of at most 64 MB.")))
            return
        self._answer(self.rfile.read(int(length)))

    do_PUT = do_DELETE = do_PATCH = do_POST

    def _answer(self, body: bytes) -> None:
        error = key_fault(self.headers.get("authorization"))
        self._send(refusal(error) if error else self.reply_to(self.path.partition("?")[0], body))

    def reply_to(self, path: str, body: bytes) -> Reply:
        """The reply to a request that came with a key."""
        if self.command == "POST" and path == "/v1/chat/completions":
            return respond(body)
        if self.command == "GET" and path == "/v1/models":
            return Reply(body=json.dumps(models()).encode())
        return refusal(unknown_route(self.command, path))

    def _send(self, reply: Reply) -> None:
        if reply.wait:
            time.sleep(reply.wait)
        if reply.failure is not None:
            self._hang_up()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if isinstance(reply.body, bytes):
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            return
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in reply.body:
            if isinstance(piece, BaseException):
                self._hang_up()
                return
            if isinstance(piece, bytes):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b"")
                self.wfile.flush()
            else:
                time.sleep(piece)
        self.wfile.write(b"0\r\n\r\n")

    def _hang_up(self) -> None:
        """End the connection without finishing the response."""
        self.close_connection = True

    def handle_one_request(self) -> None:
        """As usual, but a client that has gone is nothing to report."""
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: the terminal shows what a learner asked for, not every request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # On Windows SO_REUSEADDR would let two servers share a port; elsewhere it only skips the wait.
    allow_reuse_address = sys.platform != "win32"


def key_fault(authorization: str | None) -> ApiError | None:
    """The API's 401 for no key, or for one that is marked as wrong ("sk-wrong")."""
    key = (authorization or "").removeprefix("Bearer").strip()
    if not key:
        return ApiError(
            "You didn't provide an API key. You need to provide your API key in an Authorization "
            "header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
            status=401,
        )
    if "wrong" not in key.lower():
        return None
    shown = key if len(key) < 12 else f"{key[:7]}***{key[-4:]}"
    return ApiError(
        f"Incorrect API key provided: {shown}. This is the offline stand-in: any key without the "
        "word 'wrong' in it will do.",
        status=401,
        code="invalid_api_key",
    )


def start(port: int = 0, handler: type[Handler] = Handler) -> ThreadingHTTPServer:
    """A listening server on loopback; port 0 takes any free one. Raises WorkshopError."""
    try:
        return _Server((HOST, port), handler)
    except OverflowError:
        raise WorkshopError(
            f"{port} is not a port.", "Ports go from 1 to 65535; 0 takes any that is free."
        ) from None
    except OSError as error:
        raise WorkshopError(
            f"Port {port} of {HOST} can't be used: {error.strerror or error}.",
            "Stop the program that listens there, or choose another one: --port 0 takes any that "
            "is free.",
        ) from None


@contextmanager
def serving(port: int = 0, handler: type[Handler] = Handler) -> Iterator[str]:
    """Serve the stand-in from a thread of this process; yields the base URL for a client."""
    server = start(port, handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield base_url(server)
    finally:
        server.shutdown()
        server.server_close()


def base_url(server: ThreadingHTTPServer) -> str:
    """What to put into OPENAI_BASE_URL."""
    return f"http://{HOST}:{server.server_address[1]}/v1"


def main(port: int = 0) -> None:
    """Serve until Ctrl-C. Raises WorkshopError."""
    server = start(port)
    print("The offline stand-in (not a language model) is listening. In another terminal:")
    print(f"  OPENAI_BASE_URL={base_url(server)} OPENAI_API_KEY=anything WORKSHOP_MODEL={MODEL}")
    print(f"Clients other than this workshop: the model is called {MODEL}.")
    print("Ctrl-C stops it.", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
