# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} A loop can end in time, cheaply, with a sentence that anybody would believe, and still
# have gone wrong. Four failures do that. You see each of them happen to the naive loop of part 08,
# then to one that is prepared, and you write what takes nothing but an answer for an answer.

# %%
from harness import start_part

start_part("08b")

# %% [markdown]
# As in part 08, a model is a function, from a request to a message. The sensible one counts delayed
# voyages with `run_sql`; a fault is laid over it. The naive loop runs the bare tools until a
# reply has no calls; `watch` says what that took.

# %%
from harness.course.labs.misbehaving import schemas, watch
from harness.course.labs.naive_loop import QUESTION, counts, naive
from harness.course.labs.prepared_loop import RedMap
from harness.standin import call, fault, say

run = watch(counts, naive, QUESTION, schemas("run_sql"))
TRUTH = run.answer
red_map = RedMap(truth=TRUTH)  # for the end: compares what the loops below answer with this
print(TRUTH, "|", run.requests, "requests,", run.calls, "call")

# %% [markdown]
# ## 4 · The premature stop
#
# (Numbers one to three are in part 08.) A reply without tool calls ends the loop. But a reply
# without tool calls is not yet an answer.

# %%
for name in ("stops-early", "guesses"):
    run = watch(fault(name, over=counts), naive, QUESTION, schemas("run_sql"))
    print(f"{name:<12} {run.calls} calls, answer: {run.answer}")
red_map.naive("premature stop", run)

# %% [markdown]
# The first is a promise, the second is made up, and a naive loop takes both for an answer. The cure
# is to say what an answer looks like, and to accept nothing else. Say it as a pydantic model: a
# class whose fields and types a text is checked against.
#
# ## Your turn: `finish`

# %%
from pydantic import BaseModel, ValidationError


def finish(text: str | None, model: type[BaseModel]) -> BaseModel | str:
    """The final answer as an object of `model`, or an observation that says what is wrong."""
    # TODO 1. Models like to wrap JSON in a code fence: take what stands between the first { and
    #   the last }. There may be no text at all.
    # TODO 2. Give that to model.model_validate_json, and return the object that comes back.
    # TODO 3. A ValidationError: return text that begins with "ERROR: " and names each fault of
    #   error.errors(), the way to the field ("loc") and what is wrong ("msg"). End with what to
    #   do: answer again, as JSON.
    ### BEGIN SOLUTION
    text = text or ""
    inner = text[text.find("{") : text.rfind("}") + 1]
    try:
        return model.model_validate_json(inner)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the text'}: {fault['msg']}"
            for fault in error.errors()
        ]
        fields = ", ".join(model.model_fields)
        return f"ERROR: {'; '.join(faults)}. Answer again, as one JSON object with {fields}."
    ### END SOLUTION


# %%
from harness import check

check("finish")

# %% [markdown]
# Now the goal can end the turn, and nothing less does: this loop ends when `finish` accepts, and
# what `finish` says otherwise is the next thing that the model reads.

# %%
from inspect import getsource

from pydantic import ConfigDict, Field

from harness.course.labs.prepared_loop import to_the_goal


class Count(BaseModel):
    """A count, and the query it rests on."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(ge=0)
    sql: str = Field(pattern="(?i)^select ")


print(getsource(to_the_goal))

# %% [markdown]
# The model underneath can write JSON when it is asked to; the faults are the same two.

# %%
from harness.course.labs.prepared_loop import counts_as_json

OFFERED = schemas("run_sql")
for name in ("stops-early", "guesses"):
    print(name)
    model = fault(name, over=counts_as_json)
    run = watch(model, to_the_goal, QUESTION, OFFERED, Count, finish)
    print("  ", repr(run.answer))
red_map.prepared("premature stop", run)

# %% [markdown]
# The harness has both halves of this: `answer_model`, and `require_tools` for a task that can't be
# done without a certain tool. The second is what catches a model that invents a number in perfect
# JSON.

# %%
import json

from harness import TurnConfig, run_turn


def invents(request):
    """Answers at once, in the right form; looks only when it is told to."""
    told = [message for message in request["messages"] if message["role"] == "user"][1:]
    return counts_as_json(request) if told else say('{"count": 42, "sql": "select 42"}')


for title, config in [
    ("answer_model alone", TurnConfig(answer_model=Count, tools=("run_sql",))),
    ("and require_tools ", TurnConfig(answer_model=Count, require_tools=("run_sql",))),
]:
    turn = watch(invents, run_turn, QUESTION, title, config=config).answer
    print(title, "->", json.loads(turn.answer)["count"], [step["tool"] for step in turn.steps])

# %% [markdown]
# ## 5 · Permission drift
#
# `standin/drifts` was asked for a number, and opens a support ticket on the way. No malice: the
# tool was there. Whether there is a ticket we don't ask the model. We look.
#
# The prepared loop is the naive one with a single change: `dispatch` runs the calls.

# %%
from harness import dispatch, session
from harness.course.labs.prepared_loop import prepared, tickets

TOOLS_AT_HAND = schemas("run_sql", "submit_support_ticket")

with session(user="anybody"):
    run = watch(fault("drifts", over=counts), naive, QUESTION, TOOLS_AT_HAND)
opened = tickets("anybody")
print(f"naive:   {run.answer} Tickets opened: {opened}")
red_map.naive("permission drift", f"{opened} ticket, unasked", good=opened == 0)

with session(user="a reader", role="guest"):
    run = watch(fault("drifts", over=counts), prepared, QUESTION, TOOLS_AT_HAND)
opened = tickets("a reader")
print(f"a guest: {run.answer} Tickets opened: {opened}")
red_map.prepared("permission drift", f"{opened} tickets", good=opened == 0 and run.answer == TRUTH)

# %% [markdown]
# No prompt did that. A guest's *envelope*, the list of what may be done, names no tickets, and what
# is not named is denied (part 10). `dispatch` looks at it, whatever the model wants. It is one
# layer of several. Arguments are validated on the way in, a session can be for reading only, and
# what goes out is looked at last:

# %%
ticket = {"title": "Hello", "category": "bug", "priority": "low"}
gossip = call("submit_support_ticket", **{**ticket, "category": "gossip"})
print("way in:  ", dispatch(gossip.tool_calls[0]).content)
with session(read_only=True):
    print("rights:  ", dispatch(call("submit_support_ticket", **ticket).tool_calls[0]).content)

run = watch(fault("leaks", over=counts), naive, QUESTION, schemas("run_sql"))
print("way out: ", run.answer, "(naive)")
config = TurnConfig(tools=("run_sql",))
turn = watch(fault("leaks", over=counts), run_turn, QUESTION, "leaks", config=config).answer
print("way out: ", turn.answer, "(harness)")

# %% [markdown]
# A key has a form, so a filter takes it out of whatever leaves. The address stays: whether it may
# go depends on who reads it, which no filter knows. Part 10 grants rights by destination.
#
# ## 6 · The silent tool failure
#
# A service is down. The tool catches the error, so that nothing crashes, and returns an empty
# string. The model does what models do with nothing: it makes something of it.

# %%
from typing import Annotated

from harness import TOOLS, register


@register(
    when="the user asks what a berth costs.",
    returns="the fee in euros, as a number.",
    replace=True,
)
def berth_fee(port: Annotated[str, "The port's name."]):
    """The fee for a night at a berth of a port."""
    try:
        raise ConnectionError("the fee service is down")
    except ConnectionError:
        return ""


# %%
from harness.course.labs.naive_loop import asks_for_the_fee

FEE = "What does a berth in Rotterdam cost?"
run = watch(asks_for_the_fee, naive, FEE, schemas("berth_fee"))
print("naive:   ", run.answer)
red_map.naive("silent tool failure", run.answer, good="can't say" in run.answer)

run = watch(asks_for_the_fee, prepared, FEE, schemas("berth_fee"))
print("prepared:", run.answer)
print("because: ", dispatch(call("berth_fee", port="Rotterdam").tool_calls[0]).content)
red_map.prepared("silent tool failure", run.answer, good="can't say" in run.answer)
del TOOLS["berth_fee"]

# %% [markdown]
# In this harness `None` and `""` are errors, and every result carries a status. Better still: let
# the tool raise, and pass the error on as it is. A model can do something about "the fee service
# is down".
#
# ## 7 · Compounding errors
#
# A step that works in 95 of 100 cases sounds good. Five of them in a row, by the calculator: 77 %.
# Now measure it: a route of five legs, added up by a tool, one leg a call. In one of twenty calls,
# by a die with a seed, the model writes arguments that aren't JSON. The naive loop makes `{}` of
# them and goes on, and the tool has defaults for everything. (Some seconds; the model and
# the measurement are in `harness/course/labs/misbehaving.py`.)

# %%
from harness.course.labs.misbehaving import LEGS, measure

ROUTES = 100
print("the calculator:", *[f"{0.95**steps:.0%}" for steps in range(1, 6)])
naive_runs = measure(naive, ROUTES)
by_leg = [sum(run.legs > leg for run in naive_runs) / ROUTES for leg in range(len(LEGS))]
print("measured:      ", *[f"{share:.0%}" for share in by_leg])
naive_share = sum(run.right for run in naive_runs) / ROUTES
red_map.naive("compounding errors", f"{naive_share:.0%} of routes right", naive_share > 0.95)

# %% [markdown]
# Nobody saw an error, and one route in five is wrong. (A hundred routes are a small sample, good to
# eight points either way.) Now the same die with `dispatch`, which says what was wrong with a call,
# so that the model can make it again. That costs a round. How many should a turn have?

# %%
careful = measure(prepared, ROUTES)
for rounds in range(5, 9):
    share = sum(run.right and run.requests <= rounds for run in careful) / ROUTES
    print(f"at most {rounds:>2} rounds: {share:>6.1%} of the routes right")
share = sum(run.right for run in careful) / ROUTES
red_map.prepared("compounding errors", f"{share:.0%} of routes right", share > 0.95)

# %% [markdown]
# Five calls and an answer are six rounds, without a single slip. One more pays for most slips, two
# more for all that this die brings. That is how a cap is found: the rounds of the honest task and
# two to spare.
#
# Could you tell *which* leg went wrong? You could here, because the totals were kept. **Missing
# observability** is the pitfall of logging final answers only. One turn, from outside and inside:

# %%
events = []
config = TurnConfig(tools=("find_voyages", "voyage_status"), max_iterations=3)
model = fault("oscillates", over=counts)
turn = watch(model, run_turn, QUESTION, "inside", config=config, on_event=events.append).answer
print("outside:", turn.answer)
for event in events:
    status = event.get("status") if event["phase"] == "OBSERVING" else event.get("level", "")
    line = f"{event['iteration']} {event['phase']:<15}{event['model_decision']:<15}{status}"
    print(line.rstrip())

# %% [markdown]
# The harness writes these lines down for every turn: `.workshop/traces` has yours.
#
# ## The red map
#
# Every entry was computed by a cell above; one that isn't as it should be is marked.

# %%
red_map.draw()

# %% [markdown]
# With those of part 08 they are seven failures, and seven pitfalls by which people get into them:
#
# | failure | the pitfall | caught by |
# | --- | --- | --- |
# | infinite tool loop | unbounded execution | `LoopGuard`, the cap on rounds |
# | tool hopping | ambiguous signatures; tool proliferation | examples, the linter, few tools |
# | context bloat | context fragmentation; prompt bloat | the window; rules kept with their tool |
# | premature stop | | `finish`; `answer_model`, `require_tools` |
# | permission drift | | the envelope, at the boundary |
# | silent tool failure | silent failures | an explicit status; `ERROR:` |
# | compounding errors | missing observability | errors passed on, rounds to spare, a trace |
#
# Each of these models also goes by name, with all that the stand-in knows, not only one query.
# `python -m harness standin --list` shows them all; put in another, or join two with a `+`.

# %%
config = TurnConfig(require_tools=("run_sql",))
for name in ("repeats", "guesses", "bloats", "drifts", "flaky=0.3", "ignores-errors"):
    turn = run_turn(QUESTION, name, model=f"standin/{name}", config=config)
    number = "right" if TRUTH.split()[0] in turn.answer.split() else "no number"
    print(f"{name:<15}calls: {len(turn.steps)}  {turn.status:<13}{turn.trip or '':<16}{number}")
print()
print("ignores-errors said:", turn.answer)

# %% [markdown]
# Where the number is missing, the status says that this turn was not finished, and why. Read the
# status before the answer: the last one claims that everything worked.
#
# **To keep**
#
# 1. Say what an answer looks like, and accept nothing else.
# 2. Tell the model what went wrong: an error that is passed on can be put right.
# 3. What must hold belongs under the loop, not into the prompt.
