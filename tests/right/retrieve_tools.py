# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `retrieve_tools`."""

RIGHT = {
    "a class": """
class _Retrieve:
    def __call__(self, user_query: str, k: int = 6) -> list[dict]:
        always = {c.name for c in toolbox.contracts() if c.always}
        others = [n for n in TOOLS if n not in always]
        near = self.nearest(user_query, others, k)
        return [schema for name, (_, schema) in TOOLS.items() if name in always or name in near]

    def nearest(self, query, names, k):
        if not names:
            return ()
        texts = [f"{n}: {TOOLS[n][1]['function']['description']}" for n in names]
        first, *rest = embed([query, *texts])
        scored = sorted(((float(v @ first), n) for v, n in zip(rest, names)), reverse=True)
        return [n for _, n in scored[:k]]


retrieve_tools = _Retrieve()
""",
    "scores in a dict": """
def retrieve_tools(user_query, k=6):
    always, scores = [], {}
    for contract in toolbox.contracts():
        if contract.always:
            always.append(contract.name)
    others = {n: f"{n} {s['function']['description']}" for n, (_, s) in TOOLS.items() if n not in always}
    if others:
        vectors = embed([user_query] + list(others.values()))
        for name, vector in zip(others, vectors[1:]):
            scores[name] = float((vector * vectors[0]).sum())
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
    schemas = []
    for name in TOOLS:
        if name in always or name in best:
            schemas.append(TOOLS[name][1])
    return schemas
""",
    "a heap": """
def retrieve_tools(user_query: str, k: int = 6) -> list[dict]:
    import heapq

    on = {c.name: c.always for c in toolbox.contracts()}
    off = [name for name in TOOLS if not on.get(name)]
    texts = [name + chr(10) + TOOLS[name][1]["function"]["description"] for name in off]
    query, *rest = list(embed([user_query, *texts]))
    near = heapq.nlargest(k, range(len(off)), key=lambda i: rest[i] @ query)
    keep = {off[i] for i in near}.union(name for name in TOOLS if on.get(name))
    return list(map(lambda name: TOOLS[name][1], filter(keep.__contains__, TOOLS)))
""",
    "numpy sorts": """
import numpy as np


def retrieve_tools(user_query, k=6):
    always = np.array([name in {c.name for c in toolbox.contracts() if c.always} for name in TOOLS], dtype=bool)
    names = list(TOOLS)
    off = np.flatnonzero(~always)
    chosen = always.copy()
    if len(off) and k > 0:
        vectors = np.asarray(embed([user_query] + [f"{names[i]} - {TOOLS[names[i]][1]['function']['description']}" for i in off]))
        order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")
        chosen[off[order[:k]]] = True
    return [TOOLS[name][1] for name, taken in zip(names, chosen) if taken]
""",
    "a generator, and each text embedded by itself": """
def _near(query, names):
    [asked] = embed([query])
    for name in names:
        [vector] = embed([f"{name}. {TOOLS[name][1]['function']['description']}"])
        yield float(vector @ asked), name


def retrieve_tools(user_query: str, k: int = 6) -> list[dict]:
    contracts = {contract.name: contract for contract in toolbox.contracts()}
    optional = [name for name in TOOLS if not contracts[name].always]
    ranked = sorted(_near(user_query, optional), key=lambda pair: pair[0], reverse=True)
    left_out = {name for _, name in ranked[k:]}
    return [schema for name, (_, schema) in TOOLS.items() if name not in left_out]
""",
}
