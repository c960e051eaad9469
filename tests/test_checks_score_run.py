"""The check of score_run takes every right way of writing it."""

import json
from collections import Counter

import pytest

from harness.checks import evaluate


def with_loops(calls, expected, allowed=()):
    fit, seen, again, ok = 0, [], 0, []
    for call in calls:
        key = (call["tool"], call["arguments"])
        fit += call["tool"] in expected or call["tool"] in allowed
        again += key in seen
        seen.append(key)
        if call["status"] == "ok":
            ok.append(call["tool"])
    wanted = list(dict.fromkeys(expected))
    recall = sum(tool in ok for tool in wanted) / len(wanted) if wanted else 1
    n = len(calls)
    return {
        "recall": recall,
        "precision": fit / n if n else 1,
        "redundancy": again / n if n else 0,
        "calls": n,
    }


def with_json(calls, expected, allowed=None):
    if not calls:
        return {"precision": 1.0, "recall": 0.0 if expected else 1.0, "redundancy": 0.0}
    keys = Counter(json.dumps([c["tool"], c["arguments"]], sort_keys=True) for c in calls)
    fine = set(expected) | set(allowed or [])
    ok = {c["tool"] for c in calls if c["status"] == "ok"}
    recall = len(ok & set(expected)) / max(len(set(expected)), 1) if expected else 1.0
    return {
        "precision": round(sum(c["tool"] in fine for c in calls) / len(calls), 2),
        "recall": round(recall, 2),
        "redundancy": round((len(calls) - len(keys)) / len(calls), 2),
    }


@pytest.mark.parametrize("fn", [with_loops, with_json])
def test_another_way_of_writing_it_passes(fn):
    report = evaluate("score_run", fn)
    assert report.passed, str(report)


def test_a_stub_is_not_yet_written():
    def stub(calls, expected, allowed=()):
        raise NotImplementedError("score_run is yours to write")

    assert not evaluate("score_run", stub).passed
