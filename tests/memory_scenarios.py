"""What a memory client must do, whoever wrote it: our own, and Oracle's over our store."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.databases.state import StateDatabase
from tests.memory_homes import made_up

ANNA, THREAD = "anna", "thread-1"
TEU = "Capacity is given in TEU."


def ours(folder: Path) -> Any:
    """Our client on the store in a folder."""
    from harness.memory.client import MemoryClient

    return MemoryClient(StateDatabase(folder / "agent.sqlite"), embed=made_up)


def theirs(folder: Path) -> Any:
    """Oracle's client over our store in a folder. Skips where their package is not installed."""
    pytest.importorskip(
        "oracleagentmemory", reason="oracleagentmemory is not installed (requirements-oracle.txt)"
    )
    from harness.memory.oamp_store import oamp_client

    return oamp_client(ours(folder))


CLIENTS: dict[str, Callable[[Path], Any]] = {"ours": ours, "oracleagentmemory": theirs}


def store_of(client: Any) -> StateDatabase:
    """The database that is beneath, for a look that no client gives."""
    return client.database if hasattr(client, "database") else client._store.ours.database


def found(client: Any, query: str = TEU, **scope: Any) -> list[str]:
    """The contents that a search finds."""
    return [each.content for each in client.search(query, **{"user_id": ANNA, **scope})]


def add_governed(client: Any, text: str, **governed: Any) -> str:
    """Add a memory that says where it comes from, in the client's own way."""
    if hasattr(client, "database"):
        return client.add_memory(text, user_id=ANNA, **governed)
    return client.add_memory(text, user_id=ANNA, metadata={"governed": governed})


def refused(call: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Whether a call raises."""
    with contextlib.suppress(Exception):
        call(*args, **kwargs)
        return False
    return True
