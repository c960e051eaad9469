"""`python -m harness lint-tools`: the faults of our tool contracts."""

from harness.commands.fitting import say
from harness.tools.lint import lint_all
from harness.tools.toolbox import contracts


def main() -> int:
    """A line a finding; returns 1 where there are any."""
    import harness.tools  # noqa: F401  fills the toolbox

    found = lint_all()
    for finding in found:
        say(finding)
    if not found:
        say(f"{len(contracts())} tools, no findings.")
    return 1 if found else 0
