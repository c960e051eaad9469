"""What is known of endpoints and models beforehand, and what it does to a request."""

import re

import openai
import pytest

from harness import standin
from harness.model.adaptations import _CHANGES, Learnt, adapted, rows
from harness.model.endpoint_memory import endpoint_of, forget_endpoints
from harness.model.endpoint_profiles import (
    default_window,
    facts_of,
    prices_as_of,
    profile_of,
    profiles,
    successor_of,
)
from tests.test_env_example import EXAMPLE, LINES

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
MESSAGES = [
    {"role": "user", "content": "x"},
    {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {"role": "tool", "tool_call_id": "c2", "content": "2"},
]
BODY = {
    "model": "m",
    "messages": MESSAGES,
    "tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "stream": True,
    "stream_options": {"include_usage": True},
}


@pytest.mark.parametrize("url", sorted({v for n, v in LINES if n == "OPENAI_BASE_URL"}))
def test_every_address_of_the_example_is_recognised_and_named_there(url):
    profile = profile_of(url)
    assert profile is not None
    assert profile.name in EXAMPLE.read_text(encoding="utf-8")


def test_each_row_is_whole_and_needs_only_changes_that_exist():
    names = [each.name for each in profiles()]
    assert len(set(names)) == len(names) >= 8
    for each in profiles():
        assert each.words and each.limits and re.compile(each.address) and re.compile(each.owner)
        for need in each.needs:
            assert need in _CHANGES or need.startswith("without "), (each.name, need)
            bodies = (BODY, {k: v for k, v in BODY.items() if k != "tool_choice"})
            assert any(adapted(b, [Learnt(need, "")]) is not b for b in bodies), (each.name, need)


def test_an_address_that_nobody_knows_has_no_profile_and_loses_nothing():
    assert profile_of("http://example.test/v1") is None
    assert profile_of("https://example.test/api.openai.com/v1") is None
    client = openai.OpenAI(api_key="x", base_url="http://example.test/v1")
    assert endpoint_of(client, "m").learnt == ()


def test_what_a_kind_of_server_needs_is_done_from_the_first_request_on(home):
    forget_endpoints()
    client = openai.OpenAI(api_key="x", base_url="http://localhost:11434/v1")
    made = adapted(BODY, endpoint_of(client, "m").learnt)
    assert "tool_choice" not in made and made["tools"] == BODY["tools"]
    forget_endpoints()


def test_a_local_model_is_not_left_to_ramble_until_its_window_is_full(monkeypatch):
    learnt = [Learnt("bounded_reply", "")]
    assert 0 < adapted(BODY, learnt)["max_tokens"] <= 128_000 // 4
    monkeypatch.setattr(
        "harness.model.adaptations.settings", lambda: type("S", (), {"window_tokens": 2048})
    )
    made = adapted(BODY, learnt)
    assert 1900 < made["max_tokens"] < 2048
    long = {**BODY, "messages": [{"role": "user", "content": "word " * 1700}]}
    assert adapted(long, learnt)["max_tokens"] < 400
    assert adapted({**BODY, "max_tokens": 7}, learnt)["max_tokens"] == 7
    for name in ("ollama", "llamacpp", "llamacpp-python"):
        assert "bounded_reply" in profile_of(None, name).needs


def test_streams_without_tools_stay_streams_where_only_the_two_together_are_refused():
    learnt = [Learnt("whole_with_tools", "tools and stream")]
    assert "stream" not in adapted(BODY, learnt)
    without = {k: v for k, v in BODY.items() if k != "tools"}
    assert adapted(without, learnt)["stream"] is True
    assert rows()["whole_with_tools"].group == rows()["whole"].group


def test_windows_and_prices_come_with_their_date():
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", prices_as_of())
    assert facts_of("gpt-5.5-2026-04-23") == facts_of("gpt-5.5") is not None
    assert facts_of("qwen3:8b") is None
    assert (facts_of("gpt-5.5").price_in, facts_of("gpt-5.5").price_out) > (0, 0)
    assert successor_of("gpt-3.5-turbo-0125") and facts_of(successor_of("gpt-3.5-turbo-0125"))


@pytest.mark.parametrize(
    ("url", "model", "named", "window"),
    [
        (None, "gpt-5.5", None, 128_000),
        ("http://localhost:11434/v1", "qwen3:8b", None, 4_096),
        ("http://gpu-box:9000/v1", "qwen3:8b", None, 128_000),
        ("http://gpu-box:9000/v1", "qwen3:8b", "llamacpp-python", 2_048),
    ],
)
def test_the_window_is_never_taken_for_more_than_is_known(url, model, named, window):
    assert default_window(url, model, named) == window


def test_the_stand_in_reads_none_of_it():
    with standin.script([standin.say("3")]) as seen:
        from harness import chat

        chat([{"role": "user", "content": "x"}])
    assert seen.requests[0].keys() == {"model", "messages"}
