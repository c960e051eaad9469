# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} Every request carries the whole
# conversation, so a task of thirty steps sends its first result thirty times. One day that no
# longer fits, and then it is an error, or somebody has decided what may go. Here you decide.

# %%
from harness import start_part

start_part("09")

# %% [markdown]
# ## A task of sixteen requests
#
# A clerk is to look through the voyages of fifteen carriers, one at a time. The model is a script
# here (`harness/standin/clerk.py`), so that each run is the same. It works like a person with a
# short memory: what it has counted so far, it writes into its next message. The stand-in that it
# speaks through is as strict as the real API about the window; here the window has 8,000 tokens.
#
# The loop is the one that you know, but it speaks to the bare client of the API: `chat` of the
# harness would help, and you would not see what happens.

# %%
import openai

from harness import SYSTEM_PROMPT, TOOLS, dispatch, standin
from harness.model.chat import client_for
from harness.standin.clerk import TASK, clerk
from harness.standin.context_window import count_prompt

WINDOW = 8_000


def work(prepare=None):
    """A loop for one task. `prepare(messages)` is what is sent instead of all of them.

    Returns the answer and the tokens of each request.
    """
    history = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": TASK}]
    ask = client_for("standin").chat.completions.create
    answer = "(not finished)"
    with standin.script(clerk, window=WINDOW) as seen:
        for _ in range(24):
            try:
                sent = prepare(history) if prepare else history
                reply = ask(model="standin", messages=sent, tools=[TOOLS["run_sql"][1]])
            except openai.BadRequestError as error:
                answer = f"{error.status_code}: {error.body['message']}"
                break
            said = reply.choices[0].message
            if not said.tool_calls:
                answer = said.content
                break
            history.append(said.model_dump(exclude_none=True))
            history += [dispatch(call).message for call in said.tool_calls]
    return answer, [sum(count_prompt(request)) for request in seen.requests]


answer, everything = work()
print(answer)

# %%
from harness.ui.budgets import draw_requests

draw_requests({"everything, always": everything}, WINDOW)

# %% [markdown]
# Each step adds one carrier's voyages and pays for all the earlier ones again. The last point is
# the request that the API refused, and with it goes all that was found.
#
# ## The obvious idea, and why it fails
#
# Keep the first two messages and the last few. In one line:

# %%
answer, _ = work(lambda messages: messages[:2] + messages[-3:])
print(answer)

# %% [markdown]
# You know this 400 from part 00. The cut went between a call and its result. A conversation is not
# a list of messages that may be cut anywhere; it is a list of **steps**, and a step is a message
# with all the results of its calls.
#
# ## Your turn: fit the window
#
# Head, marker, tail:
#
# ```text
# system, task | [14 earlier messages were left out] | the last steps, whole
# ```
#
# The head says who you are and what you are doing; without it a model works on, politely, at
# nothing. The tail is what it is working with. The marker is honest about the rest.
# `count_message(message)` counts the tokens of one message.

# %%
from harness.model.tokens import count_message


def fit_window(messages: list[dict], limit: int, keep_last: int = 8) -> list[dict]:
    """The conversation in at most `limit` tokens: head, a marker, the last `keep_last` messages.

    The head is everything up to the first user message. Fewer than `keep_last` stay where they
    don't fit or where a step would be cut; at least the last step stays, whatever the limit.
    """
    # TODO 1. All of it within the limit? Return it as it is. Never change the list you were given.
    # TODO 2. Find the end of the head, and the places behind it where a tail may start: wherever
    #   a message is not a tool result.
    # TODO 3. Take those starts that lie within the last keep_last messages (if there is none, the
    #   last start of all). Try them in order: head, one marker message, messages[start:].
    # TODO 4. Return the first that fits into the limit, else the last one tried.
    ### BEGIN SOLUTION
    if sum(map(count_message, messages)) <= limit:
        return list(messages)
    head_end = next(i for i, message in enumerate(messages) if message["role"] == "user") + 1
    starts = [i for i in range(head_end, len(messages)) if messages[i]["role"] != "tool"]
    if not starts:
        return list(messages)
    wanted = [i for i in starts if i >= len(messages) - keep_last]
    for start in wanted or starts[-1:]:
        fitted = messages[:head_end]
        if start > head_end:
            note = f"[{start - head_end} earlier messages were left out]"
            fitted = [*fitted, {"role": "user", "content": note}]
        fitted = [*fitted, *messages[start:]]
        if sum(map(count_message, fitted)) <= limit:
            break
    return fitted
    ### END SOLUTION


# %%
from harness import check

check("fit_window")

# %% [markdown]
# ## The same task, fitted
#
# The limit is 60 % of the window. The rest is not waste: the tools take their share, the reply
# needs room, and models get worse at the edge of their window long before the API says no.

# %%
answer, fitted = work(lambda messages: fit_window(messages, int(0.6 * WINDOW)))
print(answer)
print()
draw_requests({"everything, always": everything, "fit_window": fitted}, WINDOW)

# %% [markdown]
# Is the answer right? The database knows.

# %%
import json

counted = TOOLS["run_sql"][0](
    sql="SELECT COUNT(*) AS n FROM SUPPLYCHAIN.voyages WHERE carrier_id BETWEEN 1 AND 15"
)
print("voyages in the database:", json.loads(counted)["rows"][0][0])
print(f"largest request: {max(fitted):,} tokens; all of them together: {sum(fitted):,}")

# %% [markdown]
# The limit was 4,800, and the largest request is a little over it: `fit_window` counts messages,
# and the tools on offer come on top (184 tokens for this one). That is one reason to stay well
# below the window.
#
# At the end, most of what the clerk had read was gone, and the count is right, because the clerk
# had written it down. **What a long task needs later has to be in the tail**: in the model's own
# words, in a summary, on the scratchpad. Take that away, and see what a clerk who forgets is worth:

# %%


def without_notes(messages):
    """Fitted, and what the model wrote beside its calls is blanked."""
    kept = fit_window(messages, int(0.6 * WINDOW))
    return [m | {"content": ""} if m["role"] == "assistant" else m for m in kept]


answer, forgetful = work(without_notes)
print(f"{answer} after {len(forgetful)} requests, each of them about carrier 1")

# %% [markdown]
# ## In the harness
#
# `chat` does this for every loop (`harness/run/compaction.py`): at 60 % of `window_tokens`, with
# the middle summarised, by the model where there is one and by rule where not. And where a server's
# window is smaller than we were told, it reads the 400, compacts, and asks again.

# %%
from harness import TurnConfig, run_turn

for told in (WINDOW, 1_000_000):
    config = TurnConfig(window_tokens=told, max_iterations=24, tools=("run_sql",))
    with standin.script(clerk, window=WINDOW) as seen:
        turn = run_turn(TASK, thread_id=f"window of {told}", config=config)
    print(f"window_tokens={told:,}: {turn.status}, {len(seen.refused)} request(s) refused")
    print("  ", turn.answer)

# %% [markdown]
# ## One result that is too long
#
# `fit_window` keeps the last step whole, so it can do nothing about a single result that fills the
# window. This is `SELECT *` over all voyages, asked by somebody who wanted to be thorough:

# %%
from harness.model.tokens import count_tokens

text = TOOLS["run_sql"][0](sql="SELECT * FROM SUPPLYCHAIN.voyages", max_rows=1000)
print(f"{len(text):,} characters, {count_tokens(text):,} tokens, in one message")

# %% [markdown]
# ## Your turn: offload
#
# Show both ends, say how much is missing, and say how to get it. The beginning has the columns, the
# end has the counts and, with many tools, the error. The whole text is kept by the harness under
# the call's id; `fetch_tool_output` reads it page by page.

# %%
import json


def offload(text: str, tool_call_id: str, max_chars: int = 4_000) -> str:
    """What the model sees of a long observation: head, tail, and how to get the rest."""
    # TODO 1. At most max_chars characters: return the text unchanged.
    # TODO 2. Otherwise take a head and a tail, together max_chars characters: three quarters head.
    # TODO 3. Return JSON (json.dumps) with status "ok", offloaded True, tool_call_id, head, tail,
    #   omitted_chars, and a hint that names fetch_tool_output.
    ### BEGIN SOLUTION
    if len(text) <= max_chars:
        return text
    tail = max_chars // 4
    head = max_chars - tail
    return json.dumps(
        {
            "status": "ok",
            "offloaded": True,
            "tool_call_id": tool_call_id,
            "head": text[:head],
            "tail": text[len(text) - tail :],
            "omitted_chars": len(text) - head - tail,
            "hint": f"fetch_tool_output(tool_call_id={tool_call_id!r}) returns the rest.",
        }
    )
    ### END SOLUTION


# %%
check("offload")

# %%
short = offload(text, "call_1", max_chars=600)
for key, value in json.loads(short).items():
    print(f"{key:<14}", value if len(str(value)) < 90 else f"{value[:60]} ... {value[-25:]}")
print(f"{count_tokens(text):,} tokens before, {count_tokens(short):,} after")

# %% [markdown]
# ## And back again
#
# The guard does the same for every tool whose output is longer than 8,000 characters. Here a script
# asks for everything, is shown both ends, and fetches a page out of the middle.


# %%
def fetch_the_middle(request):
    """The next call of a model that reads how to get the rest."""
    shown = json.loads(request["messages"][-1]["content"])
    return standin.call("fetch_tool_output", tool_call_id=shown["tool_call_id"], offset=30_000)


with standin.script(
    [
        standin.call("run_sql", sql="SELECT * FROM SUPPLYCHAIN.voyages", max_rows=1000),
        fetch_the_middle,
        standin.say("Now I have seen the middle, too."),
    ]
):
    config = TurnConfig(tools=("run_sql", "fetch_tool_output"))
    turn = run_turn("Show me all voyages.", thread_id="offloaded", config=config)

results = [json.loads(m["content"]) for m in turn.messages if m["role"] == "tool"]
for step, result in zip(turn.steps, results, strict=True):
    print(f"{step['tool']:<18}{step['status']:<4}", ", ".join(result))
print("in the middle:", results[1]["content"][:60], "...")

# %% [markdown]
# ## The scoreboard, in a small window
#
# The five tasks again, with the whole loop: once in a window that is large enough, once in one that
# is not.

# %%
from harness import mine, scoreboard
from harness.config import configured

agent_turn = mine("agent_turn")
for window in (128_000, 6_000):
    with configured(window_tokens=window):
        board = scoreboard(agent_turn)
    print()
    print(f"a window of {window:,} tokens")
    print(board)

# %% [markdown]
# Every turn ended in an answer. But fitting keeps a loop alive; it does not bring back what it left
# out, and a task that needs it fails, politely. So measure with the window that you will have.
#
# **To keep**
#
# 1. Cut between steps, never inside one; keep the task, always.
# 2. What is needed later must be written down: the tail is all that is sure to stay.
# 3. A long result is shown by its ends, with the way back to the rest.
