"""The model of part 09: it knows what its messages say, and nothing else."""

import json

from harness.standin.clerk import LAST, TASK, clerk


def conversation(*row_counts):
    messages = [{"role": "user", "content": TASK}]
    for rows in row_counts:
        said = clerk({"messages": messages, "tools": [{}]})
        messages.append({"role": "assistant", "content": said.content})
        result = json.dumps({"status": "ok", "rows": [], "row_count": rows})
        messages.append({"role": "tool", "tool_call_id": "call_1", "content": result})
    return messages


def test_the_total_is_carried_in_its_own_words():
    said = clerk({"messages": conversation(3, 4), "tools": [{}]})
    assert said.content == "7 voyages so far. Next: carrier 3."
    assert "carrier_id = 3" in said.tool_calls[0]["function"]["arguments"]


def test_without_its_notes_it_begins_again():
    messages = [m | {"content": ""} if m["role"] == "assistant" else m for m in conversation(3, 4)]
    assert clerk({"messages": messages, "tools": [{}]}).content.startswith("0 voyages so far.")


def test_after_the_last_carrier_it_answers():
    said = clerk({"messages": conversation(*[2] * LAST), "tools": [{}]})
    assert said.content == f"I saw {2 * LAST} voyages of {LAST} carriers." and not said.tool_calls


def test_a_shortened_result_still_tells_its_count():
    messages = conversation(3)
    messages[-1]["content"] = json.dumps({"offloaded": True, "tail": messages[-1]["content"]})
    assert clerk({"messages": messages, "tools": [{}]}).content.startswith("3 voyages so far.")
