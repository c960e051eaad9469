"""`python -m harness envelope FILE`: what an envelope lets our tools do at worst, as a table."""

from pathlib import Path

from harness.commands.fitting import say, table
from harness.errors import WorkshopError
from harness.guards.envelope import AXES, Envelope
from harness.guards.envelope_file import read_envelope
from harness.guards.role_rights import role, role_files
from harness.guards.worst_case import Reach, WorstCase, worst_case
from harness.tools.toolbox import contracts, include, spare_toolbox

_HEAD = ("tool", "may", "to", "at worst", "asks", "at once", "turn", "hour", "tenant's day")


def main(source: str) -> int:
    """Print the table of a file, or of a role by its name. Returns 0."""
    envelope = _envelope(source)
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT  # registers as it loads

        include(*TOOLKIT)
        tools = contracts()
    for line in report(envelope, worst_case(envelope, tools), [tool.name for tool in tools]):
        say(line)
    return 0


def _envelope(source: str) -> Envelope:
    path = Path(source)
    named = source in role_files() and not path.exists()
    if named or path.resolve() in [file.resolve() for file in role_files().values()]:
        return role(path.stem).envelope
    if not path.exists():
        raise WorkshopError(
            f"There is no role and no file {source!r}.",
            f"Name a role ({', '.join(sorted(role_files()))}) or a YAML file.",
        )
    return read_envelope(path)


def report(envelope: Envelope, worst: WorstCase, tools: list[str]) -> list[str]:
    """The lines: what is within reach, what is not, and the worst of it."""
    rows = [_HEAD, *(_row(reach) for reach in worst.reaches)]
    reached = {reach.tool for reach in worst.reaches}
    denied = [name for name in tools if name not in reached]
    lines = [f"{envelope.name}: {len(envelope.grants)} grants, {len(envelope.denials)} denials", ""]
    lines += [table(rows), "", f"denied: {', '.join(denied) or 'no tool'}", *_idle(envelope), ""]
    one = worst.action
    lines.append(f"worst single action: {one.tool}, {one.effect}" if one else "nothing is allowed")
    for title, counts in (
        ("worst hour of a user", worst.hour),
        ("worst day of a tenant", worst.tenant_day),
    ):
        listed = ", ".join(f"{n:,} x {unit}" for unit, n in counts.items())
        lines.append(f"{title}: {listed or 'nothing changes and nothing leaves'}")
    return lines


def _row(reach: Reach) -> tuple[str, ...]:
    effect = reach.effect
    return (
        reach.tool,
        f"{effect.action} {effect.resource}",
        effect.destination,
        effect.reversibility,
        "yes" if reach.ask else "no",
        f"{effect.amount} {effect.unit}",
        f"{reach.turn:,}",
        f"{reach.hour:,}",
        f"{reach.tenant_day:,}",
    )


def _idle(envelope: Envelope) -> list[str]:
    """Grants that leave an axis out, and so grant nothing."""
    lines = []
    for number, grant in enumerate(envelope.grants, 1):
        left_out = [axis for axis in AXES if getattr(grant, axis) is None]
        if left_out:
            lines.append(f"grant {number} grants nothing: it does not name {', '.join(left_out)}")
    return lines
