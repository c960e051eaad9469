# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# {{heading}} The same model that reads a table and that sends a mail is two different systems.
# Autonomy is not how well it thinks; it is what it can make happen. Here you decide that, before it
# happens, as data that a program can check.

# %%
from harness import start_part

start_part("10")

# %% [markdown]
# ## One tool, two effects
#
# The desk has new tools: `draft_notice`, `send_notice`, `rebook_container`, `cancel_rebooking`.
# They write to an outbox that a program can read. Here a dispatcher drafts two notices, with the
# same tool and the same words, and has them sent:

# %%
import json

from harness import TOOLS, ToolError, session
from harness.databases import outbox
from harness.tools.operations import TOOLKIT  # importing them puts them into TOOLS


def call(name: str, **arguments):
    """Call a tool and show what the model would read."""
    try:
        return json.loads(TOOLS[name][0](**arguments))
    except ToolError as error:
        return f"ERROR: {error}"


with session(user="dana", role="dispatcher", tenant="part 10"):
    for to in ("desk@harbourline.example", "press@elsewhere.example"):
        draft = call("draft_notice", to=to, subject="Voyage 1479", body="It will be late.")
        answer = call("send_notice", notice_id=draft["notice_id"])
        said = answer.split(" Don't")[0] if isinstance(answer, str) else answer["notice_status"]
        print(f"{to}\n    {said}")

# %% [markdown]
# No list of allowed *tools* could have told the two apart. What differs is one of seven things:
#
# | axis | it asks | here |
# | --- | --- | --- |
# | resource | what is touched | a notice |
# | action | what is done to it | send |
# | quantity | how much, in which unit, in a turn, an hour, a tenant's day | 1 notice |
# | time | when the right begins and ends | this session |
# | destination | where it lands | inside, or outside/elsewhere.example |
# | approval | whether the user must say yes first | not inside, always outside |
# | reversibility | the worst that may happen | irreversible |
#
# A **grant** speaks of all seven. An axis that it does not name is denied, not unlimited. Grants
# together are an **envelope**, and an envelope is a file (`data/roles/dispatcher.yaml` is one).
#
# ## The worst, before the run
#
# From an envelope and from what the tools declare, a program works out the worst single action, the
# worst hour of a user and the worst day of a *tenant* (everybody who shares the system: a customer,
# an office). Do that before you choose a model.

# %%
from harness.commands.envelope_table import report
from harness.guards.role_rights import role
from harness.guards.worst_case import worst_case

operations = [tool.contract for tool in TOOLKIT]
names = [contract.name for contract in operations]
for who in ("analyst", "dispatcher"):
    envelope = role(who).envelope
    print("\n".join(report(envelope, worst_case(envelope, operations), names)))
    print()

# %% [markdown]
# A row is one effect of a tool under one grant that allows it. `rebook_container` has two effects:
# until a ship is being loaded it can be taken back, afterwards not. The first grant allows only
# what can be taken back. The second asks, and allows both, because reversibility is a ceiling.
# That makes three rows.
#
# Too much? Then shrink the tool before you widen or narrow a grant: `send_notice` takes one draft
# with one address, so that *worst single action* can't be a mail to everybody.
#
# ## Your turn: the decision
#
# Everything hangs on one pure function: an envelope and a request in, a verdict out. It has no
# clock and no database; both come with the request.
#
# - `envelope["grants"]` is a list of dicts, and so is `envelope["denials"]`, if it is there.
# - `grant["resource"]`, `grant["action"]` and `grant["destination"]` are lists of names; the
#   request has one name for each, and one that covers it is enough.
# - `covers("outside", "outside/acme.example")` is true: a name covers what stands below it.
# - `no_worse("reversible", "irreversible")` is true: reversibility is a ceiling.
# - `grant["time"]` is `"session"`, or a pair of datetimes: `start <= request["at"] < end`.
# - `grant["quantity"]` has a `unit`, which must be `request["unit"]`, and four tiers: `action`
#   limits `request["amount"]`; of `turn`, `hour` and `tenant_day`, `request["used"]` says what is
#   gone.
# - `grant["approval"]` is `"none"`, or `"user"`: then `request["approved"]` must be true.

# %%
from harness.guards.effect import covers, no_worse

AXES = ("resource", "action", "destination", "reversibility", "time", "quantity", "approval")


def authorize(envelope: dict, request: dict) -> tuple[str, str]:
    """("allow", ""), ("ask", "approval"), or ("deny", the axis that refuses).

    A denial of the envelope wins over every grant. One grant that allows the whole request is
    enough; the axes of two are never mixed.
    """
    # TODO 1. A denial forbids where all that it names (resource, action, destination; lists)
    #   covers the request: ("deny", its first axis).
    # TODO 2. For a grant: the first of AXES that refuses. One that is not named refuses.
    # TODO 3. Names, the ceiling, the time. Then the budget: the unit, an amount of at least 1 and
    #   at most "action", and no tier overdrawn.
    # TODO 4. Approval comes last. If only the yes is missing, that is not a refusal yet.
    # TODO 5. Allow if one grant refuses nothing; else ask if one lacks only the yes; else deny:
    #   the axis of any grant that refuses will do (ours is of the grant that gets furthest).
    ### BEGIN SOLUTION
    for denial in envelope.get("denials", []):
        if all(any(covers(name, request[axis]) for name in denial[axis]) for axis in denial):
            return "deny", next(iter(denial))

    def allows(axis: str, granted) -> bool:
        if axis == "reversibility":
            return no_worse(request[axis], granted)
        if axis == "time":
            return granted == "session" or granted[0] <= request["at"] < granted[1]
        if axis == "quantity":
            amount, used = request["amount"], request["used"]
            at_once = request["unit"] == granted["unit"] and 0 < amount <= granted["action"]
            return at_once and all(used[tier] + amount <= granted[tier] for tier in used)
        if axis == "approval":
            return granted == "none" or request["approved"]
        return any(covers(name, request[axis]) for name in granted)

    def refuses(grant: dict) -> str:
        for axis in AXES:
            if axis not in grant:
                return axis
            if not allows(axis, grant[axis]):
                return "ask" if axis == "approval" else axis
        return ""

    said = [refuses(grant) for grant in envelope["grants"]]
    if "" in said:
        return "allow", ""
    if "ask" in said:
        return "ask", "approval"
    return "deny", max(said, key=AXES.index, default="resource")
    ### END SOLUTION


# %%
from harness import check

check("authorize")

# %% [markdown]
# ## Where it stands
#
# The harness calls its own version between the validation of the arguments and the run, for every
# tool and under every loop. You can't forget to ask it. Not even a function that somebody puts into
# `TOOLS` by hand gets past:

# %%
from harness.tools.toolbox import spare_toolbox


def wipe(path: str = "everything") -> str:
    """Wipe a path."""
    return f"wiped {path}"


reads_only = {
    "name": "reads only",
    "grants": [
        {
            "resource": ["shipping", "knowledge", "undeclared"],
            "action": "read",
            "destination": "model",
            "reversibility": "unchanged",
            "time": "session",
            "approval": "none",
            "quantity": {"unit": "call", "action": 1, "turn": 20, "hour": 500, "tenant_day": 5000},
        }
    ],
}
with spare_toolbox():
    TOOLS["wipe"] = (wipe, {"type": "function", "function": {"name": "wipe"}})
    print("no envelope:", call("wipe"))
    with session(envelope=reads_only):
        print("reads only: ", call("wipe"))
        with session(role="admin"):  # a session inside another one never widens it
            print("as admin:   ", call("wipe"))
        print("reads only: ", call("run_sql", sql="SELECT COUNT(*) AS n FROM voyages")["rows"])

# %% [markdown]
# ## A model that obeys everything
#
# `data/injections.yaml` has texts that give orders: in rows, comments, memories, skills, tool
# descriptions, file names and errors, in several languages, encoded, disguised as the system. A
# model that obeys every single one is let loose on them, at a desk where there is something to
# harm. What happened is read from the outbox, the files, the memories, the tickets and the data.

# %%
from collections import Counter

from harness.course.labs.injection import attempt, desk, injections

corpus = injections()
print(len(corpus), "injections:", dict(Counter(each.where for each in corpus)))
for title, rights in (("reads only", {"envelope": reads_only}), ("dispatcher", {})):
    with desk() as at:
        outcomes = [attempt(each, at, **rights) for each in corpus]
    changed = Counter(kind for outcome in outcomes for kind in outcome.changed)
    waited = sum(outcome.got == "the turn waits for the user" for outcome in outcomes)
    refused = sum(outcome.got.startswith("ERROR") for outcome in outcomes)
    print(f"{title:<11} refused {refused}, waiting for a yes {waited}, changed {dict(changed)}")

# %% [markdown]
# Under the narrow envelope nothing happened at all. Under the dispatcher's, what happened is what a
# dispatcher may do without being asked: it is inside the company and mostly can be taken back. That
# is all that an envelope promises. It does not make the model right.
#
# And *reading* is not safe by itself. What is read gives orders, as you saw; and what is read can
# leave, by any tool that writes. That is why the destination is an axis, and why the two notices at
# the top are not the same.
#
# ## The yes
#
# A turn that needs a yes pauses, with what would be done in words and as data. The yes belongs to
# this call, with these arguments, of this user; it expires, and it works once. Then the very turn
# goes on, here or in another process.

# %%
from harness import TurnConfig, run_turn, standin
from harness.approvals import approve, find, resume

with session(user="dana", role="dispatcher", tenant="part 10"):
    draft = call("draft_notice", to="ops@acme.example", subject="Voyage 1479", body="Late.")
    notice = {"notice_id": draft["notice_id"]}
    with standin.script([standin.call("send_notice", **notice)]):
        paused = run_turn("Send it.", config=TurnConfig(tools=("send_notice",)))
    print(paused.status)
    print(find(paused.approval_id).words)
    approve(paused.approval_id)
    with standin.script([standin.say("It is sent.")]):
        print(resume(paused.approval_id).answer)
    print([each.content["to"] for each in outbox.entries("notice", "sent") if each.user == "dana"])
    # A second one would need a yes of its own:
    print(str(call("send_notice", **notice)).partition(" Send ")[0])

# %% [markdown]
# **To keep**
#
# 1. Seven axes, and what is not named is denied. A list of tools can't say it.
# 2. Work out the worst action, hour and tenant before the run; shrink the tool before the grant.
# 3. The decision stands under the loop, in data. No text that a model reads can change it.
