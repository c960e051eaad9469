"""What parts 04 and 05 lean on: the practice engine, the comparison, users of a notebook's own."""

import duckdb
import pytest

from harness import memory, session
from harness.course.labs.narrow_tools import MISTAKES, QUESTIONS, Question, compare_at_best, told
from harness.course.notebook import fresh_user
from harness.course.practice_engine import PracticeEngine, engine
from harness.memory import write_path
from harness.memory.admission import Known, Proposal
from harness.memory.client import MemoryClient


def test_the_engine_does_what_it_is_told_and_can_be_made_new():
    mine = PracticeEngine()
    whole = mine.count("cargo_items")
    result = mine.execute("DELETE FROM cargo_items WHERE item_id = ? RETURNING item_id", [50001])
    assert result.fetchall() == [[50001]] and mine.count("cargo_items") == whole - 1
    mine.execute("DROP TABLE vessel_positions")
    assert mine.count("vessel_positions") is None and "vessel_positions" not in mine.tables
    with pytest.raises(duckdb.Error):
        mine.execute("SELECT nope FROM voyages")
    assert len(mine.ran) == 3 and mine.ran[-1] == "SELECT nope FROM voyages"
    mine.reset()
    assert mine.count("cargo_items") == whole and mine.ran == []


def test_the_engine_touches_no_file(tmp_path):
    mine = PracticeEngine()
    for sql in (
        f"COPY carriers TO '{tmp_path / 'x.csv'}'",
        "SELECT * FROM read_text('/etc/passwd')",
    ):
        with pytest.raises(duckdb.Error):
            mine.execute(sql)
    assert list(tmp_path.iterdir()) == []


def test_another_database_is_used_for_a_block_only():
    small = duckdb.connect(":memory:")
    small.execute("CREATE SCHEMA SUPPLYCHAIN; CREATE TABLE SUPPLYCHAIN.carriers (name VARCHAR)")
    with engine.on(small):
        assert engine.tables == ["carriers"] and engine.count("carriers") == 0
    assert engine.count("carriers") == 15


def test_a_result_says_how_much_of_it_was_read():
    result = engine.execute("SELECT voyage_id, departed_at FROM voyages ORDER BY voyage_id")
    first = result.fetchmany(2)
    assert result.columns == ["voyage_id", "departed_at"] and result.read == 2
    assert first[0][0] == 1001 and isinstance(first[0][1], str)


def test_at_best_a_narrow_tool_needs_fewer_steps_and_tokens(home):
    board = compare_at_best()
    assert len(board.general) == len(board.narrow) == sum(q.narrow is not None for q in QUESTIONS)
    for one, other in zip(board.general, board.narrow, strict=True):
        assert one.reached and other.reached
        assert other.steps < one.steps and other.tokens < one.tokens
    assert str(board) == str(compare_at_best())


def test_a_goal_without_figures_is_never_reached(home):
    call = ("find_voyages", {"status": "DELAYED", "limit": 1})
    assert compare_at_best([Question("How many?", "SELECT 7", call)]).narrow[0].reached
    empty = Question("How many?", "SELECT 1 WHERE FALSE", call)
    assert not compare_at_best([empty]).narrow[0].reached


def test_the_same_mistakes_are_told_by_narrow_tools_only():
    told_by_sql = [told("run_sql", {"sql": sql}).startswith("ERROR: ") for _, sql, _, _ in MISTAKES]
    told_by_tool = [told(tool, arguments).startswith("ERROR: ") for *_, tool, arguments in MISTAKES]
    assert all(told_by_tool) and told_by_sql.count(True) == 1


def test_a_fresh_user_begins_with_nothing_each_time(home):
    with session(user="part-x"):
        for _ in range(2):
            with fresh_user("ana") as ana:
                assert memory.list_memories(user_id=ana) == []
                memory.add_memory("Berth 4 is closed.")
                assert len(memory.list_memories(user_id=ana)) == 1
        assert memory.list_memories(user_id="part-x") == []


def test_a_secret_is_not_even_embedded(home):
    seen: list[str] = []

    def embed(texts):
        seen.extend(texts)
        return MemoryClient(embed=None).embed(["nothing"] * len(texts))

    secret = "sk-live4f9a8b7c6d5e4f3a2b1c"
    client = MemoryClient()
    done = write_path.write(
        client.database, [Proposal(f"the key is {secret}", user="a")], Known(), embed
    )
    assert done[0].verdict == "refuse" and seen and secret not in " ".join(seen)
