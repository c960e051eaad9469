# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `rrf_fuse`."""

RIGHT = {
    "a class": """
class _Fuse:
    def __call__(self, rankings, k=60):
        scores = {}
        for ranking in rankings:
            seen, rank = set(), 0
            for found in ranking:
                if found not in seen:
                    seen.add(found)
                    rank += 1
                    scores[found] = scores.get(found, 0) + 1 / (k + rank)
        return sorted(scores, key=lambda found: -scores[found])


rrf_fuse = _Fuse()
""",
    "a counter": """
def rrf_fuse(rankings: list[list], k: int = 60) -> list:
    from collections import Counter
    from fractions import Fraction
    total = Counter()
    for ranking in rankings:
        total.update({found: Fraction(1, k + rank) for rank, found in enumerate(dict.fromkeys(ranking), 1)})
    return [found for found, _ in sorted(total.items(), key=lambda pair: pair[1], reverse=True)]
""",
    "recursion and a lambda": """
_unique = lambda ranking: ranking if len(ranking) < 2 else [ranking[0], *_unique([r for r in ranking[1:] if r != ranking[0]])]
rrf_fuse = lambda rankings, k=60: (lambda lists: sorted(
    dict.fromkeys(found for ranking in lists for found in ranking),
    key=lambda found: -sum(1 / (k + ranking.index(found) + 1) for ranking in lists if found in ranking),
))([_unique(list(ranking)) for ranking in rankings])
""",
    "places with their gaps": """
def rrf_fuse(rankings, k=60):
    best = [{} for _ in rankings]
    for places, ranking in zip(best, rankings):
        for place, found in enumerate(ranking):
            places.setdefault(found, place + 1)
    every = list(dict.fromkeys(found for places in best for found in places))
    return sorted(every, key=lambda found: sum(1 / (k + p[found]) for p in best if found in p), reverse=True)
""",
    "a pool from which the best is taken": """
def rrf_fuse(rankings, k=60):
    pool = {}
    for ranking in rankings:
        rank = 1
        for found in dict.fromkeys(ranking):
            pool.setdefault(found, []).append(1.0 / (rank + k))
            rank += 1
    fused = []
    while pool:
        best = max(pool, key=lambda found: sum(pool[found]))
        fused.append(best)
        del pool[best]
    return fused
""",
}
