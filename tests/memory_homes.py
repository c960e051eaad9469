"""A store of its own for a test, and made-up vectors for the tests that are about storage only."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.databases.state import StateDatabase
from harness.memory.client import MemoryClient
from harness.memory.vectors import DIMENSIONS
from tests.homes import home_at  # noqa: F401


def made_up(texts: Sequence[str]) -> np.ndarray:
    """A unit vector for each text, always the same; nearness means nothing."""
    seeds = [zlib.crc32(text.encode("utf-8")) for text in texts]
    rows = [np.random.default_rng(seed).standard_normal(DIMENSIONS) for seed in seeds]
    made = np.array(rows, np.float32).reshape(len(texts), DIMENSIONS)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def store_at(folder: Path) -> MemoryClient:
    """A client on a new connection to the store in a folder, with made-up vectors."""
    return MemoryClient(StateDatabase(folder / "agent.sqlite"), embed=made_up)
