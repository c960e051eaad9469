"""One place configures a turn: each field does what it says."""

import pytest
from pydantic import BaseModel

from harness import TurnConfig, WorkshopError, chat, run_turn, standin
from harness.config import Alerts, configured, current_config
from harness.model.tokens import count_message
from tests.loop_tools import CONFIG, NAMES, QUESTION, turn_with

SAY, CALL = standin.say, standin.call

pytestmark = pytest.mark.usefixtures("ran")


def first_request(**fields):
    _, seen = turn_with([SAY("x")], config=TurnConfig(tools=NAMES[:3], **fields))
    return seen.requests[0]


def test_the_sampling_reaches_the_request_and_only_when_it_is_set():
    request = first_request(temperature=0.2, top_p=0.9)
    assert (request["temperature"], request["top_p"]) == (0.2, 0.9)
    assert not {"temperature", "top_p"} & first_request().keys()
    assert first_request(temperature=0.0)["temperature"] == 0.0


@pytest.mark.parametrize("stream", [True, False])
def test_the_model_is_named_in_every_request(stream):
    config = CONFIG.model_copy(update={"model": "standin/none-such", "max_iterations": 1})
    _, seen = turn_with([CALL("ping"), SAY("x")], config=config, stream=stream)
    assert {request["model"] for request in seen.requests} == {"standin/none-such"}


def test_the_models_order_of_precedence():
    with configured(model="standin/configured"), standin.script([SAY("x")] * 4) as seen:
        chat([{"role": "user", "content": "x"}], model="standin/argument")
        chat([{"role": "user", "content": "x"}])
        run_turn(QUESTION)
    with standin.script([SAY("x")] * 2) as more:
        run_turn(QUESTION, model="standin/argument")
        run_turn(QUESTION)
    models = [request["model"] for request in seen.requests + more.requests]
    assert models == [
        "standin/argument",
        "standin/configured",
        "standin/configured",
        "standin/argument",
        "standin",
    ]


@pytest.mark.parametrize("names", [("ping",), ("ping", "add"), ("ping", "unheard_of"), ()])
def test_tools_limits_what_is_offered(names):
    _, seen = turn_with([SAY("x")], config=TurnConfig(tools=names))
    offered = [tool["function"]["name"] for tool in seen.requests[0].get("tools", [])]
    assert offered == sorted(set(names) & set(NAMES))


def test_k_tools_is_how_many_beside_those_that_are_always_there():
    def offered(k):
        _, seen = turn_with([SAY("x")], config=TurnConfig(k_tools=k))
        return len(seen.requests[0]["tools"])

    assert offered(3) == offered(0) + 3


def test_the_configuration_goes_over_the_arguments_and_leaves_the_rest_to_them():
    config = TurnConfig(tools=NAMES[:3], max_iterations=1)
    turns = [CALL("ping"), SAY("forced")]
    result, _ = turn_with(turns, config=config, max_iterations=5)
    assert result.status == "iteration_cap"
    result, _ = turn_with([SAY("forced")], config=config, budget_seconds=0.0)
    assert result.status == "deadline"


def test_compaction_begins_at_its_share_of_the_window():
    turns = [standin.calls([("add", {"a": 10 * i + j}) for j in range(8)]) for i in range(8)]

    def largest(compact_at):
        config = TurnConfig(tools=NAMES[:3], window_tokens=4000, compact_at=compact_at)
        _, seen = turn_with([*turns, SAY("x")], config=config, max_iterations=9)
        return max(sum(map(count_message, request["messages"])) for request in seen.requests)

    assert largest(0.4) <= 1600 < largest(0.6) <= 2400 < largest(1.0) <= 4000


def test_keep_last_is_the_length_of_the_tail():
    turns = [CALL("add", a=i, b=1) for i in range(40)]

    def kept(n):
        config = TurnConfig(tools=NAMES[:3], window_tokens=2600, keep_last=n, max_iterations=50)
        _, seen = turn_with([*turns, SAY("x")], config=config)
        return len(seen.requests[-1]["messages"]) - 3  # head and summary

    assert (kept(4), kept(8)) == (4, 8)


def test_the_terminators_have_their_numbers():
    config = TurnConfig(tools=NAMES, k_tools=10, hop_tools=2)
    result, _ = turn_with([CALL("alpha"), CALL("beta"), SAY("x")], config=config)
    assert result.trip == "tool_hopping"
    config = TurnConfig(tools=NAMES, k_tools=10, hop_tools=9, error_rounds=5)
    turns = [CALL("boom", word=str(i)) for i in range(5)]
    result, seen = turn_with([*turns, SAY("x")], config=config)
    assert result.trip == "same_error" and len(seen.requests) == 6
    config = TurnConfig(tools=NAMES, k_tools=10, idle_rounds=2)
    turns = [CALL("add", a=1), CALL("ping"), CALL("add", a=1), CALL("ping")]
    result, seen = turn_with([*turns, SAY("x")], config=config)
    assert result.trip == "oscillation" and len(seen.requests) == 5


def test_thresholds_of_alerts_are_the_documents():
    assert TurnConfig().alerts == Alerts(
        cap_breaches=5, mean_latency_ms=2_000.0, tokens_per_task=15_000
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_iterations": -1},
        {"budget_seconds": -1},
        {"token_cap": -1},
        {"window_tokens": 0},
        {"compact_at": 0},
        {"compact_at": 1.5},
        {"keep_last": 0},
        {"temperature": 3},
        {"top_p": 0},
        {"k_tools": -1},
        {"error_rounds": 0},
        {"idle_rounds": 0},
        {"temprature": 0.2},
        {"answer_model": "Answer"},
    ],
)
def test_what_cannot_be_is_named_in_words_for_a_person(wrong):
    (name,) = wrong
    with pytest.raises(WorkshopError, match=name) as caught:
        TurnConfig(**wrong)
    assert len(str(caught.value).splitlines()) <= 2
    with pytest.raises(WorkshopError, match=name), configured(**wrong):
        pass


def test_a_configuration_ends_with_its_block():
    before = current_config()
    with pytest.raises(ZeroDivisionError), configured(k_tools=2):
        assert current_config().k_tools == 2
        with configured(keep_last=3):
            assert (current_config().k_tools, current_config().keep_last) == (2, 3)
        raise ZeroDivisionError
    assert current_config() == before


def test_an_answer_model_is_any_pydantic_model():
    class Port(BaseModel):
        """A port."""

        code: str

    config = TurnConfig(tools=NAMES[:3], answer_model=Port)
    result, _ = turn_with([SAY('{"code": "NLRTM"}')], config=config)
    assert Port.model_validate_json(result.answer).code == "NLRTM"
