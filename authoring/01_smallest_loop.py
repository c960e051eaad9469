# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} Twelve lines. You write them here,
# in two steps, and then a program tells you how good they are.

# %%
from harness import start_part

start_part("01")

# %% [markdown]
# ## What the model sends
#
# Ask with tools on offer, and the reply is not an answer but a request: *call this, with that*.

# %%
from harness import SYSTEM_PROMPT, chat, retrieve_tools

question = "How many voyages are delayed?"
messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
message = chat(messages, retrieve_tools(question)).choices[0].message

print("content:   ", message.content)
for asked in message.tool_calls:
    print("tool call: ", asked.function.name, asked.function.arguments)

# %% [markdown]
# `arguments` is text that should be JSON. It was written by a model, so it may not be. The name
# should be one of your tools. It may not be. `dispatch` takes such a call and always gives back a
# `ToolResult`: its `content` is what the tool returned, or a line that begins with `ERROR: ` and
# says what to do next. It never raises for something that the model did.
#
# ## Your turn: answer the calls
#
# A message may ask for several tools at once. Each call needs its own result: a dict with `role`
# (`"tool"`), `tool_call_id` (the id of the call) and `content`.

# %%
from harness import dispatch


def answer_tool_calls(message) -> list[dict]:
    """The tool messages that answer an assistant message: one for each call, in order."""
    # TODO 1. Go through message.tool_calls, in order.
    # TODO 2. Run each with dispatch(call).
    # TODO 3. Return a list with one tool message a call: role, tool_call_id, content.
    ### BEGIN SOLUTION
    answers = []
    for call in message.tool_calls:
        result = dispatch(call)
        answers.append({"role": "tool", "tool_call_id": call.id, "content": result.content})
    return answers
    ### END SOLUTION


# %%
from harness import check

check("answer_tool_calls")

# %% [markdown]
# Stuck? `from harness import hint` and `hint("answer_tool_calls")`: one more hint each time.
#
# ## Your turn: the loop
#
# Now the loop around it. Ask; if the model wants tools, echo its message, answer the calls, and
# ask again; if it does not, its content is the answer. And because a model may go on for ever,
# count the rounds. When they are used up, ask once more **without** tools: then it can only answer.


# %%
def tiny_loop(question: str, max_rounds: int = 8) -> str:
    """Answer a question with tools, in at most `max_rounds` rounds."""
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    tools = retrieve_tools(question)
    # TODO 1. For each of max_rounds rounds: chat(messages, tools).
    # TODO 2. No tool calls in the reply's message: return its content.
    # TODO 3. Otherwise append the message itself (message.model_dump(exclude_none=True)), then
    #   what answer_tool_calls(message) returns.
    # TODO 4. After the rounds: chat(messages) once more, without tools, and return its content.
    ### BEGIN SOLUTION
    for _ in range(max_rounds):
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages += [message.model_dump(exclude_none=True), *answer_tool_calls(message)]
    return chat(messages).choices[0].message.content
    ### END SOLUTION


# %%
check("tiny_loop")

# %% [markdown]
# ## Watch yours at work
#
# A wrapper around `chat` prints what your loop sends in each round. Watch the conversation grow: an
# echo and its results, round after round. (A vessel's capacity is counted in TEU, containers of
# twenty feet.)

# %%
real_chat = chat


def chat(messages, tools=None):
    """The real one, and a line about each request."""
    roles = [message["role"] for message in messages]
    print(f"{len(roles)} messages, {'tools' if tools else 'no tools'}, last: {roles[-1]}")
    return real_chat(messages, tools)


print(tiny_loop("Which vessel has the largest capacity?"))
chat = real_chat

# %% [markdown]
# ## How good is it?
#
# Measure it before you add anything. Five tasks, each with a goal that a program checks: not
# whether the answer *sounds* right, but whether the number is the one in the database, whether the
# query really ran, whether a *correction* (something that a user put right) really is in the
# *store*, where an agent keeps what it must not forget. One task asks twice on one *thread*: in one
# conversation, whose second question leans on the first.

# %%
from harness import scoreboard

board = scoreboard(tiny_loop)
board

# %% [markdown]
# What is missing is not cleverness in the loop. Look at the task that failed, at what it *needs*,
# and at what your loop sends to the model.

# %%
for row in board.rows:
    if not row.reached:
        print(f"{row.task.name} needs {row.task.needs}.")
        print("  asked:   ", " / ".join(row.task.questions))
        print("  answered:", row.answer)

# %% [markdown]
# Every part from here on adds one guarantee; up to part 09, each ends with this board.
#
# **To keep**
#
# 1. Tool calls decide: none means the reply is the answer.
# 2. A cap on the rounds, and a last request without tools, so that there always is an answer.
# 3. Measure before you add.
