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
# ## A list of tools, and what it lets out
#
# The desk has new tools: `draft_notice`, `send_notice`, `rebook_container`, `cancel_rebooking`.
# They write to an outbox that a program can read. Everybody's first idea is to list the tools that
# the agent may use. Here it decides about two notices of the same words, one to a colleague and one
# to a newspaper:

# %%
from harness.course.labs.two_notices import at_the_desk

ALLOWED = ["draft_notice", "send_notice"]


def by_list(tool: str, request: dict) -> str:
    return "allow" if tool in ALLOWED else "deny"


by_the_list = at_the_desk(by_list)

# %% [markdown]
# The newspaper knows that the engine has failed. Which line of the list would you delete? Without
# `send_notice`, the colleague hears nothing either. The tool is the same both times; what differs
# stands in the *request*, in what this call would do:

# %%
from pprint import pprint

from harness.course.labs.two_notices import COLLEAGUE, NEWSPAPER, request_to_send, rights_of

inside, outside = request_to_send(COLLEAGUE), request_to_send(NEWSPAPER)
pprint(outside, sort_dicts=False)
print("to the colleague:", {key: inside[key] for key in inside if inside[key] != outside[key]})

# %% [markdown]
# So rights have to speak of what a call does. Seven things about it count, the **axes**:
#
# | axis | it asks | here |
# | --- | --- | --- |
# | resource | what is touched | a notice |
# | action | what is done to it | send |
# | destination | where it lands | outside/elsewhere.example |
# | reversibility | the worst that may happen | irreversible |
# | time | when the right begins and ends | at noon |
# | quantity | how much of which unit: at once, in a turn, an hour, a tenant's day | 1 notice |
# | approval | whether the user must say yes first, and has | not yet |
#
# (A *tenant* is everybody who shares the system: a customer, an office.) A **grant** speaks of all
# seven; an axis that it does not name is denied, not unlimited. Grants together are an
# **envelope**, and an envelope is a file. These two grants of `data/roles/dispatcher.yaml` are
# about sending:

# %%
dispatcher = rights_of("dispatcher")
for grant in dispatcher["grants"]:
    if "send" in grant["action"]:
        pprint(grant, sort_dicts=False)

# %% [markdown]
# ## Your turn: the decision
#
# Everything hangs on one pure function: an envelope and a request in, a verdict out. It has no
# clock and no database; both come with the request.
#
# - `envelope["denials"]` is a list like `envelope["grants"]`, or is not there.
# - Resource, action and destination of a grant are lists; one name that covers the request's is
#   enough. `covers("outside", "outside/acme.example")` is true: a name covers what is below it.
# - Reversibility is a ceiling: `no_worse("reversible", "irreversible")` is true.
# - `grant["time"]` is `"session"`, which is always, or a pair of datetimes:
#   `start <= request["at"] < end`.
# - Of the quantity's four tiers, `action` limits `request["amount"]`; of `turn`, `hour` and
#   `tenant_day`, `request["used"]` says what is gone already.
# - `grant["approval"]` is `"none"`, or `"user"`: then `request["approved"]` must be true.
# - An envelope without any grant allows nothing: `("deny", "resource")`.

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
# The two notices again, at the same desk, judged by yours:

# %%
by_the_axes = at_the_desk(lambda tool, request: authorize(dispatcher, request))

# %% [markdown]
# *Ask* is the third answer that a list of tools doesn't have: not yet, somebody must say yes first.
#
# ## The worst, before the run
#
# From an envelope and from what the tools declare, a program works out the worst single action, the
# worst hour of a user and the worst day of a tenant. Do that before you choose a model.

# %%
from harness.commands.envelope_table import report
from harness.guards.role_rights import role
from harness.guards.worst_case import worst_case
from harness.tools.operations import TOOLKIT

operations = [tool.contract for tool in TOOLKIT]
envelope = role("dispatcher").envelope
names = [contract.name for contract in operations]
print("\n".join(report(envelope, worst_case(envelope, operations), names)))

# %% [markdown]
# A row is one effect of a tool under one grant that allows it. `rebook_container` has two effects:
# until a ship is being loaded it can be taken back, afterwards not. One grant allows only what can
# be taken back. Another one asks, and allows both, because reversibility is a ceiling. That makes
# three rows.
#
# Too much? Then shrink the tool before you narrow a grant: `send_notice` takes one draft with one
# address, so that *worst single action* can't be a mail to everybody.
#
# ## Where it stands
#
# The harness calls its own version between the validation of the arguments and the run, for every
# tool and under every loop. You can't forget to ask it. Not even a function that somebody puts into
# `TOOLS` by hand gets past it. A *guest* may look at the data, and do nothing else:

# %%
from harness import TOOLS, session
from harness.course.labs.two_notices import call
from harness.tools.toolbox import spare_toolbox


def wipe(path: str = "everything") -> str:
    """Wipe a path."""
    return f"wiped {path}"


guest = role("guest").envelope
with spare_toolbox():
    TOOLS["wipe"] = (wipe, {"type": "function", "function": {"name": "wipe"}})
    print("no envelope:", call("wipe"))
    with session(envelope=guest):
        print("a guest:    ", call("wipe"))
        with session(role="admin"):  # a session inside another one never widens it
            print("as admin:   ", call("wipe"))
        print("a guest:    ", call("run_sql", sql="SELECT COUNT(*) AS n FROM voyages")["rows"])

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
print("such as:", corpus[0].text)
for title, rights in (("a guest", {"envelope": guest}), ("dispatcher", {})):
    with desk() as at:
        outcomes = [attempt(each, at, **rights) for each in corpus]
    changed = Counter(kind for outcome in outcomes for kind in outcome.changed)
    waited = sum(outcome.got == "the turn waits for the user" for outcome in outcomes)
    refused = sum(outcome.got.startswith("ERROR") for outcome in outcomes)
    print(f"{title:<11} refused {refused}, waiting for a yes {waited}, changed {dict(changed)}")

# %% [markdown]
# Under a guest's envelope nothing happened at all. Under the dispatcher's, what happened is what a
# dispatcher may do without being asked: it is inside the company and mostly can be taken back. That
# is all that an envelope promises. It does not make the model right.
#
# And *reading* is not safe by itself. What is read gives orders, as you saw; and what is read can
# leave, by any tool that writes. That is why the destination is an axis.
#
# ## The yes
#
# A turn that needs a yes pauses, with what would be done in words and as data. The yes belongs to
# this call, with these arguments, of this user; it expires, and it works once. Then the very turn
# goes on, here or in another process.

# %%
from harness import TurnConfig, run_turn, standin
from harness.approvals import approve, find, resume
from harness.databases import outbox

with session(user="dana", role="dispatcher", tenant="part 10"):
    draft = call("draft_notice", to="ops@acme.example", subject="Voyage 1479", body="Late.")
    notice = {"notice_id": draft["notice_id"]}
    with standin.script([standin.call("send_notice", **notice)]):
        paused = run_turn("Send it.", config=TurnConfig(tools=("send_notice",)))
    print(paused.status)
    print(find(paused.approval_id).words.replace(draft["notice_id"], "the draft"))
    approve(paused.approval_id)
    with standin.script([standin.say("It is sent.")]):
        print(resume(paused.approval_id).answer)
    print("sent to", outbox.entries("notice", "sent")[-1].content["to"])
    # A second one would need a yes of its own:
    print(str(call("send_notice", **notice)).partition(" Send ")[0])

# %% [markdown]
# ## The agent, one guarantee further
#
# From here on each part ends with this picture. Its last line is what the cells above have shown.

# %%
from harness.course.labs.growth import now_it_can

before, now = (f"to the newspaper: {came[NEWSPAPER]}" for came in (by_the_list, by_the_axes))
now_it_can(
    "10",
    before=(before, by_the_list[NEWSPAPER] != "sent"),
    now=(now, by_the_axes[NEWSPAPER] != "sent" and by_the_axes[COLLEAGUE] == "sent"),
)

# %% [markdown]
# **To keep**
#
# 1. Seven axes, and what is not named is denied. A list of tools can't say it.
# 2. Work out the worst action, hour and tenant before the run; shrink the tool before the grant.
# 3. The decision stands under the loop, in data. No text that a model reads can change it.
