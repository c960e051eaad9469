"""Our solutions of part 06, generated from authoring/06_context.py."""

# mypy: ignore-errors
from harness import TOOLS
from harness.retrieval.embedding import embed
from harness.tools import toolbox


def retrieve_tools(user_query: str, k: int = 6) -> list[dict]:
    """The schemas of the always-on tools and of the `k` others nearest in meaning.

    TOOLS maps each name to (callable, schema). The order is that of TOOLS, each tool comes once,
    and each schema is as it stands in TOOLS. A tool's text is its name and its description,
    schema["function"]["description"].
    """
    chosen = {contract.name for contract in toolbox.contracts() if contract.always}
    rest = [name for name in TOOLS if name not in chosen]
    descriptions = [TOOLS[name][1]["function"]["description"] for name in rest]
    vectors = embed([user_query, *(f"{n}: {d}" for n, d in zip(rest, descriptions, strict=True))])
    nearness = (vectors[1:] @ vectors[0]).round(6).tolist()
    ranked = sorted(zip(nearness, rest, strict=True), key=lambda pair: (-pair[0], pair[1]))
    chosen |= {name for _, name in ranked[:k]}
    return [TOOLS[name][1] for name in TOOLS if name in chosen]
