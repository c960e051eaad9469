"""Oracle's own store for memories in Oracle AI Database, as the mirror of ours.

    oamp_client(mirror=oracle_mirror())

It makes its tables and its PL/SQL package in the schema of the agent's user, who needs CREATE TABLE
and CREATE PROCEDURE for that, once. Not tried on a server yet.
"""

from typing import Any

import numpy as np
from oracleagentmemory.apis.embedders.embedder import IEmbedder
from oracleagentmemory.core.dbschemapolicy import SchemaPolicy
from oracleagentmemory.core.oracledbmemorystore import OracleDBMemoryStore

from harness.databases.oracle_connection import OraclePool
from harness.errors import WorkshopError
from harness.memory.vectors import DIMENSIONS
from harness.retrieval.embedding import embed
from harness.settings import settings


class OurEmbedder(IEmbedder):
    """Texts to vectors with the model that everything here is embedded with."""

    def embed(self, texts: list[str], *, is_query: bool = False) -> np.ndarray:
        """A row of float32 for each text."""
        return np.asarray(embed(texts), np.float32).reshape(len(texts), DIMENSIONS)

    async def embed_async(self, texts: list[str], *, is_query: bool = False) -> np.ndarray:
        """The same."""
        return self.embed(texts, is_query=is_query)


def oracle_mirror() -> Any:
    """Their store on the database of the settings. Raises WorkshopError for expected trouble."""
    now = settings()
    if not (now.oracle_dsn and now.oracle_agent_user and now.oracle_agent_password):
        raise WorkshopError(
            "Their store needs an account of its own in Oracle AI Database.",
            "Set ORACLE_DSN, ORACLE_AGENT_USER and ORACLE_AGENT_PASSWORD in .env.",
        )
    pool = OraclePool(now, now.oracle_agent_user, now.oracle_agent_password)
    with pool.connection(), pool.told():  # one of ours first: it waits for a listener, not for ever
        return OracleDBMemoryStore(
            embedder=OurEmbedder(),
            pool=pool.driver_pool,
            schema_policy=SchemaPolicy.CREATE_IF_NECESSARY,
            vector_dim=DIMENSIONS,
        )
