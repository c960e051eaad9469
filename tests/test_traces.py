"""Traces: what is written of a turn, and that whatever a file holds can be read."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loop_tools import CONFIG, probe_tools, turn_with

from harness import TurnConfig, WorkshopError, run_turn, standin
from harness.commands.cli import main
from harness.config import Alerts
from harness.run import recorder, trace
from harness.settings import reset_settings, root, settings
from harness.traces import trace_reader
from harness.traces.erasing import erase_events
from harness.traces.otlp import to_otlp
from harness.traces.record_format import from_record
from harness.traces.trace_review import oscillation, review
from harness.traces.turn_path import decision_path
from harness.ui.trace_viewer import TraceViewer

B9 = "timestamp iteration phase model_decision tool input output latency_ms tokens".split()


CALL, SAY = standin.call, standin.say


@pytest.fixture(autouse=True)
def home(prepared_home: Path) -> Iterator[Path]:
    with probe_tools():
        yield prepared_home


def lines(home: Path) -> list[dict]:
    (path,) = (home / "traces").glob("*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_event_has_every_field_that_it_can_have() -> None:
    result, _ = turn_with([CALL("add", a=1), CALL("boom"), SAY("the end")])
    events = trace_reader.events_of(result.trace_id)
    assert all(set(B9) <= event.keys() for event in events)
    assert all(event["timestamp"].endswith("Z") for event in events)
    timed = [e for e in events if e["model_decision"] != "asked"]
    assert all(event["latency_ms"] >= 0 for event in timed)
    counted = [e for e in timed if e["phase"] not in ("TOOL_SELECTION", "EXECUTION")]
    assert all(event["tokens"]["prompt"] >= 0 for event in counted)
    assert [e["phase"] for e in events if e["tool"] == "add"] == [
        "TOOL_SELECTION",
        "EXECUTION",
        "OBSERVING",
    ]
    assert [e["iteration"] for e in events if e["operation"] == "chat"] == [1, 2, 3]


def test_what_happened_is_in_the_file_before_anything_else_does(home: Path) -> None:
    written = []

    def listing(request: dict) -> dict:
        written.append([each["phase"] for each in map(from_record, lines(home)) if each["tool"]])
        return [CALL("add", a=1), CALL("boom"), SAY("the end")][len(written) - 1]

    result, _ = turn_with(listing)
    tools = [event["phase"] for event in result.events if event["tool"]]
    assert written == [[], tools[:3], tools[:6]] and len(tools) == 6


def test_a_file_has_the_names_of_the_conventions(home: Path) -> None:
    turn_with([CALL("add", a=1), SAY("the end")])
    chat, *_ = [e for e in lines(home) if e.get("gen_ai.operation.name") == "chat"]
    assert {"gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.input.messages"} <= set(
        chat
    )
    assert chat["gen_ai.response.finish_reasons"] == ["tool_calls"]
    (ran,) = [e for e in lines(home) if e.get("phase") == "EXECUTION"]
    assert ran["gen_ai.tool.name"] == "add"
    assert ran["gen_ai.tool.call.arguments"] == {"a": 1}


def test_a_long_text_is_whole_and_stored_once(home: Path) -> None:
    question = "How many? " + "Think of every port. " * 200
    for _ in range(3):
        result, seen = turn_with([CALL("add", a=1), SAY("the end")], question=question)
    (path,) = (home / "traces").glob("*.jsonl")
    written = path.read_text(encoding="utf-8")
    assert written.count("You are the shipping desk's data agent") == 1
    chats = [e for e in trace_reader.events_of(result.trace_id) if e["operation"] == "chat"]
    sent = [message for event in chats for message in event["input"]["added"]]
    assert [m["content"] for m in sent if m["role"] == "system"] == [
        seen.requests[0]["messages"][0]["content"]
    ]
    assert question in sent[1]["content"]
    assert [event["input"]["kept"] for event in chats] == [0, 2]


def test_what_failed_is_in_the_trace() -> None:
    result, _ = turn_with([standin.http(400, "no")] * 4)
    events = trace_reader.events_of(result.trace_id)
    assert [e["error"] for e in events if e["model_decision"] == "no reply"] == ["BadRequestError"]
    assert trace_reader.turns(1)[0].status == result.status == "provider_error"


def test_a_cap_and_a_safety_trip_are_two_phases() -> None:
    capped, _ = turn_with([CALL("add", a=1), SAY("x")], config=CONFIG, max_iterations=1)
    tripped, _ = turn_with([CALL("add", a=1)] * 4 + [SAY("x")])
    last = [trace_reader.events_of(each.trace_id)[-1] for each in (capped, tripped)]
    assert [e["phase"] for e in last] == ["CAP_REACHED", "SAFETY_TRIP"]
    assert [e["level"] for e in last] == ["warning", "warning"]
    assert last[1]["trip"] == "repeated_call"


def test_secrets_do_not_reach_a_file(home: Path) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwxyz"
    turn_with([CALL("boom", word=secret), SAY(secret)], question=f"My key is {secret}")
    (path,) = (home / "traces").glob("*.jsonl")
    assert secret not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("off", ["env", "config"])
def test_tracing_can_be_switched_off(off: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if off == "env":
        monkeypatch.setenv("WORKSHOP_TRACES", "0")
        reset_settings()
    result, _ = turn_with([SAY("x")], config=TurnConfig(trace=off != "config"))
    assert not any((home / "traces").glob("*")) and result.answer == "x"


def test_traces_go_where_the_setting_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKSHOP_TRACES", str(tmp_path / "elsewhere"))
    reset_settings()
    result, _ = turn_with([SAY("x")])
    assert trace_reader.turns()[0].trace_id == result.trace_id
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


def test_old_files_are_deleted_and_others_are_not(home: Path) -> None:
    folder = home / "traces"
    folder.mkdir(exist_ok=True)
    for name in ("2020-01-01.jsonl", "9999-01-01.jsonl", "notes.jsonl"):
        (folder / name).write_text("{}\n", encoding="utf-8")
    trace._open(folder, trace.datetime.date(2026, 11, 30))
    assert {path.name for path in folder.iterdir()} == {
        "9999-01-01.jsonl",
        "notes.jsonl",
        "2026-11-30.jsonl",
    }


OLD = {
    "trace_id": "turn-old", "thread_id": "t", "timestamp": 1.79e9, "iteration": 1,
    "model_decision": "run_sql", "tool": None, "input": None, "output": None,
    "latency_ms": 3.0, "tokens": {"prompt": 5, "completion": 2},
}  # fmt: skip


def test_torn_lines_and_other_versions_are_read_as_far_as_they_go(home: Path) -> None:
    result, _ = turn_with([CALL("add", a=1), SAY("the end")])
    (path,) = (home / "traces").glob("*.jsonl")
    older = [
        {**OLD, "phase": "TOOL_CALLING"},
        {**OLD, "phase": "OBSERVING", "tool": "run_sql", "status": "ok"},
        {**OLD, "phase": "CAP_REACHED", "status": "safety_trip", "trip": "no_op"},
    ]
    whole = path.read_bytes()
    broken = b'{"v":2,"trace_id":"torn\n\xff\xfe\n[1]\nnull\n{"v":9,"trace_id":"turn-new","x":1}\n'
    path.write_bytes(
        b"".join(json.dumps(each).encode() + b"\n" for each in older) + broken + whole + whole[:99]
    )
    assert len(trace_reader.events_of(result.trace_id)) == 8
    old = trace_reader.events_of("turn-old")
    assert [e["phase"] for e in old] == ["PLANNING", "OBSERVING", "SAFETY_TRIP"]
    summaries = {turn.trace_id: turn for turn in trace_reader.turns()}
    assert summaries["turn-old"].status == "safety_trip"
    assert summaries[result.trace_id].path == "1 add | 2 answer | completed"
    assert len(review(trace_reader.recent(10)).tasks) >= 2
    assert len(trace_reader.read(path)) > 8


END = {"v": 2, "gen_ai.operation.name": "invoke_agent", "phase": "COMPLETED"}
ODD = (
    {"latency_ms": "fast", "iteration": "x", "status": {"a": 1}, "question": ["q"], "began": 17},
    {"latency_ms": float("inf"), "iteration": 1e308, "timestamp": "soon", "layers": {"a": "b"}},
    {"phase": None, "gen_ai.usage.input_tokens": "many", "timestamp": 1e300},
    {"gen_ai.operation.name": "chat", "phase": "PLANNING", "latency_ms": [], "offered": 3,
     "gen_ai.input.messages": {"kept": "all", "added": ["x", {"role": 1, "content": "\x1b[31m"}]}},
    {"question": "\x1b[31m red \u202e turned", "path": 5, "thread_id": {}},
)  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_fields_of_the_wrong_kind_are_read_as_far_as_they_go(
    odd: dict, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{**END, "trace_id": name, **odd} for name in ("turn-odd", None, ["turn-odd"])]
    (home / "traces").mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (home / "traces" / "2020-02-02.jsonl").write_text(text, encoding="utf-8")
    (home / "traces" / "2020-02-03.jsonl").mkdir()
    for command in ([], ["show", "turn-odd"], ["review"], ["export", "turn-odd"]):
        assert main(["trace", *command]) == 0
    assert "\x1b" not in capsys.readouterr().out
    (event,) = trace_reader.events_of("turn-odd")
    assert event["latency_ms"] is None and isinstance(event["phase"], str)
    viewer = TraceViewer("turn-odd")
    viewer.filter()
    assert "turn-odd" in [turn.trace_id for turn in viewer.turns] or event["operation"] == "chat"


def test_two_processes_write_into_one_file_without_tearing_it(prepared_home: Path) -> None:
    code = (
        "from harness import run_turn, standin\n"
        "for i in range(6):\n"
        "    with standin.script([standin.say('x' * 60_000)]):\n"
        "        run_turn(f'question {i} ' + 'long ' * 2_000, thread_id=str(i))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], cwd=root()) for _ in range(2)]
    assert [process.wait(120) for process in running] == [0, 0]
    (path,) = (prepared_home / "traces").glob("*.jsonl")
    for line in path.read_bytes().splitlines():
        json.loads(line)
    assert len(trace_reader.turns()) == 12


def test_a_list_can_be_limited_and_filtered_and_an_id_shortened() -> None:
    for number in range(3):
        result, _ = turn_with([SAY("x")], question=f"question number {number}")
    assert [t.question for t in trace_reader.turns(2)] == ["question number 2", "question number 1"]
    chosen = trace_reader.turns(None, None, lambda turn: "number 0" in turn.question)
    assert [turn.question for turn in chosen] == ["question number 0"]
    assert trace_reader.events_of(result.trace_id[:14])[0]["trace_id"] == result.trace_id
    with pytest.raises(WorkshopError, match="no trace"):
        trace_reader.events_of("turn-nobody")


def test_a_turn_that_was_left_is_open_or_interrupted() -> None:
    turn = recorder.open_turn("left", "What is left open?")
    assert trace_reader.turns(1)[0].status == "open"
    recorder.abandon(turn)
    assert trace_reader.turns(1)[0].status == "interrupted"


def test_following_shows_what_is_written_from_now_on() -> None:
    turn_with([SAY("before")])
    told: list[str] = []
    done = threading.Event()

    def follow() -> None:
        for event in trace_reader.follow(pause=0.02, until=done.is_set):
            told.append(event["phase"])
            if event["phase"] == "COMPLETED":
                return

    where = settings().home / "traces"
    reader = threading.Thread(target=follow)
    started = {path: path.stat().st_size for path in trace_reader.files(where)}
    reader.start()
    try:
        while not told and reader.is_alive():  # until the reader has taken its place
            turn_with([SAY("after")])
        reader.join(30)
    finally:
        done.set()
    assert started and told[-1] == "COMPLETED"


def test_the_path_of_a_turn() -> None:
    result, _ = turn_with(
        [standin.calls([CALL("add", a=1), CALL("boom")]), CALL("add", a=1), SAY("the end")]
    )
    events = trace_reader.events_of(result.trace_id)
    path = "1 add, boom (failed) | 2 add (repeated) | 3 answer | completed"
    assert decision_path(events) == trace_reader.turns(1)[0].path == path
    assert decision_path(events, 1) == "1 add, boom (failed)"
    assert decision_path([]) == ""


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ("a b a b", (("a", "b"), 4)),
        ("a b a b a c", (("b", "a"), 5)),
        ("a b a", None),
        ("a a a a", None),
        ("a b c a b c", None),
        ("a b b a b a b", (("a", "b"), 5)),
        ("", None),
    ],
)
def test_to_and_fro(tools: str, found: object) -> None:
    assert oscillation(tools.split()) == found


def test_a_review_counts_and_alerts_above_a_threshold_only() -> None:
    for _ in range(3):
        turn_with([CALL("add", a=1), CALL("boom"), SAY("x")], max_iterations=1)
    turns = trace_reader.recent(10)
    found = review(turns, Alerts(cap_breaches=2, mean_latency_ms=10**6, tokens_per_task=10**6))
    assert [alert.name for alert in found.alerts] == ["cap_breaches"]
    assert found.alerts[0].worst == turns[-1][0]["trace_id"] and found.alerts[0].remedy
    assert found.tools["add"].calls == 3 and found.statuses["iteration_cap"] == 3
    assert review(turns, Alerts(cap_breaches=3, tokens_per_task=10**6)).alerts == []
    dear = review(turns, Alerts(tokens_per_task=10))
    assert {alert.name for alert in dear.alerts} == {"tokens_per_task"}
    assert review([]).alerts == []


def test_spans_hang_together() -> None:
    result, _ = turn_with([CALL("add", a=1), SAY("the end")])
    spans = to_otlp(trace_reader.events_of(result.trace_id))
    spans = spans["resourceSpans"][0]["scopeSpans"][0]["spans"]
    (turn,) = [span for span in spans if "parentSpanId" not in span]
    assert {span.get("parentSpanId", turn["spanId"]) for span in spans} == {turn["spanId"]}
    assert [s["name"] for s in spans][1] == "execute_tool add"
    assert all(int(s["startTimeUnixNano"]) <= int(s["endTimeUnixNano"]) for s in spans)


def test_a_long_text_that_was_erased_is_stored_again_for_the_next_turn(home: Path) -> None:
    question = "What is delayed? " * 50
    gone = run_turn(question, thread_id="gone")
    assert erase_events(trace_reader.folder(), "gone", lambda e: e["thread_id"] == "gone") > 0
    kept = run_turn(question, thread_id="kept")
    text = json.dumps(trace_reader.events_of(kept.trace_id))
    assert question.strip() in text and "not found in the file" not in text
    with pytest.raises(WorkshopError):
        trace_reader.events_of(gone.trace_id)


def test_the_command_fits_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    def said(*words: str) -> str:
        main(["trace", *words])
        return "".join(capsys.readouterr())

    assert "no such turns" in said() and "no traces yet" in said("show")
    run_turn("How many voyages are delayed?", thread_id="narrow")
    for words in ([], ["show"], ["review"]):
        text = said(*words)
        assert "How many voyages" in text
        assert max(map(len, text.splitlines())) <= 60
    assert "No alerts" in said("review") or "tokens_per_task" in said("review")
    assert "You are the shipping desk" in said("show", "--full")
    assert json.loads(said("export"))["resourceSpans"]
