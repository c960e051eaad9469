import http.client
import json
import socket
import subprocess
import sys
import time

import openai
import pytest

from harness import standin
from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.standin import server
from tests.standin_client import QUESTION, call, dumps, result


@pytest.fixture(scope="module")
def url():
    with standin.serving() as base_url:
        yield base_url


def ask(url, key="anything", **options):
    options = {"model": "standin", "messages": [QUESTION], **options}
    retries = options.pop("max_retries", 0)
    with openai.OpenAI(api_key=key, base_url=url, max_retries=retries) as client:
        reply = client.chat.completions.create(**options)
        return list(reply) if options.get("stream") else reply


def connection(url):
    host, port = url.removeprefix("http://").removesuffix("/v1").split(":")
    return http.client.HTTPConnection(host, int(port), timeout=10)


def test_a_client_gets_an_answer(url):
    with standin.script([standin.say("over HTTP")]) as seen:
        reply = ask(url)
    assert reply.choices[0].message.content == "over HTTP"
    assert seen.requests == [{"model": "standin", "messages": [QUESTION]}]


def test_without_a_script_the_model_answers(url):
    assert ask(url).choices[0].message.content


def test_it_listens_on_loopback_only(url):
    assert url.startswith("http://127.0.0.1:")


def test_errors_are_those_of_the_api(url):
    with pytest.raises(openai.BadRequestError, match="preceeding message with 'tool_calls'"):
        ask(url, messages=[QUESTION, result()])
    with pytest.raises(openai.NotFoundError) as caught:
        ask(url, model="gpt-9")
    assert caught.value.code == "model_not_found"


def test_a_wrong_key_is_a_401_and_shown_in_part_only(url):
    with pytest.raises(openai.AuthenticationError) as caught:
        ask(url, key="sk-wrong-0123456789abcdef")
    assert caught.value.code == "invalid_api_key"
    assert caught.value.body["message"].startswith("Incorrect API key provided: sk-wron***cdef.")
    assert "0123456789" not in str(caught.value)


def test_no_key_is_a_401(url):
    link = connection(url)
    link.request("POST", "/v1/chat/completions", dumps({"model": "standin"}))
    response = link.getresponse()
    assert response.status == 401
    assert json.load(response)["error"]["message"].startswith("You didn't provide an API key.")


def test_a_connection_is_kept_open(url):
    link = connection(url)
    with standin.script(["one", "two"]):
        for expected in ("one", "two"):
            body = dumps({"model": "standin", "messages": [QUESTION]})
            link.request("POST", "/v1/chat/completions", body, {"Authorization": "Bearer x"})
            if expected == "one":
                used = link.sock
            message = json.load(link.getresponse())["choices"][0]["message"]
            assert message["content"] == expected
    assert link.sock is used


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/models", 200),
        ("GET", "/", 404),
        ("POST", "/v1/embeddings", 404),
        ("GET", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
    ],
)
def test_routes(url, method, path, status):
    link = connection(url)
    headers = {"Authorization": "Bearer x", "Content-Length": "0"}
    link.request(method, path, headers=headers)
    response = link.getresponse()
    assert response.status == status
    assert json.load(response).keys() == ({"object", "data"} if status == 200 else {"error"})


def test_a_body_that_is_no_json_is_refused(url):
    link = connection(url)
    link.request("POST", "/v1/chat/completions", b"{", {"Authorization": "Bearer x"})
    response = link.getresponse()
    assert response.status == 400
    assert "could not parse the JSON body" in json.load(response)["error"]["message"]


def test_a_stream_arrives_in_pieces(url):
    turn = standin.calls([("probe", {"n": 1})], text="Looking.")
    with standin.script([turn]):
        chunks = ask(url, stream=True, stream_options={"include_usage": True})
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Looking."
    assert chunks[-1].usage.total_tokens > 0


def test_status_headers_and_retries(url):
    limited = standin.http(429, headers={"Retry-After": "1", "retry-after-ms": "5"})
    with standin.script([limited, "ok"]) as seen:
        assert ask(url, max_retries=1).choices[0].message.content == "ok"
    assert len(seen.requests) == 2


@pytest.mark.parametrize(
    "turn",
    [ConnectionResetError(), standin.raw([b'{"id"', EOFError()])],
    ids=["no answer", "half an answer"],
)
def test_a_broken_connection_is_one(url, turn):
    with standin.script([turn]), pytest.raises(openai.APIConnectionError):
        ask(url)


def test_a_client_that_leaves_does_no_harm(url):
    with standin.script([standin.slowly(0.3, "late"), "next"]):
        with pytest.raises(openai.APITimeoutError):
            ask(url, timeout=0.05)
        assert ask(url).choices[0].message.content == "next"


def test_pieces_drip(url):
    started = time.monotonic()
    body = dumps({"id": "x", "choices": []})
    with standin.script([standin.dripping(body, 0.005)]):
        assert ask(url).choices == []
    assert time.monotonic() - started >= 0.005 * (len(body) - 1)


def test_many_clients_at_once(url):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: ask(url, messages=[{**QUESTION}]), range(24)))
    assert len({reply.choices[0].message.content for reply in replies}) == 1


def test_a_busy_port_says_what_to_do():
    with socket.socket() as taken:
        taken.bind((server.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(WorkshopError) as caught:
            server.main(port)
    assert str(port) in caught.value.message
    assert "--port 0" in caught.value.hint


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_says_so(port):
    with pytest.raises(WorkshopError, match="not a port"):
        server.start(port)


def test_a_model_name_with_a_call_keeps_its_tools(url):
    tool = {"type": "function", "function": {"name": "probe", "parameters": None}}
    reply = ask(
        url,
        model="standin/repeats",
        tools=[tool],
        messages=[
            QUESTION,
            {"role": "assistant", "content": None, "tool_calls": [call("a")]},
            result("a"),
        ],
    )
    assert reply.choices[0].message.tool_calls[0].function.arguments == '{"n": 1}'


def test_the_list_names_every_model(capsys):
    assert main(["standin", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == len(standin.catalogue())
    assert all(line.startswith("standin/") and len(line) <= 100 for line in lines)


def test_main_prints_where_it_listens_and_ends_on_interrupt():
    code = "from harness.standin.server import main; main(0)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        lines = [process.stdout.readline() for _ in range(3)]
        said = dict(setting.split("=", 1) for setting in lines[1].split())
        reply = ask(said["OPENAI_BASE_URL"], said["OPENAI_API_KEY"], model=said["WORKSHOP_MODEL"])
        assert reply.choices[0].message.content
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()
