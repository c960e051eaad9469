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
# ## What is agreed
#
# A subagent starts with nothing: no conversation, no tools, no rights. All that it gets stands in
# its contract. Three that earn their place on this data:

# %%
from harness.tools.subagents import ANALYST, RETRIEVER, REVIEWER

for each in (RETRIEVER, ANALYST, REVIEWER):
    print(f"{each.name}: {each.job}")
    print(f"   tools     {', '.join(each.tools)}")
    print(f"   output    {each.output.__name__}({', '.join(each.output.model_fields)})")
    limits = f"{each.max_turns} rounds, {each.seconds:g} s, {each.share:.0%} of what is left"
    print(f"   at most   {limits}")
    print()

# %% [markdown]
# The reviewer has no `run_sql`: it works the figure out in another way, and is not told what the
# analyst found. A reviewer that reads the first answer tends to agree with it.
#
# ## Your turn: hand it on
#
# - `contract` has `name`, `job`, `tools`, `require_tools`, `output`, `envelope`, `max_turns`,
#   `seconds`, `share` and `evaluate` (a function, or None).
# - `current_session()` has `runs` (the subagents that this is inside of) and `seconds_left()`.
# - `as_subagent(name, run, envelope)` opens the subagent's session for a `with` block; `run` is an
#   id that you make up, new each time. Whatever its own envelope says, its caller's must allow it
#   too: that is the harness's part.
# - `run_turn(task, thread, config=TurnConfig(...))` knows `tools`, `k_tools`, `require_tools`,
#   `max_iterations`, `budget_seconds`, `answer_model` and `job`. Its result has `status`, `answer`
#   and `usage`.
# - `Delegated(subagent, output, boundary, why, run, result)`: the boundary is "" when all went
#   well, else the first of "authority", "turn", "schema", "evaluation" that was not passed.

# %%
import uuid

from pydantic import ValidationError

from harness import TurnConfig, run_turn
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
from dataclasses import replace

from harness import mine, session
from harness.guards.role_rights import role

hand_on = mine("delegate")
READS = role("guest").envelope
QUESTION = "How many voyages are delayed?"

with session(user="part 13"):
    for each in (ANALYST, REVIEWER):
        done = hand_on(QUESTION, replace(each, envelope=READS))
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
    ANALYST,
    name="greedy",
    tools=("scratch_write", "run_sql"),
    envelope=role("admin").envelope,
    require_tools=(),
)
script = [
    standin.call("scratch_write", path="notes/plan.md", content="mine now"),
    standin.say('{"value": 1, "text": "done"}'),
]
with session(user="part 13", role="guest"), standin.script(script) as seen:
    done = hand_on("Tidy up.", greedy)
print(seen.requests[1]["messages"][-1]["content"])

# %% [markdown]
# ## Where it fails
#
# Each boundary multiplies. The harness counts them, a subagent at a time, with its own `delegate`:

# %%
from harness.delegation import delegate as ours
from harness.delegation import failures

with session(user="part 13, counted"):
    tasks = [
        (ANALYST, "How many voyages are delayed?"),
        (ANALYST, "How many vessels are there?"),
        (REVIEWER, "How many voyages are in the Pacific?"),
        (RETRIEVER, "What does delay_hours mean?"),
        (ANALYST, "And how many of those are in the Pacific?"),
    ]
    for contract, task in tasks:
        done = ours(task, contract)
        print(f"{contract.name:<9} {'ok' if done.ok else 'failed: ' + done.boundary:<16} {task}")
    print(failures())

# %% [markdown]
# ## When not to
#
# Look at the last one. *Those* were in the caller's conversation, and the subagent has never seen
# it. So it has no figure to give, and what it says is not of its contract's schema. Asked on the
# caller's own thread, the same words are a follow-up question:

# %%
with session(user="part 13, alone"):
    first = run_turn(QUESTION, "part 13")
    follow_up = run_turn("And how many of those are in the Pacific?", "part 13")
    print("on the thread:", follow_up.answer.splitlines()[0], follow_up.usage["rounds"], "rounds")
with session(user="part 13, handed on"):
    lost = ours("And how many of those are in the Pacific?", replace(ANALYST, envelope=READS))
    print("handed on:    ", lost.boundary or lost.output, lost.result.usage["rounds"], "rounds")

# %% [markdown]
# To make it work you would have to write the conversation into the task. Then you pay for it twice,
# and what you leave out is lost. If you know it already, do it yourself.
#
# **To keep**
#
# 1. A subagent's rights are the intersection, its budget a share: never more than its caller's.
# 2. It has its own tools, thread, cap, schema, evaluation and end; all of that is the contract.
# 3. Measure each boundary. One that does not pay for itself goes.
