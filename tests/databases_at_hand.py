"""The adapters that the contract can be tried on: the embedded ones, others where given."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.databases.ports import BusinessPort
from harness.databases.row_policy import RowPolicy
from harness.databases.shelf import HomeShelf, Shelf
from harness.settings import Settings

PACIFIC = RowPolicy(
    rows=(("voyages", "ocean_region = 'PACIFIC'"),), masks=(("cargo_items.unit_value_cents", "0"),)
)  # as data/roles/pacific_analyst.yaml has it: the setup loads that one
GIVEN = "ORACLE_DSN"
WHY_NOT = (
    f"set {GIVEN}, ORACLE_USER, ORACLE_PASSWORD (and ORACLE_AGENT_USER, ORACLE_AGENT_PASSWORD) to "
    "a database on which `python -m harness oracle setup` was run"
)


def _settings(home: Path) -> Settings:
    """The settings of this shell for a server; `.env` is not looked at."""
    if GIVEN not in os.environ:
        pytest.skip(WHY_NOT)
    fields = [name for name in Settings.model_fields if name.startswith("oracle_")]
    return Settings(
        home=home, database="oracle", **{name: os.environ.get(name.upper()) for name in fields}
    )


def embedded_business(home: Path) -> BusinessPort:
    """The shipped data in a file."""
    from harness.databases import embedded
    from harness.databases.duckdb_business import BusinessDatabase

    return BusinessDatabase(embedded.business_file(home))


def served_business(home: Path) -> BusinessPort:
    """The shipped data on the server that the shell names."""
    settings = _settings(home)
    from harness.databases.oracle import OracleBusiness

    return OracleBusiness(settings)


def imitated_business(home: Path) -> BusinessPort:
    """Oracle's adapter on a pool that answers from the embedded file: our half of it."""
    from oracle_on_duckdb import DuckDbPool

    from harness.databases.oracle import OracleBusiness

    pool = DuckDbPool().open(home, (PACIFIC,))
    return OracleBusiness(Settings(home=home, database="oracle"), pool)


def embedded_shelf(home: Path) -> Iterator[Shelf]:
    """The state in a folder."""
    yield HomeShelf(home, home / "skillbox")


def served_shelf(home: Path) -> Iterator[Shelf]:
    """The state on the server that the shell names; what the test added is taken out again."""
    settings = _settings(home)
    if not settings.oracle_agent_user:
        pytest.skip(WHY_NOT)
    from harness.databases.oracle_connection import OraclePool
    from harness.databases.oracle_shelf import OracleShelf

    owner = settings.oracle_agent_user.upper()
    pool = OraclePool(settings, settings.oracle_agent_user, settings.oracle_agent_password)
    yield OracleShelf(pool, owner)
    with pool.connection() as connection:
        connection.cursor().execute(
            f'DELETE FROM {owner}."SCRATCH_FILES" WHERE "USER_ID" = \'contract-test\''
        )
        connection.commit()
    pool.close()


BUSINESS: dict[str, Callable[[Path], BusinessPort]] = {
    "embedded": embedded_business,
    "imitated": imitated_business,
    "oracle": served_business,
}
SHELVES: dict[str, Callable[[Path], Iterator[Shelf]]] = {
    "embedded": embedded_shelf,
    "oracle": served_shelf,
}


def same(value: Any) -> Any:
    """A value as both kinds of numbers give it."""
    return round(float(value), 6) if isinstance(value, int | float) else value
