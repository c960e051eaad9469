# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} Nothing is left to write. What is left is to put your agent somewhere else (another
# model, another database), to see what that changes, and to hand it to people who were not here.
# Not one line of the agent changes for it: only `.env` does.

# %%
from harness import mine, start_part

start_part("14")
agent_turn = mine("agent_turn")

# %% [markdown]
# ## What is in force
#
# Everything that differs between your laptop and a company's server is a setting:

# %%
from harness.settings import settings

now = settings()
print("model     ", now.model)
print("endpoint  ", now.base_url or "none: the stand-in answers in this process")
print("window    ", f"{now.window_tokens:,} tokens")
print("database  ", f"{now.database}, which speaks {now.dialect}")

# %% [markdown]
# ## A real model
#
# An endpoint is a line in `.env`. These kinds are known beforehand; whatever else a server needs,
# the harness learns from its refusals.

# %%
from harness.model.endpoint_profiles import profiles

for each in profiles():
    print(f"{each.words:<28}{each.limits[0]}")

# %% [markdown]
# `.env.example` has the lines for each. After you have set them, ask before you trust:
#
# ```
# python workshop.py doctor        which models there are, one tool call tried, in words
# python -m harness contract       does it speak as the stand-in does? seven exchanges, compared
# ```
#
# Then restart the kernel, and run the notebook from the top. The numbers will differ, which is
# the point: what you measured with the stand-in says how good the *harness* is. How good the model
# is, only the model can show.
#
# ## What a question costs
#
# Your agent answers three questions here; the trace knows what each took. The prices are in a
# data file, with their date.

# %%
from harness.model.endpoint_profiles import facts_of, prices_as_of
from harness.session import current_session
from harness.traces.trace_reader import turns

QUESTIONS = (
    "How many voyages are delayed?",
    "Which carrier has the most vessels?",
    "How many voyages are in the Pacific?",
)
for question in QUESTIONS:
    print(agent_turn(question, thread_id="part 14", verbose=False).splitlines()[0])

me = current_session().user  # another window has a user of its own
spent = turns(len(QUESTIONS), wanted=lambda turn: turn.user == me)
tokens_in = sum(turn.prompt_tokens for turn in spent) / len(spent)
print(f"\na question: about {round(tokens_in, -3):,.0f} tokens, most of them sent every round")

# %% [markdown]
# A budget needs two figures: what is usual, and what the cap lets through. Both are counted as
# tokens that the model reads; what it writes is little here, and costs more.

# %%
from harness import TurnConfig

A_DAY, DAYS = 200, 90
cap = TurnConfig(max_iterations=8).token_limit
print(f"prices as of {prices_as_of()}; {A_DAY} questions a day, {DAYS} days; cap {cap:,} tokens\n")
print(f"{'model':<30}{'usual':>10}{'every turn at its cap':>24}")
for model in ("gpt-5.5", "gpt-5.4-mini", "gpt-5.6-luna", "xai.grok-4.3", "openai.gpt-oss-120b"):
    facts = facts_of(model)
    usual = facts.dollars(round(tokens_in, -3), 0) * A_DAY * DAYS
    worst = facts.dollars(cap, 0) * A_DAY * DAYS
    print(f"{model:<30}{f'${usual:,.0f}':>10}{f'${worst:,.0f}':>24}")

# %% [markdown]
# The last column is what you sign for. If it is too much, lower `token_cap` or `max_iterations`,
# or choose a smaller model and let the gates below say whether it will do.
#
# ## A gate that can close
#
# Before anything is released, the scoreboard runs again: on the new model, the new prompt, the new
# database. A gate that has never closed proves nothing, so try it on a model that is worse. This
# one makes a number up instead of calling a tool:

# %%
from harness import scoreboard
from harness.config import configured

before = scoreboard(agent_turn)
with configured(model="standin/guesses=always"):
    after = scoreboard(agent_turn)

print("task        now     candidate")
for old, new in zip(before.rows, after.rows, strict=True):
    print(f"{old.task.name:<12}{'yes' if old.reached else 'no':<8}{'yes' if new.reached else 'no'}")
verdict = "release" if after.reached >= before.reached else "don't release"
print(f"\n{before.reached} goals before, {after.reached} with the candidate: {verdict}")

# %% [markdown]
# It answers every time, and quickly. Only a program that looks at what really happened (were tools
# called? what do the stores hold?) sees that the answers are worth nothing.
#
# ## The hand-off sheet
#
# Whoever takes over needs five things: the schemas, the ceilings, what the agent may do, the gates,
# and the way back. The harness reads them from your agent, not from your memory of it:

# %%
from harness.evals.hand_off_sheets import hand_off

folder = now.home / "hand-off"
for path in hand_off(folder, agent_turn, name="agent_turn", measure=False):
    print(path.name)

sheet = (folder / "handoff.md").read_text(encoding="utf-8")
for title in ("Ceilings", "Authority", "Rollback"):
    print(f"\n{title}\n{sheet.partition(f'## {title}')[2].partition('## ')[0].strip()}")

# %% [markdown]
# With `measure=True` it runs your agent as well, on the scoreboard and into its cap:
# `python -m harness handoff` does that. What no program can know stands in it as *to be filled in
# by a person*. A sheet with those lines still empty is not finished.
#
# ## On Oracle
#
# The same agent, on a company's database. Here the business data is a DuckDB file and the agent's
# state another file; there both are schemas, with two users, of whom one may only SELECT.
#
# ```
# .venv/bin/python -m pip install -r requirements-oracle.txt
# WORKSHOP_DATABASE=oracle, ORACLE_DSN, ORACLE_USER, ORACLE_PASSWORD ...     into .env
# python -m harness oracle setup          both schemas, rights, comments; can be run again
# ```
#
# What changes for the model is one word in its prompt and in the contract of `run_sql`. Your loop
# never names a database, and neither does any notebook:

# %%
from harness import TOOLS

description = TOOLS["run_sql"][1]["function"]["description"]
print(next(said for said in description.split(". ") if now.dialect in said))

# %% [markdown]
# README says what of this was run against a server, and what could only be tried without one.
#
# ## Ninety days
#
# An agent that is in use changes without anybody touching it: data grows, models are retired,
# people ask other things. So the day of the release is the first of ninety.
#
# | when | what | with |
# | --- | --- | --- |
# | before day 1 | gates pass on the model and database that will answer | part 12 |
# | day 1 | a rollback tried on purpose: the old model back, gates again | `handoff.md` |
# | each day | alerts: cap breaches, latency, tokens | `python -m harness trace review` |
# | each week | a person reads ten traces, and all safety trips | `python -m harness trace show` |
# | day 30 | what people really ask becomes tasks of the evaluation | part 12 |
# | day 60 | what it has learned: which memories are used, which are stale | part 04 |
# | day 90 | envelope, budget, owner: keep, change, or switch off | part 10, this part |
#
# A rollback that was never tried is a hope. Try yours now, in one line: the candidate goes, what
# was there before comes back, and the gate opens.

# %%
with configured(model=now.model):
    print(scoreboard(agent_turn).reached, "goals after the rollback, as before:", before.reached)

# %% [markdown]
# ## The agent, grown

# %%
from harness.course.labs.growth import now_it_can

answered = sum(bool(row.answer) for row in after.rows)
now_it_can(
    "14",
    before=(f"candidate answered {answered} of {len(after.rows)}: looks fine", answered == 0),
    now=(f"{after.reached} of {len(after.rows)} goals: {verdict}", verdict != "release"),
)

# %% [markdown]
# **To keep**
#
# 1. Model, database, rights and budget are settings; the agent does not know them.
# 2. A release is a decision against a gate that you have seen close.
# 3. Hand over what a program can read from the agent, and the way back, tried once.
