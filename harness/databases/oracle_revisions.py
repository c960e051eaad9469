"""The agent's state in Oracle AI Database as several homes share it: revision after revision.

One row says which revision is there and who wrote it, a table says which row was changed in which
revision. A home writes the next revision in one transaction, under the lock of that row.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields

import oracledb

from harness.databases.oracle_connection import code_of
from harness.databases.oracle_schema import oracle_name
from harness.databases.oracle_shelf import OracleShelf, decoded, encoded
from harness.databases.shelf import Row
from harness.databases.state_tables import StateTable, state_tables
from harness.errors import WorkshopError

CALL_SECONDS = 20  # for one round trip
_OLD_SCHEMA = ("ORA-00942", "ORA-00904", "ORA-01400")


@dataclass(frozen=True)
class Revision:
    """What was written last. `seals` is signed by the home's key, `numbers` are those given out."""

    revision: int = 0
    token: str = ""
    pushed_by: str = ""
    pushed_at: str = ""
    key_mark: str = ""
    seals: str = ""
    numbers: str = "{}"


class SharedShelf(OracleShelf):
    """The schema of the agent, with its revisions. Not for several threads at once."""

    @contextmanager
    def transaction(self, *, reading: bool = False) -> Iterator[None]:
        """All statements of a block see one moment (`reading`), or are committed together.

        Raises WorkshopError for trouble with the database; then nothing of it is there.
        """
        with self._pool.told(), self._pool.connection() as connection:
            connection.call_timeout = CALL_SECONDS * 1000
            self._held = connection
            try:
                if reading:
                    connection.cursor().execute("SET TRANSACTION READ ONLY")
                yield
                if not reading:
                    connection.commit()
            except oracledb.Error as error:
                if code_of(error) in _OLD_SCHEMA:
                    raise self._of_another_version() from error
                if code_of(error) == "ORA-00001":  # the first revision, made twice
                    raise WorkshopError(f"Somebody else just wrote to {self.name}.") from error
                raise
            finally:
                self._held = None

    def revision(self, *, lock: bool = False) -> Revision:
        """What was written last; with `lock`, nobody else writes until the transaction ends."""
        names = ", ".join(oracle_name(each.name) for each in fields(Revision))
        wait = " FOR UPDATE WAIT 10" if lock else ""
        rows = self._read(
            f'SELECT {names} FROM {self._owner}."SYNC_REVISION" WHERE "ID" = :b1{wait}', [1]
        )
        if not rows:
            return Revision()
        number, *rest = decoded(rows[0])
        return Revision(int(number), *rest)

    def advance(self, revision: Revision) -> None:
        """That is what was written last."""
        values = [encoded(value) for value in astuple(revision)]
        names = [oracle_name(each.name) for each in fields(Revision)]
        sets = ", ".join(f"{name} = :b{number}" for number, name in enumerate(names, start=1))
        if revision.revision == 1:
            marks = ", ".join(f":b{number}" for number in range(1, len(names) + 1))
            self._send(
                f'INSERT INTO {self._owner}."SYNC_REVISION" ({", ".join(names)}, "ID")'
                f" VALUES ({marks}, 1)",
                [values],
            )
        else:
            self._send(f'UPDATE {self._owner}."SYNC_REVISION" SET {sets} WHERE "ID" = 1', [values])

    def is_empty(self) -> bool:
        """Whether there is no state at all."""
        return not any(self.rows(table, None, 1) for table in state_tables().values())

    def remove(self, table: StateTable, keys: Sequence[Row]) -> None:
        """The rows with these keys are not there any more."""
        where = " AND ".join(
            f"{oracle_name(name)} = :b{number}" for number, name in enumerate(table.key, start=1)
        )
        rows = [[encoded(value) for value in key] for key in keys]
        self._send(f"DELETE FROM {self._table(table)} WHERE {where}", rows)

    def note(self, table: StateTable, keys: Sequence[Row], revision: int) -> None:
        """These rows were changed or deleted in that revision."""
        changes = f'{self._owner}."SYNC_CHANGES"'
        texts = [json.dumps(key, ensure_ascii=False) for key in keys]
        digests = [hashlib.sha256(text.encode("utf-8")).hexdigest() for text in texts]
        self._send(
            f'DELETE FROM {changes} WHERE "NAME" = :b1 AND "DIGEST" = :b2',
            [[table.name, digest] for digest in digests],
        )
        self._send(
            f'INSERT INTO {changes} ("NAME", "DIGEST", "KEY", "REVISION")'
            " VALUES (:b1, :b2, :b3, :b4)",
            [[table.name, *each, revision] for each in zip(digests, texts, strict=True)],
        )

    def changed_since(self, revision: int) -> dict[str, list[Row]]:
        """Table -> keys of what was changed or deleted after that revision."""
        rows = self._read(
            f'SELECT "NAME", "KEY" FROM {self._owner}."SYNC_CHANGES" WHERE "REVISION" > :b1'
            ' ORDER BY "NAME", "DIGEST"',
            [revision],
        )
        found: dict[str, list[Row]] = {}
        for name, key in rows:
            found.setdefault(name, []).append(tuple(json.loads(key)))
        return found

    def _of_another_version(self) -> WorkshopError:
        return WorkshopError(
            f"{self.name} was not set up by this version of the workshop.",
            "Run `python -m harness oracle setup` again: it adds what is missing, and touches no "
            "row. What was said and remembered is kept here meanwhile.",
        )
