"""The turn: it exists whatever a loop does first, is found again, and is nobody else's."""

import asyncio
import itertools
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import TOOLS, build_context, chat, dispatch, log_message, register, session, standin
from harness.memory import journal
from harness.run.recorder import current_turn
from harness.tools.toolbox import spare_toolbox
from tests.homes import home_at

_CELL = itertools.count(1)


@pytest.fixture(autouse=True)
def counter(tmp_path):
    """A tool that counts how often it really ran, in a home of its own."""
    ran = []
    with home_at(tmp_path), spare_toolbox():

        @register(tier="read")
        def count_ships(port: str = "") -> dict:
            """Count the ships in a port. Use when a question asks how many."""
            ran.append(port)
            return {"ships": len(ran)}

        yield ran


A_CALL = standin.call("count_ships")


def rounds(messages, count):
    """The rounds of a plain loop: chat, echo, dispatch."""
    for _ in range(count):
        message = chat(messages, [TOOLS["count_ships"][1]]).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        messages += [dispatch(call).message for call in message.tool_calls or []]
    return messages


def in_another_cell(monkeypatch):
    """From here on the code runs in a later cell of a notebook."""
    number = next(_CELL)
    place = (threading.get_ident(), number)
    for module in ("harness.session.here", "harness.run.recorder.here"):
        monkeypatch.setattr(module, lambda: place)


def question(text="How many ships?"):
    return [{"role": "user", "content": text}]


def test_a_loop_that_logs_last_has_a_turn_all_the_same(counter):
    with standin.script([A_CALL] * 8):
        messages = [{"role": "user", "content": build_context("t", "How many ships?")}]
        rounds(messages, 8)
        log_message("t", "user", "How many ships?")
        log_message("t", "assistant", "One.")
    assert len(counter) == 1  # the same call is answered from what it returned,
    assert len(journal.outputs("t")) == 3  # and then no tools are offered any more
    assert current_turn() is None


def test_logging_and_building_in_either_order_is_one_turn():
    log_message("t", "user", "How many?")
    first = current_turn()
    build_context("t", "How many?")
    assert current_turn() is first
    build_context("t", "And how late?")
    assert current_turn() is not first and first.status == "interrupted"
    second = current_turn()
    log_message("t", "user", "And how late?")
    assert current_turn() is second


def test_what_is_run_by_hand_belongs_to_no_turn(counter):
    with standin.script([A_CALL] * 2):
        rounds(question(), 2)
    assert len(counter) == 2 and journal.outputs("t") == []
    assert json.loads(TOOLS["count_ships"][0]())["ships"] == 3


def test_a_turn_goes_on_in_the_next_cell_and_in_a_worker_thread(counter, monkeypatch):
    context = build_context("t", "How many ships?")
    in_another_cell(monkeypatch)
    with standin.script([A_CALL] * 3):
        messages = rounds([{"role": "user", "content": context}], 1)
        monkeypatch.undo()
        thread = threading.Thread(target=rounds, args=(messages, 1))
        thread.start()
        thread.join()

        async def later():
            await asyncio.sleep(0)
            return await asyncio.to_thread(rounds, messages, 1)

        asyncio.run(later())
    assert len(counter) == 1 and len(journal.outputs("t")) == 3


def test_an_open_turn_of_an_earlier_cell_is_not_taken_for_the_current_one(counter, monkeypatch):
    log_message("t", "user", "How many ships are in Oslo?")  # and its cell failed there
    in_another_cell(monkeypatch)
    with standin.script([A_CALL] * 2):
        rounds(question("Something else"), 2)
    assert len(counter) == 2 and journal.outputs("t") == []


def test_a_question_asked_again_by_a_later_cell_is_a_new_turn(counter, monkeypatch):
    for _ in range(2):
        in_another_cell(monkeypatch)
        with standin.script([A_CALL]):
            messages = [{"role": "user", "content": build_context("t", "How many ships?")}]
            rounds(messages, 1)  # the cell raises before it logs an answer
    assert len(counter) == 2  # the second run is not answered from the first


def test_turns_side_by_side_never_use_each_others(counter):
    gate = threading.Barrier(4)

    def one(number):
        with session(user=f"user{number}"):
            log_message("same thread", "user", f"Question {number}")
            gate.wait()
            turn = current_turn()
            rounds(question(f"Question {number}"), 2)
            seen = [call.tool_call_id for call in journal.outputs("same thread")]
            log_message("same thread", "assistant", "done")
            return turn.question.text, seen

    def port_asked_for(request):
        return standin.call("count_ships", port=request["messages"][0]["content"])

    with standin.script(port_asked_for), ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, range(4)))
    assert [text for text, _ in found] == [f"Question {n}" for n in range(4)]
    assert all(len(seen) == 2 for _, seen in found)
    assert len(counter) == 4  # each asked twice and ran once


def test_a_turn_inside_of_a_tool_leaves_the_outer_one_alone(counter):
    @register
    def ask_another(question: str) -> str:
        """Ask another agent. Use when it knows more."""
        log_message("inner", "user", question)
        log_message("inner", "assistant", "42")
        return "42"

    with standin.script([standin.call("ask_another", question="How many?"), A_CALL, A_CALL]):
        log_message("t", "user", "How many ships?")
        outer = current_turn()
        rounds(question("How many ships?"), 3)
    assert current_turn() is outer and len(counter) == 1
    assert [call.name for call in outer.calls] == ["ask_another", "count_ships", "count_ships"]


def test_a_new_question_on_a_thread_answers_what_was_left_open():
    with standin.script([A_CALL]):
        log_message("t", "user", "How many ships?")
        chat(question("How many ships?"), [TOOLS["count_ships"][1]])
    log_message("t", "user", "Never mind. How many ports?")
    (output,) = journal.outputs("t")
    assert output.status == "interrupted"


@pytest.mark.parametrize("declared", [{"tier": "read"}, {}])  # the second is charged in the store
def test_the_calls_of_a_reply_are_in_the_journal_before_one_of_them_runs(declared):
    seen = []

    @register(name="look", **declared)
    def look() -> str:
        """Look into the journal. Use when asked to."""
        seen.extend(call.name for call in journal.unfinished_calls("t"))
        return "looked"

    log_message("t", "user", "How many ships?")
    with standin.script([standin.calls([("look", {}), ("count_ships", {})])]):
        tools = [TOOLS[name][1] for name in ("look", "count_ships")]
        dispatch(chat(question(), tools).choices[0].message.tool_calls[0])
    assert seen == ["look", "count_ships"]


def test_calls_that_a_loop_never_runs_are_in_the_journal_too():
    log_message("t", "user", "How many ships?")
    with standin.script([A_CALL]):
        chat(question(), [TOOLS["count_ships"][1]])
    log_message("t", "assistant", "I don't know.")
    assert [call.name for call in journal.unfinished_calls("t")] == ["count_ships"]
