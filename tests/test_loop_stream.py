"""Streamed replies: every way that servers differ, put together as a whole reply is read."""

import json
import random
import time
import warnings

import pytest

from harness import standin
from harness.model.response_parsing import UnusableReply, read_reply
from harness.model.streaming import accumulate, events
from tests.loop_tools import body, last_results, raw_call, turn_with

SAY = standin.say

pytestmark = pytest.mark.usefixtures("ran")


def chunk(delta=None, finish=None, index=0, **more):
    choice = {"index": index, "delta": delta or {}, "finish_reason": finish}
    return {"id": "s", "object": "chat.completion.chunk", "created": 1, "model": "m"} | {
        "choices": [choice],
        **more,
    }


def piece(index=0, call_id=None, name=None, arguments=None, **more):
    """A chunk with a piece of a call; what is None is left out."""
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    made = {"index": index, "id": call_id, "function": function}
    made = {k: v for k, v in made.items() if v is not None}
    return chunk({"tool_calls": [{**made, **more}]})


TEXT = [chunk({"role": "assistant", "content": ""}), chunk({"content": "It is"})]
ANSWER = [*TEXT, chunk({"content": " 3."}), chunk({}, "stop")]
USAGE = {**chunk(), "choices": [], "usage": {"prompt_tokens": 70, "completion_tokens": 7}}


def streamed(*turns, **options):
    """(result, what the script saw, the text deltas) of a streamed turn."""
    events = []
    result, seen = turn_with(list(turns), stream=True, on_event=events.append, **options)
    return result, seen, [event["text"] for event in events if "text" in event]


@pytest.mark.parametrize(
    "reply",
    [
        standin.stream(ANSWER),
        standin.stream(ANSWER, done=False),  # no [DONE]
        standin.stream([{**chunk(), "choices": []}, *ANSWER]),  # Azure: filter results first
        standin.stream([{"choices": None}, *ANSWER, {"object": "x"}]),
        standin.stream([*TEXT, chunk({"content": " 3."})]),  # [DONE], but no finish_reason
        standin.stream([*ANSWER, USAGE]),
        standin.stream([chunk({"content": [{"type": "text", "text": "It is"}]}), *ANSWER[2:]]),
        standin.stream([chunk({"content": "It is 3."}, "stop")]),
        standin.stream([{"choices": [{"index": 0, "message": {"content": "It is 3."}}]}]),
        standin.stream([*TEXT, {"choices": [{"index": 0, "message": {"content": "It is 3."}}]}]),
        standin.stream([{"choices": [{"index": 0, "text": each}]} for each in ("It is", " 3.")]),
        standin.stream([chunk("It is"), chunk([" 3."]), chunk(None), chunk({}, "stop")]),
        standin.stream([b": a comment\n\n", b"event: ping\ndata: {}\n\n", *ANSWER]),
        standin.stream([b"retry: 10\r\nid: 7\r\n\r\n", *ANSWER]),
        standin.stream([b"".join(standin.event(each).replace(b": ", b":", 1) for each in ANSWER)]),
        standin.stream([standin.event(each).replace(b"\n", b"\r\n") for each in ANSWER]),
        standin.stream([standin.event(each).replace(b"\n\n", b"\n") for each in ANSWER]),
        standin.stream([b"\xef\xbb\xbf", *ANSWER]),
        standin.stream([b'data: "ping"\n\n', b"data: null\n\n", *ANSWER]),
        standin.stream([*TEXT, chunk({"content": " 3."}), b"data: [DONE]\n", b"nonsense"]),
        standin.stream([chunk({"content": "no"}, index=1), *ANSWER][1:]),
        standin.stream([*TEXT, chunk({"content": "other"}, index=1), *ANSWER[2:]]),  # two choices
        standin.stream([{"choices": [None]}, *TEXT, chunk({"tool_calls": [None]}), *ANSWER[2:]]),
        standin.raw([b"data: ", json.dumps(chunk({"content": "It is 3."}, "stop")).encode()]),
        standin.raw([bytes([byte]) for byte in b"".join(map(standin.event, ANSWER))]),
    ],
)
def test_an_answer_in_an_odd_stream_is_an_answer(reply):
    result, seen, _ = streamed(reply)
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert len(seen.requests) == 1


def test_the_text_is_told_piece_by_piece_and_the_turn_event_by_event():
    _, seen, texts = streamed(standin.stream(ANSWER))
    assert texts == ["It is", " 3."]
    assert seen.requests[0]["stream"] is True
    events = []
    turn_with([SAY("ok")], on_event=events.append)
    phases = [event["phase"] for event in events]
    assert phases == ["PLANNING", "PLANNING", "COMPLETED"]  # the context, the answer


def test_a_chunk_of_usage_is_counted():
    result, _, _ = streamed(standin.stream([*ANSWER, USAGE]))
    assert result.usage["prompt_tokens"] == 70 and result.usage["completion_tokens"] == 7


def test_usage_that_no_server_counts_is_counted_by_us():
    result, _, _ = streamed(standin.stream(ANSWER))
    assert result.usage["prompt_tokens"] > 100 and result.usage["completion_tokens"] > 1


ADD = '{"a": 1, "b": 2}'
CUT = ADD.index("b")


@pytest.mark.parametrize(
    "chunks",
    [
        [piece(0, "x", "add", ""), piece(0, arguments=ADD[:5]), piece(0, arguments=ADD[5:])],
        [piece(0, "x", "add"), piece(0, arguments=ADD)],
        [piece(0, None, "add", ADD)],  # no id
        [piece(0, "x", "a"), piece(0, None, "dd"), piece(0, arguments=ADD)],  # a name in pieces
        [piece(0, "x", "add", ADD[:5]), piece(0, "x", "add", ADD[5:])],  # all repeated
        [piece(0, "x", "add", ADD[:5]), piece(0, "y", None, ADD[5:])],  # a new id, no name
        [piece(0, "x", "add", {"a": 1, "b": 2})],  # llama.cpp: an object
        [piece(0, "x", "add", json.dumps(ADD))],  # encoded twice
        [piece(None, "x", "add", ADD[:5]), piece(None, None, None, ADD[5:])],  # no index
        [piece(3, "x", "add", ADD)],
        [piece(0, "", "add", ADD, type=None)],
        [chunk({"function_call": {"name": "add", "arguments": ADD}})],
        [piece(0, "x", "add", ""), *[piece(0, arguments=letter) for letter in ADD]],
        [chunk({"content": None, "tool_calls": None}), piece(0, "x", "add", ADD)],
        [piece("0", "x", "add", ADD[:5]), piece(0, None, None, ADD[5:])],
        [piece(0, "x", None, ADD[:4]), piece(0, None, "add", ADD[4:])],  # the name comes late
        [piece(0, "x", "add", ADD[:4]), piece(1, None, None, ADD[4:])],  # the index counts pieces
        [piece(0, "x", "add", "{}"), piece(0, None, None, ADD)],
        [piece(0, "x", "add", ADD), piece(0, "x", "add", ADD)],
        [piece(0, "x", "add", {"a": 1}), piece(0, "x", "add", {"a": 1, "b": 2})],
        [piece(0, "x", "add", letter) for letter in ADD],
        [piece(0, "x", "ad"), piece(0, "x", "add"), piece(0, arguments=ADD)],  # all of it so far
        [chunk({"tool_calls": [{"index": 0, "name": "add", "arguments": ADD}]})],  # no wrapper
        [chunk({"tool_calls": {"index": 0, "function": {"name": "add", "arguments": ADD}}})],
        [
            piece(0, "x", "add", ADD),
            {
                "choices": [
                    {
                        "index": 0,
                        "message": {
                            "tool_calls": [
                                {"id": "x", "function": {"name": "add", "arguments": ADD}}
                            ]
                        },
                    }
                ]
            },
        ],  # and whole at the end
    ],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call"])
def test_one_call_in_any_pieces_runs_once(chunks, finish, ran):
    result, _, _ = streamed(standin.stream([*chunks, chunk({}, finish)]), SAY("3"))
    assert ran == [("add", {"a": 1, "b": 2})]
    assert (result.status, result.answer) == ("completed", "3")


@pytest.mark.parametrize(
    "chunks",
    [
        [piece(0, "x", "add", '{"a": 1}'), piece(1, "y", "add", '{"a": 2}')],
        [piece(0, "x", "add", '{"a": 1}'), piece(0, "y", "add", '{"a": 2}')],  # Ollama
        [piece(0, None, "add", '{"a": 1}'), piece(0, None, "add", '{"a": 2}')],
        [piece(0, "same", "add", '{"a": 1}'), piece(0, "same", "add", '{"a": 2}')],
        [piece(0, "same", "add", '{"a": 1}'), piece(1, "same", "add", '{"a": 2}')],
        [piece(0, "x", "add", {"a": 1}), piece(0, "y", "add", {"a": 2})],
        [piece(None, "x", "add", '{"a": 1}'), piece(None, "y", "add", '{"a": 2}')],
        [piece(0, "x", "add"), piece(1, "y", "add"), piece(0, arguments='{"a": 1}'),
         piece(1, arguments='{"a": 2}')],
        [piece(0, "x", "add", '{"a"'), piece(1, "y", "add", '{"a": 2'), piece(0, arguments=": 1}"),
         piece(1, arguments="}")],
        [piece(0, "x", "add", '{"a"'), piece(0, "y", "add", '{"a": 2'),
         piece(0, "x", arguments=": 1}"), piece(0, "y", arguments="}")],  # the ids tell
        [chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "add",
         "arguments": '{"a": 1}'}}, {"index": 0, "id": "y", "function": {"name": "add",
         "arguments": '{"a": 2}'}}]})],
    ],
)  # fmt: skip
def test_two_calls_stay_two(chunks, ran):
    _, seen, _ = streamed(standin.stream([*chunks, chunk({}, "tool_calls")]), SAY("ok"))
    assert [arguments["a"] for _, arguments in ran] == [1, 2]
    assert ['"sum": 1' in last_results(seen)[0], '"sum": 2' in last_results(seen)[1]] == [True] * 2
    ids = [call["id"] for call in seen.requests[-1]["messages"][2]["tool_calls"]]
    assert len(set(ids)) == 2


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("finish", ["tool_calls", "length", None])
def test_a_call_that_was_cut_is_never_run(finish, done, ran):
    end = [chunk({}, finish)] if finish else []
    reply = standin.stream([piece(0, "x", "add", '{"a": 1, "b"'), *end], done=done)
    result, seen, _ = streamed(reply, SAY("sorry"))
    assert ran == [] and result.answer == "sorry"
    assert last_results(seen)[0].startswith("ERROR: ")
    if finish == "length" or (finish is None and not done):
        assert "cut off" in last_results(seen)[0]


def test_text_that_was_cut_is_asked_for_again():
    half = standin.stream(TEXT, done=False)
    result, seen, _ = streamed(half, SAY("It is 3."))
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert "cut off" in seen.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "reply",
    [
        standin.stream([*TEXT, ConnectionResetError()]),
        standin.stream([*TEXT, EOFError()]),
        standin.stream([*TEXT, {"error": {"message": "overloaded", "code": 503}}]),
        standin.stream([*TEXT, b'event: error\ndata: {"message": "overloaded"}\n\n']),
        standin.stream([*TEXT, b"data: error: upstream is gone\n\n"]),
        standin.stream([*TEXT, b'{"error": {"message": "overloaded"}}\n']),
        standin.stream([*TEXT, b"data: {broken\n\n"]),
        standin.stream([*TEXT, b'data: {"choices"'], done=False),
        standin.stream([]),
        standin.stream([], done=False),
        standin.raw(b""),
        standin.raw("<html>502</html>"),
        standin.raw("data: " + "[" * 100_000 + "\n\n"),
        standin.raw({"error": {"message": "overloaded"}}.__repr__()),
    ],
)
class TestBrokenStreams:
    def test_once_is_begun_anew(self, reply):
        events = []
        result, seen = turn_with([reply, SAY("It is 3.")], stream=True, on_event=events.append)
        assert (result.status, result.answer) == ("completed", "It is 3.")
        assert len(seen.requests) in (2, 3)
        restarts = [i for i, event in enumerate(events) if "restarted" in event]
        texts = [event["text"] for event in events[restarts[-1] + 1 if restarts else 0 :]
                 if "text" in event]  # fmt: skip
        assert "".join(texts) == "It is 3."

    def test_twice_is_one_typed_error(self, reply):
        result, seen, _ = streamed(reply, reply, SAY("x"), SAY("y"))
        assert (result.status == "provider_error") == (len(seen.requests) == 2)
        assert result.answer


def test_a_server_that_does_not_stream_is_read_all_the_same(ran):
    whole = json.dumps(body({"content": None, "tool_calls": [raw_call("add", ADD)]}))
    pretty = json.dumps(body({"content": "It is 3."}), indent=1)
    result, _, _ = streamed(standin.raw(whole), standin.raw(pretty))
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert ran == [("add", {"a": 1, "b": 2})]


def test_other_line_separators_are_part_of_the_text():
    text = "one\u2028two\x85three\x0bfour\rfive"
    raw = b"data: " + json.dumps(chunk({"content": text}, "stop"), ensure_ascii=False).encode()
    result, _, _ = streamed(standin.stream([raw + b"\n\n"]))
    assert result.answer == text


@pytest.mark.parametrize("stream", [True, False])
def test_half_an_emoji_in_text_or_call_costs_nothing(stream, ran):
    first = standin.calls([("boom", '{"word": "\ud83d"}')], text="\ud83d?")
    result, _ = turn_with([first, SAY("It is \ud83d.")], stream=stream)
    assert (result.status, result.answer) == ("completed", "It is ?.")
    assert ran == [("boom", {"word": "?"})]


def test_an_emoji_in_two_halves_is_one(ran):
    halves = [chunk({"content": half}) for half in ("It is \ud83d", "\ude00.")]
    result, _, _ = streamed(standin.stream([*halves, chunk({}, "stop")]))
    assert result.answer == "It is \U0001f600."


def test_zeros_behind_the_usage_count_nothing():
    used = {"prompt_tokens": 5, "completion_tokens": 4}
    counted = [{"choices": [], "usage": used}, chunk({}, "stop", usage=dict.fromkeys(used, 0))]
    assert accumulate([*TEXT, *counted])["usage"] == used


def test_a_stream_that_ends_in_an_error_is_begun_anew():
    half = standin.stream([*TEXT, chunk({}, "error")])
    result, seen, _ = streamed(half, SAY("It is 3."))
    assert (result.answer, len(seen.requests)) == ("It is 3.", 2)


def test_a_long_line_in_many_pieces_is_read_in_linear_time():
    text = "x" * 3_000_000
    data = standin.event(chunk({"content": text}, "stop"))
    pieces = [data[start : start + 500] for start in range(0, len(data), 500)]
    started = time.perf_counter()
    assert accumulate(events(pieces))["choices"][0]["message"]["content"] == text
    assert time.perf_counter() - started < 1.5


def test_whatever_a_server_sends_is_a_legal_message_or_unusable():
    """Replies and streams with random parts missing, or of another kind."""
    call = {"index": 0, "id": "c", "function": {"name": "add", "arguments": ADD}}
    whole = body({"content": [{"type": "text", "text": "a"}], "tool_calls": [call, call]})
    parts = [chunk({"content": "a", "tool_calls": [call]}), chunk({"function_call": call}, "stop")]
    for seed in range(400):
        rng = random.Random(seed)
        sent = [b"data: " + json.dumps(_odd(part, rng)).encode() + b"\n\n" for part in parts]
        for raw in (json.dumps(_odd(whole, rng)).encode(), b"".join(sent)):
            try:
                message = read_reply(raw, {"c"}).choices[0].message
            except UnusableReply:
                continue
            calls = message.tool_calls or []
            ids = {each.id for each in calls}
            assert len(ids) == len(calls) and "c" not in ids
            assert all(type(each.function.arguments) is str for each in calls)
            assert message.content is None or type(message.content) is str


def _odd(value, rng):
    if rng.random() < 0.12:
        return rng.choice([None, True, 7, "", "x", "{}", [], {}, [None], [[]], {"a": {}}, "\ud83d"])
    if isinstance(value, dict):
        return {key: _odd(each, rng) for key, each in value.items() if rng.random() > 0.05}
    return [_odd(each, rng) for each in value] if isinstance(value, list) else value


def test_a_refusal_in_pieces():
    refusal = [chunk({"refusal": "I can't"}), chunk({"refusal": " do that."}), chunk({}, "stop")]
    result, _, texts = streamed(standin.stream(refusal))
    assert (result.status, result.answer, texts) == ("refused", "I can't do that.", [])


def test_a_content_filter_in_a_stream():
    result, _, _ = streamed(standin.stream([*TEXT, chunk({}, "content_filter")]))
    assert result.status == "filtered" and result.answer == "It is"


def test_an_empty_stream_that_ended_well_is_an_empty_reply():
    empty = standin.stream([chunk({"role": "assistant"}), chunk({}, "stop")])
    result, _, _ = streamed(empty, SAY("It is 3."))
    assert (result.status, result.answer) == ("completed", "It is 3.")


CONVERSATIONS = [
    [SAY("It is 3.")],
    [standin.call("add", a=1, b=2), SAY("It is 3.")],
    [standin.calls([("add", {"a": 1}), ("ping", {}), ("nope", {})], text="So:"), SAY("ok")],
    [standin.call_raw("add", '{"a": 1, "b"', finish_reason="length"), SAY("sorry")],
    [SAY("half", finish_reason="length"), SAY("whole")],
    [SAY(""), SAY(None), SAY("forced")],
    [standin.call("boom"), standin.call("boom"), standin.call("boom"), SAY("forced")],
    [SAY(None, refusal="No.")],
    [body({"content": [{"type": "text", "text": "It is 3."}]})],
    [body({"content": None, "tool_calls": [raw_call("add", {"a": 1}, None)]}), SAY("1")],
]


@pytest.mark.parametrize("turns", CONVERSATIONS)
def test_a_streamed_turn_equals_one_that_is_not(turns):
    whole, _ = turn_with(turns)
    pieces, _ = turn_with(turns, stream=True)
    assert (pieces.answer, pieces.status, pieces.trip) == (whole.answer, whole.status, whole.trip)
    assert pieces.steps == whole.steps
    assert pieces.messages == whole.messages
    assert pieces.usage == whole.usage


def test_a_listener_that_fails_is_dropped_and_costs_nothing(ran):
    heard = []

    def listen(event):
        heard.append(event)
        raise ValueError("broken widget")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        turns = [standin.call("ping"), standin.stream(ANSWER)]
        result, _ = turn_with(turns, stream=True, on_event=listen)
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert len(heard) == 1 and "broken widget" in str(caught[0].message)


@pytest.mark.parametrize("name", ["index-zero", "empty-first-chunk", "arguments-object"])
def test_faults_of_streams_by_name(name, ran):
    twisted = standin.fault(name, over=standin.calls([("add", {"a": 1}), ("add", {"a": 2})]))
    result, _, _ = streamed(twisted, SAY("ok"))
    assert [arguments["a"] for _, arguments in ran] == [1, 2]
    assert result.status == "completed"


@pytest.mark.parametrize("name", ["cut-stream", "stream-error", "cut-off", "cut-call"])
def test_faults_that_break_a_stream_end_in_an_answer(name, ran):
    twisted = standin.fault(name, over=standin.call("add", a=1, b=2))
    result, seen, _ = streamed(twisted, SAY("ok"), SAY("ok"))
    assert (result.status, result.answer) == ("completed", "ok")
    assert not seen.refused
