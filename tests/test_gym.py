"""The gym: agents that are careful survive, and each fault of an agent is found and contained."""

import json
import threading
import urllib.request

import psutil
import pytest

from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.evals.gym.contestant import command_for, environment, run
from harness.evals.gym.gym_cases import cases, every_case
from harness.evals.gym.gym_model import fault_of
from harness.evals.gym.gym_report import comparison, line_of, matrix, page, summary, to_jsonl
from harness.evals.gym.gym_run import run_gym, serve_gym
from harness.settings import root
from harness.standin.faults.registry import catalogue
from harness.standin.server import Handler, serving
from harness.standin.service import respond
from tests.gym_agents import TOOL


def gym(agent: str, *names: str, **more):
    return run_gym([f"tests.gym_agents:{agent}"], cases(names), jobs=4, **more)


def only_finding(agent: str, case: str, **more):
    """What is found in one case, and how it ended."""
    [verdict] = gym(agent, case, **more).verdicts
    [finding] = verdict.findings
    return finding.code, verdict.ending, finding.message


@pytest.fixture(scope="module")
def careful():
    names = "bad-json unknown-tool missing-args wrong-types repeats refuses server-error".split()
    return gym("careful", *names)


def test_a_careful_agent_survives(careful):
    assert [v.case for v in careful.verdicts if not v.survived] == []
    assert {v.case: v.ending for v in careful.verdicts} | {"refuses": "ended"} == {
        v.case: "answered" if v.answerable else "ended" for v in careful.verdicts
    }


def test_what_is_reported_of_it(careful):
    said = "\n".join(map(line_of, [careful.plain, *careful.verdicts]))
    said += "\n" + summary(careful)
    assert max(map(len, said.splitlines())) <= 60
    assert "survived 7 of 7 misbehaviours" in said.replace("\n", " ")
    records = [json.loads(line) for line in to_jsonl([careful]).splitlines()]
    assert [r["case"] for r in records] == ["plain", *(v.case for v in careful.verdicts)]
    assert "| tests.gym_agents:careful | 7 of 7 | 0 | 0 | 0 | 0 |" in comparison(records)
    assert "| bad-json | ✓ |" in matrix(records)
    assert "7 of 7 survived" in page(careful)


def test_a_faulty_call_that_is_run_is_found():
    code, ending, message = only_finding("runs_anything", "missing-args")
    assert (code, ending) == ("ran_faulty_call", "answered")
    assert "'status' is missing" in message


def test_a_call_that_was_refused_in_odd_words_was_not_run():
    [verdict] = gym("unhelpful", "missing-args").verdicts
    assert "ran_faulty_call" not in [finding.code for finding in verdict.findings]


@pytest.mark.parametrize(
    ("agent", "code", "ending"),
    [
        ("then_never_calls", "never_called", "never called"),
        ("then_raises", "never_called", "never called"),
        ("then_other_route", "never_called", "never called"),
        ("then_keeps_the_answer", "answer_lost", "ended"),
    ],
)
def test_what_it_does_wrong_has_a_name(agent, code, ending):
    assert only_finding(agent, "parallel")[:2] == (code, ending)


def test_the_route_that_the_gym_does_not_serve_is_named():
    assert "POST /v1/responses" in only_finding("then_other_route", "parallel")[2]


def test_a_request_that_the_api_refuses_is_found():
    [verdict] = gym("then_loses_a_result", "parallel").verdicts
    assert {finding.code for finding in verdict.findings} == {"raised", "illegal_request"}


def test_an_agent_that_hangs_is_ended():
    assert only_finding("then_hangs", "parallel", seconds=2)[:2] == ("hung", "hung")


def test_an_agent_that_floods_is_ended():
    code, ending, _ = only_finding("then_floods", "parallel", most_requests=5)
    assert (code, ending) == ("flooded", "flooded")


def test_what_an_agent_started_ends_with_it(tmp_path):
    told = tmp_path / "child"
    with any_model() as address:
        command = command_for(["tests.gym_agents:leaves_a_child"], str(told))
        outcome = run(
            command, environment(address), 60, lambda: told.exists() and told.stat().st_size
        )
    assert outcome.stopped == "flood"
    child = int(told.read_text(encoding="utf-8"))
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def any_model():
    """The stand-in, whatever model is named."""

    class AnyModel(Handler):
        def reply_to(self, path, body):
            return respond(body.replace(b'"mine"', b'"standin"'))

    return serving(handler=AnyModel)


def test_an_agent_that_fails_anyway_is_told_so():
    with pytest.raises(WorkshopError, match="your agent fails too"):
        gym("never_calls", "parallel")


def test_a_command_that_is_not_there():
    with pytest.raises(WorkshopError, match="no-such-program can't be started"):
        run_gym(["no-such-program"], [])


def test_a_client_of_its_own_is_judged_by_the_wire():
    said: list[str] = []
    done = threading.Event()
    found: list = []
    thread = threading.Thread(
        target=lambda: found.extend(serve_gym(cases(["refuses"]), 0, said.append, done.is_set))
    )
    thread.start()
    while len(said) < 3:
        done.wait(0.01)
    request = urllib.request.Request(
        said[-1].strip() + "/chat/completions",
        json.dumps({"model": "x", "messages": [{"role": "user", "content": "?"}]}).encode(),
        {"Authorization": "Bearer key"},
    )
    urllib.request.urlopen(request).close()
    done.set()
    thread.join()
    assert [(v.case, v.survived, v.requests) for v in found] == [("refuses", True, 1)]


def test_a_case_that_only_the_task_can_tell_is_run_by_name():
    names = {"stops-early", "guesses"}
    assert not names & {case.name for case in cases()}
    assert names == {case.name for case in every_case() if case.by_name}
    survived = {v.case for v in gym("knows_what_it_needs", *names).verdicts if v.survived}
    assert survived == names
    assert only_finding("careful", "stops-early")[:2] == ("no_answer", "ended")


def test_every_misbehaviour_is_a_case_or_left_out_for_a_reason():
    chosen = {case.name for case in cases()}
    assert {case.name for case in cases(quick=True)} <= chosen
    assert len(chosen) > 50 and chosen <= {name for name, _ in catalogue()}
    with pytest.raises(WorkshopError, match="no case called 'bad-jason'"):
        cases(["bad-jason"])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"status": "DELAYED"}', None),
        ({"status": "DELAYED"}, None),
        (json.dumps('{"status": "DELAYED"}'), None),
        ('{"status": "DELAYED", "more": 1}', None),
        ('{"status": "LATE"}', "'status' is"),
        ('{"status": 3}', "'status' is"),
        ("{}", "missing"),
        ("", "missing"),
        ("[]", "not a JSON object"),
        ('{"status": ', "not a JSON object"),
    ],
)
def test_which_calls_must_not_be_run(arguments, why):
    call = {"function": {"name": "count_voyages", "arguments": arguments}}
    found = fault_of(call, [TOOL["function"]])
    assert found is None if why is None else why in str(found)


def test_a_tool_that_is_not_offered_must_not_be_run():
    call = {"function": {"name": "drop_all", "arguments": "{}"}}
    assert "no tool 'drop_all'" in str(fault_of(call, [TOOL["function"]]))


def test_the_command_lists_and_complains(capsys, tmp_path):
    assert main(["gym", "--list", "--quick"]) == 0
    assert "server-down answers 503, always (no answer)" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["gym"]) == 1
    assert "There is no agent to test." in capsys.readouterr().err
    assert main(["gym", "--seconds", "0", "--", "tests.gym_agents:careful"]) == 1
    assert "--seconds must be above 0" in capsys.readouterr().err
    nowhere = str(tmp_path / "none" / "gym.jsonl")
    assert main(["gym", "--jsonl", nowhere, "--", "tests.gym_agents:careful"]) == 1
    assert "can't be written" in capsys.readouterr().err


def test_the_command_runs_an_agent(capsys, tmp_path):
    records = tmp_path / "gym.jsonl"
    asked = ["gym", "--only", "bad-json", "--jsonl", str(records), "--html", f"{records}.html"]
    assert main([*asked, "--", "tests.gym_agents:careful"]) == 0
    assert "survived 1 of 1" in capsys.readouterr().out.replace("\n", " ")
    assert len(records.read_text(encoding="utf-8").splitlines()) == 2


def test_the_table_in_the_readme_is_the_one_that_was_measured():
    measured = (root() / "benchmarks" / "gym_results.md").read_text(encoding="utf-8")
    table = measured[measured.index("| agent |") : measured.index("| case |")].strip()
    assert table in (root() / "README.md").read_text(encoding="utf-8")


@pytest.mark.full
def test_a_careful_agent_in_all_cases():
    result = run_gym(["tests.gym_agents:careful"], cases(), jobs=8, seconds=60)
    assert result.count("ran_faulty_call") == 0
    assert result.survived > len(result.verdicts) / 2
