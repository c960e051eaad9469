# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} Seven things go wrong with agents, over and over, in every company that runs them.
# Three show while the loop runs: it never ends, it hops from tool to tool, it swells until nothing
# fits. Here all three happen before your eyes, first to a naive loop, then to one that is prepared.
# You write what prepares it. The other four end in an answer that looks fine: they are part 08b.

# %%
from harness import start_part

start_part("08")

# %% [markdown]
# The model is the stand-in here (but for the last cell), whatever your `.env` says, because a real
# one can't be told to misbehave. For our purposes a model is a function: a request goes in, a
# message comes out. Under each fault lies this sensible one:

# %%
from inspect import getsource

from harness.course.labs.naive_loop import QUESTION, SYSTEM, counts, counts_by_region, naive

print(getsource(counts))

# %% [markdown]
# And this is the naive loop, what most of us write first. `bare` calls the tool's own function,
# past everything that the harness does for you, and turns every error into an empty text.

# %%
print(getsource(naive))

# %% [markdown]
# `watch(model, loop, ...)` runs a loop against a model and says what it took: the answer, the
# requests, the calls, the tokens of each request.

# %%
from harness.course.labs.misbehaving import schemas, watch
from harness.course.labs.prepared_loop import RedMap

run = watch(counts, naive, QUESTION, schemas("run_sql"))
red_map = RedMap(truth=run.answer)
print(run.answer, "|", run.requests, "requests,", run.calls, "call")

# %% [markdown]
# With a model that behaves, a naive loop is a fine loop. That answer is the truth from here on: the
# `red_map` at the end compares with it.
#
# ## 1 · The infinite tool loop
#
# `standin/repeats` makes the same call with the same arguments, for ever. Real models do it, too.

# %%
from harness.standin import fault

run = watch(fault("repeats", over=counts), naive, QUESTION, schemas("run_sql"))
print(f"{run.requests} requests, {run.requests} times the same query, answer: {run.answer!r}")
print(f"the last request alone carried {run.tokens[-1]:,} tokens")
red_map.naive("infinite tool loop", run)

# %% [markdown]
# The model had the number after the first call. Nobody told it that it was asking again.
#
# ## Your turn: `LoopGuard`
#
# A guard watches the calls of one turn. For each call the loop asks `before` whether to run it,
# and tells `after` what came of it; after each round it looks at `tripped`.
#
# | `tripped` | when |
# | --- | --- |
# | `"repeated_call"` | the last three calls are the same |
# | `"error_rate"` | three of the last five calls failed |
# | `"no_progress"` | none of the last four calls brought anything new |
#
# *The same* means the same tool with the same arguments, whatever the order of their keys.
# *Failed* means that the observation begins with `ERROR`. *New* means that no earlier call brought
# that observation; what `before` gave back is not new, even with a word added to it.

# %%
import json

AGAIN = "\nYou already made this call; this is what it returned. Use it, or do something else."


class LoopGuard:
    """Watches the tool calls of one turn, and says when the loop should stop."""

    def __init__(self):
        self.calls = []  # a dict for each call, the newest last

    def before(self, name: str, arguments: dict) -> str | None:
        """What to give the model instead of running this call; None when it may run."""
        # TODO 1. Write the call as one text that is the same for the same call:
        #   json.dumps([name, arguments], sort_keys=True).
        # TODO 2. Look for it among the last three of self.calls.
        # TODO 3. There: return what it brought, and AGAIN. Not there: None.
        ### BEGIN SOLUTION
        same = json.dumps([name, arguments], sort_keys=True)
        for earlier in self.calls[-3:]:
            if earlier["call"] == same:
                return earlier["observation"] + AGAIN
        return None
        ### END SOLUTION

    def after(self, name: str, arguments: dict, observation: str) -> None:
        """Note what a call came to, whether it was run or answered by `before`."""
        # TODO 1. Take AGAIN off the end of the observation, if it is there: removesuffix.
        # TODO 2. Append a dict to self.calls: the call (as the same text), the observation,
        #   whether it failed, whether it is new.
        ### BEGIN SOLUTION
        observation = observation.removesuffix(AGAIN)
        known = [earlier["observation"] for earlier in self.calls]
        self.calls.append(
            {
                "call": json.dumps([name, arguments], sort_keys=True),
                "observation": observation,
                "failed": observation.startswith("ERROR"),
                "new": observation not in known,
            }
        )
        ### END SOLUTION

    @property
    def tripped(self) -> str | None:
        """Why the loop should stop here: one of three names; None while it may go on."""
        # TODO 1. Three calls or more, and the last three are the same: "repeated_call".
        # TODO 2. Three failed ones among the last five: "error_rate".
        # TODO 3. Four calls or more, and nothing new in the last four: "no_progress".
        ### BEGIN SOLUTION
        three, four, five = (self.calls[-count:] for count in (3, 4, 5))
        if len(three) == 3 and len({each["call"] for each in three}) == 1:
            return "repeated_call"
        if sum(each["failed"] for each in five) >= 3:
            return "error_rate"
        if len(four) == 4 and not any(each["new"] for each in four):
            return "no_progress"
        return None
        ### END SOLUTION


# %%
from harness import check

check("LoopGuard")

# %% [markdown]
# The loop that it goes into (`guarded`, in `harness/course/labs/prepared_loop.py`) is one that you
# know: `dispatch` instead of the bare function, a cap on the rounds, a last word without tools. New
# is that it runs its calls like this, and leaves when the guard has tripped:

# %%
from harness.course.labs.prepared_loop import guarded, watched

print(getsource(watched))

guard = LoopGuard()
run = watch(fault("repeats", over=counts), guarded, QUESTION, schemas("run_sql"), guard)
print(f"{run.requests} requests, stopped: {guard.tripped}")
print("answer:", run.answer)
red_map.prepared("infinite tool loop", run)

# %% [markdown]
# Three kinds of things may end a turn: its **goal** (an answer that holds), its **budget**
# (rounds, tokens, the clock), and **safety** (your guard). A loop needs all three. How does the
# one that you have from part 07 do on this model?

# %%
from harness import mine

agent_turn = mine("agent_turn")
run = watch(fault("repeats", over=counts), agent_turn, QUESTION, "repeats", verbose=False)
print(f"{run.requests} requests | {run.answer}")

# %% [markdown]
# More than four requests? Then three lines are missing in yours: `guard = LoopGuard()` at the top,
# `watched(call, guard)` in the place of `dispatch(call).content`, and `if guard.tripped: break` at
# the end of a round. Until then the cap on the rounds has to do it, at twice the price. The
# harness's own guard, with a few more reasons, is in `harness/guards/termination.py`.
#
# ## 2 · Tool hopping
#
# `standin/hops` tries one tool after another. It is what a model does that can't tell from your
# descriptions which tool is the right one.

# %%
SIX = schemas(
    "find_voyages", "voyage_status", "scratch_read", "scratch_list", "fetch_tool_output", "run_sql"
)
run = watch(fault("hops", over=counts), naive, QUESTION, SIX)
print(f"naive:    {run.requests} calls, answer: {run.answer!r}")
red_map.naive("tool hopping", run)

guard = LoopGuard()
run = watch(fault("hops", over=counts), guarded, QUESTION, SIX, guard)
print(f"guarded:  {run.calls} calls, {guard.tripped}, answer: {run.answer!r}")

# %% [markdown]
# The guard saves the money. It does not find the answer: that takes a model that knows which tool
# to take. Two examples of selection in the system prompt are enough.

# %%
EXAMPLES = """
Which tool to take, by example:
- How many containers are on the way? -> run_sql
- Which voyages go to Rotterdam? -> find_voyages"""

guard = LoopGuard()
run = watch(fault("hops", over=counts), guarded, QUESTION, SIX, guard, SYSTEM + EXAMPLES)
print(f"examples: {run.calls} call, {guard.tripped}, answer: {run.answer!r}")
red_map.prepared("tool hopping", run)

# %% [markdown]
# Two pitfalls lead here. **Ambiguous signatures**: a description that says neither when nor with
# what. The linter of part 02 knows one when it sees one. **Tool proliferation**: every tool that
# you offer is read at every step, and is one more to hop to.

# %%
from harness.model.tokens import count_tokens
from harness.tools.contract import contract_of
from harness.tools.lint import lint
from harness.tools.toolbox import contract, contracts


def search(query):
    """Search database"""


print("search:  ", ", ".join(finding.code for finding in lint(contract_of(search), [])))
print("run_sql: ", lint(contract("run_sql"), []) or "no findings")
for offered in (contracts(), SIX, schemas("run_sql")):
    count = sum(count_tokens(json.dumps(getattr(each, "schema", each))) for each in offered)
    print(f"tools on offer: {len(offered):>2}, tokens at every step: {count:>5,}")

# %% [markdown]
# ## 3 · Context bloat
#
# `standin/bloats` fetches a whole table beside every query. The model underneath takes four queries
# to count, one a region, and has a window of 12,000 tokens. (One ten times as large only takes
# longer to fill.)

# %%
BLOATED = fault("bloats+small-window=12000", over=counts_by_region)
run = watch(BLOATED, naive, QUESTION, schemas("run_sql"))
print("tokens of each request:", *[f"{tokens:,}" for tokens in run.tokens])
print("answer:", run.answer)
red_map.naive("context bloat", run)

# %% [markdown]
# No guard helps: every call is new and none fails. The harness keeps the head and the tail of a
# conversation and folds what lies between into a few lines, once 60 % of the window is used. You do
# that yourself in part 09. (Its first request is larger: it brings the system prompt and the
# context.)

# %%
from harness import TurnConfig, run_turn

config = TurnConfig(window_tokens=12_000, keep_last=4, tools=("run_sql",))
run = watch(BLOATED, run_turn, QUESTION, "bloat", config=config)
print("tokens of each request:", *[f"{tokens:,}" for tokens in run.tokens])
print("answer:", run.answer.answer)
red_map.prepared("context bloat", run)

# %% [markdown]
# The pitfall of **context fragmentation** is this one: every result kept for ever, word for word.
# Its twin is **prompt bloat**: with each failure one more rule goes into the system prompt, where
# every step pays for it and none stands out. A contract keeps such rules with its tool and shows
# them when the tool is used, once.

# %%
from harness import SYSTEM_PROMPT

rules = {each.name: each.instructions for each in contracts() if each.instructions}
prompt = count_tokens(SYSTEM_PROMPT)
everything = prompt + sum(count_tokens(text) for text in rules.values())
print(f"the rules of {len(rules)} tools in the prompt: {everything:,} tokens at every step")
print(f"with their tools: {prompt:,} at every step, and {count_tokens(rules['run_sql'])} once,")
print("when run_sql is called for the first time")

# %% [markdown]
# ## The red map, first half
#
# Every entry was computed by a cell above; one that isn't as it should be is marked.

# %%
red_map.draw()

# %% [markdown]
# One thing is left to ask of a guard: that it keeps out of the way of honest work. The scoreboard
# again, with your guard in the loop, and the model of your `.env`.

# %%
from harness import build_context, log_message, retrieve_tools, scoreboard


def agent(question, thread_id="default"):
    log_message(thread_id, "user", question)
    context = build_context(thread_id, question)
    answer = guarded(context, retrieve_tools(question), LoopGuard(), SYSTEM_PROMPT)
    log_message(thread_id, "assistant", answer)
    return answer


scoreboard(agent)

# %% [markdown]
# **To keep**
#
# 1. A turn ends by its goal, its budget or its guard: have all three.
# 2. Tell the model that it asks again; show it by example which tool to take.
# 3. What is sent at every step is paid for at every step: few tools, few rules, short results.
#
# Part 08b goes on with the four failures that no guard sees.
