import threading
import time

import httpx2
import openai
import pytest

from harness import standin
from tests.homes import printed
from tests.standin_client import QUESTION, assistant, call, client, result, send, tool


def ask(messages=None, **options):
    with client() as openai_client:
        return openai_client.chat.completions.create(
            model=options.pop("model", "standin"), messages=messages or [QUESTION], **options
        )


def text(reply):
    return reply.choices[0].message.content


def test_turns_are_taken_in_order_and_requests_are_kept():
    with standin.script([standin.call("probe", n=1), standin.say("done")]) as seen:
        first = ask(tools=[tool()])
        assert (seen.left, seen.exhausted) == (1, False)
        second = ask(temperature=0.5)
    assert first.choices[0].message.tool_calls[0].function.name == "probe"
    assert text(second) == "done"
    assert [sorted(request) for request in seen.requests] == [
        ["messages", "model", "tools"],
        ["messages", "model", "temperature"],
    ]
    assert seen.requests[0]["messages"] == [QUESTION]


def test_any_model_name_goes_under_a_script():
    with standin.script(["hello"]):
        assert text(ask(model="gpt-from-next-year")) == "hello"


def test_a_request_too_many_fails_clearly_and_is_not_retried():
    with standin.script([standin.say("only")]) as seen:
        ask()
        with pytest.raises(openai.BadRequestError) as caught:
            client(max_retries=3).chat.completions.create(model="m", messages=[QUESTION])
    assert caught.value.code == "script_exhausted"
    assert caught.value.body["message"] == (
        "The script is over: it has 1 turns and this is request 2."
    )
    assert seen.exhausted
    assert len(seen.requests) == 2


def test_then_says_what_follows_the_last_turn():
    with standin.script(["a", "b"], then=standin.REPEAT) as seen:
        assert [text(ask()) for _ in range(4)] == ["a", "b", "b", "b"]
    with standin.script(["a"], then="c"):
        assert [text(ask()) for _ in range(3)] == ["a", "c", "c"]
    with standin.script(["a"], then=lambda request: f"{len(request['messages'])} messages"):
        assert [text(ask()) for _ in range(2)] == ["a", "1 messages"]
    assert not seen.exhausted


def test_a_function_answers_every_request():
    def turn(request):
        return standin.say(str(len(request["messages"])))

    with standin.script(turn) as seen:
        assert text(ask()) == "1"
        assert text(ask([QUESTION, {"role": "assistant", "content": "x"}, QUESTION])) == "3"
    assert len(seen.requests) == 2


def test_what_a_function_raises_reaches_the_test():
    def turn(request):
        raise AssertionError("the tools are missing")

    with standin.script([turn]), pytest.raises(AssertionError, match="the tools are missing"):
        ask()


def test_the_protocol_is_checked_and_a_refused_request_uses_no_turn_up():
    with standin.script(["fine"]) as seen:
        with pytest.raises(openai.BadRequestError, match="preceeding message"):
            ask([QUESTION, result()])
        assert text(ask()) == "fine"
    assert len(seen.requests) == 2
    assert len(seen.refused) == 1 and seen.refused[0].status == 400


def test_a_lenient_script_takes_anything():
    with standin.script(["fine"], strict=False) as seen:
        assert text(ask([QUESTION, result()])) == "fine"
    assert seen.refused == []


def test_scripts_nest_and_the_outer_one_goes_on():
    with standin.script(["outer 1", "outer 2"]) as outer:
        assert text(ask()) == "outer 1"
        with standin.script(["inner"]) as inner:
            assert text(ask()) == "inner"
        assert text(ask()) == "outer 2"
    assert (len(outer.requests), len(inner.requests)) == (2, 1)


def test_the_script_ends_with_its_block_whatever_happens():
    with pytest.raises(ZeroDivisionError), standin.script(["x"]):
        raise ZeroDivisionError
    assert not standin.script_is_active()
    with pytest.raises(openai.NotFoundError):
        ask(model="not-a-standin")


def test_threads_have_their_own_scripts():
    barrier = threading.Barrier(8)
    failures = []

    def work(number):
        try:
            with standin.script([str(number)] * 20) as seen:
                barrier.wait()
                for _ in range(20):
                    assert text(ask()) == str(number)
                barrier.wait()
            assert len(seen.requests) == 20
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_thread_without_a_script_of_its_own_gets_the_open_one():
    with standin.script(["from the main thread"]):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(text(ask())))
        thread.start()
        thread.join()
    assert answers == ["from the main thread"]


def test_no_turn_is_given_twice():
    turns = [str(n) for n in range(60)]
    with standin.script(turns) as seen:
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.extend(text(ask()) for _ in range(10)))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers, key=int) == turns
    assert not seen.exhausted


def test_calls_in_every_form():
    turn = standin.calls(
        [
            ("probe", {"n": 1}),
            ("probe", '{"n": ', "own-id"),
            standin.call("other", a="é"),
            call("x", "raw", None),
        ],
        text="Looking.",
        finish_reason="stop",
    )
    with standin.script([turn]):
        choice = ask().choices[0]
    made = choice.message.tool_calls
    assert [each.function.arguments for each in made] == ['{"n": 1}', '{"n": ', '{"a": "é"}', None]
    assert (made[1].id, made[3].id) == ("own-id", "x")
    assert made[0].id != made[2].id
    assert (choice.finish_reason, choice.message.content) == ("stop", "Looking.")


def test_an_argument_may_be_called_name():
    with standin.script([standin.call("load_skill", name="percentiles", id=3)]):
        made = ask().choices[0].message.tool_calls[0]
    assert made.function.arguments == '{"name": "percentiles", "id": 3}'


@pytest.mark.parametrize("arguments", ["{", "", None, {"n": 1}, [1], "NaN", '"{}"'])
def test_raw_arguments_are_sent_as_they_are(arguments):
    with standin.script([standin.call_raw("probe", arguments, id="i")]):
        body = send({"model": "m", "messages": [QUESTION]}).json()
    assert body["choices"][0]["message"]["tool_calls"] == [call("i", "probe", arguments)]


def test_a_message_and_a_whole_response_can_be_dicts():
    message = {"content": None, "tool_calls": [{"name": "probe", "arguments": {"n": 1}}]}
    whole = {"id": "x", "choices": None, "odd": True}
    with standin.script([message, whole]):
        assert ask().choices[0].message.tool_calls[0].function.arguments == '{"n": 1}'
        assert send({"model": "m", "messages": [QUESTION]}).json() == whole


def test_fields_of_a_message_and_of_the_response_can_be_set():
    turn = standin.Message(content="x", fields={"refusal": "no"}, extra={"usage": None, "a": 1})
    with standin.script([turn]):
        body = send({"model": "m", "messages": [QUESTION]}).json()
    assert body["choices"][0]["message"]["refusal"] == "no"
    assert body["a"] == 1 and "usage" not in body


def test_an_http_error_with_headers_is_retried_by_the_client():
    limited = standin.http(429, headers={"Retry-After": "1", "retry-after-ms": "10"})
    with standin.script([limited, standin.http(500, headers={"retry-after-ms": "10"}), "ok"]) as s:
        reply = client(max_retries=2).chat.completions.create(model="m", messages=[QUESTION])
    assert text(reply) == "ok"
    assert len(s.requests) == 3


def test_an_http_error_carries_its_body():
    body = {"error": {"message": "no", "type": "t", "param": "p", "code": "c"}}
    denied = pytest.raises(openai.PermissionDeniedError)
    with standin.script([standin.http(403, body)]), denied as caught:
        ask()
    assert (caught.value.body, caught.value.code) == (body["error"], "c")


def test_html_and_broken_json_arrive_as_they_are():
    with standin.script([b"<html>", standin.raw('{"id": '), standin.raw(b"\xff\x00")]):
        page = send({"model": "m", "messages": [QUESTION]})
        half = send({"model": "m", "messages": [QUESTION]})
        junk = send({"model": "m", "messages": [QUESTION]})
    assert page.headers["content-type"].startswith("text/html")
    assert (half.content, half.headers["content-type"]) == (b'{"id": ', "application/json")
    assert junk.content == b"\xff\x00"


def test_bytes_can_drip():
    started = time.monotonic()
    with standin.script([standin.dripping(b'{"a": 1}', 0.01)]):
        assert send({"model": "m", "messages": [QUESTION]}).json() == {"a": 1}
    assert time.monotonic() - started >= 0.07


def test_the_read_timeout_holds_between_bytes_as_on_a_socket():
    pieces = [b'{"a"', 30.0, b": 1}"]
    with standin.script([standin.raw(pieces)]), pytest.raises(openai.APITimeoutError):
        ask(timeout=0.05)


def test_a_slow_answer_meets_the_read_timeout():
    with standin.script([standin.slowly(30, standin.say("late")), standin.slowly(0.02, "soon")]):
        started = time.monotonic()
        with pytest.raises(openai.APITimeoutError):
            ask(timeout=0.05)
        assert time.monotonic() - started < 5
        assert text(ask()) == "soon"


@pytest.mark.parametrize(
    ("turn", "raised"),
    [
        (ConnectionError(), openai.APIConnectionError),
        (ConnectionResetError, openai.APIConnectionError),
        (TimeoutError(), openai.APITimeoutError),
        (httpx2.ConnectTimeout("slow"), openai.APITimeoutError),
        (httpx2.RemoteProtocolError("odd"), openai.APIConnectionError),
        (standin.raw([b'{"id"', EOFError()]), openai.APIConnectionError),
        (KeyboardInterrupt, KeyboardInterrupt),
    ],
    ids=repr,
)
def test_exceptions_are_raised_as_the_client_would_meet_them(turn, raised):
    with standin.script([turn]), pytest.raises(raised):
        ask()


def test_a_stream_of_ones_own_chunks():
    def chunk(**delta):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}

    turn = standin.stream([{"choices": []}, chunk(content="a"), 0.01, chunk(content="b")])
    with standin.script([turn]):
        chunks = list(ask(stream=True))
    assert [c.choices[0].delta.content for c in chunks if c.choices] == ["a", "b"]


def test_a_stream_can_break():
    turn = standin.stream([{"choices": []}, ConnectionResetError()], done=False)
    with standin.script([turn]):
        chunks = ask(stream=True)
        with pytest.raises(openai.APIConnectionError):
            list(chunks)


def test_a_turn_can_be_the_stand_ins_own_or_one_of_its_faults():
    history = [QUESTION, assistant(call("a")), result("a")]
    with standin.script([standin.normal(), standin.fault("repeats"), standin.fault("html")]):
        assert text(ask())
        again = ask(history, tools=[tool()])
        assert again.choices[0].message.tool_calls[0].function.name == "probe"
        page = send({"model": "m", "messages": [{"role": "user", "content": "fresh"}]})
        assert page.headers["content-type"].startswith("text/html")


def test_a_turn_of_no_known_form_says_so():
    with standin.script([42]), pytest.raises(TypeError, match="a turn can't be int"):
        ask()


def test_the_package_loads_nothing_heavy(tmp_path):
    code = (
        "import sys, harness.standin\n"
        "heavy = {'numpy', 'torch', 'openai', 'httpx2', 'duckdb', 'bpe_openai'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert printed(code) == "[]"
