"""The stand-in knows what it is told: corrections change its answers, and so do gaps."""

import re
from pathlib import Path

import pytest

from harness.knowledge.fact_search import forget_facts, scan_schema
from harness.knowledge.skillbox import skills, use_skills
from tests.business_copies import changed_copy
from tests.homes import printed
from tests.standin_asked import ask, called, has, last_sql, one

CORRECTION = (
    "Important: active means LOADING, IN_TRANSIT or DELAYED. "
    "Save this as a correction by calling remember BEFORE you respond."
)
OPERATED = "voyages v JOIN carriers c ON c.carrier_id = v.carrier_id"
ACTIVE = "How many active voyages are there?"


def test_a_correction_changes_the_answer_also_in_a_new_process(prepared_home: Path) -> None:
    before = ask(ACTIVE, "monday").answer
    assert has(before, one("SELECT COUNT(*) FROM voyages WHERE status = 'IN_TRANSIT'"))
    assert "Nothing here defines" in before
    saved = ask(CORRECTION, "monday")
    assert called(saved) == ["remember"]
    assert "active means LOADING, IN_TRANSIT or DELAYED" in saved.answer
    right = one("SELECT COUNT(*) FROM voyages WHERE status IN ('LOADING', 'IN_TRANSIT', 'DELAYED')")
    assert has(ask(ACTIVE, "tuesday").answer, right)
    code = f"from harness.loop import run_turn; print(run_turn({ACTIVE!r}, 'new').answer)"
    assert has(printed(code), right)


def test_a_group_of_carriers_counts_as_one(prepared_home: Path) -> None:
    ask("Corvane and Tasmara count as one group called Tamarin. Remember this.")
    answer = ask("How many voyages does Tamarin have?").answer
    sql = f"SELECT COUNT(*) FROM {OPERATED} WHERE c.name IN ('Corvane', 'Tasmara')"
    assert has(answer, one(sql))
    grouped = ask("How many voyages does each carrier have?").answer
    assert re.search(rf"Tamarin +{one(sql)}", grouped)
    assert "Corvane " not in grouped.split("By the correction")[0]


def test_a_definition_with_a_number(prepared_home: Path) -> None:
    answer = ask(
        "Note that a big vessel means over 15000 TEU. How many big vessels are there?"
    ).answer
    assert has(answer, one("SELECT COUNT(*) FROM vessels WHERE capacity_teu > 15000"))


def test_without_remember_it_says_that_it_cannot_save(prepared_home: Path) -> None:
    result = ask(CORRECTION, tools=("search_knowledge", "run_sql"))
    assert "can't save" in result.answer
    assert called(result) == []


# -- taking away


def test_without_knowledge_it_says_what_it_lacks(prepared_home: Path) -> None:
    ask("How many voyages are there?")
    forget_facts()
    answer = ask("How many voyages were cancelled?", tools=("search_knowledge", "run_sql")).answer
    assert "no facts" in answer
    assert not re.search(r"\b32\b", answer)


def test_without_the_status_fact_the_reading_is_lost(prepared_home: Path) -> None:
    ask("How many voyages are there?")
    forget_facts(kinds=["column"], subject="SUPPLYCHAIN.voyages.status")
    answer = ask("How many voyages are at sea?").answer
    assert not re.match(r"\d", answer)
    assert "OPENAI_API_KEY" in answer


def test_without_a_relationship_it_takes_no_way_round(prepared_home: Path) -> None:
    ask("How many voyages are there?")
    forget_facts(kinds=["relationship"], subject="SUPPLYCHAIN.voyages.vessel_id")
    answer = ask("What is the average delay of voyages by vessels built before 2005?").answer
    assert not re.search(r"\d+(\.\d+)? hours", answer)


def test_without_the_skill_it_gives_a_cruder_answer_and_says_so(
    prepared_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("skills")
    from harness.settings import root

    for each in (root() / "data" / "skills").glob("*.md"):
        text = each.read_text(encoding="utf-8")
        if "percentile" not in each.stem:
            (folder / each.name).write_text(text, encoding="utf-8")
    question = "What is the 90th percentile of delay for arrived voyages?"
    assert "P90" in ask(question).answer
    with use_skills(folder):
        assert len(skills()) > 3
        result = ask(question)
    assert "plain average" in result.answer
    assert "no playbook" in result.answer
    assert "exec_js" not in called(result)


def test_without_exec_js_it_says_so(prepared_home: Path) -> None:
    tools = ("search_knowledge", "run_sql", "load_skill")
    answer = ask("How far is it from Rotterdam to Shanghai?", tools=tools).answer
    assert "exec_js was not offered" in answer
    assert "nautical" not in answer
    value = ask("What is the cargo on voyage 1400 worth?", tools=tools).answer
    assert "US cents" in value


def test_without_run_sql_a_narrow_tool_answers_what_it_covers(prepared_home: Path) -> None:
    tools = ("search_knowledge", "find_voyages", "voyage_status")
    counted = ask("How many delayed voyages does Kumo Lines have?", tools=tools)
    assert "find_voyages" in called(counted)
    sql = f"SELECT COUNT(*) FROM {OPERATED} WHERE status = 'DELAYED' AND c.name = 'Kumo Lines'"
    assert has(counted.answer, one(sql))
    other = ask("How many vessels are there?", tools=tools)
    assert "run_sql" in other.answer
    assert "find_voyages" not in called(other)


def test_a_renamed_column_is_followed_after_a_rescan(prepared_home: Path, tmp_path: Path) -> None:
    question = "How many voyages were cancelled?"
    before = ask(question)
    count = one("SELECT COUNT(*) FROM voyages WHERE status = 'CANCELLED'")
    with changed_copy(tmp_path / "renamed.duckdb", rename=("status", "progress")):
        stale = ask(question, "stale")
        scan_schema("SUPPLYCHAIN")
        after = ask(question, "fresh")
    assert has(before.answer, count) and has(after.answer, count)
    assert "progress" in last_sql(after) and "progress" not in last_sql(before)
    assert has(stale.answer, count) or "could not get that" in stale.answer
