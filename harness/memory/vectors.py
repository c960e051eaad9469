"""The vectors of all memories in one file that every kernel maps into memory.

The truth is the table `memory_vectors`; the file is a cache of it. A vector's place in the file is
its version, which the table never gives out twice, so the file only grows at its end:

    SQLite   versions 1 .. synced          are in the file
             versions synced+1 ..          are few; each reader holds them itself ("the tail")

A record of the file is 384 float32 and the row of its memory as an int64. A writer moves the tail
into the file under the store's write lock, and only then moves `synced`: one that is killed in
between leaves bytes that nobody reads. Deleted records are overwritten with zeros. A query on the
table decides what is returned, so a stale cache can't bring anything back.
"""

import contextlib
import os
import sqlite3
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError

DIMENSIONS = 384
_WIDTH = DIMENSIONS + 2  # in float32: the vector, and the row in the place of two more
_BYTES = _WIDTH * 4
_TAIL = 512  # versions outside of the file before a writer moves them
_WASTE = 10_000  # versions, most of them deleted, before the file is made smaller
_BLOCK = 4096  # records written at a time
_FEW = 20  # one in so many, up to which vectors are picked out of the file
_SAMPLE = 16  # vectors compared when a process first opens the file


@dataclass(frozen=True)
class Snapshot:
    """The vectors at one moment: those in the file, those of the tail, and whose they are.

    `rows` and `versions` cover both, the file's first. A deleted vector has row 0.
    """

    generation: int
    matrix: np.ndarray  # (n, 384) float32, mapped
    tail: np.ndarray  # (m, 384) float32
    rows: np.ndarray  # (n + m,) int64
    versions: np.ndarray  # (n + m,) int64
    last: list[tuple[bytes, np.ndarray]] = field(default_factory=list)  # a vector, its cosines

    def scores(self, vector: np.ndarray) -> np.ndarray:
        """The cosine of each with a vector of unit length.

        Those of the last vector are kept: a turn asks for its card and for corrections.
        """
        asked = np.ascontiguousarray(vector, np.float32)
        last = self.last[0] if self.last else None
        if last is None or last[0] != asked.tobytes():
            cosines = np.concatenate([self.matrix @ asked, self.tail @ asked])
            last = asked.tobytes(), cosines
            self.last[:] = [last]
        return last[1]

    def scores_at(self, places: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """The same for some of them, by their place in `rows`."""
        if len(places) > len(self.rows) / _FEW:  # all are as quick as these one by one
            return self.scores(vector)[places]
        size = len(self.matrix)
        inside, after = places[places < size], places[places >= size] - size
        return np.concatenate([self.matrix[inside] @ vector, self.tail[after] @ vector])


class VectorFile:
    """The cache file of one store; one object a process, safe to use from several threads."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._key: tuple[int, int, int] | None = None  # generation, synced, last version
        self._snapshot: Snapshot | None = None
        self._checked = 0  # the generation that was compared with the table

    def snapshot(self) -> Snapshot:
        """All vectors as they are now."""
        with self._lock:
            key = self._progress()
            if self._checked != key[0]:
                key = self._check(*key)
            if self._snapshot is None or self._key != key:
                self._snapshot = self._read(*key)
                self._key = key
            return self._snapshot

    def catch_up(self, *, at_once: bool = False) -> None:
        """Move a long tail into the file and wipe what was deleted. Called after every write.

        A full disk leaves the tail where it is: the store works on, and the next call tries again.
        """
        _, synced, last = self._progress()
        holes = self._database.read("SELECT 1 FROM memory_vector_holes LIMIT 1")
        if not holes and last - synced < (1 if at_once else _TAIL):
            return
        with contextlib.suppress(OSError, WorkshopError), self._database.write() as connection:
            self._wipe(connection)
            if last - synced >= (1 if at_once else _TAIL):
                self._append(connection)
        if holes and last > _WASTE and last > 2 * self._count():
            with contextlib.suppress(OSError, WorkshopError):
                self.compact()

    def _count(self) -> int:
        return self._database.read("SELECT count(*) FROM memory_vectors")[0][0]

    def compact(self) -> None:
        """Give every vector a new version without gaps, in a new file, when most are gone."""
        with self._database.write() as connection:
            versions = [
                row[0]
                for row in connection.execute("SELECT version FROM memory_vectors ORDER BY version")
            ]
            for sign, base in ((-1, 0), (1, 0)):
                pairs = [
                    (sign * (base + i), v if sign < 0 else -i)
                    for i, v in enumerate(versions, start=1)
                ]
                connection.executemany(
                    "UPDATE memory_vectors SET version = ? WHERE version = ?", pairs
                )
            connection.execute("DELETE FROM memory_vector_holes")
            connection.execute(
                "UPDATE sqlite_sequence SET seq = ? WHERE name = 'memory_vectors'", (len(versions),)
            )
            self._start_over(connection)
            self._append(connection)

    def _progress(self) -> tuple[int, int, int]:
        row = self._database.read(
            "SELECT generation, synced, (SELECT coalesce(max(version), 0) FROM memory_vectors)"
            " FROM memory_vector_file"
        )[0]
        return row[0], row[1], max(row[1], row[2])

    def _path(self, generation: int) -> Path:
        return self._database.path.with_name(f"memory-vectors-{generation}.f32")

    def _map(self, generation: int, synced: int) -> np.ndarray:
        if not synced:
            return np.zeros((0, _WIDTH), np.float32)
        return np.memmap(self._path(generation), np.float32, "r", shape=(synced, _WIDTH))

    def _read(self, generation: int, synced: int, last: int) -> Snapshot:
        file = self._map(generation, synced)
        old, known = self._snapshot, 0
        if old is not None and self._key is not None and self._key[0] == generation:
            known = self._key[1]  # rows never change their place, so only the new ones are read
        new_rows = np.ascontiguousarray(file[known:, DIMENSIONS:]).view(np.int64).ravel()
        tail = self._database.read(
            "SELECT version, row, vector FROM memory_vectors WHERE version > ? ORDER BY version",
            (synced,),
        )
        before = old.rows[:known] if old is not None and known else np.zeros(0, np.int64)
        vectors = np.frombuffer(b"".join(row[2] for row in tail), np.float32)
        return Snapshot(
            generation,
            file[:, :DIMENSIONS],
            vectors.reshape(len(tail), DIMENSIONS),
            np.concatenate([before, new_rows, np.array([r[1] for r in tail], np.int64)]),
            np.concatenate([np.arange(1, synced + 1), np.array([r[0] for r in tail], np.int64)]),
        )

    def _check(self, generation: int, synced: int, last: int) -> tuple[int, int, int]:
        """Compare a sample of the file with the table; write it anew if they differ."""
        if not self._agrees(generation, synced):
            with contextlib.suppress(OSError, WorkshopError), self._database.write() as connection:
                if self._progress()[0] == generation:  # no other kernel was faster
                    self._start_over(connection)
                    self._append(connection)
            generation, synced, last = self._progress()
        self._checked = generation
        return generation, synced, last

    def _agrees(self, generation: int, synced: int) -> bool:
        if not synced:
            return True
        path = self._path(generation)
        if not path.exists() or path.stat().st_size < synced * _BYTES:
            return False
        matrix = self._map(generation, synced)
        step = max(synced // _SAMPLE, 1)
        for floor in [*range(0, synced, step), synced - 1]:
            row = self._database.read(
                "SELECT version, vector FROM memory_vectors WHERE version > ? AND version <= ?"
                " ORDER BY version LIMIT 1",
                (floor, synced),
            )
            if row and matrix[row[0][0] - 1, :DIMENSIONS].tobytes() != row[0][1]:
                return False
        return True

    def _start_over(self, connection: sqlite3.Connection) -> None:
        old = connection.execute("SELECT generation FROM memory_vector_file").fetchone()[0]
        connection.execute("UPDATE memory_vector_file SET generation = ?, synced = 0", (old + 1,))
        with contextlib.suppress(OSError):  # Windows keeps a file that another kernel has mapped
            self._path(old).unlink(missing_ok=True)

    def _append(self, connection: sqlite3.Connection) -> None:
        generation, synced = connection.execute(
            "SELECT generation, synced FROM memory_vector_file"
        ).fetchone()
        path = self._path(generation)
        path.touch(mode=0o600)
        last = synced
        with path.open("r+b") as file:
            file.truncate(synced * _BYTES)
            file.seek(synced * _BYTES)
            cursor = connection.execute(
                "SELECT version, row, vector FROM memory_vectors WHERE version > ?"
                " ORDER BY version",
                (synced,),
            )
            while block := cursor.fetchmany(_BLOCK):
                for version, row, vector in block:
                    file.write(bytes((version - last - 1) * _BYTES))  # deleted before they came
                    file.write(vector + row.to_bytes(8, sys.byteorder))
                    last = version
            file.flush()
            os.fsync(file.fileno())
        connection.execute("UPDATE memory_vector_file SET synced = ?", (last,))

    def _wipe(self, connection: sqlite3.Connection) -> None:
        generation, synced = connection.execute(
            "SELECT generation, synced FROM memory_vector_file"
        ).fetchone()
        holes = [row[0] for row in connection.execute("SELECT version FROM memory_vector_holes")]
        inside = [version for version in holes if version <= synced]
        path = self._path(generation)
        if inside and path.exists():
            with path.open("r+b") as file:
                for version in inside:
                    file.seek((version - 1) * _BYTES)
                    file.write(bytes(_BYTES))
        connection.execute("DELETE FROM memory_vector_holes")


_files: dict[Path, VectorFile] = {}
_files_lock = threading.Lock()


def vector_file(database: StateDatabase) -> VectorFile:
    """The vector file of a store."""
    with _files_lock:
        found = _files.get(database.path)
        if found is None or found._database is not database:
            found = _files[database.path] = VectorFile(database)
        return found


def pack(vector: Any) -> bytes:
    """A vector as it is stored: 384 float32, unit length."""
    array = np.ascontiguousarray(vector, np.float32)
    if array.shape != (DIMENSIONS,):
        raise ValueError(f"a vector has {DIMENSIONS} numbers, this one has shape {array.shape}")
    return array.tobytes()
