"""Wrong versions of `rrf_fuse`."""

from tests.wrong import Wrong

_ADD = "total[found] = total.get(found, 0.0) + 1 / (k + rank)"
_UNIQUE = "unique = list(dict.fromkeys(ranking))"
_END = "return sorted(total, key=total.get, reverse=True)"

WRONG = [
    Wrong("reciprocal rank fusion", "k_ignored", {"1 / (k + rank)": "1 / k - rank / 1000"}),
    Wrong("reciprocal rank fusion", "order_wrong", {"1 / (k + rank)": "1 / (k + 2 * rank)"}),
    Wrong("best first, into one list of ids", "worst_first", {", reverse=True": ""}),
    Wrong(
        "into one list of ids",
        "pairs",
        {_END: "return sorted(total.items(), key=lambda pair: -pair[1])"},
    ),
    Wrong(
        "into one list of ids",
        "not_a_list",
        {_END: "return {each: total[each] for each in sorted(total, key=total.get, reverse=True)}"},
    ),
    Wrong(
        "An id need not be in every ranking",
        "id_dropped",
        {
            _END: "total = {i: s for i, s in total.items() if all(i in r for r in rankings)}\n    "
            + _END
        },
    ),
    Wrong("counts there once, at its best place", "repeats_counted", {_UNIQUE: "unique = ranking"}),
    Wrong(
        "counts there once, at its best place",
        "last_place",
        {_UNIQUE: "unique = list(dict.fromkeys(ranking[::-1]))[::-1]"},
    ),
    Wrong(
        "Equal scores come out in the same order",
        "ties_unstable",
        {_END: "return sorted(set(total), key=total.get, reverse=True)"},
    ),
    Wrong(
        "the input stays as it is",
        "input_changed",
        {_UNIQUE: "unique = list(dict.fromkeys(ranking))\n        ranking[:] = unique"},
    ),
    Wrong("the input stays as it is", "input_changed", {_END: "rankings.clear()\n    " + _END}),
    Wrong("TODO 1", "rank_from_zero", {"start=1": "start=0"}),
    Wrong("TODO 1", "order_wrong", {"start=1": "start=2"}),
    Wrong(
        "TODO 1", "remembers", {"k: int = 60)": "k: int = 60, total={})", "    total = {}\n": ""}
    ),
    Wrong(
        "TODO 2", "not_summed", {_ADD: "total[found] = max(total.get(found, 0.0), 1 / (k + rank))"}
    ),
    Wrong("TODO 2", "not_summed", {_ADD: "total[found] = 1 / (k + rank)"}),
    Wrong("TODO 2", "k_ignored", {"(k + rank)": "(60 + rank)"}),
    Wrong("TODO 2", "default_k", {"k: int = 60": "k: int = 1"}),
    Wrong("TODO 3", "worst_first", {_END: "return sorted(total, key=total.get)"}),
    Wrong("TODO 2", "default_k", {"k: int = 60": "k: int = 50"}),
    Wrong("TODO 2", "default_k", {"k: int = 60": "k: int = 70"}),
    # Repeats with others between, equal rankings, scores that lie close together.
    Wrong(
        "counts there once, at its best place",
        "repeats_counted",
        {_UNIQUE: "unique = [r for i, r in enumerate(ranking) if i == 0 or r != ranking[i - 1]]"},
    ),
    Wrong(
        "Add 1 / (k + rank) to the id's score",
        "not_summed",
        {"in rankings:": "in map(list, dict.fromkeys(map(tuple, rankings))):"},
    ),
    Wrong(
        "the highest score first",
        "scores_rounded",
        {_END: _END.replace("total.get", "lambda i: round(total[i], 4)")},
    ),
    Wrong(
        "the highest score first",
        "scores_rounded",
        {_END: _END.replace("total.get", "lambda i: round(total[i], 5)")},
    ),
]
