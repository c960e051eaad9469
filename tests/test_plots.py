"""Pictures: the same figures are the same bytes, and every figure is in words as well."""

import base64
import re
import xml.etree.ElementTree as ElementTree

from harness.course.staging import made_events
from harness.ui import draw_conversation
from harness.ui.bar_chart import bars
from harness.ui.budgets import draw_requests
from harness.ui.measure_plots import compounding, goal_completion, recall_of
from harness.ui.trace_plots import latency_by_phase

SVG = "{http://www.w3.org/2000/svg}"


def svg_of(view):
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', view.html)
    return ElementTree.fromstring(base64.b64decode(data[1]))


def made():
    rows = {"prompt & tools": {"system": 700, "tools": 1900}, "context": {"memory": 90}}
    return bars("A request", rows, unit="tokens", limits={"prompt & tools": 3_000})


def test_the_same_figures_are_the_same_bytes():
    assert made().html == made().html and "matplotlib" not in made().html


def test_every_figure_is_in_words():
    assert made().text.splitlines() == [
        "A request",
        "prompt & tools  2,600 tokens of 3,000",
        "  system          700",
        "  tools           1,900",
        "context         90 tokens",
        "  memory          90",
    ]
    assert 'alt="A request; prompt &amp; tools  2,600 tokens of 3,000;' in made().html


def test_a_limit_is_drawn_across_its_own_row_only():
    [line] = svg_of(made()).iter(f"{SVG}line")
    first = next(r for r in svg_of(made()).iter(f"{SVG}rect") if r.get("height") == "18")
    assert float(line.get("y1")) < float(first.get("y")) < float(line.get("y2"))
    assert float(line.get("y2")) - float(line.get("y1")) < 28
    bar_end = 200 + 400 * 2_600 / 3_000
    assert float(line.get("x1")) > bar_end


def test_bars_are_as_long_as_their_figures():
    rects = list(svg_of(bars("x", {"a": 1, "b": 4})).iter(f"{SVG}rect"))
    widths = [float(r.get("width")) for r in rects if r.get("height") == "18"]
    assert widths == [100.0, 400.0]


def test_nothing_to_draw_is_no_accident():
    assert bars("nothing", {}).text == "nothing"
    assert bars("zero", {"a": 0}).text.endswith("a  0")


def test_what_layers_come_to():
    text = compounding({"select": 0.9, "call": 0.5}, end_to_end=0.4).text
    assert "all, multiplied       0.45" in text and "end to end, measured  0.40" in text
    assert "count (3 of 4)  0.75" in goal_completion({"count": (3, 4)}).text
    assert "fused    0.83" in recall_of({"meaning": 0.77, "fused": 0.83}, 5).text


def test_time_goes_to_the_context_the_model_and_tools():
    turn = [
        *made_events.asked(5.0),
        *made_events.planned(1, "call weigh", 40.0),
        *made_events.called(1, "weigh", ms=10.0),
        *made_events.ended(ms=500.0),
    ]
    lines = latency_by_phase([turn, turn]).text.splitlines()[1:]
    assert lines == ["the model    80 ms", "weigh        20 ms", "the context  10 ms"]


def test_what_a_request_carries_and_costs_is_said_in_words(capsys):
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": "", "tool_calls": [call, {**call, "id": "2"}]},
        {"role": "tool", "tool_call_id": "1", "content": "eleven"},
    ]
    draw_conversation(messages)
    said = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in said[:2]] == ["user", "calls 2 x look"]
    tokens = [int(line.split()[-2]) for line in said]
    assert sum(tokens[:3]) == tokens[3]
    draw_requests({"all": [900, 1_200], "fitted": [900]}, 1_000)
    assert capsys.readouterr().out.splitlines() == [
        "all: 900 1,200", "fitted: 900", "the window: 1,000",
    ]  # fmt: skip
