"""Our solutions of part 01, generated from authoring/01_smallest_loop.py."""

# mypy: ignore-errors
from harness import SYSTEM_PROMPT, chat, dispatch, retrieve_tools


def answer_tool_calls(message) -> list[dict]:
    """The tool messages that answer an assistant message: one for each call, in order."""
    answers = []
    for call in message.tool_calls:
        result = dispatch(call)
        answers.append({"role": "tool", "tool_call_id": call.id, "content": result.content})
    return answers


def tiny_loop(question: str, max_rounds: int = 8) -> str:
    """Answer a question with tools, in at most `max_rounds` rounds."""
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    tools = retrieve_tools(question)
    for _ in range(max_rounds):
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages += [message.model_dump(exclude_none=True), *answer_tool_calls(message)]
    return chat(messages).choices[0].message.content
