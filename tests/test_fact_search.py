"""How facts are found: by word and meaning, with corrections first."""

import json
from pathlib import Path

import pytest

from benchmarks import recall
from harness.errors import ToolError, WorkshopError
from harness.knowledge.fact_search import (
    all_facts,
    ensure_scanned,
    forget_facts,
    retrieve_knowledge,
    scan_schema,
)
from harness.memory import memory
from harness.retrieval import embedding
from harness.retrieval.lexical_search import question_words, rank_by_words, search_words
from harness.session import session
from harness.tools.knowledge import scan_database, search_knowledge
from tests.facts import found
from tests.homes import printed

# Retrieval


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("teu capacity", "SUPPLYCHAIN.vessels.capacity_teu"),
        ("capacity_teu", "SUPPLYCHAIN.vessels.capacity_teu"),
        ("capacityTeu", "SUPPLYCHAIN.vessels.capacity_teu"),
        ("NLRTM", "SUPPLYCHAIN.ports.unlocode"),
        ("nlrtm", "SUPPLYCHAIN.ports.unlocode"),
        ("9846782", "SUPPLYCHAIN.vessels.imo"),
        ("IMO 9846782", "SUPPLYCHAIN.vessels.imo"),
        ("Early Otter", "SUPPLYCHAIN.vessels.name"),
        ("Rotterdam", "SUPPLYCHAIN.ports.name"),
    ],
)
def test_exact_words_and_codes_are_found(prepared_home: Path, query: str, subject: str) -> None:
    assert subject in found(query, 3)


def test_meaning_finds_what_no_word_does(prepared_home: Path) -> None:
    assert "SUPPLYCHAIN.vessel_positions.speed_knots" in found("how fast is the ship going")


def test_results_have_five_fields_and_a_distance(prepared_home: Path) -> None:
    first, *_ = results = retrieve_knowledge("status of a voyage")
    assert len(results) == 5
    assert sorted(first) == ["body", "distance", "kind", "metadata", "subject"]
    assert first["metadata"]["owner"] == "SUPPLYCHAIN"
    assert all(
        0 <= r["distance"] <= 1.2 and round(r["distance"], 4) == r["distance"] for r in results
    )


def test_kinds_are_filtered_before_ranking(prepared_home: Path) -> None:
    results = retrieve_knowledge("status of a voyage", 9, ["relationship"])
    assert [r["kind"] for r in results] == ["relationship"] * 9
    assert {r["kind"] for r in retrieve_knowledge("voyages", 8, "table")} == {"table"}
    mixed = retrieve_knowledge("voyages by status", 10, ["table", "query_pattern"])
    assert {r["kind"] for r in mixed} == {"table", "query_pattern"}


def test_what_can_not_be_asked(prepared_home: Path) -> None:
    with pytest.raises(WorkshopError, match="'view'"):
        retrieve_knowledge("x", kinds=["view"])
    with pytest.raises(WorkshopError, match="at least 1"):
        retrieve_knowledge("x", k=0)
    assert retrieve_knowledge("  \n ") == []


@pytest.mark.parametrize(
    "query",
    ['"quotes" AND (NEAR* -x OR', "'; DROP TABLE facts; --", "日本語 🚢", "*", "status " * 50_000],
)
def test_any_text_can_be_searched_for(prepared_home: Path, query: str) -> None:
    assert len(retrieve_knowledge(query)) == 5


def test_fused_retrieval_beats_each_leg(prepared_home: Path) -> None:
    means = {name: sum(values) / len(values) for name, values in recall.measure().items()}
    assert len(recall.questions()) >= 60
    assert means["fused"] > max(means["meaning"], means["words"]) + 0.03
    assert means["fused"] >= 0.8


def test_right_answers_of_the_benchmark_exist(prepared_home: Path) -> None:
    ensure_scanned()
    known = {(fact["kind"], fact["subject"]) for fact in all_facts()}
    assert not [key for _, right in recall.questions() for key in right if key not in known]


def test_without_knowledge_nothing_is_found(prepared_home: Path) -> None:
    ensure_scanned()
    assert forget_facts(subject="SUPPLYCHAIN.voyages.status") == 1
    assert "SUPPLYCHAIN.voyages.status" not in found("status of a voyage", 25)
    forget_facts()
    assert retrieve_knowledge("status of a voyage") == []
    scan_schema()
    assert "SUPPLYCHAIN.voyages.status" in found("status of a voyage")


# Corrections

ACTIVE = "An active voyage is one that is IN_TRANSIT, DELAYED or LOADING"


def test_a_matching_correction_comes_first(prepared_home: Path) -> None:
    memory.add_memory(ACTIVE, subject="active voyage", kind="correction")
    first = retrieve_knowledge("How many active voyages does each carrier have?", 3)[0]
    assert (first["kind"], first["subject"], first["body"]) == (
        "correction",
        "active voyage",
        ACTIVE,
    )
    assert 0 < first["distance"] < 1


def test_an_unrelated_correction_stays_away(prepared_home: Path) -> None:
    memory.add_memory(ACTIVE, subject="active voyage", kind="correction")
    kinds = [r["kind"] for r in retrieve_knowledge("country in which a port lies", 5)]
    assert "correction" not in kinds


def test_corrections_belong_to_their_user(prepared_home: Path) -> None:
    with session(user="anna"):
        memory.add_memory(ACTIVE, subject="active voyage", kind="correction")
        assert retrieve_knowledge("active voyages", 1)[0]["kind"] == "correction"
    with session(user="ben"):
        assert retrieve_knowledge("active voyages", 5, ["correction"]) == []


def test_corrections_can_be_left_out(prepared_home: Path) -> None:
    memory.add_memory(ACTIVE, subject="active voyage", kind="correction")
    kinds = ["table", "column"]
    assert {r["kind"] for r in retrieve_knowledge("active voyages", 5, kinds)} <= set(kinds)


# The tools


def test_search_knowledge_returns_facts_as_text(prepared_home: Path) -> None:
    answer = json.loads(search_knowledge("status of a voyage", k=2, kinds=["column"]))
    assert answer["status"] == "ok" and len(answer["facts"]) == 2
    assert sorted(answer["facts"][0]) == ["body", "distance", "kind", "subject"]


@pytest.mark.parametrize(
    "arguments", [{"query": ""}, {"query": "x", "k": 0}, {"query": "x", "kinds": ["view"]}]
)
def test_search_knowledge_names_a_wrong_argument(prepared_home: Path, arguments: dict) -> None:
    with pytest.raises(ToolError) as error:
        search_knowledge(**arguments)
    assert error.value.kind == "bad_arguments"


def test_scan_database_counts_and_refuses(prepared_home: Path) -> None:
    answer = json.loads(scan_database("supplychain"))
    assert answer["status"] == "ok" and answer["tables"] == 7
    with pytest.raises(ToolError, match="schema"):
        scan_database("NOWHERE")


# Words


def test_identifiers_and_accents_are_taken_apart() -> None:
    assert search_words("capacity_teu") == search_words("capacityTeu") == ("capacity", "teu")
    assert search_words("Gdańsk") == search_words("GDANSK")
    assert search_words("delayed delays") == ("delay", "delay")
    assert search_words("NLRTM 9846782") == ("nlrtm", "9846782")
    assert len(question_words(" ".join(f"w{i}" for i in range(500)))) == 64


def test_ranking_by_words() -> None:
    texts = {"a": "ports of Spain", "b": "ports, ports and their ports", "c": "vessels"}
    assert rank_by_words("Spanish ports in Spain", texts)[0] == "a"
    assert rank_by_words("how many", texts) == rank_by_words("zebra", texts) == []


def test_embedding_is_not_loaded_for_a_rescan_of_shipped_facts(home: Path) -> None:
    scan_schema()
    assert not (home / "embeddings.sqlite").exists()
    assert all(embedding.is_shipped(q) for q, _ in recall.questions())


@pytest.mark.parametrize(
    "first", ["harness.knowledge.fact_search", "harness.memory.recall", "harness.context"]
)
def test_any_module_may_be_the_first_to_be_imported(first: str) -> None:
    code = f"import {first}; from harness.memory import corrections"
    assert printed(code) == ""
