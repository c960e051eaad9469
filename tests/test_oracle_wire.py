"""What the real driver says over a socket, told in two lines: no server of Oracle's is needed."""

import socket
import threading
from pathlib import Path

import oracledb
import pytest
from oracle_listener import listener, refusal

from harness.databases import oracle_connection
from harness.databases.oracle_connection import OraclePool, code_of, too_old_for_vectors, trouble
from harness.errors import WorkshopError
from harness.settings import Settings


def said(dsn: str, tmp_path: Path, **others: str) -> WorkshopError:
    """What comes of asking for a connection."""
    settings = Settings(home=tmp_path, oracle_dsn=dsn, **others)  # type: ignore[arg-type]
    with pytest.raises(WorkshopError) as caught:
        pool = OraclePool(settings, "reader", "not-shown")
        try:
            with pool.connection():
                pass
        finally:
            pool.close()
    lines = str(caught.value).splitlines()
    assert len(lines) == 2 and "not-shown" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (12514, "no such service"),
        (12505, "no such service"),
        (12516, "All connections of reader are in use"),
        (12528, "starting or stopping"),
        (12537, "refused the connection"),
    ],
)
def test_a_listener_that_refuses(code: int, message: str, tmp_path: Path) -> None:
    def talk(client: socket.socket) -> None:
        client.recv(8_000)
        client.sendall(refusal(code))

    with listener(talk) as dsn:
        assert message in said(dsn, tmp_path).message


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "Nothing answers at 127.0.0.1" in said(f"127.0.0.1:{port}/FREEPDB1", tmp_path).message


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_connection_that_drops(answer: bytes, tmp_path: Path) -> None:
    def talk(client: socket.socket) -> None:
        client.recv(100)
        client.sendall(answer)

    with listener(talk) as dsn:
        assert "was lost" in said(dsn, tmp_path).message


def test_a_listener_that_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and the pool's own thread, which a process waits for at its end, is not held."""
    monkeypatch.setattr(oracle_connection, "WAIT_SECONDS", 1)
    over = threading.Event()
    with listener(lambda _client: over.wait(20) and None) as dsn:
        try:
            settings = Settings(home=tmp_path, oracle_dsn=dsn)
            pool = OraclePool(settings, "reader", "x")
            with pytest.raises(WorkshopError, match="Nothing answers"), pool.connection():
                pass
            started = threading.Thread(target=pool.close, daemon=True)
            started.start()
            started.join(10)
            assert not started.is_alive()
        finally:
            over.set()


@pytest.mark.parametrize(
    ("dsn", "message"),
    [
        ("an_alias", "tnsnames.ora does not have"),
        ("(DESCRIPTION=(", "can't be read as an address"),
        ("reader/not-shown@db:1521/x", "can't be read as an address: db:1521/x"),
        ("reader/p@not-shown, at all@db:1521/x", "can't be read as an address: db:1521/x"),
        ("no-such-host.invalid:1521/x", "Nothing answers"),
    ],
)
def test_an_address_that_leads_nowhere(dsn: str, message: str, tmp_path: Path) -> None:
    assert message in said(dsn, tmp_path).message


def test_a_wallet_that_is_missing(tmp_path: Path) -> None:
    error = said("db_high", tmp_path, oracle_wallet=str(tmp_path / "wallet"))
    assert "There is no wallet" in error.message and "ORACLE_WALLET" in error.hint


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("ORA-01017: invalid credential or not authorized", "password of reader", "ORACLE_PASSW"),
        ("ORA-28001: the password has expired", "has expired", "ALTER USER reader"),
        ("ORA-28000: the account is locked", "is locked", "ACCOUNT UNLOCK"),
        ("ORA-01045: user lacks CREATE SESSION", "may not open", "GRANT CREATE SESSION TO reader;"),
        ("DPY-4005: timed out waiting for the connection pool", "are in use", "Wait"),
        ("DPY-4011: the database or network closed the connection", "was lost", "Try again"),
        ("DPY-3010: connections to this database server version", "too old", "23.4"),
        ("ORA-01435: user does not exist", "no schema of the shipping data", "oracle setup"),
        ("ORA-01950: no privileges on tablespace 'USERS'", "no room", "UNLIMITED TABLESPACE"),
    ],
)
def test_trouble_has_a_cause_and_a_remedy(text: str, message: str, hint: str) -> None:
    found = trouble(oracledb.DatabaseError(text), "db:1521/x", "reader")
    assert found is not None and message in found.message and hint in found.hint


def test_what_nobody_expected_is_no_trouble() -> None:
    error = oracledb.DatabaseError("ORA-00600: internal error code")
    assert trouble(error, "db", "reader") is None and code_of(error) == "ORA-00600"


@pytest.mark.parametrize("version", ["19.3.0.0.0", "21.1.0.0.0", "23.3.0.23.9"])
def test_a_database_without_vectors_is_too_old(version: str) -> None:
    error = too_old_for_vectors(version)
    assert error is not None and version in error.message
    assert too_old_for_vectors("23.4.0.24.5") is None and too_old_for_vectors("26.1.0") is None
