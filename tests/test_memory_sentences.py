"""Whatever is quoted of a message: kept are whole sentences of the user's, in any language."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from harness import log_message, remember
from harness.memory import memory as home_memory
from harness.memory.folding import folded, trimmed
from harness.memory.quotation import quoted, quoted_output
from harness.memory.sentences import sentences
from tests.properties import given, st

_FILE = Path(__file__).parent / "memory_sentences.yaml"
CORPUS = [
    (language, *row)
    for language, rows in yaml.safe_load(_FILE.read_text(encoding="utf-8")).items()
    for row in rows
]


@pytest.mark.parametrize(
    ("kind", "message", "quote", "kept"),
    [row[1:] for row in CORPUS],
    ids=[f"{language}-{kind}-{n}" for n, (language, kind, *_) in enumerate(CORPUS)],
)
def test_the_sentence_is_kept_as_it_was_written(kind, message, quote, kept):
    found = quoted(quote, message)
    if kept is None:
        assert found is None
    else:
        assert found is not None
        assert found.text == (message if kept == "." else kept)
        assert found.asks == (kind == "question")


def test_the_corpus_is_as_large_as_it_says():
    assert len(CORPUS) >= 150 and len({row[0] for row in CORPUS}) >= 10
    assert len({row[2] for row in CORPUS}) == len(CORPUS)


def test_through_the_tool_questions_never_become_statements(home):
    """Every language once more, by the whole way: one statement and one question of each."""
    chosen = {(row[0], row[1] == "question"): row for row in CORPUS if row[4] is not None}
    for (language, question), (_, _, message, quote, kept) in chosen.items():
        log_message(language, "user", message)
        body = f"The user says: {quote}"
        answer = json.loads(remember(subject="x", body=body, quote=quote))
        log_message(language, "assistant", "ok")
        record = home_memory.get_memory(answer["record_id"]).governed
        assert record.value == (message if kept == "." else kept)
        assert (record.status, record.confidence) == (
            ("quarantined", "inferred") if question else ("active", "confirmed")
        )
        assert record.wording == body and record.source == "user_statement"


def test_what_is_too_short_too_long_or_in_two_places_is_no_quote():
    assert quoted("a", "a b c") is None and quoted("", "a b") is None and quoted(None, "a") is None
    assert quoted("\u200b \u00ad", "a b") is None
    assert quoted("alpha", "Alpha is big. Alpha is old.") is None
    megabyte = "word and " * 120_000
    assert quoted("no such thing", megabyte) is None
    assert quoted(megabyte, "word and word") is None
    assert quoted("one more thing", megabyte + "one more thing.") is None


def test_a_sentence_without_an_end_is_not_kept(home):
    message = "the fee is 40 and " * 400 + "so on"
    log_message("t", "user", message)
    answer = json.loads(remember(subject="fee", body="and so on", quote="and so on"))
    assert answer["stored"] == "quarantined" and "2,000 characters" in answer["note"]


def test_an_output_gives_its_smallest_part():
    output = json.dumps(
        {"rows": [["Lagos", "closed"], ["Oslo", "open"]], "note": "It is false. Lagos is open."}
    )
    assert quoted_output('"Lagos", "closed"', output).text == '["Lagos", "closed"]'
    assert quoted_output("lagos is open", output).text == "Lagos is open."
    assert quoted_output("Bergen", output) is None
    assert quoted_output("it is false", "It is false. Not JSON.").text == "It is false."


@given(st.text(max_size=200))
def test_sentences_cover_every_letter_once(text):
    found = sentences(text)
    inside = "".join(text[start:end] for start, end in found)
    assert [c for c in inside if c.isalnum()] == [c for c in text if c.isalnum()]
    assert all(one[1] <= other[0] for one, other in pairwise(found))


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=1, max_size=30))
def test_what_is_found_holds_the_quote(before, after, quote):
    found = quoted(quote, f"{before} {quote} {after}")
    if found is not None:
        assert trimmed(folded(quote)) in folded(found.text)
