"""Our solution of part 06."""

from typing import Any

from harness.retrieval.embedding import embed
from harness.tools.toolbox import TOOLS, contracts


def retrieve_tools(user_query: str, k: int = 6) -> list[dict[str, Any]]:
    """The schemas of the always-on tools and of the k others nearest in meaning, toolbox order."""
    always = {contract.name for contract in contracts() if contract.always}
    others = [name for name in TOOLS if name not in always]
    texts = [f"{name}: {TOOLS[name][1]['function']['description']}" for name in others]
    vectors = embed([user_query, *texts])
    scores = dict(zip(others, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    nearest = sorted(others, key=lambda name: (-scores[name], name))[:k]
    return [schema for name, (_, schema) in TOOLS.items() if name in always or name in nearest]
