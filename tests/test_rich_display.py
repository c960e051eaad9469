"""What a notebook prints shows itself: as HTML that stands alone, and as the same in text."""

import re

import pytest

from harness import run_turn, scoreboard, standin
from harness.context import build_layers
from harness.course.report import Finding, Report
from harness.evals import Goal, Task
from harness.settings import reset_settings
from harness.ui import show_conversation, show_layers
from harness.ui.html import Raw, show, table
from harness.ui.report_card import todo_row
from tests.loop_tools import CONFIG, probe_tools, turn_with

pytestmark = pytest.mark.usefixtures("prepared_home")
NASTY = "<script>alert('x')</script> & \"quotes\""


def shown(thing: object) -> str:
    """The HTML of an output; every tag that it opens is closed, and it runs nothing."""
    data = thing._repr_mimebundle_()
    assert data["text/plain"] == str(thing)
    html = data["text/html"]
    assert "<script" not in html and " on" not in re.sub(r">[^<]*<", "><", html)
    for tag in ("div", "details", "summary", "table", "tr", "td", "pre", "span", "li", "ol"):
        assert len(re.findall(rf"<{tag}[ >]", html)) == html.count(f"</{tag}>"), tag
    return html


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_failed_check_is_a_card_with_findings_and_hints_inside_one_another() -> None:
    findings = [Finding(f"code_{n}", f"{NASTY} {n}", "Do this.") for n in range(7)]
    report = Report("tiny_loop", False, findings, "lent", output="said <this>")
    html = shown(report)
    said = words(html)
    assert "✗ tiny_loop: not yet. 7 findings." in said
    assert "code_4" in said and "code_5" not in said and "and 2 more" in said
    assert "said &lt;this&gt;" in html and "lent to you" in said
    assert said.count("One more hint") == 2
    assert html.rindex("One more hint") < html.index("</details></div></details></div></details>")


def test_a_passed_check_has_no_hints() -> None:
    said = words(shown(Report("tiny_loop", True)))
    assert said == "✓ tiny_loop: passed. It is yours."
    assert "Hint" in words(
        shown(Report("tiny_loop", False, [Finding("lent", "Write it.")], "lent"))
    )
    assert shown(Report("a name without a check", False))


def test_a_turn_folds_open_with_arguments_observation_and_tokens() -> None:
    with probe_tools():
        calls = [standin.call("add", a=41), standin.call("boom", word=NASTY), standin.say(NASTY)]
        result, _ = turn_with(calls, config=CONFIG)
    html = shown(result)
    assert html.count("<details") == 5  # three requests, two calls
    said = words(html)
    assert "✓ completed: 3 requests, 2 tool calls" in said
    assert "✗ boom: failed" in said and "41" in said and "tokens" in said
    assert "2 boom: failed" in str(result)


def test_times_are_left_out_where_an_output_must_be_the_same_tomorrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = []
    for _ in range(2):
        with standin.script([standin.say("x")]):
            results.append(run_turn("How many voyages are there?", thread_id="the same"))
    assert shown(results[0]).count(" ms") == 0
    monkeypatch.setenv("WORKSHOP_OFFLINE", "0")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    reset_settings()
    assert shown(results[0]).count(" ms") >= 1


def test_a_scoreboard_is_a_table() -> None:
    tasks = [
        Task(name="easy", questions=("?",)),
        Task(name="hard", questions=("?",), goal=Goal(says=("no",))),
    ]
    board = scoreboard(lambda question: NASTY, tasks)
    said = words(shown(board))
    assert "! 1 of 2 goals reached" in said and "✓ reached" in said and "✗ missed" in said


def test_a_conversation_and_a_context() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "user", "content": NASTY},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "2"},
    ]
    view = show_conversation(messages, before=1)
    assert "3 messages" in shown(view) and 'add({"a": 1})' in str(view)
    assert str(view).count("+ ") == 2
    layers = show_layers(build_layers("t", "How many voyages are there?"))
    assert "together" in words(shown(layers)) and "knowledge" in str(layers)


def test_the_row_of_todos_says_in_words_what_it_shows() -> None:
    states = [("01", "a", "yours"), ("01", "b", "lent"), ("02", "c", "open")]
    text, html = todo_row(states, "01")
    assert text == "TODOs: 1 yours, 1 lent, 1 open. Here: a is yours; b is lent."
    assert "<strong>[01" in html and "c: open" in html and text in html
    assert todo_row(states, "14")[0] == "TODOs: 1 yours, 1 lent, 1 open."


def test_tables_escape_what_is_not_html_already(capsys: pytest.CaptureFixture[str]) -> None:
    made = table(("a", "b"), [(NASTY, Raw("<b>1</b>"))], (1,))
    assert "<script" not in made and "<b>1</b>" in made and "text-align:right" in made
    show(show_conversation([{"role": "user", "content": "hello"}]))
    assert "1 message," in capsys.readouterr().out  # outside of a notebook it is printed
