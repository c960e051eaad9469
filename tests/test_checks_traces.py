"""The checks of part 11 accept what is right however it is written; its stubs and accidents fail.

Their wrong versions are in tests/wrong/.
"""

from collections import defaultdict
from itertools import groupby

import pytest

from harness.checks import evaluate
from harness.traces import turn_path

ENDS = ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP")


def path_by_groups(events):
    found = []
    end = None

    def number(event):
        return event["iteration"]

    for iteration, own in groupby(sorted(events, key=number), key=number):
        words = []
        for event in own:
            match event:
                case {"phase": "OBSERVING", "tool": tool, "status": None | "ok"}:
                    words.append(tool)
                case {"phase": "OBSERVING", "tool": tool, "status": status}:
                    words.append(f"{tool} ({status})")
                case {"phase": "PLANNING", "model_decision": "answer" | "no reply" as word}:
                    words.append(word)
                case {"phase": phase, "status": status} if phase in ENDS:
                    end = status
        if words:
            found.append(f"{iteration} {', '.join(words)}")
    if end:
        found.append(end)
    return " | ".join(found)


def path_by_text(events):
    lines = {}
    last = ""
    for event in events:
        word = None
        if event["phase"] == "OBSERVING":
            word = event["tool"]
            if event["status"] and event["status"] != "ok":
                word += " (" + event["status"] + ")"
        if event["model_decision"] in ["answer", "no reply"] and event["phase"] == "PLANNING":
            word = event["model_decision"]
        if word:
            before = lines.get(event["iteration"])
            lines[event["iteration"]] = before + ", " + word if before else word
        if event["phase"] in ENDS:
            last = " | " + event["status"]
    text = ""
    for number in sorted(lines):
        text += (" | " if text else "") + str(number) + " " + lines[number]
    return text + last


def path_of_the_harness(events):
    return turn_path.decision_path(events)


def alerts_by_loop(turns, limits):
    caps, steps, dearest = 0, [], 0
    for events in turns:
        cost = 0
        capped = False
        for event in events:
            capped = capped or event["phase"] == "CAP_REACHED"
            if event["phase"] in {"PLANNING", "EXECUTION"} and event["latency_ms"] is not None:
                steps.append(event["latency_ms"])
            if event["operation"] == "chat" and event["tokens"]:
                cost += event["tokens"]["prompt"] + event["tokens"]["completion"]
        caps += capped
        dearest = max(dearest, cost)
    due = {}
    if caps > limits.cap_breaches:
        due["cap_breaches"] = caps
    if steps and sum(steps) / len(steps) > limits.mean_latency_ms:
        due["mean_latency_ms"] = round(sum(steps) / len(steps))
    if dearest > limits.tokens_per_task:
        due["tokens_per_task"] = dearest
    return due


def alerts_by_numpy(turns, limits):
    import numpy as np

    steps = np.array(
        [e["latency_ms"] for t in turns for e in t if e["phase"] in ("PLANNING", "EXECUTION")],
        dtype=float,
    )
    steps = steps[~np.isnan(steps)]
    values = defaultdict(float)
    values["cap_breaches"] = sum(1 for t in turns if "CAP_REACHED" in [e["phase"] for e in t])
    values["mean_latency_ms"] = float(steps.mean()) if steps.size else 0
    for turn in turns:
        own = sum(
            e["tokens"]["prompt"] + e["tokens"]["completion"]
            for e in turn
            if e["operation"] == "chat" and e["tokens"] is not None
        )
        values["tokens_per_task"] = max(values["tokens_per_task"], own)
    return {k: v for k, v in values.items() if v > dict(limits)[k]}


@pytest.mark.parametrize("fn", [path_by_groups, path_by_text, path_of_the_harness])
def test_a_right_decision_path_passes(fn):
    assert evaluate("decision_path", fn).codes == []


@pytest.mark.parametrize("fn", [alerts_by_loop, alerts_by_numpy])
def test_right_alerts_pass(fn):
    assert evaluate("alerts", fn).codes == []


def stub(*arguments):
    raise NotImplementedError


def remembers(events, steps=[]):  # noqa: B006
    steps.append(len(events))
    return path_by_text(events) + ("" if len(steps) < 2 else f" | {len(steps)}")


def in_place(events):
    events.sort(key=lambda event: event["iteration"])
    return path_by_text(events)


def hangs(events):
    while True:
        pass


@pytest.mark.parametrize(
    ("name", "fn", "code"),
    [
        ("decision_path", stub, "not_written"),
        ("alerts", stub, "not_written"),
        ("decision_path", lambda events: None, "not_text"),
        ("decision_path", lambda events: [path_by_text(events)], "not_text"),
        ("decision_path", lambda events: events[0]["nowhere"], "crash"),
        ("decision_path", remembers, "state_kept"),
        ("decision_path", in_place, "input_changed"),
        ("decision_path", hangs, "endless_loop"),
        ("alerts", lambda turns, limits: None, "not_a_dict"),
        ("alerts", lambda turns, limits: {}, "caps_missed"),
        ("alerts", lambda turns: {}, "crash"),
    ],
)
def test_what_is_wrong_gets_its_finding(name, fn, code):
    assert evaluate(name, fn).codes == [code]


def test_what_a_function_does_to_its_arguments_is_gone_with_it():
    def clears(turns, limits):
        for turn in turns:
            turn.clear()
        return {}

    assert evaluate("alerts", clears).codes[0] == "input_changed"
    assert evaluate("alerts", alerts_by_loop).codes == []
