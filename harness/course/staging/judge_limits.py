"""What is judged of `delegate`: how long, how often and how deep a subagent may work."""

from typing import Any

from harness import standin
from harness.course.staging.subagent_bench import Subagents, contract_of, look
from harness.delegation import MAX_DEPTH
from harness.guards.role_rights import role
from harness.session import as_subagent, deadline

GOOD = '{"crates": 7}'
SECONDS = (
    "budget_seconds=min(contract.seconds, current_session().seconds_left() * contract.share). "
    "run = f'{contract.name}-{uuid.uuid4().hex[:8]}' is a good name for its thread as well."
)


def capped(watched: Subagents) -> None:
    """Its rounds and its seconds are those of the contract, within what is left."""
    contract = contract_of(max_turns=3)
    rows = iter(range(100))

    def endless(request: dict[str, Any]) -> Any:
        return look(next(rows)) if request.get("tools") else standin.say(GOOD)

    when = "the subagent never stops calling tools"
    done = watched.run(when, [endless] * 40, contract)
    if done is not None and len(watched.ran) == 3 and done.boundary != "turn":
        watched.add(
            "failure_hidden",
            f"When {when} and is cut off, the boundary is {done.boundary!r}, not 'turn'.",
            "result.status != 'completed': how the turn ended counts, not what was said last.",
        )
    if not watched.hopeless and len(watched.ran) != 3:
        watched.add(
            "cap_ignored",
            f"Its contract allows 3 rounds, and it had {len(watched.ran)}.",
            "max_iterations=contract.max_turns",
        )
    for left, seconds, share, code in (
        (20.0, 60.0, 0.5, "share"),
        (40.0, 60.0, 0.2, "share"),
        (900.0, 8.0, 0.5, "seconds"),
    ):
        most = min(seconds, left * share)
        when = f"{left:g} s are left, and the contract says {seconds:g} s and {share:.0%} of it"
        contract = contract_of(seconds=seconds, share=share)
        with deadline(left):
            watched.run(when, [look(), standin.say(GOOD)], contract)
        if watched.hopeless or not watched.ran:
            return
        had = watched.ran[0].seconds_left
        if not 0.7 * most < had < most + 0.5:  # a turn keeps some back for its last answer
            watched.add(
                f"{code}_ignored" if had > most else "seconds_short",
                f"When {when}, the subagent had {had:.0f} s.",
                SECONDS,
            )
            return


def depth(watched: Subagents) -> None:
    """A subagent may have a subagent, and that one none."""
    when = "it is two subagents deep already"
    rights = role("guest").envelope
    with as_subagent("one", "one-1", rights):
        first = watched.run("it is one subagent deep", [standin.say(GOOD)], contract_of())
    if first is not None and not first.ok:
        watched.add(
            "not_deep",
            f"One subagent deep, it did not start another: {first.boundary!r}.",
            f"MAX_DEPTH is {MAX_DEPTH}: len(current_session().runs) >= MAX_DEPTH",
        )
    with as_subagent("one", "one-1", rights), as_subagent("two", "two-1", rights):
        done = watched.run(when, [standin.say(GOOD)], contract_of())
    if done is not None and (watched.requests or done.boundary != "authority"):
        watched.add(
            "too_deep",
            f"When {when}, a third was started."
            if watched.requests
            else f"When {when}, the boundary is {done.boundary!r}, not 'authority'.",
            "len(current_session().runs) >= MAX_DEPTH",
        )
