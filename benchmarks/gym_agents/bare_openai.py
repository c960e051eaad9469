"""A bare loop over the openai client, as one writes it in the first hour."""

import json

from desk import FUNCTIONS, MODEL, QUESTION, SCHEMAS, SYSTEM, TIMEOUT
from openai import OpenAI


def answer() -> str | None:
    client = OpenAI(timeout=TIMEOUT)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
    while True:
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=SCHEMAS)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
            content = json.dumps(result)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


if __name__ == "__main__":
    print(answer())
