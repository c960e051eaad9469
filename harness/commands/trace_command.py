"""`python -m harness trace`: list turns, show one, follow live, review many."""

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any

from harness.commands.fitting import cut, say, table
from harness.config import current_config
from harness.errors import WorkshopError
from harness.traces import trace_reader
from harness.traces.otlp import send, to_otlp
from harness.traces.record_format import CHAT, CONTEXT, ENDED, messages_added
from harness.traces.trace_reader import TurnSummary
from harness.traces.trace_review import Review, review
from harness.traces.turn_path import decision_path
from harness.ui.terminal import tame

_TOOL_HEAD = ("tool", "calls", "errors", "repeats", "tokens", "mean ms")
_ID = 13  # characters of a turn's id: enough to name it


def main(options: argparse.Namespace) -> int:
    """Run what was asked for."""
    where = options.folder
    if where is not None and not where.is_dir():
        raise WorkshopError(f"{where} is no folder.", "--folder is where the trace files are.")
    if options.what == "show":
        _print_turn(trace_reader.events_of(_id(options.id, where), where), options.full)
    elif options.what == "follow":
        say(f"Waiting for turns in {where or trace_reader.folder()} (Ctrl-C ends this).")
        for event in trace_reader.follow(where):
            _print_cut(f"{event['timestamp'][11:19]} {str(event['trace_id'])[5:13]} {told(event)}")
    elif options.what == "review":
        found = review(trace_reader.recent(options.turns, where), current_config().alerts)
        say(tame(in_words(found)))
    elif options.what == "export":
        spans = to_otlp(trace_reader.events_of(_id(options.id, where), where))
        print(send(spans, options.to) if options.to else json.dumps(spans, indent=1))
    else:
        _print_list(options)
    return 0


def told(event: dict[str, Any]) -> str:
    """An event on one line."""
    said = f"{event['iteration'] or 0:>2} {event['phase']:<14} "
    said += str(event["tool"] or event["model_decision"] or "")
    if event["phase"] == "TOOL_SELECTION":
        said += f" {_one_line(event['input'])}"
    elif event["phase"] in ("OBSERVING", "EXECUTION") and event["status"] != "ok":
        said += f" {event['status']}"
    cost = [f"{event['latency_ms']:.0f} ms"] if event["latency_ms"] is not None else []
    if event["tokens"]:
        counts = event["tokens"]
        cost.append(f"{counts['prompt'] + counts['completion']:,} tokens")
    return f"{said}  ({', '.join(cost)})" if cost else said


def in_words(found: Review) -> str:
    """A review as text."""
    if not found.tasks:
        return "There is nothing to review yet: ask the agent something first."
    lines = [
        f"{len(found.tasks)} turns: "
        + ", ".join(f"{count} {status}" for status, count in found.statuses.most_common()),
        f"{found.mean_latency_ms:,.0f} ms a step on average",
        "",
        table([_TOOL_HEAD, *_tool_rows(found)], range(1, len(_TOOL_HEAD))),
    ]
    lines += ["", "How tools were selected"]
    lines += [f"{n:>4} x {' > '.join(tools) or 'no tool'}" for tools, n in found.patterns]
    if found.swings:
        lines += ["", "To and fro between two tools"]
        lines += [f"  {a} and {b}, {n} calls: {turn[:_ID]}" for turn, (a, b), n in found.swings]
    lines += ["", "The dearest tasks"]
    lines += [f"{task.tokens:>9,} tokens  {task.question[:60]}" for task in found.dearest]
    lines += ["", "The slowest steps"]
    lines += [
        f"{step.milliseconds:>9,.0f} ms  {step.what}: {step.trace_id[:_ID]}"
        for step in found.slowest
    ]
    lines += ["", "Alerts" if found.alerts else "No alerts: every value is within its threshold."]
    for alert in found.alerts:
        lines.append(f"! {alert.name}: {alert.value:,.0f}, above {alert.threshold:,.0f}")
        lines.append(f"  {alert.remedy}")
        lines.append(f"  Begin with: python -m harness trace show {alert.worst[:_ID]}")
    return "\n".join(lines)


def _tool_rows(found: Review) -> list[tuple[str, ...]]:
    """A row a tool, the dearest first."""
    return [
        (name, str(c.calls), str(c.errors), str(c.repeats), f"{c.tokens:,}", f"{c.mean_ms:,.0f}")
        for name, c in sorted(found.tools.items(), key=lambda pair: -pair[1].tokens)
    ]


def _id(asked: str, where: Path | None) -> str:
    if asked != "last":
        return asked
    newest = trace_reader.turns(1, where)
    if not newest:
        raise WorkshopError("There are no traces yet.", "Ask the agent something first.")
    return newest[0].trace_id


def _print_list(options: argparse.Namespace) -> None:
    def wanted(turn: TurnSummary) -> bool:
        text = f"{turn.question} {turn.path} {turn.thread_id}".lower()
        status = options.status in (None, turn.status)
        return status and (options.find or "").lower() in text

    found = trace_reader.turns(options.last, options.folder, wanted)
    if not found:
        say("There are no such turns in the traces.")
    for turn in reversed(found):
        cost = f"{turn.tokens:,} tokens, {turn.latency_ms:,.0f} ms"
        say(f"{turn.trace_id[:_ID]}  {turn.started[:16]}  {turn.status}, {cost}")
        say(tame(f"    {_one_line(turn.question)}"))
        say(tame(f"    {turn.path}"))


def _print_turn(events: list[dict[str, Any]], full: bool) -> None:
    first = events[0]
    say(tame(f"{first['trace_id']}  thread {first['thread_id']!r}"))
    say(tame(f"Q: {_one_line(first.get('question'))}"))
    say(tame(f"{decision_path(events)}\n"))
    for event in events:
        _print_cut(told(event))
        if event["operation"] == CONTEXT and event.get("layers"):
            say("     " + ", ".join(f"{k} {n:,}" for k, n in event["layers"].items()))
        if event["operation"] == CHAT:
            for message in messages_added(event):
                _print_text(f"+ {message.get('role')}", message.get("content"), full)
        if event["phase"] in ("OBSERVING", *ENDED):
            _print_text("=", event["output"], full)


def _print_text(mark: str, text: Any, full: bool) -> None:
    if text in (None, ""):
        return
    if not full:
        _print_cut(f"     {mark} {_one_line(text)}")
        return
    text = text if isinstance(text, str) else json.dumps(text, indent=1)
    say(f"     {mark}\n{textwrap.indent(tame(text), ' ' * 7)}")


def _one_line(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text[:2_000].split()) if value is not None else ""


def _print_cut(line: str) -> None:
    """One line of many: the whole of it is in `show --full`."""
    print(cut(tame(line)), flush=True)
