"""A picture of which goals an agent reaches, one row for each way of running it."""

from collections.abc import Mapping

from harness.evals.scoreboard import Scoreboard


def draw_goals(boards: Mapping[str, Scoreboard]) -> None:
    """A square for each goal of each board, filled where it was reached; the figures below it."""
    import matplotlib.pyplot as plt  # slow to load

    names = [row.task.name for row in next(iter(boards.values())).rows]
    reached = [[row.reached for row in board.rows] for board in boards.values()]
    figure, axes = plt.subplots(figsize=(1.6 + 0.9 * len(names), 0.8 + 0.4 * len(boards)))
    axes.imshow(reached, cmap="Blues", vmin=-0.2, vmax=1.6, aspect="auto")
    for y, row in enumerate(reached):
        for x, done in enumerate(row):
            axes.text(x, y, "reached" if done else "missed", ha="center", va="center", fontsize=8)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(boards)), list(boards))
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)
    figure.tight_layout()
    plt.show()
    for name, row in zip(boards, reached, strict=True):
        missed = [goal for goal, done in zip(names, row, strict=True) if not done]
        lost = f"   missed: {', '.join(missed)}" if missed else ""
        print(f"{name:<22}{sum(row)} of {len(names)} goals{lost}")
