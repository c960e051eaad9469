"""Pictures of what a request costs: the tools in it, and how it grows with each step."""

import json
from collections.abc import Mapping, Sequence

from harness.model.tokens import count_tokens
from harness.tools.contract import ToolContract
from harness.ui.bar_chart import bars
from harness.ui.html import View, show


def draw_tool_costs(contracts: Sequence[ToolContract]) -> None:
    """A bar a tool: the tokens of its schema, and those that are sent only once it is used."""
    sent = {each.name: count_tokens(json.dumps(each.schema)) for each in contracts}
    later = {each.name: count_tokens(f"{each.returns}{each.instructions}") for each in contracts}
    parts = {name: {"every request": sent[name], "once used": later[name]} for name in sent}
    lines = [f"{'tool':<24}{'every request':>14}{'once used':>12}"]
    lines += [f"{name:<24}{sent[name]:>14}{later[name]:>12}" for name in sent]
    lines.append(f"{'all of them':<24}{sum(sent.values()):>14}{sum(later.values()):>12}")
    show(View("\n".join(lines), bars("Tokens of each tool", parts).html))


def draw_requests(series: Mapping[str, Sequence[int]], window: int) -> None:
    """A bar a request of each run: its tokens, beside the window of the model."""
    rows = {f"{name}, {n}": c for name, run in series.items() for n, c in enumerate(run, 1)}
    lines = [f"{name}: {' '.join(f'{c:,}' for c in tokens)}" for name, tokens in series.items()]
    picture = bars("Tokens of each request", rows, limits=dict.fromkeys(rows, window))
    show(View("\n".join([*lines, f"the window: {window:,}"]), picture.html))
