# ruff: noqa: E501  (a line a version)
"""Wrong versions of `alerts`."""

from tests.wrong import Wrong

_STEP_PHASES = 'event["phase"] in ("PLANNING", "EXECUTION")'
_CHAT = 'if e["operation"] == "chat" and e["tokens"]'
_CAPPED = 'any(e["phase"] == "CAP_REACHED" for e in events)'
_RETURN = "return {name"

WRONG = [
    Wrong(
        "The alerts that are due over many turns", "caps_missed", {_RETURN: "return {}\n    {name"}
    ),
    Wrong("with their values", "value_wrong", {"{name: value for": "{name: True for"}),
    Wrong(
        "The alerts that are due",
        "not_a_dict",
        {
            _RETURN: "return [name",
            "[name: value for": "[name for",
            "getattr(limits, name)}": "getattr(limits, name)]",
        },
    ),
    Wrong(
        "At a limit is not above it",
        "at_the_limit",
        {"value > getattr": "value >= getattr"},
    ),
    Wrong(
        ("`cap_breaches`", "TODO 1."),
        "trips_counted",
        {'e["phase"] == "CAP_REACHED"': 'e["phase"] in ("CAP_REACHED", "SAFETY_TRIP")'},
    ),
    Wrong(
        "TODO 1.", "caps_missed", {_CAPPED: 'any(e["status"] == "iteration_cap" for e in events)'}
    ),
    Wrong(
        "`mean_latency_ms`",
        "mean_of_means",
        {
            "fmean(steps) if steps else 0.0": "fmean([fmean(own) for events in turns if (own := [e['latency_ms'] for e in events "
            "if e['phase'] in ('PLANNING', 'EXECUTION') and e['latency_ms'] is not None])] or [0.0])"
        },
    ),
    Wrong("TODO 2.", "tools_left_out", {_STEP_PHASES: 'event["phase"] == "PLANNING"'}),
    Wrong("TODO 2.", "whole_turn_counted", {f"if {_STEP_PHASES} and ": "if "}),
    Wrong(
        "TODO 2.",
        "none_counted",
        {
            ' and event["latency_ms"] is not None': "",
            '        event["latency_ms"]\n': '        event["latency_ms"] or 0\n',
        },
    ),
    Wrong(
        "TODO 2.",
        "zero_left_out",
        {' and event["latency_ms"] is not None': ' and event["latency_ms"]'},
    ),
    Wrong("TODO 2.", "crash", {"fmean(steps) if steps else 0.0": "fmean(steps)"}),
    Wrong("`tokens_per_task`", "tokens_added_up", {"max(tokens, default=0)": "sum(tokens)"}),
    Wrong(
        "`tokens_per_task`",
        "dearest_missed",
        {"max(tokens, default=0)": "tokens[0] if tokens else 0"},
    ),
    Wrong(
        "`tokens_per_task`",
        "dearest_missed",
        {"max(tokens, default=0)": "tokens[-1] if tokens else 0"},
    ),
    Wrong("TODO 3.", "tokens_wrong", {'sum(e["tokens"].values())': 'e["tokens"]["prompt"]'}),
    Wrong("TODO 3.", "tokens_wrong", {_CHAT: 'if e["tokens"]'}),
    Wrong("TODO 3.", "crash", {_CHAT: 'if e["operation"] == "chat"'}),
    Wrong(
        "TODO 4.",
        "limits_ignored",
        {
            "getattr(limits, name)": "getattr(Alerts(cap_breaches=2, "
            "mean_latency_ms=100, tokens_per_task=1000), name)"
        },
    ),
    Wrong(
        "TODO 4.",
        "one_of_several",
        {
            _RETURN: "return dict([*{name",
            "getattr(limits, name)}": "getattr(limits, name)}.items()][:1])",
        },
    ),
    # What the text says and no version above breaks.
    Wrong('TODO 1.', 'events_counted', {'sum(any(e["phase"] == "CAP_REACHED" for e in events) for events in turns)': 'sum(e["phase"] == "CAP_REACHED" for e in everything)'}),
    Wrong('TODO 1.', 'caps_missed', {'any(e["phase"] == "CAP_REACHED" for e in events) for': 'bool(events) and events[-1]["phase"] == "CAP_REACHED" for'}),
    Wrong('TODO 2.', 'other_phases_counted', {'("PLANNING", "EXECUTION")': '("PLANNING", "EXECUTION", "OBSERVING")'}),
    Wrong('TODO 2.', 'other_phases_counted', {'("PLANNING", "EXECUTION")': '("PLANNING", "EXECUTION", "TOOL_SELECTION")'}),
    Wrong('At a limit is not above it', 'rounded_first', {'fmean(steps) if steps': 'round(fmean(steps)) if steps'}),
    Wrong('At a limit is not above it', 'rounded_first', {'fmean(steps) if steps': 'sum(steps) // len(steps) if steps'}),
    Wrong('TODO 3.', 'tokens_wrong', {'e["operation"] == "chat" and': 'str(e["operation"]).startswith("chat") and'}),
    Wrong('The alerts that are due over many turns', 'turns_left_out', {'        for events in turns\n    ]': '        for events in turns if len(events) > 1\n    ]'}),
    Wrong('`tokens_per_task`', 'tokens_wrong', {'        for events in turns\n    ]': '        for events in turns if any(e["phase"] == "COMPLETED" for e in events)\n    ]'}),
    Wrong('`mean_latency_ms`', 'turns_left_out', {'everything = [event for events in turns for event in events]': 'everything = [event for events in turns for event in events if not any(e["phase"] == "CAP_REACHED" for e in events)]'}),
    Wrong('TODO 2.', 'failed_left_out', {'event["latency_ms"] is not None': 'event["latency_ms"] is not None and event["status"] in (None, "ok")'}),
    Wrong('TODO 3.', 'tokens_wrong', {'sum(sum(e["tokens"].values()) for e in events if e["operation"] == "chat" and e["tokens"])': 'sum({e["iteration"]: sum(e["tokens"].values()) for e in events if e["operation"] == "chat" and e["tokens"]}.values())'}),
    Wrong("At a limit is not above it", "at_the_limit", {"if value > getattr(limits, name)": "if value > getattr(limits, name) or (name != 'cap_breaches' and value == getattr(limits, name))"}),
]  # fmt: skip
