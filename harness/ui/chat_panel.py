"""A chat panel: ask, watch the steps, stop, approve; it drives whichever agent it is given."""

import contextvars
import inspect
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets

from harness.approvals import approve, refuse, resume, waiting
from harness.config import base_config
from harness.errors import WorkshopError
from harness.settings import model_in_words
from harness.ui.html import card, escape, faint, widget_bundle
from harness.ui.own_keys import with_own_keys
from harness.ui.turn_card import cost, turn_html
from harness.ui.turn_worker import TurnWorker

Agent = Callable[..., str]
Event = dict[str, Any]

_TICK = 0.5  # seconds between two looks at the clock
_SECONDS, _ROUNDS = 360.0, 8  # what agent_turn takes where nothing is configured


class ChatPanel:
    """What `chat_panel()` shows. `turns` are the ids of the turns so far."""

    def __init__(self, agent: Agent, thread_id: str = "panel") -> None:
        self.agent, self.thread_id = agent, thread_id
        self.turns: list[str] = []
        self._worker: TurnWorker | None = None
        self._context = contextvars.copy_context()
        self._events: list[Event] = []
        config = base_config().filled(max_iterations=_ROUNDS, budget_seconds=_SECONDS)
        self._rounds, self._seconds = config.max_iterations or 1, config.budget_seconds or 1.0
        self._build(config.token_limit)

    def _build(self, token_cap: int) -> None:
        wide = widgets.Layout(flex="1 1 auto", width="auto")
        self.question = widgets.Text(
            placeholder="Ask about the shipping data, then Enter", layout=wide
        )
        with warnings.catch_warnings():  # Enter has no newer way that a change of focus is not
            warnings.simplefilter("ignore")
            self.question.on_submit(lambda _: self.ask())
        self.ask_button = _button("Ask", "Send the question", self._then_type(self.ask))
        self.stop_button = _button(
            "Stop", "End this turn at its next step", self._then_type(self.stop), True
        )
        self.trace_button = _button(
            "Open the trace", "Look at the last turn", self.open_trace, True
        )
        self.gauges = {
            "requests": _gauge("requests", self._rounds),
            "seconds": _gauge("seconds", self._seconds),
            "tokens": _gauge("tokens", token_cap),
        }
        self.log = widgets.VBox([], layout=widgets.Layout(max_height="32em", overflow="auto"))
        self.live = widgets.HTML()
        self.approvals = widgets.VBox([])
        self.below = widgets.VBox([])
        bar = widgets.HBox([self.question, self.ask_button, self.stop_button, self.trace_button])
        self.widget = widgets.VBox(
            [
                widgets.HTML(faint(model_in_words())),
                self.log,
                self.live,
                self.approvals,
                bar,
                widgets.HBox([each for pair in self.gauges.values() for each in pair]),
                self.below,
            ]
        )

        with_own_keys(self.widget).add_class("workshop-panel")

    @property
    def running(self) -> bool:
        """Whether a turn is under way."""
        return self._worker is not None and self._worker.running

    def ask(self) -> None:
        """Ask what is in the field, unless a turn is under way or nothing does."""
        text = self.question.value.strip()
        if not text or self.running:
            return
        self.question.value = ""
        self._say(card(text, ""))
        self._start(partial(self.agent, text, thread_id=self.thread_id, **_quiet(self.agent)))

    def stop(self) -> None:
        """End the turn that is under way."""
        if self._worker is not None:
            self._worker.stop()

    def open_trace(self) -> None:
        """Show the trace of the last turn below."""
        from harness.ui.trace_viewer import TraceViewer  # both show the other

        if self.turns:
            self.below.children = [TraceViewer(self.turns[-1]).widget]

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the turn has ended; for tests."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _start(self, work: Callable[[], str]) -> None:
        self._events = []
        self.approvals.children = []
        self.ask_button.disabled, self.stop_button.disabled = True, False
        for bar, _ in self.gauges.values():
            bar.value = 0
        self._worker = self._as_asker(partial(TurnWorker, work, self._heard, self._ended))
        self._worker.start()
        threading.Thread(target=self._tick, args=(self._worker,), daemon=True).start()

    def _tick(self, worker: TurnWorker) -> None:
        waited = threading.Event()
        while worker.running and not waited.wait(_TICK):
            _advance(self.gauges["seconds"], _TICK)

    def _heard(self, event: Event) -> None:
        self._events.append(event)
        if event["trace_id"] not in self.turns:
            self.turns.append(event["trace_id"])
        if event["operation"] == "chat":
            _advance(self.gauges["requests"], 1)
            _advance(self.gauges["tokens"], sum((event["tokens"] or {}).values()))
        lines = [_line(each) for each in self._events if each["phase"] != "EXECUTION"]
        self.live.value = "".join(lines[-8:])

    def _ended(self, how: str, text: str) -> None:
        ends = [e for e in self._events if e["operation"] == "invoke_agent" and e["status"]]
        status = str(ends[-1]["status"]) if ends and how == "answered" else how
        status = "completed" if status == "answered" else status
        self._say(turn_html(text, status, self._events))
        self.live.value = ""
        self.ask_button.disabled, self.stop_button.disabled = False, True
        self.trace_button.disabled = not self.turns
        self._offer_approvals()

    def _offer_approvals(self) -> None:
        rows = []
        for asked in self._as_asker(waiting):
            decide = partial(partial, self._decide, asked.id)
            yes = _button("Approve", asked.words, self._then_type(decide(True)))
            no = _button("Refuse", asked.words, self._then_type(decide(False)))
            words = widgets.HTML(f"<strong>Needs your approval:</strong> {escape(asked.words)}")
            rows.append(widgets.HBox([words, yes, no]))
        self.approvals.children = rows

    def _decide(self, approval_id: str, yes: bool) -> None:
        if self.running:
            return
        try:
            self._as_asker(partial(approve if yes else refuse, approval_id))
        except WorkshopError as error:
            self._say(card(str(error), "", "bad"))
            return
        self._say(card("Approved" if yes else "Refused", "", "good" if yes else "warn"))
        self._start(lambda: resume(approval_id).answer)

    def _then_type(self, act: Callable[[], Any]) -> Callable[[], None]:
        """What a button does that can't be pressed twice: the focus would be lost with it."""

        def done() -> None:
            act()
            self.question.focus()

        return done

    def _as_asker(self, act: Callable[[], Any]) -> Any:
        """Do something as the user and in the role that the panel was opened in."""
        return self._context.copy().run(act)

    def _say(self, html: str) -> None:
        self.log.children = (*self.log.children, widgets.HTML(html))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return widget_bundle(self.widget, "a chat panel", "ask", **options)


def chat_panel(agent: Agent | None = None, thread_id: str = "panel") -> ChatPanel:
    """A panel to talk to an agent in the notebook: by default to `mine("agent_turn")`.

    `agent(question, thread_id=...)` returns its answer.
    """
    if agent is None:
        from harness import mine  # by the public name: the panel itself knows no course

        agent = mine("agent_turn")
    return ChatPanel(agent, thread_id)


def _quiet(agent: Agent) -> dict[str, bool]:
    return {"verbose": False} if "verbose" in inspect.signature(agent).parameters else {}


def _button(
    name: str, about: str, act: Callable[[], Any], disabled: bool = False
) -> widgets.Button:
    button = widgets.Button(
        description=name,
        tooltip=about,
        disabled=disabled,
        layout=widgets.Layout(flex="0 0 auto", width="auto"),
    )
    button.on_click(lambda _: act())
    return button


def _gauge(name: str, limit: float) -> tuple[widgets.FloatProgress, widgets.Label]:
    bar = widgets.FloatProgress(
        value=0, max=limit, description=name, layout=widgets.Layout(width="14em")
    )
    return bar, widgets.Label(f"0 of {limit:,.0f}")


def _advance(gauge: tuple[widgets.FloatProgress, widgets.Label], by: float) -> None:
    bar, label = gauge
    bar.value = min(bar.value + by, bar.max)
    label.value = f"{bar.value:,.0f} of {bar.max:,.0f}"


def _line(event: Event) -> str:
    what = event["tool"] or event["model_decision"]
    status = f": {event['status']}" if event["status"] else ""
    said = escape(f"{event['phase'].lower()} {what}{status}")
    return f"<div>{said} {faint(cost(event))}</div>"
