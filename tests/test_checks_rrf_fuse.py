"""The check of rrf_fuse, against wrong versions and differently written right ones."""

import random
from collections import defaultdict
from fractions import Fraction

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_03 import rrf_fuse
from harness.retrieval.fusion import reciprocal_rank_fusion


def scores(rankings, k=60, start=1, once=True):
    found = {}
    for ranking in rankings:
        items = dict.fromkeys(ranking) if once else ranking
        for rank, item in enumerate(items, start=start):
            found[item] = found.get(item, 0) + 1 / (k + rank)
    return found


def best_first(found):
    return sorted(found, key=lambda item: -found[item])


def stub(rankings, k=60):
    raise NotImplementedError("rrf_fuse is yours to write")


def a_tuple(rankings, k=60):
    return tuple(best_first(scores(rankings, k)))


def the_pairs(rankings, k=60):
    return sorted(scores(rankings, k).items(), key=lambda pair: -pair[1])


def worst_first(rankings, k=60):
    found = scores(rankings, k)
    return sorted(found, key=lambda item: found[item])


def best_rank_only(rankings, k=60):
    found = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            found[item] = max(found.get(item, 0), 1 / (k + rank))
    return best_first(found)


def in_turns(rankings, k=60):
    longest = max(map(len, rankings), default=0)
    turns = [ranking[i] for i in range(longest) for ranking in rankings if i < len(ranking)]
    return list(dict.fromkeys(turns))


def sum_of_ranks(rankings, k=60):
    places = defaultdict(int)
    for item in dict.fromkeys(i for ranking in rankings for i in ranking):
        for ranking in rankings:
            places[item] += ranking.index(item) + 1 if item in ranking else len(ranking) + 1
    return sorted(places, key=places.__getitem__)


def in_both(rankings, k=60):
    found = scores(rankings, k)
    return [item for item in best_first(found) if all(item in ranking for ranking in rankings)]


def first_two(rankings, k=60):
    return best_first(scores(rankings[:2], k))


def k_fixed(rankings, k=60):
    return best_first(scores(rankings, 60))


def without_k(rankings, k=60):
    return best_first(scores(rankings, 0))


def k_one_by_default(rankings, k=1):
    return best_first(scores(rankings, k))


def from_zero(rankings, k=60):
    return best_first(scores(rankings, k, start=0))


def counts_repeats(rankings, k=60):
    return best_first(scores(rankings, k, once=False))


def twice_in_the_result(rankings, k=60):
    fused = best_first(scores(rankings, k))
    return fused + [i for i in fused if sum(i in ranking for ranking in rankings) > 1]


def as_text(rankings, k=60):
    return [str(item) for item in best_first(scores(rankings, k))]


def consumes(rankings, k=60):
    found = {}
    for ranking in rankings:
        rank = 0
        while ranking:
            rank += 1
            item = ranking.pop(0)
            found[item] = found.get(item, 0) + 1 / (k + rank)
    return best_first(found)


def crashes_on_nothing(rankings, k=60):
    first = rankings[0]
    return best_first(scores([first, *rankings[1:]], k))


def through_a_set(rankings, k=60):
    found = scores(rankings, k)
    return sorted({item for ranking in rankings for item in ranking}, key=lambda i: -found[i])


def ties_by_chance(rankings, k=60):
    found = scores(rankings, k)
    return sorted(found, key=lambda item: (-found[item], random.random()))


def remembers(rankings, k=60, found={}):  # noqa: B006
    for item, score in scores(rankings, k).items():
        found[item] = found.get(item, 0) + score
    return best_first(found)


def no_k_of_zero(rankings, k=60):
    return best_first(scores(rankings, k or 60))


WRONG = {
    "order_wrong k of zero": no_k_of_zero,
    "not_written": stub,
    "not_a_list": lambda rankings, k=60: None,
    "not_a_list tuple": a_tuple,
    "pairs": the_pairs,
    "worst_first": worst_first,
    "not_summed best": best_rank_only,
    "not_summed in turns": in_turns,
    "k_ignored sum of ranks": sum_of_ranks,
    "id_dropped": in_both,
    "id_dropped third": first_two,
    "k_ignored": k_fixed,
    "k_ignored none": without_k,
    "default_k": k_one_by_default,
    "rank_from_zero": from_zero,
    "repeats_counted": counts_repeats,
    "duplicates": twice_in_the_result,
    "id_unknown": as_text,
    "input_changed": consumes,
    "crash": crashes_on_nothing,
    "ties_unstable": through_a_set,
    "ties_unstable by chance": ties_by_chance,
    "remembers": remembers,
}


def right_with_a_defaultdict(rankings, k=60):
    total = defaultdict(Fraction)
    for ranking in rankings:
        seen = set()
        for place, item in enumerate(ranking):
            if item not in seen:
                seen.add(item)
                total[item] += Fraction(1, k + place + 1)
    return sorted(total, key=lambda item: (-total[item], str(item)))


def right_by_index(rankings, k=60):
    ids = []
    for ranking in rankings:
        ids += [item for item in dict.fromkeys(ranking) if item not in ids]

    def score(item):
        return sum(1 / (k + r.index(item) + 1) for r in rankings if item in r)

    ids.sort(key=score, reverse=True)
    return ids


def right_with_the_harness(rankings, k=60):
    return [item for item, _ in reciprocal_rank_fusion(rankings, k)]


def right_with_numpy(rankings, k=60):
    import numpy as np

    ids = list(dict.fromkeys(item for ranking in rankings for item in ranking))
    total = np.zeros(len(ids))
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            total[ids.index(item)] += 1 / (k + rank)
    return [ids[i] for i in np.argsort(-total, kind="stable")]


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("rrf_fuse", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn",
    [right_with_a_defaultdict, right_by_index, right_with_the_harness, right_with_numpy],
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("rrf_fuse", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_is_called_ours_and_is_the_harness_s_own():
    report = evaluate("rrf_fuse", rrf_fuse)
    assert report.passed and report.owner == "ours", str(report)
    dice = random.Random(7)
    for _ in range(50):
        rankings = [dice.sample(range(30), dice.randint(0, 30)) for _ in range(3)]
        assert rrf_fuse(rankings) == right_with_the_harness(rankings)
