"""What an experiment in a notebook changes is as before after it."""

import pytest

from harness import TOOLS, WorkshopError, register
from harness.course.practice import changed_database, spare_home, spare_toolbox
from harness.databases.business import business
from harness.knowledge.fact_search import all_facts, scan_schema
from harness.memory import memory
from harness.settings import settings
from harness.tools import toolbox


def columns(table: str) -> dict[str, str]:
    found = next(each for each in business().catalogue() if each.name == table)
    return {column.name: column.comment for column in found.columns}


def test_a_spare_home_is_empty_and_goes() -> None:
    before = settings().home
    with spare_home() as home:
        assert settings().home == home != before
        assert all_facts() == []
        memory.add_memory("The crane is red.")
        assert len(memory.list_memories()) == 1
    assert settings().home == before and not home.exists()


def test_an_error_in_a_spare_home_ends_it_too() -> None:
    before = settings().home
    with pytest.raises(WorkshopError), spare_home():
        raise WorkshopError("no")
    assert settings().home == before


def test_a_changed_database_has_its_rows_and_the_change() -> None:
    comment = ("vessels.flag", "It's the flag.")
    rows = business().query("SELECT SUM(capacity_teu), COUNT(*) FROM vessels").rows
    with changed_database(rename=("capacity_teu", "teu_slots"), comment=comment):
        assert business().query("SELECT SUM(teu_slots), COUNT(*) FROM vessels").rows == rows
        assert columns("vessels")["flag"] == "It's the flag."
        assert "capacity_teu" not in columns("vessels")
    assert "capacity_teu" in columns("vessels") and columns("vessels")["flag"] != comment[1]


def test_a_rescan_of_a_changed_database_embeds_what_changed() -> None:
    with spare_home():
        assert scan_schema()["embedded"] == len(all_facts())
        with changed_database(comment=("vessels.flag", "Purple elephants.")):
            counts = scan_schema()
    assert (counts["updated"], counts["embedded"]) == (1, 1)


def test_a_spare_toolbox_forgets_what_was_registered_and_brings_back_what_was_taken() -> None:
    before = list(TOOLS)
    with spare_toolbox():

        @register(when="never")
        def polish_anchor() -> dict:
            """Polish the anchor."""
            return {}

        del TOOLS["run_sql"]
        assert toolbox.contract("polish_anchor") is not None
    assert list(TOOLS) == before
    assert toolbox.contract("polish_anchor") is None
