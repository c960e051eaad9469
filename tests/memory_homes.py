"""A store of its own for a test, and made-up vectors for the tests that are about storage only."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from harness.databases.state import StateDatabase
from harness.memory.client import MemoryClient
from harness.memory.vectors import DIMENSIONS


def made_up(texts: Sequence[str]) -> np.ndarray:
    """A unit vector for each text, always the same; nearness means nothing."""
    seeds = [zlib.crc32(text.encode("utf-8")) for text in texts]
    rows = [np.random.default_rng(seed).standard_normal(DIMENSIONS) for seed in seeds]
    made = np.array(rows, np.float32).reshape(len(texts), DIMENSIONS)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def store_at(folder: Path) -> MemoryClient:
    """A client on a new connection to the store in a folder, with made-up vectors."""
    return MemoryClient(StateDatabase(folder / "agent.sqlite"), embed=made_up)


@contextmanager
def home_at(folder: Path) -> Iterator[None]:
    """Run a block with WORKSHOP_HOME there, as a process that has just started would."""
    import os

    from harness.settings import reset_settings

    before = os.environ.get("WORKSHOP_HOME")
    os.environ["WORKSHOP_HOME"] = str(folder)
    reset_settings()
    try:
        yield
    finally:
        if before is None:
            del os.environ["WORKSHOP_HOME"]
        else:
            os.environ["WORKSHOP_HOME"] = before
        reset_settings()
