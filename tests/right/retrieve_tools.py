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
}
