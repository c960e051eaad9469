# ruff: noqa: E501  (a line a version)
"""Wrong versions of `decision_path`."""

from tests.wrong import Wrong

_ADD = 'steps[event["iteration"]].append(said)'
_ENDS = 'elif phase in ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP")'
_SORTED = "for n in sorted(steps)"

WRONG = [
    Wrong("on one line", "not_one_line", {'" | ".join': '"\\n".join'}),
    Wrong("then how the turn ended", "end_missing", {"end = [status]": "end = []"}),
    Wrong(
        "a piece for each iteration",
        "form_wrong",
        {
            _ADD: "steps[1].append(said)",
            'steps[event["iteration"]].append(event["model_decision"])': 'steps[1].append(event["model_decision"])',
        },
    ),
    Wrong("joined by", "form_wrong", {'" | ".join': '" -> ".join'}),
    Wrong("in the order of their numbers", "order_wrong", {_SORTED: "for n in steps"}),
    Wrong(
        "in the order of their numbers", "order_wrong", {_SORTED: "for n in sorted(steps, key=str)"}
    ),
    Wrong("TODO 1.", "form_wrong", {"f\"{n} {', '.join": "f\"{n}. {', '.join"}),
    Wrong("TODO 2.", "counted_twice", {'phase == "OBSERVING"': 'event["tool"]'}),
    Wrong("TODO 2.", "ok_said", {'event["tool"] if status in ("ok", None) else ': ""}),
    Wrong("TODO 2.", "status_missing", {_ADD: 'steps[event["iteration"]].append(event["tool"])'}),
    Wrong("TODO 2.", "status_wrong", {'status in ("ok", None)': 'status == "ok"'}),
    Wrong("TODO 2.", "calls_lost", {"', '.join(steps[n])": "', '.join(dict.fromkeys(steps[n]))"}),
    Wrong(
        "TODO 3.",
        "not_a_step",
        {
            'elif phase == "PLANNING" and event["model_decision"] in '
            '("answer", "no reply"):': 'elif phase == "PLANNING":'
        },
    ),
    Wrong("TODO 3.", "answer_missing", {'("answer", "no reply")': '("no reply",)'}),
    Wrong("TODO 3.", "no_reply_lost", {'("answer", "no reply")': '("answer",)'}),
    Wrong(
        "TODO 2.",
        "status_wrong",
        {"({status})": "({'repeated' if status == 'repeated' else 'bad_arguments'})"},
    ),
    Wrong("TODO 4.", "end_wrong", {"end = [status]": "end = [phase.lower()]"}),
    Wrong(
        "TODO 4.",
        "end_wrong",
        {"end = [status]": "end = [{'CAP_REACHED': 'deadline'}.get(phase, status)]"},
    ),
    Wrong(
        "TODO 4.",
        "end_wrong",
        {"end = [status]": "end = [{'COMPLETED': 'completed'}.get(phase, status)]"},
    ),
    Wrong("TODO 4.", "trip_lost", {_ENDS: 'elif phase in ("COMPLETED", "CAP_REACHED")'}),
    Wrong("TODO 4.", "end_invented", {"defaultdict(list), []": 'defaultdict(list), ["open"]'}),
    # To the letter.
    Wrong("TODO 2", "call_missing", {'phase == "OBSERVING"': 'phase == "EXECUTION"'}),
    # What the text says and no version above breaks.
    Wrong('TODO 2', 'status_wrong', {'status in ("ok", None)': 'str(status).lower() in ("ok", "none")'}),
    Wrong('TODO 2', 'status_wrong', {'status in ("ok", None)': 'status in ("ok", None, "empty", "offloaded", "truncated")'}),
    Wrong('TODO 3', 'answer_of_another_phase', {'event["model_decision"] in ("answer", "no reply")': '"answer" in (event["model_decision"] or "") or event["model_decision"] == "no reply"'}),
    Wrong('TODO 3', 'answer_of_another_phase', {'elif phase == "PLANNING" and event["model_decision"]': 'elif event["model_decision"]'}),
    Wrong('TODO 3', 'answer_misplaced', {'.append(event["model_decision"])': '.insert(0, event["model_decision"])'}),
    Wrong('TODO 3', 'answer_misplaced', {'steps[event["iteration"]].append(event["model_decision"])': 'steps[event["iteration"]] = [event["model_decision"]]'}),
    Wrong('then how the turn ended', 'order_wrong', {'end = [status]': 'end = [status]\n            break'}),
    Wrong('TODO 2', 'calls_lost', {"', '.join(steps[n])": "', '.join(c for i, c in enumerate(steps[n]) if i == 0 or c != steps[n][i - 1])"}),
    Wrong('TODO 1', 'number_lost', {'for n in sorted(steps)': 'for n in sorted(steps) if n'}),
    Wrong('TODO 2', 'calls_lost', {"', '.join(steps[n])": "', '.join(steps[n][:3])"}),
    Wrong('in which something is said', 'empty_piece', {'        if phase == "OBSERVING":': '        if event["iteration"]:\n            steps[event["iteration"]]\n        if phase == "OBSERVING":'}),
]  # fmt: skip
