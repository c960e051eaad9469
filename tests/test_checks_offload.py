"""The check of offload, against wrong versions and differently written right ones."""

import json

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_09 import offload


def shown(text, call_id, most, **changes):
    tail = most // 4
    value = {
        "status": "ok",
        "offloaded": True,
        "tool_call_id": call_id,
        "head": text[: most - tail],
        "tail": text[len(text) - tail :],
        "omitted_chars": len(text) - most,
        "hint": "fetch_tool_output gets it",
    }
    return json.dumps({**value, **changes})


def make(**changes):
    def version(text, tool_call_id, max_chars=4_000):
        if len(text) <= max_chars:
            return text
        worked = {k: v(text, max_chars) if callable(v) else v for k, v in changes.items()}
        return shown(text, tool_call_id, max_chars, **worked)

    return version


def offload_stub(text, tool_call_id, max_chars=4_000):
    raise NotImplementedError("offload is yours to write")


def always_short(text, tool_call_id, max_chars=4_000):
    return shown(text, tool_call_id, max_chars)


def never(text, tool_call_id, max_chars=4_000):
    return text


def by_hand(text, tool_call_id, max_chars=4_000):
    if len(text) <= max_chars:
        return text
    tail = max_chars // 4
    head = max_chars - tail
    return (
        f'{{"status": "ok", "offloaded": true, "tool_call_id": "{tool_call_id}", '
        f'"head": "{text[:head]}", "tail": "{text[-tail:]}", '
        f'"omitted_chars": {len(text) - head - tail}, "hint": "fetch_tool_output"}}'
    )


def cut_json(text, tool_call_id, max_chars=4_000):
    return text if len(text) <= max_chars else shown(text, tool_call_id, max_chars)[:max_chars]


def a_dict(text, tool_call_id, max_chars=4_000):
    return text if len(text) <= max_chars else json.loads(shown(text, tool_call_id, max_chars))


def off_by_one(text, tool_call_id, max_chars=4_000):
    return text if len(text) < max_chars else shown(text, tool_call_id, max_chars)


def half_a_dict(text, tool_call_id, max_chars=4_000):
    return text if len(text) <= max_chars else json.dumps({"head": text[:max_chars]})


def endless_default(text, tool_call_id, max_chars=10**9):
    return make()(text, tool_call_id, max_chars)


def counts_bytes(text, tool_call_id, max_chars=4_000):
    return text if len(text.encode()) <= max_chars else shown(text, tool_call_id, max_chars)


WRONG_OFFLOADS = {
    "short_changed by bytes": counts_bytes,
    "id_wrong case": make(tool_call_id="call_7f3a_2"),
    "not_written": offload_stub,
    "short_changed": always_short,
    "short_changed by one": off_by_one,
    "not_shortened": never,
    "not_json": by_hand,
    "not_json cut": cut_json,
    "not_text": a_dict,
    "key_missing": half_a_dict,
    "head_wrong": make(head=lambda text, most: text[1:most]),
    "tail_wrong": make(tail="", omitted_chars=lambda text, most: len(text) - most + most // 4),
    "too_long": make(head=lambda text, most: text[:most]),
    "too_short": make(head=lambda text, most: text[:10]),
    "count_wrong": make(omitted_chars=lambda text, most: len(text)),
    "id_wrong": make(tool_call_id="call_1"),
    "no_way_back": make(hint="it is gone"),
    "default_wrong": endless_default,
}


def right_in_another_order(text, tool_call_id, max_chars=4_000):
    if len(text) <= max_chars:
        return text
    head = round(max_chars * 0.75)
    tail = max_chars - head
    return json.dumps(
        {
            "status": "ok",
            "offloaded": True,
            "head": text[:head],
            "omitted_chars": len(text[head:-tail]),
            "tail": text[-tail:],
            "tool_call_id": tool_call_id,
            "hint": f'call fetch_tool_output with "{tool_call_id}"',
        },
        ensure_ascii=False,
        indent=1,
    )


def right_with_the_harness(text, tool_call_id, max_chars=4_000):
    from harness.model.json_text import offloaded

    return offloaded(text, tool_call_id, max_chars) if len(text) > max_chars else text


@pytest.mark.parametrize("title", list(WRONG_OFFLOADS))
def test_a_wrong_offload_gets_its_finding_and_no_other(title):
    report = evaluate("offload", WRONG_OFFLOADS[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


def right_by_quarters(text, tool_call_id, max_chars=4_000):
    """Three whole quarters, and all that is left of max_chars for the tail."""
    if len(text) <= max_chars:
        return text
    head = max_chars // 4 * 3
    tail = text[len(text) - (max_chars - head) :]
    return shown(text, tool_call_id, max_chars, head=text[:head], tail=tail)


@pytest.mark.parametrize(
    "fn", [make(), right_by_quarters, right_in_another_order, right_with_the_harness]
)
def test_a_right_offload_passes_however_it_is_written(fn):
    report = evaluate("offload", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_adds_up_and_does_not_grow_with_tiny_limits():
    text = "0123456789" * 10
    for most in (1, 3, 4, 50, 99):
        value = json.loads(offload(text, "call_1", most))
        assert len(value["head"]) + len(value["tail"]) == most
        assert value["omitted_chars"] == len(text) - most
    assert offload(text, "call_1", 100) == text


def test_ours_passes_and_is_called_ours():
    report = evaluate("offload", offload)
    assert report.passed and report.owner == "ours"
