"""The red map: what went wrong in a lab, beside what went right, as it was measured."""

Outcomes = dict[str, tuple[str, bool]]  # failure -> (what happened, whether that was good)

_RED, _GREEN = "#f2b8b5", "#b7dfb9"
_MARKS = {True: "good", False: "BAD "}  # figures in a picture can't be compared, words can


def draw_red_map(wrong: Outcomes, right: Outcomes) -> None:
    """A row for each failure: the naive loop's cell and the prepared one's, red or green.

    A failure whose cells were not all run yet is left out. The same is printed below as text.
    """
    import matplotlib.pyplot as plt

    names = [name for name in wrong if name in right]
    if not names:
        print("Nothing to show yet: run the cells above.")
        return
    figure, axes = plt.subplots(figsize=(9, 0.45 * len(names) + 0.6))
    for row, name in enumerate(names):
        for column, (text, good) in enumerate((wrong[name], right[name])):
            colour = _GREEN if good else _RED
            axes.barh(row, 0.98, left=column, height=0.9, color=colour)
            axes.text(column + 0.49, row, text, ha="center", va="center", fontsize=9)
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks([0.49, 1.49], ["a naive loop", "a prepared one"])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.spines[:].set_visible(False)
    figure.tight_layout()
    plt.show()
    left = [f"{_MARKS[wrong[name][1]]} {wrong[name][0]}" for name in names]
    width = max(map(len, left)) + 2
    for name, cell in zip(names, left, strict=True):
        print(f"{name:<21}{cell:<{width}}{_MARKS[right[name][1]]} {right[name][0]}")
