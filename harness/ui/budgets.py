"""Pictures of what a request costs: the tools in it, and how it grows with each step."""

import json
from collections.abc import Mapping, Sequence

from harness.model.tokens import count_tokens
from harness.tools.contract import ToolContract

_SENT, _LATER, _LINES = "#4c78a8", "#f2cf5b", ("#e45756", "#4c78a8", "#54a24b", "#b279a2")


def draw_tool_costs(contracts: Sequence[ToolContract]) -> None:
    """A bar a tool: the tokens of its schema, and those that are sent only once it is used."""
    import matplotlib.pyplot as plt

    names = [each.name for each in contracts]
    sent = [count_tokens(json.dumps(each.schema)) for each in contracts]
    later = [count_tokens(f"{each.returns}{each.instructions}") for each in contracts]
    figure, axes = plt.subplots(figsize=(8, 0.3 * len(names) + 1))
    axes.barh(names, sent, color=_SENT, label="schema: with every request")
    axes.barh(names, later, left=sent, color=_LATER, label="only once it is used")
    axes.invert_yaxis()
    axes.set_xlabel("tokens")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    figure.tight_layout()
    plt.show()
    print(f"{'tool':<24}{'every request':>14}{'once used':>12}")
    for name, now, then in zip(names, sent, later, strict=True):
        print(f"{name:<24}{now:>14}{then:>12}")
    print(f"{'all of them':<24}{sum(sent):>14}{sum(later):>12}")


def draw_requests(series: Mapping[str, Sequence[int]], window: int) -> None:
    """A line a run: the tokens of each request, beside the window of the model."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.4))
    for (name, tokens), colour in zip(series.items(), _LINES, strict=False):
        axes.plot(range(1, len(tokens) + 1), tokens, marker="o", color=colour, label=name)
    axes.axhline(window, color="#333333", linestyle="--", label=f"the window: {window:,}")
    axes.set_xlabel("request")
    axes.set_ylabel("tokens")
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.tight_layout()
    plt.show()
    for name, tokens in series.items():
        print(f"{name}: {' '.join(f'{count:,}' for count in tokens)}")
    print(f"the window: {window:,}")
