"""The route of a turn on one line."""

from collections.abc import Iterable
from typing import Any

from harness.traces.record_format import ENDED

_SAID = ("answer", "no reply")  # decisions of the model other than calls


def decision_path(events: Iterable[dict[str, Any]], iteration: int | None = None) -> str:
    """What was done in each iteration, up to `iteration`, and how the turn ended.

    `1 search_knowledge | 2 run_sql (bad_arguments) | 3 run_sql, exec_js | 4 answer | completed`:
    the calls of an iteration in order, each with its status unless it was ok.
    """
    steps: dict[int, list[str]] = {}
    end = ""
    for event in events:
        number, status = event["iteration"] or 0, event.get("status")
        if iteration is not None and number > iteration:
            continue
        if event["phase"] == "OBSERVING":
            said = event["tool"] if status in (None, "ok") else f"{event['tool']} ({status})"
            steps.setdefault(number, []).append(str(said))
        elif event["phase"] == "PLANNING" and event["model_decision"] in _SAID:
            steps.setdefault(number, []).append(event["model_decision"])
        elif event["phase"] in ENDED:
            end = str(status or event["phase"].lower())
    path = [f"{number} {', '.join(said)}" for number, said in sorted(steps.items())]
    return " | ".join([*path, *([end] if end and iteration is None else [])])
