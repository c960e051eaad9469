"""Messages as a loop collects them, for the tests of the window."""

from harness.standin.protocol import check_request

SYSTEM = {"role": "system", "content": "You are the agent."}
TASK = {"role": "user", "content": "# Question\nHow many voyages?"}


def accepted(messages):
    """Raise what the strict stand-in would answer a request with these messages."""
    check_request({"model": "standin", "messages": messages}, 0)


def assistant(*ids, text=None, arguments="{}"):
    function = {"name": "run_sql", "arguments": arguments}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id, content="ok"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}
