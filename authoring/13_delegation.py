# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} A second agent costs a second conversation, and one more place where things fail. It
# pays where the work has a clear contract, other tools, or another standard. Here you write the
# contract's other half: what holds a subagent to it.

# %%
from harness import start_part

start_part("13")

# %% [markdown]
# ## A question, passed on
#
# The naive way is one line: ask another agent, and go on with its text. Here are two questions that
# somebody asked one after the other:

# %%
from harness import run_turn

QUESTION = "How many voyages are delayed?"
FOLLOW_UP = "And how many of those are in the Pacific?"


def pass_on(task: str):
    return run_turn(task, thread_id=f"passed on: {task}")


for task in (QUESTION, FOLLOW_UP):
    passed_on = pass_on(task)
    print(f"{passed_on.status}: {passed_on.answer}")
    print()

# %% [markdown]
# Twice *completed*, twice a text. One has a figure in it, the other one is a refusal: the second
# agent never heard what *those* are. What tells them apart? Nothing that a program could look at,
# so the refusal goes into the report as the result. And both had every tool and every right of
# their caller.
#
# ## What is agreed
#
# A subagent starts with nothing: no conversation, no tools. All that it gets stands in a
# **contract**, and so does what must come back. Here is one, whole. Its right is that of a guest,
# who may look at the data and no more:

# %%
from dataclasses import fields, replace

from harness.guards.role_rights import role
from harness.tools.subagents import ANALYST, RETRIEVER, REVIEWER, Figure

guest = role("guest").envelope
retriever, analyst, reviewer = (
    replace(each, envelope=guest) for each in (RETRIEVER, ANALYST, REVIEWER)
)
for field in fields(analyst):
    value = getattr(analyst, field.name)
    print(f"{field.name:<15}{getattr(value, '__name__', getattr(value, 'name', value))}")
print(f"{'Figure has':<15}{', '.join(Figure.model_fields)}")
print(f"\n{retriever.name}: {retriever.job}\n{reviewer.name}: {reviewer.job}")

# %% [markdown]
# `output` is a pydantic model, `evaluate` a function that gets the output and returns what is wrong
# with it, or `""`; `share` is of the seconds that its caller has left.
#
# The reviewer has no `run_sql`: it works the figure out in another way, and is not told what the
# analyst found. A reviewer that reads the first answer tends to agree with it.
#
# ## Your turn: hand it on
#
# - `current_session()` has `runs` (the subagents that this is inside of) and `seconds_left()`.
# - `as_subagent(name, run, envelope)` opens the subagent's session for a `with` block; `run` is an
#   id that you make up, new each time. Whatever its own envelope says, its caller's must allow it
#   too: that is the harness's part.
# - `run_turn(task, thread, config=TurnConfig(...))` knows `tools`, `k_tools` (how many of them are
#   shown), `require_tools`, `max_iterations`, `budget_seconds`, `answer_model` and `job`. Its
#   result has `status`, `answer` and `usage`.
# - `Delegated(subagent, output, boundary, why, run, result)`: the boundary is "" when all went
#   well, else the first of "authority", "turn", "schema", "evaluation" that was not passed; `why`
#   is what was raised or returned there, in its own words.

# %%
import uuid

from pydantic import ValidationError

from harness import TurnConfig
from harness.delegation import MAX_DEPTH, Delegated, SubagentContract
from harness.guards.envelope_file import read_envelope
from harness.session import as_subagent, current_session


def delegate(task: str, contract: SubagentContract) -> Delegated:
    """Have a subagent do a task. Whatever goes wrong comes back as a boundary, never raised."""
    # TODO 1. MAX_DEPTH subagents deep already: boundary "authority", and nobody is asked.
    # TODO 2. Its seconds: contract.seconds, but at most contract.share of what is left here.
    # TODO 3. As the subagent, under read_envelope(contract.envelope): run_turn the task, on a
    #   thread that nobody else has, with the contract's tools (k_tools: all of them),
    #   require_tools, max_turns, output model and job.
    # TODO 4. An exception, or a status that is not "completed": boundary "turn".
    # TODO 5. An answer that is not of the model contract.output: boundary "schema".
    # TODO 6. contract.evaluate, if there is one, returns a fault or raises: boundary "evaluation".
    # TODO 7. Else its output, as an object of the model, with `run` and `result`.
    ### BEGIN SOLUTION
    here, run = current_session(), f"{contract.name}-{uuid.uuid4().hex[:8]}"
    if len(here.runs) >= MAX_DEPTH:
        return Delegated(contract.name, None, "authority", "too many subagents deep", run)
    config = TurnConfig(
        tools=contract.tools,
        k_tools=len(contract.tools),
        require_tools=contract.require_tools,
        max_iterations=contract.max_turns,
        budget_seconds=min(contract.seconds, here.seconds_left() * contract.share),
        answer_model=contract.output,
        job=f"\n\n{contract.job}",
    )
    try:
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            result = run_turn(task, run, config=config)
    except Exception as error:
        return Delegated(contract.name, None, "turn", repr(error), run)
    if result.status != "completed":
        return Delegated(contract.name, None, "turn", result.status, run, result)
    try:
        output = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        return Delegated(contract.name, None, "schema", str(error), run, result)
    try:
        fault = contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:
        fault = repr(error)
    if fault:
        return Delegated(contract.name, None, "evaluation", fault, run, result)
    return Delegated(contract.name, output, run=run, result=result)
    ### END SOLUTION


# %%
from harness import check

check("delegate")

# %% [markdown]
# ## Two opinions
#
# `mine` is your version if it passed, and ours if not. The analyst and the reviewer answer the same
# question, each with its own tools; the program compares, not a model.

# %%
from harness import mine, session
from harness.course.notebook import fresh_user

hand_on = mine("delegate")

with fresh_user("two opinions"):
    for each in (analyst, reviewer):
        done = hand_on(QUESTION, each)
        steps = [step["tool"] for step in done.result.steps]
        print(f"{done.subagent:<9} {done.output.value:g}   {' -> '.join(steps)}")

# %% [markdown]
# ## A subagent that wants more
#
# A contract can name any tool and any right; its caller's envelope still counts. Here a script
# plays a subagent that tries to write, under a caller who may only read:

# %%
from harness import standin

greedy = replace(
    analyst,
    name="greedy",
    tools=("scratch_write", "run_sql"),
    envelope=role("admin").envelope,
    require_tools=(),
)
script = [
    standin.call("scratch_write", path="notes/plan.md", content="mine now"),
    standin.say('{"value": 1, "text": "done"}'),
]
with session(role="guest"), standin.script(script) as seen:
    done = hand_on("Tidy up.", greedy)
print(seen.requests[1]["messages"][-1]["content"])

# %% [markdown]
# ## Where it fails
#
# Each boundary multiplies. The harness counts them, a subagent at a time, with its own `delegate`:

# %%
from harness.delegation import delegate as ours
from harness.delegation import failures

with fresh_user("counted"):
    tasks = [
        (analyst, QUESTION),
        (analyst, "How many vessels are there?"),
        (reviewer, "How many voyages are in the Pacific?"),
        (retriever, "What does delay_hours mean?"),
        (analyst, FOLLOW_UP),
    ]
    for contract, task in tasks:
        done = ours(task, contract)
        print(f"{contract.name:<9} {'ok' if done.ok else 'failed: ' + done.boundary:<16} {task}")
    print(failures())

# %% [markdown]
# ## When not to
#
# The last one is the refusal from the top of this part. It is still no answer, but now it has a
# name: what came back is not of the contract's schema. Asked on the caller's own thread, the same
# words are a follow-up question:

# %%
with fresh_user("alone"):
    run_turn(QUESTION, "part 13")
    follow_up = run_turn(FOLLOW_UP, "part 13")
print("on the thread:", follow_up.answer.splitlines()[0], follow_up.usage["rounds"], "rounds")
print("handed on:    ", done.boundary or done.output, done.result.usage["rounds"], "rounds")

# %% [markdown]
# To make it work you would have to write the conversation into the task. Then you pay for it twice,
# and what you leave out is lost. If you know it already, do it yourself.
#
# ## The agent, one guarantee further

# %%
from harness.course.labs.growth import now_it_can

taken = passed_on.answer.splitlines()[0]
now_it_can(
    "13",
    before=(f"took this for the figure: {taken}", any(map(str.isdigit, taken))),
    now=(f"stopped at the boundary: {done.boundary or 'none'}", not done.ok),
)

# %% [markdown]
# **To keep**
#
# 1. A subagent's rights are the intersection, its budget a share: never more than its caller's.
# 2. It has its own tools, thread, cap, schema, evaluation and end; all of that is the contract.
# 3. Measure each boundary. One that does not pay for itself goes.
