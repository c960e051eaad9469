# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} Seven things go wrong with
# agents, over and over, in every company that runs them. Here all seven happen before your eyes:
# first in a naive loop, then in one that is prepared. You write what prepares it.

# %%
from harness import start_part

start_part("08")

# %% [markdown]
# In this part the model is the stand-in (but for the last cell), whatever your `.env` says,
# because a real one can't be told to misbehave. Under each fault lies the same sensible model. For
# our purposes a model is a function: a request goes in, a message comes out. This one can do one
# thing.

# %%
import json
import re

from harness.standin import call, fault, say

SQL = "SELECT COUNT(*) FROM SUPPLYCHAIN.voyages WHERE status = 'DELAYED'"


def counts(request):
    """Counts delayed voyages with run_sql, and answers once it has read a number."""
    read = " ".join(m["content"] for m in request["messages"] if m["role"] == "tool")
    number = re.search(r'"rows": \[\[(\d+)\]\]', read)
    if number:
        return say(f"{number[1]} voyages are delayed.")
    return call("run_sql", sql=SQL) if request.get("tools") else say("I could not find out.")


# %% [markdown]
# And this is the naive loop: what most of us write first. It asks the openai client and calls the
# tools' own functions, past everything that the harness does for you, and it has no end but the
# model's. (We stop it after 25 rounds, so that this notebook has one.)

# %%
from harness import TOOLS
from harness.model.chat import client_for

SYSTEM = "You answer questions about a company's shipping data, with tools."


def naive(question, tools, system=SYSTEM):
    talk = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    ask = client_for("standin").chat.completions.create
    for _ in range(25):
        said = ask(model="standin", messages=talk, tools=tools).choices[0].message
        talk.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            return said.content
        talk += [
            {"role": "tool", "tool_call_id": asked.id, "content": bare(asked)}
            for asked in said.tool_calls
        ]
    return ""


def bare(asked):
    """Run a tool's own function; when anything goes wrong, say nothing."""
    try:
        arguments = json.loads(asked.function.arguments)
    except ValueError:
        arguments = {}
    try:
        function = TOOLS[asked.function.name][0].__wrapped__
        return json.dumps(function(**arguments))
    except Exception:
        return ""


# %% [markdown]
# `watch(model, loop, ...)` runs a loop against a model and says what it took: the answer, the
# requests, the calls, the tokens of each request.

# %%
from harness.course.labs.misbehaving import schemas, watch

QUESTION = "How many voyages are delayed?"
wrong, right = {}, {}  # for the red map at the end: failure -> (what happened, was it good?)

run = watch(counts, naive, QUESTION, schemas("run_sql"))
TRUTH = run.answer
print(TRUTH, "|", run.requests, "requests,", run.calls, "call")

# %% [markdown]
# With a model that behaves, a naive loop is a fine loop. Keep that answer; it is the truth against
# which the rest is judged.
#
# ## 1 · The infinite tool loop
#
# `standin/repeats` makes the same call with the same arguments for ever. Real models do it too:
# one public report counts 1,565 steps.

# %%
run = watch(fault("repeats", over=counts), naive, QUESTION, schemas("run_sql"))
print(f"{run.requests} requests, {run.requests} times the same query, answer: {run.answer!r}")
print(f"the last request alone carried {run.tokens[-1]:,} tokens")
wrong["infinite tool loop"] = f"{run.requests} equal calls: {run.answer!r}", run.answer == TRUTH

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
# And the loop that it goes into. The rest of it you know: `dispatch` instead of the bare function,
# a cap on the rounds, a last word without tools.

# %%
from harness import chat, dispatch


def guarded(question, tools, guard, system=SYSTEM, rounds=8):
    talk = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    for _ in range(rounds):
        said = chat(talk, tools).choices[0].message
        if not said.tool_calls:
            return said.content
        talk.append(said.model_dump(exclude_none=True))
        for asked in said.tool_calls:
            result = watched(asked, guard)
            talk.append({"role": "tool", "tool_call_id": asked.id, "content": result})
        if guard.tripped:
            break
    why = guard.tripped or "the rounds are used up"
    talk.append({"role": "user", "content": f"Stop: {why}. Answer now, without tools."})
    return chat(talk).choices[0].message.content


def watched(asked, guard):
    """Run a call, or give back what is known of it."""
    name, text = asked.function.name, asked.function.arguments
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = {"not JSON": text}
    result = guard.before(name, arguments)
    if result is None:
        result = dispatch(asked).content
    guard.after(name, arguments, result)
    return result


guard = LoopGuard()
run = watch(fault("repeats", over=counts), guarded, QUESTION, schemas("run_sql"), guard)
print(f"{run.requests} requests, stopped: {guard.tripped}")
print("answer:", run.answer)
right["infinite tool loop"] = f"{guard.tripped}, {run.requests} requests", run.answer == TRUTH

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
# the end of a round. The cap on the rounds had to do it so far: better than nothing, and twice the
# price. The harness's own guard, with a few more reasons, is in `harness/guards/termination.py`.
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
wrong["tool hopping"] = f"{run.requests} calls: {run.answer!r}", run.answer == TRUTH

guard = LoopGuard()
run = watch(fault("hops", over=counts), guarded, QUESTION, SIX, guard)
print(f"guarded:  {run.calls} calls, {guard.tripped}, answer: {run.answer!r}")

# %% [markdown]
# The guard saves the money. It does not find the answer: that takes a model that knows which tool
# to take. Show it. Two examples of selection in the system prompt are enough.

# %%
EXAMPLES = """
Which tool to take, by example:
- How many containers are on the way? -> run_sql
- Which voyages go to Rotterdam? -> find_voyages"""

guard = LoopGuard()
run = watch(fault("hops", over=counts), guarded, QUESTION, SIX, guard, SYSTEM + EXAMPLES)
print(f"examples: {run.calls} call, {guard.tripped}, answer: {run.answer!r}")
right["tool hopping"] = f"two examples: {run.calls} call", run.answer == TRUTH

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
# `standin/bloats` fetches a whole table beside every query. This question takes four queries, and
# the model has a window of 12,000 tokens. (One that is ten times as large only takes longer to
# fill.)

# %%
REGIONS = ["ATLANTIC", "INDIAN", "MEDITERRANEAN", "PACIFIC"]


def counts_by_region(request):
    """One query a region, then the sum; it reads whatever the conversation still holds."""
    read = " ".join(message.get("content") or "" for message in request["messages"][2:])
    found = [int(number) for number in re.findall(r'"rows": \[\[(\d+)\]\]', read)]
    if len(found) == len(REGIONS):
        return say(f"{sum(found)} voyages are delayed.")
    if not request.get("tools"):
        return say("I could not find out.")
    return call("run_sql", sql=f"{SQL} AND ocean_region = '{REGIONS[len(found)]}'")


BLOATED = fault("bloats+small-window=12000", over=counts_by_region)
run = watch(BLOATED, naive, QUESTION, schemas("run_sql"))
print("tokens of each request:", *[f"{tokens:,}" for tokens in run.tokens])
print("answer:", run.answer)
error = run.answer.strip("()").split(": ")[-1]
wrong["context bloat"] = f"{max(run.tokens):,} tokens: {error}", run.answer == TRUTH

# %% [markdown]
# The harness keeps the head and the tail of a conversation and folds what lies between into a few
# lines, once 60 % of the window are used. You do that yourself in part 09.

# %%
from harness import TurnConfig, run_turn

config = TurnConfig(window_tokens=12_000, keep_last=4, tools=("run_sql",))
run = watch(BLOATED, run_turn, QUESTION, "bloat", config=config)
print("tokens of each request:", *[f"{tokens:,}" for tokens in run.tokens])
print("answer:", run.answer.answer)
right["context bloat"] = f"{max(run.tokens):,} tokens at most", run.answer.answer == TRUTH

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
# ---
#
# **Half time.** This part is two sittings of half an hour. Come back later with *Run > Run All
# Above Selected Cell* on the next cell, and go on: four failures are left, and one function to
# write.
#
# ## 4 · The premature stop
#
# A reply without tool calls ends the loop. But a reply without tool calls is not yet an answer.

# %%
for name in ("stops-early", "guesses"):
    run = watch(fault(name, over=counts), naive, QUESTION, schemas("run_sql"))
    print(f"{name:<12} {run.calls} calls, answer: {run.answer}")
wrong["premature stop"] = f"{run.calls} calls: {run.answer}", run.answer == TRUTH

# %% [markdown]
# The first is a promise, the second a lie, and a naive loop takes both for an answer. The cure is
# to say what an answer looks like, and to take nothing else. Say it as a pydantic model.
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
check("finish")

# %% [markdown]
# Now the goal can end the turn, and nothing less does. The model underneath can write JSON when it
# is asked to; the faults are the same two.

# %%
from pydantic import ConfigDict, Field


class Count(BaseModel):
    """A count, and the query it rests on."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(ge=0)
    sql: str = Field(pattern="(?i)^select ")


def counts_as_json(request):
    said = counts(request)
    number = re.match(r"\d+", said.content or "")
    return say(Count(count=int(number[0]), sql=SQL).model_dump_json()) if number else said


def to_the_goal(question, tools, goal, rounds=8):
    """Rounds until `finish` accepts; what it says is the next thing that the model reads."""
    system = f"{SYSTEM} Your final answer is JSON: {', '.join(goal.model_fields)}."
    talk = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    for _ in range(rounds):
        said = chat(talk, tools).choices[0].message
        talk.append(said.model_dump(exclude_none=True))
        for asked in said.tool_calls or []:
            content = dispatch(asked).content
            talk.append({"role": "tool", "tool_call_id": asked.id, "content": content})
        if not said.tool_calls:
            result = finish(said.content, goal)
            if not isinstance(result, str):
                return result
            print("  ->", result)
            talk.append({"role": "user", "content": result})
    return None


for name in ("stops-early", "guesses"):
    print(name)
    run = watch(fault(name, over=counts_as_json), to_the_goal, QUESTION, schemas("run_sql"), Count)
    print("  ", repr(run.answer))
number = getattr(run.answer, "count", None)
right["premature stop"] = f"{run.calls} call: count={number}", TRUTH.startswith(f"{number} ")

# %% [markdown]
# The harness has both halves of this: `answer_model`, and `require_tools` for a task that can't be
# done without a certain tool. The second is what catches a model that invents a number in perfect
# JSON.


# %%
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

# %%
from harness import session
from harness.databases.state import state

TOOLS_AT_HAND = schemas("run_sql", "submit_support_ticket")


def tickets(user):
    return state().read("SELECT COUNT(*) FROM tickets WHERE user_id = ?", (user,))[0][0]


with session(user="anybody"):
    run = watch(fault("drifts", over=counts), naive, QUESTION, TOOLS_AT_HAND)
print(f"naive:     {run.answer} Tickets opened: {tickets('anybody')}")
wrong["permission drift"] = f"{tickets('anybody')} ticket, unasked", tickets("anybody") == 0

with session(user="a reader", role="guest"):
    run = watch(fault("drifts", over=counts), guarded, QUESTION, TOOLS_AT_HAND, LoopGuard())
print(f"a guest:   {run.answer} Tickets opened: {tickets('a reader')}")
fine = tickets("a reader") == 0 and run.answer == TRUTH
right["permission drift"] = f"{tickets('a reader')} tickets, a guest's envelope", fine

# %% [markdown]
# No prompt did that, and no line of the loop: a guest's envelope says what may be done (it names
# no tickets, and what is not named is denied), and the guarded call looks at it, whatever the model
# wants. It is one layer of several. Arguments are validated
# on the way in, a role has a list of what it may do, and what goes out is looked at last:

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

from harness import register


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


def asks_for_the_fee(request):
    """Believes what it is told: nothing means no fee, ERROR means that it does not know."""
    read = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if not read:
        return call("berth_fee", port="Rotterdam")
    if "ERROR" in read[-1]:
        return say("I can't say what it costs: the fee could not be read.")
    fee = read[-1].strip('"')
    return say(f"A berth in Rotterdam costs {fee or 0} euros.")


FEE = "What does a berth in Rotterdam cost?"
run = watch(asks_for_the_fee, naive, FEE, schemas("berth_fee"))
print("naive:  ", run.answer)
wrong["silent tool failure"] = run.answer, "can't say" in run.answer

run = watch(asks_for_the_fee, guarded, FEE, schemas("berth_fee"), LoopGuard())
print("guarded:", run.answer)
print("because:", dispatch(call("berth_fee", port="Rotterdam").tool_calls[0]).content)
right["silent tool failure"] = run.answer.split(":")[0], "can't say" in run.answer
del TOOLS["berth_fee"]

# %% [markdown]
# In this harness `None` and `""` are errors, and every result carries a status. Better still: let
# the tool raise, and pass the error on as it is. A model can do something about "the fee service
# is down".
#
# ## 7 · Compounding errors
#
# A step that works in 95 of 100 cases sounds good. How good are five of them in a row?

# %%
print("step by step:", *[f"{0.95**steps:.0%}" for steps in range(1, 6)])

# %% [markdown]
# That was a calculator. Now measure: a route of five legs, added up by a tool, one leg a call. In
# one of twenty calls, by a die with a seed, the model writes arguments that are no JSON. The
# naive loop makes `{}` of them and goes on, and the tool has defaults for everything. (This one
# takes some seconds; the model and the measurement are in `harness/course/labs/misbehaving.py`.)

# %%
from harness.course.labs.misbehaving import LEGS, measure

ROUTES = 300
naive_runs = measure(naive, ROUTES)
by_leg = [sum(run.legs > leg for run in naive_runs) / ROUTES for leg in range(len(LEGS))]
print("measured:    ", *[f"{share:.0%}" for share in by_leg])
naive_share = sum(run.right for run in naive_runs) / ROUTES
wrong["compounding errors"] = f"{naive_share:.0%} of {ROUTES} routes right", naive_share > 0.95

# %% [markdown]
# Nobody saw an error, and nearly every fourth route is wrong. (A sample of this size is good to
# two or three points.) Now the same die with `dispatch`, which says what was wrong with a call,
# so that the model can make it again. That costs a round. How many should a turn have?

# %%
careful = measure(lambda *asked: guarded(*asked, LoopGuard(), rounds=12), ROUTES)
for rounds in range(5, 11):
    share = sum(run.right and run.requests <= rounds for run in careful) / ROUTES
    print(f"at most {rounds:>2} rounds: {share:>6.1%} of the routes right")
share = sum(run.right for run in careful) / ROUTES
right["compounding errors"] = f"{share:.0%} of {ROUTES} routes right", share > 0.95

# %% [markdown]
# Five calls and an answer are six rounds, without a single slip. One more pays for most slips, two
# more for all that this die brings; beyond eight nothing is left to gain. That is how a cap is
# found: the rounds of the honest task and two to spare.
#
# Could you tell *which* leg went wrong? You could here, because the totals were kept. **Missing
# observability** is the pitfall of logging final answers only. One turn, seen from outside and
# from inside:

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
# Everything above, computed above. If a row is not what it should be, its cell shows it.

# %%
from harness.ui import draw_red_map

draw_red_map(wrong, right)

# %% [markdown]
# The seven failures, and the seven pitfalls by which people get into them:
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
# 2. Tell the model what happened: that it asks again, that a call failed, what an answer must look
#    like.
# 3. What must hold belongs under the loop, not into the prompt.
