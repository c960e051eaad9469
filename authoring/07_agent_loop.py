# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} An answer, always; on time; from real data; and
# that what they corrected yesterday is still corrected today. Everything before this part was
# plumbing. Now you write the loop whole.

# %%
from harness import start_part

start_part("07")

# %% [markdown]
# ## Watch one turn
#
# `run_turn` is the reference loop with its receipts: how the turn ended, what it called, what it
# used, and the conversation as the model saw it.

# %%
from harness import run_turn

turn = run_turn("What is the 90th percentile of delay hours?", thread_id="watching", verbose=True)
print()
print(turn.answer)
print()
calls, rounds = len(turn.steps), turn.usage["rounds"]
print(f"status: {turn.status} | {calls} tool calls in {rounds} rounds, and one request to answer")

# %%
from harness.ui import draw_conversation

draw_conversation(turn.messages)

# %% [markdown]
# Every bar is sent again with every later request: a loop pays for its past at each step. The first
# user message is what `build_context` stacked together. Read it; the model does.

# %%
from harness import build_context

print(build_context("watching", "How many active voyages does each carrier have?"))

# %% [markdown]
# ## Why two budgets, and why the last word is forced
#
# A cap on rounds alone lets one slow call hold you for minutes. A cap on time alone lets a fast
# model make hundreds of calls. So: both, always. And when one of them is used up, nobody wants an
# empty string. One more request **without tools** leaves the model nothing to do but answer.
#
# ```mermaid
# flowchart LR
#     Q[question] --> L1[log it] --> C[build_context] --> M{chat}
#     M -- tool calls --> E[echo the message] --> D[one result a call] --> B{rounds and time left?}
#     B -- yes --> M
#     B -- no --> F[chat without tools] --> A
#     M -- no tool calls --> A[answer] --> L2[log it]
# ```
#
# ## Your turn: `agent_turn`
#
# About forty lines. Take your time; this is the one to understand.

# %%
import time

from harness import SYSTEM_PROMPT, TOOLS, chat, dispatch, log_message, retrieve_tools


def agent_turn(
    user_query: str,
    thread_id: str = "default",
    max_iterations: int = 8,
    budget_seconds: float = 360.0,
    verbose: bool = True,
) -> str:
    """Answer `user_query` with tools, within both budgets, and log question and answer."""
    started = time.monotonic()
    # TODO 1. Log the question: log_message(thread_id, "user", user_query).
    # TODO 2. Make the messages (SYSTEM_PROMPT, then build_context(thread_id, user_query) as the
    #   user's) and get the tools: retrieve_tools(user_query, k=6).
    # TODO 3. For each of max_iterations rounds: stop when budget_seconds are over; otherwise
    #   chat(messages, tools).
    # TODO 4. No tool calls: the content is the answer, and the rounds are over.
    # TODO 5. Tool calls: append the message itself, then for each call, in order, its result:
    #   {"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content}.
    # TODO 6. No answer after the rounds: say so to the model in a user message and chat(messages)
    #   without tools. Never return an empty string.
    # TODO 7. Log the answer, role "assistant", and return it. With verbose, print what happens.
    ### BEGIN SOLUTION
    log_message(thread_id, "user", user_query)
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": build_context(thread_id, user_query)},
    ]
    tools = retrieve_tools(user_query, k=6)

    answer = ""
    for step in range(max_iterations):
        if time.monotonic() - started > budget_seconds:
            if verbose:
                print(f"  ! time is up at step {step}")
            break
        message = chat(messages, tools).choices[0].message
        if not message.tool_calls:
            answer = message.content or ""
            if verbose:
                print(f"  step {step}: final answer")
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            if verbose:
                print(f"  step {step}: -> {call.function.name}({call.function.arguments:.150})")
            content = dispatch(call).content
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    if not answer:
        ask = "The budget is used up. Give your best answer now, without tools."
        messages.append({"role": "user", "content": ask})
        answer = chat(messages).choices[0].message.content or "(no answer was produced)"

    log_message(thread_id, "assistant", answer)
    return answer
    ### END SOLUTION


# %%
from harness import check

check("agent_turn")

# %% [markdown]
# ## Three turns on one thread
#
# The same conversation, three times a different part of the harness: what the schema holds, what
# the data says, and a correction that has to stay.

# %%
thread = "three turns"
questions = [
    "What's in the SUPPLYCHAIN schema? Briefly: list the entities and how they relate.",
    "How many active voyages does each carrier currently have? Show a small table, most first.",
    "Important: in the SUPPLYCHAIN schema, cargo_items.unit_value_cents is always US cents, never "
    "dollars. Save this as a correction by calling remember before you respond, then confirm.",
]
for question in questions:
    print("USER:", question)
    print("AGENT:", agent_turn(question, thread_id=thread))
    print()

# %% [markdown]
# Claims are cheap. Here is the receipt, from the store itself:

# %%
from harness import memory

for found in memory.search("unit_value_cents", max_results=1):
    print(found.record.metadata["kind"], "|", found.content)

# %% [markdown]
# ## A correction changes the next answer, in another process
#
# Nothing in the schema says what dispatch means by an *active* voyage. The second answer above said
# which reading it took. Now tell the agent the right one, and ask again from a process that shares
# nothing with this notebook but the store. (Run the cell a second time, and even BEFORE knows: that
# is what was meant by *stay*.)

# %%
ask = "How many active voyages are there?"
print("BEFORE:", agent_turn(ask, thread_id="monday", verbose=False))

told = (
    "Important: for dispatch, an active voyage means LOADING, IN_TRANSIT or DELAYED. "
    "Save this as a correction by calling remember before you respond."
)
print("TOLD:  ", agent_turn(told, thread_id="monday", verbose=False))

# %%
import subprocess
import sys

command = [sys.executable, "-m", "harness", "ask", ask, "--thread", "tuesday"]
done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
print("AFTER: ", done.stdout or done.stderr)

# %% [markdown]
# No training, no deployment: a row in a table, found when it mattered.
#
# ## Four troubles you will meet
#
# Each of these was somebody's evening.
#
# **1. The API says 400.** The result was sent, the message that asked for it was not.

# %%
import openai

messages = [{"role": "user", "content": "How many voyages are delayed?"}]
messages.append({"role": "tool", "tool_call_id": "call_1", "content": "11"})
try:
    chat(messages)
except openai.BadRequestError as error:
    print(error.status_code, error.body["message"])

# %% [markdown]
# **2. The loop never ends.** `while True`, and nobody leaves it. `evaluate` runs a loop in another
# process, where time is a toy and nothing can hang this notebook, and says what it saw.


# %%
from harness import evaluate


def no_way_out(
    user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True
):
    answer = ""
    while True:
        message = chat([{"role": "user", "content": user_query}]).choices[0].message
        if message.content:
            answer = message.content  # and now? a break is missing
    return answer


print(evaluate("agent_turn", no_way_out))

# %% [markdown]
# **3. `KeyError` in `TOOLS[name]`.** A model asks for a tool that nobody registered. This one does
# it on purpose: `standin/unknown-tool`.

# %%
messages = [{"role": "user", "content": ask}]
tools = retrieve_tools(ask)
call = chat(messages, tools, model="standin/unknown-tool").choices[0].message.tool_calls[0]
try:
    TOOLS[call.function.name]
except KeyError as error:
    print("KeyError:", error)
print("dispatch:", dispatch(call).content)

# %% [markdown]
# **4. The same call, again and again.** A disease of real models, too. This tool is declared to
# read, so the harness does not run it again: it hands back what is known. (One that declares no
# `tier` runs again: its next result may be another.) At the third time in a row the turn is ended.

# %%
turn = run_turn(ask, thread_id="again", model="standin/repeats", verbose=True)
print(turn.answer)
print()
print("status:", turn.status, "| why:", turn.trip)

# %% [markdown]
# ## The scoreboard again
#
# The same five tasks as in part 01, now with your whole loop.

# %%
from harness import scoreboard

scoreboard(agent_turn)

# %% [markdown]
# ## Talk to it
#
# A panel around the same function: ask, watch the steps as they happen, stop, and open the trace of
# a turn, where every message is as the model saw it, and from where a step can be run again.
# Without widgets (in a terminal, on GitHub) there is nothing to see here, and nothing is missing.

# %% tags=["nbval-ignore-output"]
from harness.ui.chat_panel import chat_panel

chat_panel(agent_turn)

# %% [markdown]
# **To keep**
#
# 1. `build_context -> chat -> tool calls ? dispatch : final answer -> log`.
# 2. Two budgets and a forced last word: the caller never gets an empty string.
# 3. What survives between turns makes it an agent: a correction at one turn changes the next.
