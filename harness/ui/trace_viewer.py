"""A trace viewer: the turns to choose from, and one of them in every detail."""

from typing import Any

import ipywidgets as widgets

from harness.errors import WorkshopError
from harness.traces import trace_reader
from harness.traces.trace_reader import TurnSummary
from harness.traces.turn_path import decision_path
from harness.ui.conversation_view import show_conversation
from harness.ui.html import card, escape, faint, pre, table, widget_bundle
from harness.ui.own_keys import with_own_keys
from harness.ui.run_again import requests_of, run_again
from harness.ui.trace_plots import LAYERS, layer_tokens, tokens_by_step
from harness.ui.turn_card import cost, turn_html
from harness.ui.turn_worker import TurnWorker

Event = dict[str, Any]

_LISTED = 200  # turns in the list at once: filter to see others
_BAR = "background:var(--jp-brand-color1, #1976d2);height:.8em;display:inline-block"


class TraceViewer:
    """What `trace_viewer()` shows: a list to filter, and the turn that is chosen in it."""

    def __init__(self, trace_id: str = "") -> None:
        self._load()
        self.events: list[Event] = []
        self._worker: TurnWorker | None = None
        self._build()
        self.filter()
        if trace_id or self.turns:
            self.open(trace_id or self.turns[0].trace_id)

    def _build(self) -> None:
        wide = widgets.Layout(width="auto")  # 100% would be wider than its box, by the margins
        self.words = widgets.Text(
            placeholder="Filter: question, path, status, thread",
            layout=widgets.Layout(flex="1 1 auto", width="auto"),
        )
        self.words.observe(lambda _: self.filter(), "value")
        self.count = widgets.Label(layout=widgets.Layout(flex="0 0 auto"))
        self.list = widgets.Select(options=[], rows=6, layout=wide)
        self.list.observe(self._chosen, "value")
        self.path = widgets.HTML()
        self.timeline, self.steps, self.messages = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.tokens = widgets.HTML()
        self.request = widgets.BoundedIntText(
            value=1, min=1, max=1, description="request", layout=widgets.Layout(width="11em")
        )
        self.request.observe(lambda _: self._show_request(), "value")
        self.again = widgets.Textarea(layout=widgets.Layout(width="auto", height="7em"))
        self.model = widgets.Text(description="model", placeholder="the same")
        self.run = widgets.Button(description="Run again from here", layout={"width": "auto"})
        self.run.on_click(lambda _: self.run_again())
        self.result = widgets.HTML()
        about = "The last tool result before this request. Change it to see what the model does."
        again = widgets.VBox(
            [
                widgets.HTML(faint(about)),
                self.again,
                widgets.HBox([self.model, self.run]),
                self.result,
            ]
        )
        pages = {
            "Timeline": self.timeline,
            "Steps": self.steps,
            "Messages": widgets.VBox([self.request, self.messages]),
            "Tokens": self.tokens,
            "Run again": again,
        }
        self.pages = widgets.Tab(list(pages.values()), titles=list(pages))
        head = widgets.HBox([self.words, self.count])
        self.widget = with_own_keys(widgets.VBox([head, self.list, self.path, self.pages]))

    def _load(self) -> None:
        """Read the list of turns, and make the texts that the filter looks at once."""
        self.turns = trace_reader.turns()
        self._texts = [_text(turn) for turn in self.turns]

    def filter(self) -> None:
        """List the turns that contain the filter's text."""
        words = self.words.value.lower().strip()
        found = [t for t, text in zip(self.turns, self._texts, strict=True) if words in text]
        self.count.value = f"{len(found):,} of {len(self.turns):,} turns"
        chosen = self.events[0]["trace_id"] if self.events else None
        options = [(_line(turn), turn.trace_id) for turn in found[:_LISTED]]
        self.list.unobserve(self._chosen, "value")  # the list would choose its first line itself
        self.list.options = options
        self.list.value = chosen if chosen in [each for _, each in options] else None
        self.list.observe(self._chosen, "value")

    def open(self, trace_id: str) -> None:
        """Show one turn."""
        try:
            self.events = trace_reader.events_of(trace_id)
        except WorkshopError as error:
            self.path.value = card(error.message, escape(error.hint), "bad")
            return
        ends = [e for e in self.events if e["operation"] == "invoke_agent" and e["status"]]
        answer = str(ends[-1]["output"] or "") if ends else "(no end was recorded)"
        status = str(ends[-1]["status"]) if ends else "open"
        self.path.value = f"<strong>Decision path</strong> {escape(decision_path(self.events))}"
        self.timeline.value = timeline(self.events)
        self.steps.value = turn_html(answer, status, self.events)
        self.tokens.value = tokens_by_layer(self.events)
        self.request.max = max(len(requests_of(self.events)), 1)
        self.request.value = self.request.max
        self._show_request()
        if self.list.value != trace_id and trace_id in [each for _, each in self.list.options]:
            self.list.value = trace_id

    def run_again(self) -> None:
        """Go on from the chosen request, in a worker thread, and show what came of it."""
        if self._worker is not None and self._worker.running:
            return
        requests, number = requests_of(self.events), self.request.value
        before = requests[number - 1][-1] if requests else {}
        changed = self.again.value if self.again.value != str(before.get("content", "")) else None
        model = self.model.value.strip() or None
        self.result.value = "Running ..."
        heard: list[Event] = []

        def end(how: str, text: str) -> None:
            ends = [e for e in heard if e["operation"] == "invoke_agent" and e["status"]]
            status = str(ends[-1]["status"]) if ends else how
            self.result.value = turn_html(text, status, heard)
            self._load()
            self.filter()

        events = self.events
        self._worker = TurnWorker(
            lambda: run_again(events, number, result=changed, model=model).answer, heard.append, end
        )
        self._worker.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for what runs again; for tests."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _chosen(self, change: dict[str, Any]) -> None:
        chosen = change["new"]
        if chosen and (not self.events or chosen != self.events[0]["trace_id"]):
            self.open(chosen)

    def _show_request(self) -> None:
        requests = requests_of(self.events)
        if not requests:
            self.messages.value = pre("This turn made no request.")
            return
        number = min(self.request.value, len(requests))
        messages = requests[number - 1]
        before = len(requests[number - 2]) if number > 1 else 0
        self.messages.value = show_conversation(messages, before).html
        last = messages[-1]
        self.again.value = str(last.get("content") or "") if last.get("role") == "tool" else ""
        self.again.disabled = last.get("role") != "tool"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return widget_bundle(self.widget, "the trace viewer", "trace", **options)


def trace_viewer(trace_id: str = "") -> TraceViewer:
    """The traces of this workshop to look at; with the turn of that id opened, or the last one."""
    return TraceViewer(trace_id)


def timeline(events: list[Event]) -> str:
    """A row for each step that took time, with a bar as long as it took."""
    steps = [e for e in events if e["latency_ms"] and e["phase"] in ("PLANNING", "EXECUTION")]
    longest = max((float(event["latency_ms"]) for event in steps), default=1.0)
    rows = "".join(_bar(event, float(event["latency_ms"]) / longest) for event in steps)
    return rows or pre("Nothing took any time.")


def tokens_by_layer(events: list[Event]) -> str:
    """The tokens of each request by the role of its messages, and of the context by its layers."""
    rows = []
    for number, sums in enumerate(layer_tokens(events), 1):
        counts = [f"{sums[layer]:,}" for layer in LAYERS]
        rows.append([number, *counts, f"{sum(sums.values()):,}"])
    made = tokens_by_step(events).html if rows else ""
    made += table(("request", *LAYERS, "messages"), rows, range(6))
    layers: dict[str, int] = next((event["layers"] for event in events if event.get("layers")), {})
    inner = table(("layer of the context", "tokens"), layers.items(), (1,)) if layers else ""
    return made + inner


def _bar(event: Event, share: float) -> str:
    what = event["tool"] or ("the model" if event["operation"] == "chat" else "the context")
    bar = f'<span style="{_BAR};width:{max(share * 60, 0.4):.1f}%"></span>'
    label = (
        f'<span style="display:inline-block;width:12em">{event["iteration"]} {escape(what)}</span>'
    )
    return f'<div style="white-space:nowrap">{label}{bar} {faint(cost(event))}</div>'


def _text(turn: TurnSummary) -> str:
    return f"{turn.question} {turn.path} {turn.status} {turn.thread_id} {turn.trace_id}".lower()


def _line(turn: TurnSummary) -> str:
    return f"{turn.started[5:16].replace('T', ' ')}  {turn.status}  {turn.question[:80]}"
