"""The stand-in's brain: answers against SQL written by hand, refusals, what taking away does."""

from pathlib import Path

import pytest

from harness.databases.business import business
from harness.standin.brain import reply
from tests.standin_asked import ask, called, has, one


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


@pytest.mark.parametrize("piece", ["by ", " ", "forget ", "a,", "not ", "when I say ", "-", "1 "])
def test_a_megabyte_is_refused_wherever_it_stands(piece: str) -> None:
    long = "by" + piece * (1_000_000 // len(piece))
    alone = reply({"messages": [{"role": "user", "content": f"{long}?"}]})
    assert "longer than I can read" in alone["content"]
    short = piece * (3_900 // len(piece))
    said = {"role": "assistant", "content": long}
    messages = [{"role": "user", "content": long}, said, {"role": "user", "content": f"by{short}?"}]
    assert reply({"messages": messages})["content"]


def test_what_the_user_takes_back_is_forgotten_and_counts_no_longer(shared_home: Path) -> None:
    late = one("SELECT COUNT(*) FROM voyages WHERE delay_hours < 6")
    plain = one("SELECT COUNT(*) FROM voyages WHERE delay_hours = 0")
    said = "For us a voyage on time is one with a delay under 6 hours. Remember this."
    ask(said, "t")
    assert has(ask("How many voyages are on time?", "t").answer, late)
    result = ask("That was wrong, forget it. How many voyages are on time?", "t")
    assert set(called(result)) >= {"forget", "run_sql"}
    assert "Taken back" in result.answer and has(result.answer, plain)
    assert has(ask("How many voyages are on time?", "t").answer, plain)
    assert "remember nothing about penguins" in ask("Forget all about penguins.", "t").answer
