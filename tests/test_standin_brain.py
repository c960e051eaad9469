"""The stand-in's brain: answers against SQL written by hand, refusals, what taking away does."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.databases.business import business
from tests.standin_asked import as_floats, ask, called, has, one

QUESTIONS = yaml.safe_load(
    Path(__file__).with_name("standin_questions.yaml").read_text(encoding="utf-8")
)
REFUSED = {
    "How much profit did Kestrel Ocean make?": "profit",
    "What's the weather in Hamburg?": "weather",
    "Who is the captain of Amber Petrel?": "captain",
    "How many voyages were hijacked?": "hijacked",
    "How many insured containers are there?": "insured",
    "How many vessels changed their flag in 2025?": "changed",
    "How many voyages transit the Suez canal?": "Suez",
    "Which carrier is the best?": "best",
    "How many chartered voyages are there?": "chartered",
    "How many voyages to Atlantis?": "Atlantis",
    "How many voyages have been cancelled since January 2026?": "departed_at, eta, arrived_at",
    "How many vessels are in the PACIFIC?": "voyages",
    "How many vessels does Kumo Lines operate?": "operate",
    "What is the average capacity of the vessels per ocean region?": "more than once",
    "busiest ports": "from",
    "Which ports have no voyages?": "from",
    "What is the capacity of Amber?": "Amber Petrel",
    "And in the PACIFIC?": "refers to",
    "Are all containers on voyage 1400 dry?": "how many are",
    "Which vessels does every carrier have?": "list for each",
    "How many voyages are scheduled to depart in July?": "before it has happened",
    "Where are the delayed vessels?": "no name",
    "Delete all cancelled voyages.": "only read",
}


@pytest.mark.parametrize("case", QUESTIONS, ids=[case["ask"][:60] for case in QUESTIONS])
def test_answers_agree_with_sql_written_by_hand(shared_home: Path, case: dict[str, Any]) -> None:
    result = ask(case["ask"])
    assert result.status == "completed", result.answer
    rows = business().query(case["sql"], 100).rows if "sql" in case else []
    assert rows or "says" in case
    lines = result.answer.splitlines()
    for row in rows:
        assert any(all(has(line, v) for v in as_floats(row)) for line in lines), (
            row,
            result.answer,
        )
    for text in case.get("says", []):
        assert text in result.answer
    assert set(case.get("tools", [])) <= set(called(result))
    assert "(offline stand-in)" in result.answer


@pytest.mark.parametrize("question", REFUSED)
def test_what_it_cannot_place_is_refused_and_named(shared_home: Path, question: str) -> None:
    answer = ask(question).answer
    assert REFUSED[question] in answer
    assert "(offline stand-in)" in answer
    assert not re.match(r"\d|Yes|No:", answer)


def test_a_refusal_says_how_to_ask_anything(shared_home: Path) -> None:
    answer = ask("How many hijacked voyages are there?").answer
    assert 'nothing called "hijacked"' in answer
    assert 'What works: "How many voyages are there?"' in answer
    assert "OPENAI_API_KEY" in answer
    assert len(answer.splitlines()) == 3  # and the line that says who speaks


def test_a_misspelt_word_is_asked_back_about(shared_home: Path) -> None:
    answer = ask("how many voygaes are in transit").answer
    assert "Did you mean voyages?" in answer
    assert 'What works: "how many voyages are in transit"' in answer


def test_follow_ups_change_the_question_before(shared_home: Path) -> None:
    first = ask("How many voyages are there in the ATLANTIC?", "t1").answer
    second = ask("and in the PACIFIC?", "t1").answer
    third = ask("how many of those are delayed?", "t1").answer
    region = "SELECT COUNT(*) FROM voyages WHERE ocean_region = "
    assert has(first, one(region + "'ATLANTIC'"))
    assert has(second, one(region + "'PACIFIC'"))
    assert has(third, one(region + "'PACIFIC' AND status = 'DELAYED'"))


def test_a_follow_up_replaces_a_name_and_looks_the_old_one_up_again(shared_home: Path) -> None:
    ask("How many voyages go to Hamburg?", "t2")
    answer = ask("and to Santos?", "t2").answer
    join = "voyages v JOIN ports p ON p.port_id = v.destination_port_id"
    assert has(answer, one(f"SELECT COUNT(*) FROM {join} WHERE p.name = 'Santos'"))


def test_discovery_lists_every_table_and_how_they_relate(shared_home: Path) -> None:
    question = "What's in the SUPPLYCHAIN schema? Briefly - list the entities and how they relate."
    result = ask(question)
    for table in business().catalogue("SUPPLYCHAIN"):
        assert table.name.split(".")[-1] in result.answer
    assert "voyages.destination_port_id -> ports" in result.answer
    assert set(called(result)) == {"search_knowledge"}


def test_it_searches_first_and_drafts_what_is_not_trivial(shared_home: Path) -> None:
    result = ask("How many containers are on voyages of Corvane to Hamburg?")
    names = called(result)
    assert names[0] == "search_knowledge"
    if "scratch_write" in names:
        assert names.index("scratch_write") < names.index("scratch_read")
        assert names.index("scratch_read") < len(names) - 1 - names[::-1].index("run_sql")
