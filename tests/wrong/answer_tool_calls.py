# ruff: noqa: E501  (a line a version)
"""Wrong versions of `answer_tool_calls`."""

from tests.wrong import Wrong

WRONG = [
    Wrong(
        "one for each call, in order",
        "order_wrong",
        {"message.tool_calls:": "sorted(message.tool_calls, key=lambda c: c.id):"},
    ),
    Wrong("TODO 1", "order_wrong", {"message.tool_calls:": "reversed(message.tool_calls):"}),
    Wrong(
        "TODO 1",
        "order_wrong",
        {"message.tool_calls:": "sorted(message.tool_calls, key=lambda c: c.function.name):"},
    ),
    Wrong("TODO 1", "call_unanswered", {"message.tool_calls:": "message.tool_calls[:1]:"}),
    Wrong("one for each call", "call_unanswered", {"    return answers": "    return answers[:3]"}),
    Wrong(
        "TODO 2",
        "tool_not_run",
        {
            "result = dispatch(call)": "from types import SimpleNamespace as N\n        result = N(content='{}')"
        },
    ),
    Wrong(
        "TODO 2",
        "tool_run_twice",
        {"result = dispatch(call)": "result = dispatch(call)\n        dispatch(call)"},
    ),
    Wrong("TODO 3", "result_changed", {"result.content}": "str(result)}"}),
    Wrong("TODO 3", "result_changed", {"result.content}": "result.content[:500]}"}),
    Wrong("TODO 3", "result_changed", {"result.content}": "result.content[:-1]}"}),
    Wrong("TODO 3", "result_lost", {"result.content}": "result.status}"}),
    Wrong("TODO 3", "result_not_text", {"result.content}": "result}"}),
    Wrong("TODO 3", "ids_wrong", {"call.id,": "call.id.lower(),"}),
    Wrong("TODO 3", "ids_wrong", {"call.id,": "message.tool_calls[0].id,"}),
    Wrong("TODO 3", "wrong_role", {'"role": "tool"': '"role": "user"'}),
    Wrong("Return a list", "not_a_list", {"    return answers": "    return tuple(answers)"}),
    Wrong("Return a list", "not_a_list", {"    return answers": "    pass"}),
    Wrong(
        "TODO 2",
        "error_hidden",
        {
            "result = dispatch(call)": "result = dispatch(call)\n        if result.status != 'ok':\n            answers.append({'role': 'tool', 'tool_call_id': call.id, 'content': '{}'})\n            continue"
        },
    ),
    Wrong(
        "TODO 2",
        "cause_lost",
        {
            "result.content}": "result.content if result.status == 'ok' else 'ERROR: ' + result.status}"
        },
    ),
    Wrong(
        "TODO 1",
        "order_wrong",
        {
            "for call in message.tool_calls:": "for call in message.tool_calls[::-1]:",
            "    return answers": "    return answers[::-1]",
        },
    ),
    Wrong(
        "TODO 2",
        "tool_not_run",
        {
            "    answers = []\n": "    answers, known = [], {}\n",
            "result = dispatch(call)": "same = call.function.name + call.function.arguments\n        result = known[same] = known.get(same) or dispatch(call)",
        },
    ),
    # To the letter.
    Wrong("TODO 2", "result_changed", {'"content": result.content': '"content": result.content + "\\n"'}),
    Wrong("TODO 3", "ids_wrong", {"call.id": "call.id[:40]"}),
    # What is only there among bad calls, many calls, and texts that somebody might tidy up.
    Wrong("one for each call", "call_unanswered", {"message.tool_calls:": "message.tool_calls[:8]:"}),
    Wrong("one for each call", "call_unanswered", {"    return answers": "        if result.status != 'ok':\n            break\n    return answers"}),
    Wrong("TODO 2", "tool_run_twice", {"result = dispatch(call)": "result = dispatch(call)\n        if result.status != 'ok':\n            result = dispatch(call)"}),
    Wrong("TODO 3", "result_changed", {"result.content}": "' '.join(result.content.split())}"}),
    Wrong("TODO 3", "result_changed", {"result.content}": "result.content.encode('ascii', 'ignore').decode()}"}),
    Wrong("TODO 3", "result_lost", {"result.content}": "result.content.removeprefix('ERROR: ')}"}),
    Wrong("TODO 3", "result_changed", {"result.content}": "result.content.split(' Call ')[0]}"}),
    Wrong("The tool messages", "message_changed", {"    for call in message.tool_calls:": "    while message.tool_calls:\n        call = message.tool_calls.pop(0)"}),
    Wrong("The tool messages", "message_changed", {"result = dispatch(call)": "call.function.name = call.function.name.strip()\n        result = dispatch(call)"}),
]  # fmt: skip
