"""Our solutions of part 12, generated from authoring/12_measuring.py."""


# mypy: ignore-errors
def score_run(calls: list[dict], expected: list[str], allowed: list[str] = ()) -> dict:
    """Score the tool calls of one run, and leave them as they are.

    A call is a dict with tool, arguments and status, as in the steps of a TurnResult. `expected`
    names the tools that the task needs, `allowed` others that do no harm.

    Three shares from 0 to 1 come back in a dict:

    precision   of the calls, those of a tool that is expected or allowed; 1.0 without a call
    recall      of the expected tools, those that ran with status ok at least once;
                1.0 if none is expected
    redundancy  of the calls, those that repeat an earlier one: same tool, same arguments;
                0.0 without a call
    """
    fitting = [call for call in calls if call["tool"] in {*expected, *allowed}]
    worked = {call["tool"] for call in calls if call["status"] == "ok"}
    needed = set(expected)
    keys = [(call["tool"], call["arguments"]) for call in calls]
    again = [key for i, key in enumerate(keys) if key in keys[:i]]
    return {
        "precision": len(fitting) / len(calls) if calls else 1.0,
        "recall": len(needed & worked) / len(needed) if needed else 1.0,
        "redundancy": len(again) / len(calls) if calls else 0.0,
    }
