"""`doctor` and `contract` against servers of many kinds: in words, with no traceback and no key."""

import argparse
import json
import sys

import openai
import pytest

from harness import WorkshopError, standin
from harness.commands import contract_command, endpoint_check
from harness.evals.server_contract import beyond, differences, exchanges, recorded, run_exchange
from harness.model.clients import client_for
from harness.model.endpoint_memory import forget_endpoints
from harness.settings import settings

KEY = "sk-secret-0123456789"


@pytest.fixture
def at(monkeypatch, home):
    """Configure an endpoint in this process, as .env would."""

    def configure(base_url, **values):
        values = {"api_key": KEY, "base_url": base_url, "model": "standin", **values}
        now = settings().model_copy(update=values)
        for module in ("clients", "chat", "endpoint_memory", "server_errors"):
            monkeypatch.setattr(f"harness.model.{module}.settings", lambda: now)
        for module in (endpoint_check, contract_command):
            monkeypatch.setattr(module, "settings", lambda: now)
        return now

    forget_endpoints()
    yield configure
    forget_endpoints()


@pytest.fixture(scope="module")
def url():
    with standin.serving() as address:
        yield address


def said():
    """(states, all the text) of what doctor finds about the endpoint."""
    found = [*endpoint_check.endpoint(), *endpoint_check.calls()]
    text = "\n".join(f"{each.text} {each.hint}" for each in found)
    assert KEY not in text and KEY[3:] not in text
    return [each.state for each in found], text


def test_a_model_that_calls_tools_is_said_to(at, url):
    at(url)
    states, text = said()
    assert "problem" not in states, text
    assert "it calls a tool" in text and "streamed" in text


@pytest.mark.parametrize(
    ("model", "near"),
    [("standin/repaets", "standin/repeats"), ("STANDIN", "standin"), ("gpt-5.5", "standin")],
)
def test_a_model_that_is_not_there_gets_the_nearest_names(model, near, at, url):
    at(url, model=model)
    _, text = said()
    assert f"no model {model!r}" in text and near in text


def test_a_retired_model_gets_what_took_its_place():
    names = {"gpt-5.4-nano", "gpt-5.5", "tts-1", "whisper-1"}
    assert endpoint_check._nearest("gpt-3.5-turbo", names)[0] == "gpt-5.4-nano"
    assert endpoint_check._nearest("gpt-55", names)[0] == "gpt-5.5"
    assert endpoint_check._nearest("claude", names)


def test_no_endpoint_is_nothing_to_try(home):
    states = [each.state for each in endpoint_check.endpoint()]
    assert states == ["note"] and not list(endpoint_check.calls())


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"base_url": "http://127.0.0.1:9/v1"}, "not reachable"),
        ({"api_key": "sk-wrong-0123456789"}, "refuses the key"),
        ({"model": "standin/guesses"}, "none was made"),
        ({"model": "standin/html=always"}, "no usable reply"),
        ({"base_url": "http://127.0.0.1:9/v1", "oci_auth": "api_key"}, "requirements-oci"),
    ],
)
def test_trouble_is_said_in_words(more, says, at, url, monkeypatch):
    monkeypatch.setitem(sys.modules, "oci", None)
    at(more.pop("base_url", url), **more)
    try:
        states, text = said()
    except WorkshopError as error:  # doctor's own net tells it in two lines
        states, text = ["problem"], f"{error}"
    assert "problem" in states and says in text, text


def test_a_model_that_is_too_slow_for_the_doctor_is_said_to_be(at, url, monkeypatch):
    monkeypatch.setattr(endpoint_check, "CALL_SECONDS", 0.5)
    at(url, model="standin/hangs")
    (finding,) = endpoint_check.calls()
    assert finding.state == "problem" and "loaded first" in finding.hint
    assert "did not answer within" in finding.text


def listing(*models):
    return json.dumps({"object": "list", "data": list(models)})


@pytest.mark.parametrize(
    ("owner", "named", "says"),
    [
        ("vllm", None, "WORKSHOP_ENDPOINT=vllm"),
        ("llamacpp", "vllm", "but it says that it is llama.cpp"),
        ("library", "ollama", "OLLAMA_CONTEXT_LENGTH"),
        ("me", None, "WORKSHOP_ENDPOINT=llamacpp-python"),
    ],
)
def test_a_server_is_known_by_what_it_says(owner, named, says, at, url, monkeypatch):
    at(url, endpoint=named)
    model = {"id": "standin", "object": "model", "created": 1, "owned_by": owner}
    monkeypatch.setattr("harness.standin.server.models", lambda: json.loads(listing(model)))
    text = "\n".join(f"{each.text} {each.hint}" for each in endpoint_check.endpoint())
    assert says in text


@pytest.mark.parametrize(
    ("window", "tokens", "states"),
    [(4_096, 128_000, "problem"), (200_000, 128_000, "note"), (128_000, 128_000, "ok")],
)
def test_a_window_that_the_server_tells_is_compared(window, tokens, states, at, url, monkeypatch):
    now = at(url, endpoint="vllm", window_tokens=tokens)
    model = {"id": "standin", "owned_by": "vllm", "max_model_len": window}
    monkeypatch.setattr("harness.standin.server.models", lambda: json.loads(listing(model)))
    found = [each for each in endpoint_check.endpoint() if each.text.startswith("window")]
    assert [each.state for each in found] == [states]
    assert now.window_tokens == tokens


@pytest.mark.parametrize("body", ["{}", "[]", "null", "<html>", '{"data": 3}', '{"data": [{}]}'])
def test_a_list_of_models_in_any_form_brings_no_traceback(body, at, url, monkeypatch):
    at(url)
    monkeypatch.setattr("harness.standin.server.json.dumps", lambda _: body)
    states = [each.state for each in endpoint_check.endpoint()]
    assert states and states[0] in ("note", "problem")


# --- the contract


def test_the_stand_in_over_http_is_as_recorded(url):
    client = openai.OpenAI(api_key="any", base_url=url)
    kept = recorded("standin")
    for exchange in exchanges():
        outcome = run_exchange(client, "standin", exchange)
        assert outcome == kept[exchange["name"]], exchange["name"]
        assert outcome.status in exchange["status"]


def test_the_command_compares_and_records(at, url, tmp_path, capsys):
    at(url)
    options = argparse.Namespace(record=str(tmp_path / "mine.json"))
    assert contract_command.main(options) == 0
    told = capsys.readouterr().out
    assert "7 of 7 exchanges" in told and "differs" not in told
    kept = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    assert "voyages" not in json.dumps(kept["exchanges"])  # shapes, nothing that was said


@pytest.mark.parametrize("model", ["standin/html=always", "standin/no-choices=always"])
def test_a_server_that_breaks_it_is_told_so(model, at, url, capsys):
    at(url, model=model)
    code = contract_command.main(argparse.Namespace(record=None))
    told = capsys.readouterr().out
    assert code == 1 and "broken  call: not understood" in told


def test_an_exchange_without_an_answer_does_not_end_the_others(at, url, monkeypatch, capsys):
    monkeypatch.setattr("harness.evals.server_contract._SECONDS", 0.5)
    at(url, model="standin/hangs")
    assert contract_command.main(argparse.Namespace(record=None)) == 1
    told = capsys.readouterr().out
    assert "broken  answer:" in told and "of 7 exchanges are" in told


def test_shapes_differ_where_they_should():
    kept = recorded("standin")["call"].shape
    assert differences(kept, kept) == [] == beyond(kept, kept)
    lacking = {path: kind for path, kind in kept.items() if "arguments" not in path}
    assert differences(kept, lacking) == ["no choices[].message.tool_calls[].function.arguments"]
    odd = {**kept, "id": "number", "extra": "text"}
    assert differences(kept, odd) == ["id is number, not text"] and beyond(kept, odd) == ["extra"]


def test_every_recorded_server_is_one_that_the_loop_can_work_with():
    from harness.settings import root

    for file in sorted((root() / "data" / "contract").glob("*.json")):
        kept = recorded(file.stem)
        assert kept.keys() == {each["name"] for each in exchanges()}
        for exchange in exchanges():
            fault = contract_command.fault_of(kept[exchange["name"]], exchange["status"])
            assert fault == "", (file.stem, exchange["name"], fault)
    assert client_for.__doc__
