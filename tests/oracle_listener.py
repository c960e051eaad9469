"""A listener on loopback that says what a script tells it to: enough of TNS to be refused by."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

REFUSE, RESEND = 4, 11


def packet(kind: int, body: bytes) -> bytes:
    """A TNS packet of before the version is agreed on: two bytes of length, the type at five."""
    return struct.pack(">HHBBH", 8 + len(body), 0, kind, 0, 0) + body


def refusal(code: int) -> bytes:
    """The listener's refusal of a connection, for this reason."""
    said = f"(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR={code})(ERROR_STACK=(ERROR=(CODE={code})(EMFI=4))))"
    return packet(REFUSE, struct.pack(">BBH", 4, 0, len(said)) + said.encode())


Talk = Callable[[socket.socket], None]


@contextmanager
def listener(talk: Talk) -> Iterator[str]:
    """A DSN at which `talk` meets whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    client, _ = server.accept()
                except TimeoutError:
                    continue
                except OSError:
                    return
                with client:
                    try:
                        client.settimeout(10)
                        talk(client)
                    except OSError:
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}/FREEPDB1"
        finally:
            over.set()
            thread.join(timeout=15)
