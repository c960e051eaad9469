"""A picture of what a request costs, part by part."""


def draw_layers(tokens: dict[str, int], budget: int | None = None) -> None:
    """One bar for the parts of a request, each as long as its tokens; the figures below it.

    `budget` is a number of tokens to draw a line at.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 1.9))
    start = 0
    for name, count in tokens.items():
        axes.barh([0], [count], left=[start], label=f"{name} {count:,}")
        start += count
    if budget is not None:
        axes.axvline(budget, color="black", linestyle="--", linewidth=1)
    axes.set_yticks([])
    axes.set_xlabel("tokens")
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(loc="upper center", ncols=len(tokens), frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 0.85))
    plt.show()
    for name, count in tokens.items():
        print(f"{name:<16}{count:>7,} tokens")
    print(f"{'together':<16}{start:>7,} tokens")
