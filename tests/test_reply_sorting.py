"""What a reply says is sorted once, whole or streamed alike: thoughts, calls, refusal, answer."""

import itertools

import pytest

from harness import chat, standin
from harness.model.markup import families, mark_begins
from harness.model.reply_sorting import finish_of
from harness.model.thoughts import without_thoughts
from harness.model.written_calls import written_call
from tests.loop_tools import CONFIG, QUESTION, body, raw_call, turn_with
from tests.reply_corpus import CALLS, EXPLAINED, THOUGHT, TOOLS_OFFERED
from tests.test_loop_stream import chunk

SAY = standin.say
pytestmark = pytest.mark.usefixtures("ran")


def pieces(text, size):
    """A streamed answer in pieces of so many characters."""
    cut = [chunk({"content": text[i : i + size]}) for i in range(0, len(text), size)]
    return standin.stream([*cut, chunk({}, "stop")])


def heard(events):
    """What a listener has on its screen in the end."""
    texts = []
    for event in events:
        texts = [] if "restarted" in event else texts
        texts += [event["text"]] if "text" in event else []
    return "".join(texts)


@pytest.mark.parametrize("text", THOUGHT)
class TestThoughts:
    def test_whole(self, text):
        assert without_thoughts(text)[0].strip() == "It is 3."

    @pytest.mark.parametrize("size", [1, 3, 1000])
    def test_streamed_the_listener_hears_the_answer_alone(self, text, size):
        events = []
        result, _ = turn_with([pieces(text, size)], stream=True, on_event=events.append)
        assert (result.status, result.answer) == ("completed", "It is 3.")
        assert heard(events).strip() == "It is 3."
        told = "".join(event.get("text", "") for event in events)
        assert "Hm" not in told or text.startswith("Hm")  # the first mark stood in the prompt


@pytest.mark.parametrize("text", EXPLAINED)
class TestSentencesAboutMarks:
    def test_stay_whole(self, text):
        assert without_thoughts(text) == (text, "")
        assert written_call(text, TOOLS_OFFERED) is None

    @pytest.mark.parametrize("size", [1, 5])
    def test_streamed_too(self, text, size):
        events = []
        result, seen = turn_with([pieces(text, size)], stream=True, on_event=events.append)
        assert result.answer == text.strip() and len(seen.requests) == 1
        assert heard(events).strip() == text.strip()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("text", CALLS)
def test_a_call_as_text_gets_a_nudge_and_is_never_the_answer(text, stream, ran):
    turns = [SAY(text), standin.call("ping"), SAY("It is 3.")]
    result, seen = turn_with(turns, stream=stream)
    assert (result.status, result.answer) == ("completed", "It is 3."), result.answer
    assert "as text" in seen.requests[1]["messages"][-1]["content"]
    assert [name for name, _ in ran] == ["ping"]


def test_a_sentence_with_a_call_in_it_said_again_is_heard_whole(ran):
    text, events = "In Python you would write `total = add(1, 2)` and print it.", []
    turns = [pieces(text, 4), pieces(text, 4)]
    result, _ = turn_with(turns, stream=True, on_event=events.append)
    assert (result.status, result.answer, heard(events)) == ("completed", text, text)


@pytest.mark.parametrize("text", CALLS[:3])
def test_the_second_time_the_answer_is_forced(text):
    result, seen = turn_with([SAY(text), SAY(text), SAY("forced")])
    assert (result.trip, result.answer) == ("premature_stop", "forced")
    assert "tools" not in seen.requests[-1]
    result, _ = turn_with([SAY(text)] * 3)
    assert result.status == "safety_trip" and text not in result.answer


def test_what_is_said_of_a_call_that_was_made_is_an_answer():
    turns = [standin.call("add", a=1, b=2), SAY("I called add(a=1, b=2) and it is 3.")]
    result, seen = turn_with(turns)
    assert result.answer.startswith("I called") and len(seen.requests) == 2


def test_a_call_in_a_sentence_is_asked_about_once_and_then_taken_as_it_is():
    said = "You could run add(a=5, b=2) for that."
    result, seen = turn_with([SAY(said), SAY(said)])
    assert (result.status, result.answer) == ("completed", said) and len(seen.requests) == 2


@pytest.mark.parametrize(
    "text", ["\u200b", "\ufeff", "\u2060 \u00a0", "\u3164", "\u2800\n", "\u200b" * 50, "\u00ad"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_nobody_can_see_is_an_empty_answer(text, stream):
    result, seen = turn_with([SAY(text), SAY("It is 3.")], stream=stream)
    assert result.answer == "It is 3." and "empty" in seen.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("STOP", "stop"), ("Length", "length"), ("MAX_TOKENS", "length"), ("max-tokens", "length"),
        ("TOOL_CALLS", "tool_calls"), ("tool_use", "tool_calls"), ("functionCall", "tool_calls"),
        ("SAFETY", "content_filter"), ("Content_Filter", "content_filter"),
        ("contentFilter", "content_filter"), ("RECITATION", "content_filter"),
        ("FinishReason.MAX_TOKENS", "length"), ("end_turn", "stop"), ("eos_token", "stop"),
        ("model_context_window_exceeded", "length"), ("refusal", "refusal"), ("ERROR", "error"),
        ("aborted", "error"), (None, "stop"), ("", "stop"), (7, "stop"), ("weird", "stop"),
    ],
)  # fmt: skip
def test_a_finish_reason_counts_by_what_it_means(said, means):
    assert finish_of(said, has_calls=False) == means


@pytest.mark.parametrize("finish", ["LENGTH", "MAX_TOKENS", "max_output_tokens"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_answer_is_asked_for_again_whatever_it_is_called(finish, stream):
    half = body({"content": "It is thr"}, finish)
    result, _ = turn_with([half, SAY("It is 3.")], stream=stream)
    assert (result.status, result.answer) == ("completed", "It is 3.")


@pytest.mark.parametrize(
    "reply",
    [
        body({"content": [{"type": "refusal", "refusal": "I can't help."}]}),
        body({"content": None, "refusal": "I can't help."}),
        body({"content": "", "refusal": ["I can't", " help."]}),
        body({"content": "I can't help."}, "refusal"),
        body({"content": None, "refusal": {"text": "I can't help."}}),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_in_any_place_is_one(reply, stream):
    result, _ = turn_with([reply], stream=stream)
    assert (result.status, result.answer) == ("refused", "I can't help.")


def choices(*messages, finish="stop"):
    listed = [{"index": i, "message": m, "finish_reason": finish} for i, m in messages]
    return {"id": "r", "model": "m", "created": 1, "choices": listed}


PING = {"role": "assistant", "content": None, "tool_calls": [raw_call("ping", "{}")]}


@pytest.mark.parametrize(
    "reply",
    [
        choices((0, {"content": "It is 3."}), (1, {"content": "It is 4."})),
        choices((1, {"content": "It is 4."}), (0, {"content": "It is 3."})),
        choices((0, {"content": None}), (1, {"content": "It is 3."})),
        choices((0, {"content": ""}), (1, {"content": "It is 3."})),
        {"choices": [None, {"index": 1, "message": {"content": "It is 3."}}]},
    ],
)
def test_of_several_choices_the_first_that_says_something(reply):
    result, _ = turn_with([standin.http(200, reply)])
    assert (result.status, result.answer) == ("completed", "It is 3.")


def test_text_and_calls_in_choices_of_their_own_are_one_message(ran):
    reply = choices((0, {"content": "Let me see."}), (1, PING))
    _, seen = turn_with([standin.http(200, reply), SAY("ok")])
    echo = seen.requests[-1]["messages"][2]
    assert echo["content"] == "Let me see." and ran == [("ping", {})]


@pytest.mark.parametrize("count", [2, 5])
def test_a_choice_index_that_counts_the_pieces_is_one_choice(count):
    text = "It is 3."
    cut = [chunk({"content": c}, index=i) for i, c in enumerate(text)]
    streamed = standin.stream([*cut, chunk({}, "stop", index=len(text))])
    result, _ = turn_with([streamed], stream=True)
    assert result.answer == text


def test_two_choices_that_take_turns_are_two():
    one, two = ("It ", "is ", "3."), ("Or ", "it ", "is 4.")
    cut = itertools.chain.from_iterable(zip(one, two, strict=True))
    chunks = [chunk({"content": c}, index=i % 2) for i, c in enumerate(cut)]
    ends = [chunk({}, "stop", index=i) for i in range(2)]
    result, _ = turn_with([standin.stream([*chunks, *ends])], stream=True)
    assert result.answer == "It is 3."


def test_thoughts_in_fields_and_parts_are_no_answer():
    content = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "It is 3."}]
    with standin.script([body({"content": content, "reasoning_content": "Well"})]):
        reply = chat([{"role": "user", "content": "x"}])
    assert reply.choices[0].message.content == "It is 3."


def test_the_corpora_are_of_some_size():
    print(f"sorted: {len(THOUGHT)} thoughts, {len(CALLS)} calls, {len(EXPLAINED)} sentences")
    assert len(THOUGHT) >= 30 and len(CALLS) >= 40 and len(EXPLAINED) >= 25
    assert CONFIG and QUESTION


@pytest.mark.parametrize("begins, ends", [("((musing", "said))"), ("Musing aloud:", "To answer:")])
def test_a_row_of_the_table_is_all_that_a_new_family_needs(begins, ends):
    pairs = families()["thought_pairs"]
    pairs.append([begins, ends])
    mark_begins.cache_clear()
    try:
        told = pieces(f"{begins}\nIs it 2? No.\n{ends}\nIt is 3.", 3)
        events = []
        result, _ = turn_with([told], stream=True, on_event=events.append)
        assert (result.answer.strip(), heard(events).strip()) == ("It is 3.", "It is 3.")
    finally:
        pairs.pop()
        mark_begins.cache_clear()
