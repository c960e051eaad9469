"""Row policy over what the agent has stored: nothing comes back that a wider role brought in."""

import json
import uuid

import pytest

from harness import (
    ToolError,
    WorkshopError,
    build_context,
    log_message,
    retrieve_knowledge,
    scratch_append,
    scratch_read,
    scratch_write,
    session,
)
from harness.databases.state import state
from harness.knowledge.fact_search import all_facts, search_by_word
from harness.memory import memory
from harness.memory.journal import find_output, outputs, record_observation
from harness.run import recorder
from harness.tools.scratchpad import scratch_list


def test_what_was_had_without_the_policy_stays_out_of_its_reach(prepared_home):
    """Stored outputs, memories that rest on them, and what the facts say of values and rows."""
    mine = {"user": uuid.uuid4().hex}
    limited = {**mine, "role": "pacific_analyst"}
    regions = "ATLANTIC and INDIAN are ocean regions"
    with session(**mine):
        log_message("t", "user", "which regions?")
        turn = recorder.current_turn().id
        record_observation("t", turn, "c1", "run_sql", f"Result: {regions}.", "ok")
        made = memory.add_memory(regions, source="tool_output", source_id="c1", quote=regions)
        said = memory.add_memory(
            "INDIAN is a region, says a book", source="document", source_id="b"
        )
        assert memory.get_memory(made).governed.status == "active"
        log_message("t", "assistant", "done")
        assert any("Values: " in fact["body"] for fact in all_facts("column"))
    with session(**limited):
        assert find_output("c1") is None and outputs("t") == []
        assert [m.id for m in memory.list_memories()] == [said]
        assert [r.id for r in memory.search("ocean regions INDIAN")] == [said]
        assert regions not in build_context("t", "Which ocean regions are there?")
        for fact in (*all_facts(), *retrieve_knowledge("values of ocean region", 10)):
            assert " Values: " not in fact["body"] and " rows." not in fact["body"]
        record_observation("t", "turn-2", "c2", "run_sql", "only PACIFIC is there", "ok")
        assert find_output("c2")
    with session(**mine):
        assert find_output("c1") and find_output("c2") and len(memory.list_memories()) == 2


def test_what_was_said_without_the_policy_stays_out_of_its_reach(home):
    """Messages, their search, summaries, the card, scratch files and the model's own memories."""
    mine = {"user": uuid.uuid4().hex}
    limited = {**mine, "role": "pacific_analyst"}
    secret = "Voyage 17 in the ATLANTIC is late"
    with session(**mine):
        for number in range(8):
            log_message("t", "user", f"question {number}?")
            log_message("t", "assistant", f"{secret}, {number}.")
        scratch_write("notes.md", secret)
        seen = memory.add_memory(
            f"asked 3 times about it: {secret}",
            metadata={"kind": "profile"},
            purpose="explanation",
            source="model_inference",
            source_id="t",
        )
        thread = memory.get_thread("t")
        assert secret in thread.get_summary().content and secret in build_context("t", "voyage 17")
        (message,) = memory.search(secret, record_types=["message"], max_results=1)
    with session(**limited):
        thread = memory.get_thread("t")
        log_message("t", "user", "And in the PACIFIC?")
        log_message("t", "assistant", "Voyage 1 is late.")
        shown = [
            thread.get_messages(),
            thread.get_summary(),
            memory.list_messages(),
            memory.search(secret, record_types=["message", "memory"]),
            build_context("t", "voyage 17 in the ATLANTIC"),
            thread.get_context_card(query="voyage 17"),
            memory.list_memories(include_invalid=True),
            memory.profile(),
            json.loads(scratch_list()),
        ]
        assert "Voyage 1 is late" in str(shown) and secret not in str(shown)
        for hidden, identity in ((thread.get_message, message.id), (memory.get_memory, seen)):
            with pytest.raises(WorkshopError):
                hidden(identity)
        assert memory.get_history(seen) == []
        with pytest.raises(ToolError, match="no scratch file"):
            scratch_read("notes.md")
        for write in (scratch_write, scratch_append):
            with pytest.raises(ToolError, match="another role"):
                write("notes.md", "mine")
        for number in range(12):  # a summary of one's own
            log_message("t", "user", f"own {number}")
        assert "Voyage 1 is late" in str(thread.get_summary()) and secret not in str(
            thread.get_summary()
        )
    with session(**mine):
        whole = str(memory.get_thread("t").get_summary())
        assert secret in whole and "Voyage 1 is late" in whole
        assert json.loads(scratch_read("notes.md"))["content"] == secret


def test_a_fact_is_not_found_by_a_value_that_is_hidden(prepared_home):
    """Whatever values the stored facts hold, what is found and in which order is the same."""
    asked = ("ATLANTIC", "INDIAN voyages", "status ARRIVED or DELAYED", "ocean region")
    with session(role="pacific_analyst"):
        before = [retrieve_knowledge(query, 8) for query in asked]
        assert search_by_word("ATLANTIC INDIAN") == []
    for change in (
        "UPDATE facts SET vector = NULL, body = replace(body, 'ATLANTIC', 'status ocean') "
        "WHERE body LIKE '% Values: %'",
        "DELETE FROM facts_words WHERE rowid IN (SELECT fact_id FROM facts WHERE vector IS NULL)",
        "UPDATE facts_version SET version = version + 1",
    ):
        state().run(change)
    with session(role="pacific_analyst"):
        assert [retrieve_knowledge(query, 8) for query in asked] == before
