"""How a request is sent: each like the first that the client makes, and in it when it fails."""

from collections.abc import Callable
from unittest import mock

import httpx2
import openai
import pytest

from harness import chat
from harness.model.response_parsing import ProviderError

ASK = [{"role": "user", "content": "Are you there?"}]
YES = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
SOON = {"retry-after-ms": "1"}


def answering(*answers: Callable[[httpx2.Request], httpx2.Response]):
    """An openai client whose server gives these answers in turn, and the requests that it got."""
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return answers[min(len(seen), len(answers)) - 1](request)

    http = httpx2.Client(
        transport=httpx2.MockTransport(answer),
        headers={"X-Pays": "us", "User-Agent": "ours"},
        params={"version": "1"},
    )
    client = openai.OpenAI(
        api_key="of-the-test",
        http_client=http,
        base_url="http://server.invalid/a/v1",
        organization="org",
        default_headers={"X-More": "more"},
    )
    return client, seen


def yes(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json=YES, headers=[("set-cookie", f"seen={id(request)}")])


def unavailable(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(503, json={"error": {"message": "busy"}}, headers=SOON)


def gone(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("nobody there", request=request)


def ask(client: openai.OpenAI, stream: bool = False) -> str | None:
    with mock.patch("harness.model.chat.client_for", lambda model: client):
        return chat(ASK, stream=stream).choices[0].message.content


def told(request: httpx2.Request) -> dict[str, str]:
    left_out = ("x-stainless-", "content-length", "cookie")
    return {k: v for k, v in request.headers.items() if not k.startswith(left_out)}


def test_a_request_is_what_the_client_itself_would_send() -> None:
    client, seen = answering(yes)
    ask(client), ask(client)
    client.post("/chat/completions", body={"messages": ASK}, cast_to=httpx2.Response)
    first, second, theirs = seen
    assert told(first) == told(second) == told(theirs)
    assert {"x-pays", "x-more", "authorization", "openai-organization"} <= told(first).keys()
    assert first.url == second.url == theirs.url
    assert first.content == second.content and b"Are you there?" in second.content
    assert int(second.headers["content-length"]) == len(second.content)


def test_a_cookie_of_the_server_comes_back_to_it() -> None:
    client, seen = answering(yes)
    ask(client), ask(client), ask(client)
    sent = [request.headers.get("cookie") for request in seen]
    assert sent == [None, f"seen={id(seen[0])}", f"seen={id(seen[1])}"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", [unavailable, gone])
def test_what_failed_is_tried_again_as_often_as_the_client_does(fault, stream, monkeypatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
    client, seen = answering(fault, fault, yes)
    assert ask(client, stream) == "Yes."
    assert [r.headers["x-stainless-retry-count"] for r in seen] == ["0", "1", "2"]
    assert len({r.content for r in seen}) == 1 and len({str(told(r)) for r in seen}) == 1
    client, seen = answering(fault)
    with pytest.raises(ProviderError):
        ask(client, stream)
    assert len(seen) == 3


def test_a_refusal_is_asked_for_once_and_said_in_the_servers_words() -> None:
    client, seen = answering(
        lambda request: httpx2.Response(401, json={"error": {"message": "no such key"}})
    )
    with pytest.raises(ProviderError, match="no such key"):
        ask(client)
    assert len(seen) == 1
