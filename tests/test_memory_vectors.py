"""The vector file is a cache: right after damage, growth, deletion, and what others wrote."""

import numpy as np
import pytest

from harness import WorkshopError
from harness.databases.state import StateDatabase
from harness.memory import vectors
from harness.memory.filters import where
from harness.memory.index import search
from harness.memory.vectors import DIMENSIONS, VectorFile, pack, vector_file
from tests.memory_homes import made_up, store_at


def as_found(snapshot):
    """row -> vector of what a snapshot holds."""
    both = np.concatenate([snapshot.matrix, snapshot.tail])
    return {int(row): both[i].tobytes() for i, row in enumerate(snapshot.rows) if row}


def as_stored(database):
    """row -> vector of what the table holds."""
    return dict(map(tuple, database.read("SELECT row, vector FROM memory_vectors")))


def fresh(memory):
    """The file as another process would open it."""
    return VectorFile(StateDatabase(memory.database.path))


def fill(memory, count, start=0):
    return memory.add_memories([f"note {n}" for n in range(start, start + count)], user_id="a")


def nearest(memory, text):
    hits = search(memory.database, "", made_up([text])[0], where(user_id="a"), 1)
    return [hit.row for hit in hits]


def test_the_file_holds_what_the_table_holds(memory):
    fill(memory, 40)
    assert len(vector_file(memory.database).snapshot().tail) == 40
    fill(memory, 1_000, 40)
    snapshot = vector_file(memory.database).snapshot()
    assert (len(snapshot.matrix), len(snapshot.tail)) == (1_040, 0)
    assert as_found(snapshot) == as_stored(memory.database) == as_found(fresh(memory).snapshot())


def test_a_change_replaces_the_vector(memory):
    ids = fill(memory, 600)
    memory.update_memory(ids[3], content="something new")
    assert nearest(memory, "something new") == [4]
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)
    old = made_up(["note 3"])[0]
    assert not any(v == old.tobytes() for v in as_found(fresh(memory).snapshot()).values())


def test_deleted_vectors_are_zeros_in_the_file(memory):
    ids = fill(memory, 700)
    for one in (ids[0], ids[350], ids[699]):
        memory.delete_memory(one)
    snapshot = fresh(memory).snapshot()
    assert [int(v) for v in snapshot.versions[snapshot.rows == 0]] == [1, 351, 700]
    assert not snapshot.matrix[[0, 350, 699]].any()
    assert memory.database.read("SELECT count(*) FROM memory_vector_holes")[0][0] == 0


@pytest.mark.parametrize("damage", ["missing", "short", "zeros", "swapped"])
def test_a_damaged_file_is_written_anew(memory, damage):
    fill(memory, 700)
    path = next(memory.database.path.parent.glob("memory-vectors-*"))
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "short":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "zeros":
        path.write_bytes(bytes(len(whole)))
    else:
        half = len(whole) // 2
        path.write_bytes(whole[half:] + whole[:half])
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)


def test_bytes_after_a_killed_writer_are_not_read(memory):
    fill(memory, 600)
    path = next(memory.database.path.parent.glob("memory-vectors-*"))
    with path.open("ab") as file:
        file.write(b"\x7f" * 5_000)
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)
    fill(memory, 600, 600)
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)


def test_a_writer_that_died_before_wiping_is_made_up_for(memory):
    ids = fill(memory, 600)
    with memory.database.write() as connection:  # the deletion lands, the process dies
        connection.execute("DELETE FROM memories WHERE record_id = ?", (ids[5],))
    asked = made_up(["note 5"])[0]
    assert 6 not in [h.row for h in search(memory.database, "", asked, where(user_id="a"), 600)]
    fill(memory, 1, 600)
    assert not fresh(memory).snapshot().matrix[5].any()


def test_renumbering_after_most_are_gone(memory):
    ids = fill(memory, 1_500)
    reader = store_at(memory.database.path.parent)
    vector_file(reader.database).snapshot()
    memory.database.run("DELETE FROM memories WHERE row % 10 != 0")
    vector_file(memory.database).compact()
    files = list(memory.database.path.parent.glob("memory-vectors-*"))
    assert [f.stat().st_size for f in files] == [150 * (DIMENSIONS + 2) * 4]
    for client in (memory, reader):
        assert as_found(VectorFile(client.database).snapshot()) == as_stored(memory.database)
        assert nearest(client, "note 9") == [10]
    fill(memory, 600, 1_500)
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)
    assert len(ids) == 1_500


def test_compaction_happens_by_itself(memory, monkeypatch):
    monkeypatch.setattr(vectors, "_WASTE", 100)
    fill(memory, 800)
    memory.delete_all("a")
    fill(memory, 20)
    files = list(memory.database.path.parent.glob("memory-vectors-*"))
    assert sum(f.stat().st_size for f in files) < 100 * DIMENSIONS * 4


def test_two_connections_see_each_other(memory):
    other = store_at(memory.database.path.parent)
    for number in range(6):
        writer, reader = (memory, other) if number % 2 else (other, memory)
        fill(writer, 300, number * 300)
        assert nearest(reader, f"note {number * 300 + 299}") == [number * 300 + 300]


def test_a_full_disk_costs_no_memory(memory, monkeypatch):
    def full(self, connection):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(VectorFile, "_append", full)
    fill(memory, 700)
    assert nearest(memory, "note 650") == [651]
    monkeypatch.undo()
    fill(memory, 1, 700)
    assert as_found(fresh(memory).snapshot()) == as_stored(memory.database)
    assert len(fresh(memory).snapshot().tail) == 0


def test_a_cold_start_does_not_read_the_vectors_again(memory):
    fill(memory, 1_200)
    database = StateDatabase(memory.database.path)
    asked = []
    database.connection().set_trace_callback(asked.append)
    hits = search(database, "", made_up(["note 77"])[0], where(user_id="a"), 10)
    database.connection().set_trace_callback(None)
    assert hits[0].row == 78
    read = [sql for sql in asked if "vector FROM" in sql]
    assert all("LIMIT 1" in sql or "version > 1200" in sql for sql in read)
    assert len(read) <= 20


def test_only_vectors_of_the_right_shape():
    with pytest.raises(ValueError, match="384"):
        pack(np.zeros(10))


def test_a_full_disk_says_so_and_loses_nothing(memory):
    fill(memory, 50)
    database = memory.database
    pages = database.read("PRAGMA page_count")[0][0]
    database.read(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(WorkshopError, match="full"):
        fill(memory, 500, 50)
    assert len(memory.list_memories()) == 50
    assert nearest(memory, "note 49") == [50]
    database.read("PRAGMA max_page_count = 1000000")
    fill(memory, 500, 50)
    assert nearest(memory, "note 549") == [550]
