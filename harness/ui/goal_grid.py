"""A picture of which goals an agent reaches, one row for each way of running it."""

from collections.abc import Mapping

from harness.evals.scoreboard import Scoreboard
from harness.ui.html import Raw, View, marked, show, table


def draw_goals(boards: Mapping[str, Scoreboard]) -> None:
    """A cell for each goal of each board, green where it was reached; as text, the figures."""
    names = [row.task.name for row in next(iter(boards.values())).rows]
    lines, rows = [], []
    for board, scored in boards.items():
        reached = [row.reached for row in scored.rows]
        missed = [goal for goal, done in zip(names, reached, strict=True) if not done]
        lost = f"   missed: {', '.join(missed)}" if missed else ""
        lines.append(f"{board:<22}{sum(reached)} of {len(names)} goals{lost}")
        cells = [
            Raw(marked("reached", "good") if done else marked("missed", "bad")) for done in reached
        ]
        rows.append([board, *cells])
    show(View("\n".join(lines), table(["", *names], rows)))
