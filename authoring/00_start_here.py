# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} In ten minutes you will have asked one a question, watched it
# work, broken it on purpose, and mended it. In part 07 you write the whole loop yourself. The
# picture is a map: you don't need to know any of its words yet.
#
# Run each cell with <kbd>Shift</kbd>+<kbd>Enter</kbd>, from the top.

# %%
from harness import start_part

start_part("00")

# %% [markdown]
# ## Ask
#
# The company behind this workshop ships containers. Its data lies in seven tables: carriers,
# ports, vessels, voyages, positions, containers, cargo. Ask something. (The first question takes
# some seconds: a small model that finds texts by their meaning is loaded, once for each notebook.)
# Who answers? The model that your `.env` names; without a key there, the *stand-in*, a small
# program in this repository that speaks like a model's API and needs no network.

# %%
from harness import agent_turn

answer = agent_turn("How many voyages are delayed?")
print()
print(answer)

# %% [markdown]
# Lines with the same `step` are one round: the model looked at what it had and asked for one tool
# or several, by name and with arguments; the *harness*, all the code around the model, ran them and
# put the results into the conversation. When the model asked for no more tools, its text was the
# answer.
#
# That is the whole trick, and it is one sentence:
#
# ```text
# build_context -> chat with the retrieved tools -> tool calls ? dispatch : final answer -> log
# ```
#
# *Retrieved* tools are the few that fit the question, out of all that there are. *Dispatch* runs a
# tool that was asked for. *Log* writes question and answer down, so that the next question can lean
# on them. All of that, from one question to its answer, is a *turn*.

# %% [markdown]
# ## Do one round by hand
#
# No magic is left once you have done it yourself. First the question, the way the model gets it:
# a system prompt with the rules, and one user message: first what may help, the question last.
# (`"by-hand"` names the *thread*, the conversation that the question belongs to.)

# %%
from harness import SYSTEM_PROMPT, build_context, chat, dispatch, retrieve_tools

question = "How many voyages are delayed?"
messages = [
    {"role": "system", "content": SYSTEM_PROMPT},
    {"role": "user", "content": build_context("by-hand", question)},
]
tools = retrieve_tools(question)

for message in messages:
    print(f"{message['role'].upper()}, {len(message['content'])} characters, ending with:")
    print("   ", message["content"].splitlines()[-1])
print("TOOLS ON OFFER:", ", ".join(tool["function"]["name"] for tool in tools))

# %% [markdown]
# Now one round: ask, and if the reply asks for tools, run them and write the results down. **Run
# this cell as it is first**, and then again, until it answers: *you* are the loop. Then break it:
# put a `#` in front of the line that says `ECHO`, run the cell above once and this one twice, and
# read the error. Take the `#` away and run the cell above and this one again; all is well.

# %%
reply = chat(messages, tools)
asked = reply.choices[0].message
messages.append(asked.model_dump(exclude_none=True))  # ECHO: what the model said goes back to it
for call in asked.tool_calls or []:
    result = dispatch(call)
    messages.append({"role": "tool", "tool_call_id": call.id, "content": result.content})
    print("the model asked for", call.function.name, "with", call.function.arguments)
if not asked.tool_calls:
    print("the model answers:", asked.content)

# %% [markdown]
# ## The 400 that everybody meets
#
# In case you were too polite to break anything: here is the conversation without the echo. The
# model is sent a result for a call that, as far as it can see, it never made. The stand-in is as
# strict about that as the real API, in the same words, down to the spelling.

# %%
import openai

without_echo = [message for message in messages if message["role"] != "assistant"]
try:
    chat(without_echo, tools)
except openai.BadRequestError as error:
    print(error.status_code, error.body["message"])

# %% [markdown]
# The rule behind it, for the rest of your life with agents: **the assistant's message with its tool
# calls, then one result for each call, in the same order, with the same ids.** Nothing between.
#
# ## Where this goes
#
# {{map}}
#
# Not enough time for all of it?
#
# {{tracks}}
#
# Each part runs alone, in any order.
#
# **To keep**
#
# 1. An agent is a model, a list of messages, and a loop that runs the tools it asks for.
# 2. The model sees the messages and nothing else.
# 3. Echo first, then one result for each call.
