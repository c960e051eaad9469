"""Connections to Oracle AI Database: a pool for each user, and trouble in words.

python-oracledb in thin mode: no Oracle client is needed on this machine.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import oracledb
import yaml

from harness.errors import WorkshopError
from harness.settings import Settings, root

POOL_SIZE = 4
WAIT_SECONDS = 10  # for a free connection of the pool
CONNECT_SECONDS = 10
VECTORS_SINCE = (23, 4)
_TROUBLES = Path(__file__).with_name("oracle_troubles.yaml")
_CODE = re.compile(r"\b(?:ORA|DPY)-\d{4,5}\b")
_LATE = "DPY-4024"
_WALLET_FILES = ("ewallet.pem", "cwallet.sso")


class OraclePool:
    """The connections of one user, at most `POOL_SIZE`; each is made when it is first needed."""

    def __init__(
        self, settings: Settings, user: str | None, password: str | None, schema: str | None = None
    ) -> None:
        """`schema` is where names without an owner are looked for; None for the user's own."""
        self.dsn = str(settings.oracle_dsn).rpartition("@")[2]  # to be shown: no password is in it
        self.user = str(user)
        self._schema = schema
        self.computes = True  # JavaScript, as far as is known
        self._proved = False
        self._how = {
            "dsn": settings.oracle_dsn,
            "user": user,
            "password": password,
            "tcp_connect_timeout": CONNECT_SECONDS,
            **_wallet(settings),
        }
        with self.told():
            self.driver_pool = oracledb.create_pool(
                **self._how,
                min=0,
                max=POOL_SIZE,
                increment=1,
                getmode=oracledb.POOL_GETMODE_TIMEDWAIT,
                wait_timeout=WAIT_SECONDS * 1000,
                session_callback=self._begin,
            )

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection for a block; what is not committed at its end is undone.

        Raises WorkshopError when there is none to be had.
        """
        with self.told():
            connection = self._acquire()
        try:
            yield connection
        finally:
            try:
                connection.close()  # back into the pool, which rolls back first
            except oracledb.Error:  # lost; the pool lets it go
                pass

    def _acquire(self) -> Any:
        if not self._proved:
            self._prove()
        return self.driver_pool.acquire()

    def _prove(self) -> None:
        """Connect once outside of the pool, in a thread that nobody has to wait for.

        The driver waits without end for a listener that takes a call and says nothing. The pool
        would connect in a thread of its own, which the end of the process waits for.
        """
        outcome: list[Exception | None] = []

        def connect() -> None:
            try:
                oracledb.connect(**self._how).close()
                outcome.append(None)
            except Exception as error:  # told to whoever waits
                outcome.append(error)

        thread = threading.Thread(target=connect, daemon=True)
        thread.start()
        thread.join(WAIT_SECONDS)
        error = outcome[0] if outcome else OSError("the listener did not answer in time")
        if error is not None:
            raise error
        self._proved = True

    @contextmanager
    def told(self) -> Iterator[None]:
        """Expected trouble of the database in a block as a WorkshopError."""
        try:
            yield
        except (oracledb.Error, OSError) as error:
            found = trouble(error, self.dsn, self.user)
            if found is None:
                raise
            raise found from error

    def close(self) -> None:
        """End all connections."""
        self.driver_pool.close(force=True)

    def _begin(self, connection: Any, _tag: str) -> None:
        """Once in the life of a connection: times in UTC, and whose tables are meant."""
        with connection.cursor() as cursor:
            cursor.execute("ALTER SESSION SET TIME_ZONE = 'UTC'")
            cursor.execute("ALTER SESSION SET NLS_SORT = BINARY NLS_COMP = BINARY")
            if self._schema:
                cursor.execute(f"ALTER SESSION SET CURRENT_SCHEMA = {self._schema}")


def code_of(error: BaseException) -> str:
    """The code of the database or driver behind an error, the deepest that is known; "" for none.

    A driver's error often only says that it could not connect, and its cause says why.
    """
    codes: list[str] = []
    each: BaseException | None = error
    while each is not None:
        codes += _CODE.findall(str(each))
        each = each.__cause__
    known = [code for code in codes if code in _troubles()]
    return next((code for code in reversed(known) if code != "DPY-6005"), "") or (
        known[0] if known else codes[0] if codes else ""
    )


def trouble(error: BaseException, dsn: str, user: str) -> WorkshopError | None:
    """Expected trouble, in two lines for a person; None for what nobody expected."""
    row = _troubles().get(code_of(error))
    if row is None and isinstance(error, OSError):
        row = _troubles()["DPY-6005"]
    if row is None:
        return None
    return WorkshopError(*(row[part].format(dsn=dsn, user=user) for part in ("what", "hint")))


def took_too_long(error: BaseException) -> bool:
    """Whether a time limit ended it: a code that has the same row as the driver's own."""
    return _troubles().get(code_of(error)) == _troubles()[_LATE]


def too_old_for_vectors(version: str) -> WorkshopError | None:
    """What to say of a database that has no vectors; `version` is as the driver gives it."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers >= VECTORS_SINCE:
        return None
    return WorkshopError(
        f"This database is of version {version}: too old for vectors.",
        "The agent's state needs 23.4 or later (Oracle AI Database Free has it). Business data "
        "alone can be read from it: leave ORACLE_AGENT_USER out.",
    )


def _wallet(settings: Settings) -> dict[str, Any]:
    """The driver's parameters for mTLS. Raises WorkshopError for a wallet that isn't there."""
    if not settings.oracle_wallet:
        return {}
    folder = root() / Path(settings.oracle_wallet).expanduser()
    if not any((folder / name).is_file() for name in _WALLET_FILES):
        raise WorkshopError(
            f"There is no wallet in {folder}: it holds none of {', '.join(_WALLET_FILES)}.",
            "Unzip the wallet that the cloud console gave you, and name its folder in "
            "ORACLE_WALLET.",
        )
    return {
        "config_dir": str(folder),
        "wallet_location": str(folder),
        "wallet_password": settings.oracle_wallet_password,
    }


@lru_cache(maxsize=1)
def _troubles() -> dict[str, dict[str, str]]:
    return yaml.safe_load(_TROUBLES.read_text(encoding="utf-8"))
