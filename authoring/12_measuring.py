# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} You change a word of a contract, ask
# your favourite question, and the answer is right. Is the agent better now? One question can't
# tell. Here you build the scale first, and then weigh.

# %%
from harness import start_part

start_part("12")

# %% [markdown]
# ## Three runs, one answer
#
# The same question, put to the stand-in and to two of its misbehaving cousins. All three get it
# right. Would you pay for all three?

# %%
from harness import run_turn

QUESTION = "How many voyages are delayed?"
runs = {}
for model in ("standin", "standin/bad-json", "standin/drifts"):
    runs[model] = run_turn(QUESTION, thread_id=f"three {model}", model=model)
    calls = [f"{step['tool']} ({step['status']})" for step in runs[model].steps]
    print(f"{model}: {runs[model].answer.splitlines()[0]}")
    print(f"    about {round(runs[model].usage['total_tokens'], -2):,} tokens: {', '.join(calls)}")

# %% [markdown]
# An answer is right or wrong. A run is more than that: it chose well or badly, it left something
# out, it did something twice. Three numbers say so.
#
# ## Your turn: score a run


# %%
def score_run(calls: list[dict], expected: list[str], allowed: list[str] = ()) -> dict:
    """Score the tool calls of one run, and leave them as they are.

    A call is a dict with tool, arguments and status, as in the steps of a TurnResult. `expected`
    names the tools that the task needs, `allowed` others that do no harm.

    Three shares from 0 to 1 come back in a dict:

    precision   of the calls, those of a tool that is expected or allowed; 1.0 without a call
    recall      of the expected tools, those that ran with status ok at least once;
                1.0 if none is expected
    redundancy  of the calls, those that repeat an earlier one: same tool, same arguments;
                0.0 without a call
    """
    # TODO 1. Count the calls that fit, and divide by the number of calls.
    # TODO 2. Collect the tools that ran with success. How many of the expected ones are there?
    # TODO 3. Go through the calls in order and count those that were made before.
    ### BEGIN SOLUTION
    fitting = [call for call in calls if call["tool"] in {*expected, *allowed}]
    worked = {call["tool"] for call in calls if call["status"] == "ok"}
    needed = set(expected)
    keys = [(call["tool"], call["arguments"]) for call in calls]
    again = [key for i, key in enumerate(keys) if key in keys[:i]]
    return {
        "precision": len(fitting) / len(calls) if calls else 1.0,
        "recall": len(needed & worked) / len(needed) if needed else 1.0,
        "redundancy": len(again) / len(calls) if calls else 0.0,
    }
    ### END SOLUTION


# %%
from harness import check

check("score_run")

# %%
scored = {}
for model, run in runs.items():
    scored[model] = score_run(run.steps, ["search_knowledge", "run_sql"], ["find_voyages"])
    shares = (f"{name} {share:.2f}" for name, share in scored[model].items())
    print(f"{model:<18}", "  ".join(shares))

# %% [markdown]
# The second run scores like the first: its bad JSON shows in the status of a call and in the bill.
# That is why an evaluation has a few more numbers, and counts tokens.
#
# ## Many tasks, each with a goal
#
# `data/evals/` holds some ninety tasks: single questions, conversations, long mornings, effects,
# attacks, broken tools. Each goal is a small program that looks at the database, the stores and the
# files, so nobody has to believe an answer. Your agent gets a quick slice of them here, on a state
# of its own; nothing of it touches your memories.

# %%
from harness import mine
from harness.evals import measure_agent

report = measure_agent(mine("agent_turn"), "slice")
report

# %% [markdown]
# One of them is missed, and that is worth a look: open *All of it* (or `print(report)`), and read
# what the tool said and what the stand-in made of it. All ninety, with progress, a resume and an
# HTML page to send around:
#
#     python -m harness eval
#     python -m harness eval --model my-model --parallel 4 --price 1.25/10 --cap-usd 2
#
# ## How sure is that?
#
# The same share, of more and more trials. The interval (Wilson's, at 95 %) is where the true rate
# may be. Two agents whose intervals overlap widely have not been told apart yet.

# %%
from harness.evals import wilson

for hits, trials in ((8, 9), (80, 90), (800, 900)):
    low, high = wilson(hits, trials)
    print(f"{hits:>4} of {trials:<4} {hits / trials:.0%}, somewhere from {low:.0%} to {high:.0%}")

# %% [markdown]
# ## Five layers
#
# An answer goes through layers: the right facts and tools are found, a tool is selected, the call
# is accepted, its result holds the truth, the answer says it. If each of five layers works 19 times
# in 20, and each fails on its own, this is what is left:

# %%
print(f"0.95 to the 5th: {0.95**5:.0%}")
for layer in report.compounding.layers:
    print(f"{layer.name:<10} {layer.rate.value:.0%}   {layer.verdict}")
print(f"product    {report.compounding.product:.0%}")
print(f"end to end {report.compounding.end_to_end.value:.0%}")

# %% [markdown]
# The product is below what was measured when layers fail together: one cause, several symptoms. So
# measure the whole way too, from the same runs. A layer that can fail without costing a goal may be
# one that you can do without: `python -m harness eval --harness ablations` takes out one part of
# the harness after the other and says what that lost.
#
# ## Rules in the prompt, or in the contracts?
#
# Same loop, same tasks, twice. *Prompt-first* offers every tool under a vague line, keeps all the
# rules in one long prompt and hides errors behind "Something went wrong". *Tool-first* is what you
# have built. Beside ours stand the figures that an article reports; below is what they are worth.

# %%
from harness.evals import compare_ways

compare_ways(["count", "old rate limit", "ticket of a bug", "an empty text once"])

# %% [markdown]
# ## Three pitfalls
#
# Each is run wrong, then right: 150 rules in a prompt and a small window; 48 tools that sound like
# the one that is needed; tools that don't say when they are meant, and a model that tries them all.
# (Where it says 0 calls and 0 tokens, the prompt did not even fit into the window.)

# %%
from harness.evals import show_pitfalls

show_pitfalls()

# %% [markdown]
# ## The agent, one guarantee further
#
# The three runs from the top, as their answers tell them apart, and as their scores do:

# %%
from harness.course.labs.growth import now_it_can

answers = {run.answer for run in runs.values()}
worst = min(scored, key=lambda model: scored[model]["precision"])
precision = scored[worst]["precision"]
now_it_can(
    "12",
    before=(f"{len(runs)} runs, {len(answers)} answer", len(answers) > 1),
    now=(f"{worst}: precision {precision:.2f}", precision < 1),
)

# %% [markdown]
# **To keep**
#
# 1. Write down the goal as a program before you change the agent; a right answer is one run of it.
# 2. Say how often, and how sure. One share without its interval is a rumour.
# 3. Measure each layer and the whole way, and drop the layer that nobody would miss.
