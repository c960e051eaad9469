"""all-MiniLM-L6-v2 in numpy: the vector of a question in a kernel without torch.

The weights are mapped from the package's file, so all kernels of a machine share them in memory.
The arithmetic is double precision, here and in sentence-transformers (`embedding_model`): so the
two agree to 2e-15, whatever the machine, the BLAS and the batch, and a stored vector, rounded to
3e-5, is the same. In single precision every fourth vector had a number that was rounded the other
way.
"""

import json
import math
import mmap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController
from tokenizers import Tokenizer

_TOKENS = 256  # word pieces of a text that the model reads
_CHUNK = 512  # word pieces computed at a time, with the padding
_BLOCK = 8  # rows of GELU at a time: what it needs stays in the processor's cache
_TYPES = {"F32": "<f4", "I64": "<i8"}


class MiniLM:
    """The model of one folder in the layout of sentence-transformers. One caller at a time."""

    def __init__(self, folder: Path) -> None:
        """Map the weights. Raises OSError, ValueError, KeyError or the tokenizer's own error."""
        shape = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._heads = int(shape["num_attention_heads"])
        self._layers = [f"encoder.layer.{n}" for n in range(shape["num_hidden_layers"])]
        self._epsilon = float(shape["layer_norm_eps"])
        self._weights = Weights(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_str(
            (folder / "tokenizer.json").read_text(encoding="utf-8")
        )
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.no_padding()
        # OpenBLAS's second thread spins while it waits: kernels that ask at once would stall.
        self._threads = ThreadpoolController()

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row of unit length for each text: float64, shape (len(texts), 384).

        Raises ValueError when the weights give something that is not a number.
        """
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        vectors = np.empty((len(texts), self._weights["embeddings.LayerNorm.bias"].size))
        with self._threads.limit(limits=1, user_api="blas"):
            for chunk in _chunks([len(each) for each in tokens]):
                vectors[chunk] = self._forward([tokens[i] for i in chunk])
        self._weights.release()
        if not np.isfinite(vectors).all():
            raise ValueError("the weights are damaged")
        return vectors

    def _forward(self, rows: list[list[int]]) -> np.ndarray:
        """The vectors of texts of about the same length."""
        width = max(map(len, rows))
        ids = np.array([row + [0] * (width - len(row)) for row in rows])
        real = np.arange(width) < np.array([len(row) for row in rows])[:, None]
        x = self._embed(ids)
        for layer in self._layers:
            x = self._norm(
                x + self._attend(x, real, f"{layer}.attention"), f"{layer}.attention.output"
            )
            hidden = gelu(self._dense(x, f"{layer}.intermediate.dense"))
            x = self._norm(x + self._dense(hidden, f"{layer}.output.dense"), f"{layer}.output")
        pooled = (x * real[:, :, None]).sum(axis=1)  # the mean's divisor goes with the length
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def _embed(self, ids: np.ndarray) -> np.ndarray:
        words, places, types = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        x = words[ids].astype(np.float64) + places[: ids.shape[1]] + types[0]
        return self._norm(x, "embeddings")

    def _attend(self, x: np.ndarray, real: np.ndarray, name: str) -> np.ndarray:
        texts, width, size = x.shape
        query, key, value = (
            self._dense(x, f"{name}.self.{part}")
            .reshape(texts, width, self._heads, -1)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(size // self._heads)
        scores[~np.broadcast_to(real[:, None, None, :], scores.shape)] = -np.inf
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        return self._dense(mixed, f"{name}.output.dense")

    def _dense(self, x: np.ndarray, name: str) -> np.ndarray:
        weight = self._weights[f"{name}.weight"].astype(np.float64)
        flat = x.reshape(-1, x.shape[-1]) @ weight.T  # one product; else numpy takes one a text
        return (flat + self._weights[f"{name}.bias"]).reshape(*x.shape[:-1], -1)

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((x * x).mean(axis=-1, keepdims=True) + self._epsilon)
        scale, bias = (self._weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return x / spread * scale + bias


class Weights(dict[str, np.ndarray]):
    """The arrays of a safetensors file, mapped: a page is read when it is needed, and shared.

    (The library's own reader for numpy copies.)
    """

    def __init__(self, path: Path) -> None:
        """Map the file. Raises OSError, ValueError, KeyError or TypeError when it is damaged."""
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = 8 + int.from_bytes(self._map[:8], "little")
        header = json.loads(self._map[8:start])
        header.pop("__metadata__", None)
        for name, entry in header.items():
            place = start + entry["data_offsets"][0]
            self[name] = np.ndarray(entry["shape"], _TYPES[entry["dtype"]], self._map, place)

    def release(self) -> None:
        """Let the pages go until the next question; the system's cache still holds them."""
        if hasattr(self._map, "madvise"):
            self._map.madvise(mmap.MADV_DONTNEED)


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the share of the normal distribution below x, to 2e-15; x has two axes or more.

    numpy has no erf: the share is read from a table, by cubic interpolation between exact values.
    """
    rows = x.reshape(-1, x.shape[-1])
    out = np.empty_like(rows)
    for start in range(0, len(rows), _BLOCK):
        out[start : start + _BLOCK] = rows[start : start + _BLOCK] * _below(
            rows[start : start + _BLOCK]
        )
    return out.reshape(x.shape)


_LIMIT = 9  # beyond, the share is 0 or 1 to the last digit
_STEPS = 1024  # places of the table in one unit


def _below(x: np.ndarray) -> np.ndarray:
    place = (np.clip(x, -_LIMIT, _LIMIT) + _LIMIT) * _STEPS
    before = place.astype(np.intp)
    place -= before
    first, *others = _table()
    share = first[before]
    for coefficient in others:
        share *= place
        share += coefficient[before]
    return share


@lru_cache(maxsize=1)
def _table() -> tuple[np.ndarray, ...]:
    """The four coefficients between each two places, the cubic one first."""
    x = np.arange(-_LIMIT * _STEPS, _LIMIT * _STEPS + 2) / _STEPS
    share = np.array([math.erfc(-each / math.sqrt(2)) / 2 for each in x])
    slope = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) / _STEPS
    rise, left, right = np.diff(share), slope[:-1], slope[1:]
    return left + right - 2 * rise, 3 * rise - 2 * left - right, left, share[:-1]


def _chunks(lengths: list[int]) -> Iterator[list[int]]:
    """Indices, the short texts first, so many at a time that the padded chunk stays small."""
    chunk: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if chunk and (len(chunk) + 1) * lengths[index] > _CHUNK:
            yield chunk
            chunk = []
        chunk.append(index)
    if chunk:
        yield chunk
