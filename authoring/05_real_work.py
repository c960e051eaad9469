# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} By not trusting a word of it. Here you
# build a tool that can read and nothing else, look at a sandbox for the sums that SQL should not
# do, and then ask whether the model should write SQL at all.

# %%
from harness import start_part

start_part("05")

# %% [markdown]
# ## One statement
#
# `engine` is DuckDB on a copy of the shipping data, in memory, with every right to change it. The
# system prompt says *read only*. A prompt is a request; this is what the engine makes of a model
# that did not listen:

# %%
from harness.course.practice_engine import engine

engine.reset()
print("cargo items before:", engine.count("cargo_items"))
engine.execute("WITH light AS (SELECT 5000 AS kg) DELETE FROM cargo_items WHERE weight_kg > 5000")
print("cargo items after: ", engine.count("cargo_items"))

engine.reset()  # a copy can be made new; yours at work can't

# %% [markdown]
# It even began with `WITH`, like any decent query. So who looks at the words?
#
# ## Two walls
#
# The harness's own `run_sql` has two. The first reads the text into a tree and looks at that. The
# second is the engine: its own idea of what kind of statement this is, on a connection that was
# opened to read, with files and network switched off. Each is asked alone here:

# %%
import re

from harness import ToolError
from harness.course.labs.walls import past_the_wall, try_walls
from harness.databases.business import business
from harness.guards.sql_guard import check_select


def bad_words(sql: str) -> None:
    """Everybody's first idea."""
    if re.search("drop|delete|insert|update|create|replace", sql, re.IGNORECASE):
        raise ToolError("not_allowed", "a bad word", "Leave it out.")


try_walls(words=bad_words, tree=check_select, engine=business().query)

# %% [markdown]
# Two of the hostile ones get past the engine: one runs what it should only explain, one reads the
# machine's settings. Neither writes, so an engine that was told not to write has no objection. The
# first column is everybody's first idea, a list of bad words. It stops half of the harmless ones,
# and lets whoever reads your files pass.
#
# ## Your turn: the first wall
#
# Your `run_sql` runs on `engine`, which stops nothing: whatever you let through happens.
#
# - `sqlglot.parse(sql, read="duckdb")` gives a list of trees, with `None` for nothing and an
#   `exp.Semicolon` for what is only a comment. It raises `sqlglot.errors.SqlglotError`.
# - What reads is an `exp.Query`. But inside may be an `exp.DML` (INSERT, UPDATE, DELETE, MERGE), an
#   `exp.Into`, an `exp.Lock`. `tree.find(...)` looks everywhere.
# - `tree.find_all(exp.Table)` are the tables, functions such as `read_text` among them. Don't list
#   what is forbidden: allow `engine.tables`, and the names that WITH gives
#   (`tree.find_all(exp.CTE)`, each with its `.alias`). `Voyages` is `voyages`.
# - `engine.execute(sql)` gives a result with `columns` and `fetchmany(n)`. It raises
#   `duckdb.Error`.
# - `ToolError(kind, message, hint)` is how a tool says no. The model reads message and hint, and
#   does better: say what was wrong, and what to send instead.

# %%
import duckdb
import sqlglot
from sqlglot import exp

from harness.databases.sql_errors import nearest  # nearest("voyagez", ["voyages", ...])


def run_sql(sql: str, max_rows: int = 50) -> dict:
    """Read the data with one SELECT, at most `max_rows` rows of it.

    Returns columns, rows and row_count (of the rows returned), and "truncated": True where there
    were more. Raises ToolError for anything else, before it is run.
    """
    # TODO 1. Parse it. What can't be parsed is a ToolError ("failed").
    # TODO 2. Exactly one statement, and it is an exp.Query; else ToolError ("not_allowed").
    # TODO 3. No exp.DML, exp.Into or exp.Lock anywhere in it.
    # TODO 4. Every table is one of engine.tables or a name from WITH; else name the nearest.
    # TODO 5. Run it, fetch one row more than max_rows, and return the dict. A duckdb.Error is a
    #   ToolError that says what the engine said, without the lines that quote the SQL.
    ### BEGIN SOLUTION
    again = "Nothing was run. Send one SELECT or WITH ... SELECT over the tables."
    try:
        parsed = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise ToolError("failed", f"That can't be parsed: {str(error)[:200]}", again) from error
    statements = [s for s in parsed if s is not None and not isinstance(s, exp.Semicolon)]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise ToolError("not_allowed", "run_sql reads, one statement at a time.", again)
    tree = statements[0]
    if writes := tree.find(exp.DML, exp.Into, exp.Lock):
        raise ToolError("not_allowed", f"run_sql only reads; {writes.key} doesn't.", again)
    tables = {name.lower() for name in engine.tables}
    known = tables | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name.lower() not in known:
            close = ", ".join(nearest(table.name, sorted(tables)) or sorted(tables))
            raise ToolError("not_allowed", f"There is no table {table.name!r}.", f"Is it {close}?")
    try:
        result = engine.execute(sql)
        rows = result.fetchmany(max_rows + 1)
    except duckdb.Error as error:
        cause = " ".join(str(error).split("LINE 1")[0].split())
        raise ToolError("failed", cause, "Correct the SQL and call again.") from error
    answer = {"columns": result.columns, "rows": rows[:max_rows], "row_count": len(rows[:max_rows])}
    return {**answer, "truncated": True} if len(rows) > max_rows else answer
    ### END SOLUTION


# %%
from harness import check

check("run_sql")

# %% [markdown]
# ## Your wall, the same gallery

# %%
engine.reset()
past_the_wall(run_sql)
print("voyages left:  ", engine.count("voyages"))

# %% [markdown]
# One statement gets past it, if you did it as we did: a *function* that reads a setting is not a
# table. The harness's wall has a list of those; and behind it is the engine. Nobody's list is ever
# complete, which is why there are two walls.
#
# A refusal is an answer too. What would you rather get back?

# %%
for sql in ("SELECT * FROM voyagez", "SELECT delai_hours FROM voyages", "SELECT 1; SELECT 2"):
    try:
        run_sql(sql)
    except ToolError as error:
        print("ERROR:", error)

many = run_sql("SELECT * FROM cargo_items", max_rows=3)
print({**many, "columns": "...", "rows": f"{len(many['rows'])} of {engine.count('cargo_items'):,}"})

# %% [markdown]
# `truncated` is the most useful word in there. A model that isn't told takes the first rows for all
# of them, and counts.
#
# ## Sums in a sandbox
#
# Percentiles, weighted means, distances: neither in the model's head nor, if you can help it, in
# SQL. `exec_js` runs JavaScript in a process of its own that can compute, and that is all.

# %%
from harness.tools.sandbox import run_js

for code in [
    "const d = [3, 8, 1, 9, 4].sort((a, b) => a - b); return d[2]",
    "return (9 * 12.5 + 31 * 4) / (9 + 31)",
    'import t from "file:///etc/passwd" with {type: "text"}; return t',
    'return await import("file:///etc/passwd", {with: {type: "text"}})',
    'return Deno.readTextFileSync("/etc/passwd")',
    'return await fetch("https://example.com")',
    "return this.constructor.constructor('return process')().env",
    "while (true) {}",
]:
    result = run_js(code, seconds=1.0)
    print(code[:72])
    print("   ", result.value if result.ok else f"refused: {result.error}")

# %% [markdown]
# ## Should the model write SQL at all?
#
# Beside `run_sql` stand two narrow tools. `find_voyages` and `voyage_status` know the tables; the
# model only fills in values, and most of those are closed: six statuses, four regions. The same
# questions, once with one and once with the others. A goal is reached when the figures that the
# database gives stand in the answer.

# %%
from harness.course.labs.narrow_tools import compare, compare_at_best

print(compare())

# %% [markdown]
# That was the offline stand-in, which searches the knowledge thoroughly before it does anything,
# whatever tools it has. Those searches are most of the tokens in both columns. And a narrow tool
# returns what nobody asked for: twenty voyages, where their number was the question. The two
# questions that no narrow tool covers can't be answered at all without `run_sql`.
#
# What could be saved? Here a script plays a model that makes no call too many. For SQL it must
# search once, to learn tables, columns and values. For a narrow tool it need not: all that stands
# in the contract. The tools, their results and the token counts are real.

# %%
print(compare_at_best())

# %% [markdown]
# And then there is the price of being wrong. The same mistakes, made with both:

# %%
from textwrap import shorten

from harness.course.labs.narrow_tools import MISTAKES, told

silent = {"run_sql": 0, "narrow": 0}
for mistake, sql, tool, arguments in MISTAKES:
    general, narrow = told("run_sql", {"sql": sql}), told(tool, arguments)
    silent["run_sql"] += not general.startswith("ERROR")
    silent["narrow"] += not narrow.startswith("ERROR")
    print(f"{mistake}: {sql}")
    print("   run_sql:", shorten(general, 86, placeholder=" ..."))
    print("   narrow: ", shorten(narrow, 86, placeholder=" ..."))
print()
print(f"nobody was told: run_sql {silent['run_sql']}, narrow {silent['narrow']} of {len(MISTAKES)}")

# %% [markdown]
# `"status": "ok"`, and 0. Read those queries: as SQL none of them is wrong, and yet each answer,
# *none*, is false. This is what narrow tools are for: they can't ask a question that makes no
# sense. What they can't do is answer the one that nobody thought of. So: narrow tools for what is
# asked every day, and `run_sql` beside them, behind its walls, for the rest.
#
# ## Your turn: a narrow tool
#
# Every Monday somebody asks which voyages of a carrier came in late. The contract is written: it is
# the signature. The body is yours, on `engine`.
#
# - `engine.execute(sql, [values])` puts one value in the place of each `?`. **Never paste a value
#   into the text**: O'Brien Line has a quote in its name, and `x' OR '1'='1` is one as well.
# - An unknown carrier is an error that names those nearest to it (if any are), never an empty list.

# %%
from typing import Annotated, Literal

from pydantic import Field

Region = Literal["PACIFIC", "ATLANTIC", "INDIAN", "MEDITERRANEAN"]
Hours = Annotated[int, Field(ge=1, le=1000, description="Late by at least so many hours.")]


def late_arrivals(
    carrier: Annotated[str, "Name of the carrier that operated the voyage."],
    min_hours: Hours = 24,
    ocean_region: Annotated[Region | None, "Only voyages of this ocean region."] = None,
) -> dict:
    """List a carrier's voyages that arrived late, the longest delay first.

    Returns carrier (its name as the data has it), total (how many there are) and voyages: the
    first 20, each a dict with voyage_id, delay_hours and arrived_at.
    """
    # TODO 1. Get carrier_id and name of all carriers; find this one, whatever its letters' case.
    # TODO 2. Not there: ToolError("bad_arguments", ...) with nearest(carrier, names) in the hint.
    # TODO 3. Select its voyages with status ARRIVED and delay_hours of at least min_hours, of
    #   ocean_region where one is given: longest delay first, then by voyage_id. Values as ?.
    # TODO 4. Return carrier, total, voyages. dict(zip(result.columns, row)) makes a row a dict.
    ### BEGIN SOLUTION
    rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    names = {name.lower(): (carrier_id, name) for carrier_id, name in rows}
    if carrier.lower() not in names:
        close = nearest(carrier, [name for _, name in rows])
        raise ToolError(
            "bad_arguments",
            f"carrier: there is no {carrier!r}, and no name that looks like it."
            if not close
            else f"carrier: there is no {carrier!r}.",
            f"Did you mean {' or '.join(close)}?" if close else "Look it up in carriers.",
        )
    carrier_id, name = names[carrier.lower()]
    found = engine.execute(
        """SELECT voyage_id, delay_hours, arrived_at FROM voyages
           WHERE carrier_id = ? AND status = 'ARRIVED' AND delay_hours >= ?
             AND ocean_region = COALESCE(?, ocean_region)
           ORDER BY delay_hours DESC, voyage_id""",
        [carrier_id, min_hours, ocean_region],
    )
    voyages = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    return {"carrier": name, "total": len(voyages), "voyages": voyages[:20]}
    ### END SOLUTION


# %%
check("late_arrivals")

# %% [markdown]
# ## Register it, and let a model have it
#
# `@register` makes the guarded tool. What `Literal` and `Field` say is checked before your code
# runs, so your code never sees a region that isn't one.

# %%
from harness import register
from harness.tools.lint import lint

tool = register(
    when="someone asks which voyages of one carrier came in late; simpler than run_sql for that.",
    returns="'total' counts every match, 'voyages' the 20 with the longest delay_hours.",
    cost="low",
    example={"carrier": "Kestrel Ocean", "min_hours": 48},
    replace=True,
)(late_arrivals)
print("the linter finds:", lint(tool.contract, []))
print()
for arguments in (
    {"carrier": "kestrel ocean", "min_hours": 100},
    {"carrier": "Kestral Ocean"},
    {"carrier": "x' OR '1'='1"},
    {"carrier": "Kestrel Ocean", "ocean_region": "ARCTIC"},
    {"carrier": "Kestrel Ocean", "min_hours": 0},
):
    print(arguments)
    print("   ", shorten(told("late_arrivals", arguments), 160, placeholder=" ..."))

# %% [markdown]
# And in a turn. A script plays the model and gets the name wrong at first; the error tells it.

# %%
from harness import TurnConfig, run_turn, standin

turns = [
    standin.call("late_arrivals", carrier="Kestral Ocean", min_hours=100),
    standin.call("late_arrivals", carrier="Kestrel Ocean", min_hours=100),
    standin.say("Two voyages of Kestrel Ocean came in more than 100 hours late: 1055 and 1034."),
]
with standin.script(turns):
    turn = run_turn(
        "Which voyages of Kestral Ocean came in very late?",
        thread_id="monday",
        config=TurnConfig(tools=("late_arrivals",)),
    )
for step in turn.steps:
    print(step["tool"], "->", step["status"])
print(turn.answer)

# %% [markdown]
# ## The scoreboard

# %%
from harness import agent_turn, scoreboard

scoreboard(agent_turn)

# %% [markdown]
# **To keep**
#
# 1. Guard the tree, not the words; allow what you know; and put an engine that can't write behind.
# 2. Say what was refused and why, and say when rows are missing: the model does better for it.
# 3. Narrow tools can't ask nonsense; `run_sql` can ask anything. Measure which you need.
