"""The check of dispatch_one, against wrong versions and differently written right ones."""

import difflib
import json

import pytest

from harness import TOOLS, ToolError, dispatch
from harness.checks import evaluate
from harness.course.answers.answers_02 import dispatch_one


def seed(call, prefix="ERROR: ", parse=json.loads, unknown=None, run=None, caught=Exception):
    """A right version with places to break it."""
    name = call.function.name
    try:
        arguments = parse(call.function.arguments or "{}")
    except ValueError as error:
        return f"{prefix}the arguments are not JSON: {error}"
    if not isinstance(arguments, dict):
        return f"{prefix}the arguments must be a JSON object."
    if name not in TOOLS:
        return unknown(name) if unknown else f"{prefix}unknown tool {name}."
    try:
        return run(name, arguments) if run else TOOLS[name][0](**arguments)
    except caught as error:
        return f"{prefix}{error}"


def stub(tool_call):
    raise NotImplementedError("dispatch_one is yours to write")


def nothing(tool_call):
    return None


def the_result_object(tool_call):
    return dispatch(tool_call)


def never_runs(tool_call):
    return '{"status": "ok"}'


def past_the_guard(tool_call):
    def plain(name, arguments):
        return json.dumps(TOOLS[name][0].__wrapped__(**arguments))

    return seed(tool_call, run=plain)


def past_the_guard_through_the_contract(tool_call):
    def plain(name, arguments):
        value = TOOLS[name][0].contract.fn(**arguments)
        return json.dumps({"status": "ok", **value})

    return seed(tool_call, run=plain)


def twice(tool_call):
    def again(name, arguments):
        TOOLS[name][0](**arguments)
        return TOOLS[name][0](**arguments)

    return seed(tool_call, run=again)


def forgets_arguments(tool_call):
    def bare(name, arguments):
        return TOOLS[name][0](name="all")

    return seed(tool_call, run=bare)


def loses_the_result(tool_call):
    def quiet(name, arguments):
        TOOLS[name][0](**arguments)
        return '{"status": "ok"}'

    return seed(tool_call, run=quiet)


def everything_is_an_error(tool_call):
    text = seed(tool_call)
    return text if text.startswith("ERROR: ") else f"ERROR: {text}"


def empty_is_bad_json(tool_call):
    if tool_call.function.arguments == "":
        return "ERROR: no arguments"
    return seed(tool_call)


def does_not_parse_safely(tool_call):
    json.loads(tool_call.function.arguments or "{}")
    return seed(tool_call)


def unpacks_a_list(tool_call):
    def parse(text):
        value = json.loads(text)
        return {**value} if isinstance(value, dict) else dict(value)

    return seed(tool_call, parse=lambda text: parse(text) if text[:1] == "{" else {**[1]})


def key_error(tool_call):
    TOOLS[tool_call.function.name]
    return seed(tool_call)


def lets_tool_errors_through(tool_call):
    return seed(tool_call, caught=TypeError)


def bad_json_becomes_an_empty_name(tool_call):
    def parse(text):
        try:
            return json.loads(text)
        except ValueError:
            return {"name": "north"}

    return seed(tool_call, parse=parse)


def without_the_prefix(tool_call):
    return seed(tool_call, prefix="Error! ")


def as_json(tool_call):
    text = seed(tool_call)
    return json.dumps({"error": text[7:]}) if text.startswith("ERROR: ") else text


def hides_unknown_tools(tool_call):
    return seed(tool_call, unknown=lambda name: '{"status": "ok", "result": []}')


def says_nothing(tool_call):
    text = seed(tool_call)
    return "ERROR: something failed." if text.startswith("ERROR: ") else text


def swallows_ctrl_c(tool_call):
    return seed(tool_call, caught=BaseException)


def bad_json_becomes_no_arguments(tool_call):
    """The tool that needs arguments says so; the one that needs none would just run."""

    def parse(text):
        try:
            value = json.loads(text)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    return seed(tool_call, parse=parse)


def all_in_one_try(tool_call):
    try:
        arguments = json.loads(tool_call.function.arguments or "{}")
        return TOOLS[tool_call.function.name][0](**arguments)
    except KeyError as error:
        return f"ERROR: no such tool: {error}."
    except Exception as error:
        return f"ERROR: {type(error).__name__}: {error}"


WRONG = {
    "cause_lost in one try": all_in_one_try,
    "bad_arguments_run on nothing": bad_json_becomes_no_arguments,
    "not_written": stub,
    "not_text": nothing,
    "not_text 2": the_result_object,
    "tool_not_run": never_runs,
    "guard_bypassed": past_the_guard,
    "guard_bypassed 2": past_the_guard_through_the_contract,
    "wrong_call": twice,
    "wrong_call 2": forgets_arguments,
    "result_lost": loses_the_result,
    "error_invented": everything_is_an_error,
    "no_arguments_refused": empty_is_bad_json,
    "crash_bad_json": does_not_parse_safely,
    "crash_not_object": unpacks_a_list,
    "crash_unknown_tool": key_error,
    "crash_tool_error": lets_tool_errors_through,
    "bad_arguments_run": bad_json_becomes_an_empty_name,
    "no_prefix": without_the_prefix,
    "no_prefix 2": as_json,
    "error_hidden": hides_unknown_tools,
    "cause_lost": says_nothing,
    "swallows_interrupt": swallows_ctrl_c,
}


def right_by_cases(tool_call):
    function = tool_call.function
    match TOOLS.get(function.name):
        case None:
            near = difflib.get_close_matches(function.name, TOOLS)
            return f"ERROR: {function.name} is not a tool. Did you mean {near}?"
        case (run, _):
            pass
    try:
        given = json.loads(function.arguments) if function.arguments else {}
        assert isinstance(given, dict), "arguments must be an object"
        return run(**given)
    except (ValueError, AssertionError, ToolError) as error:
        return f"ERROR: {error} (arguments are a JSON object)"


def right_step_by_step(tool_call):
    name, text = tool_call.function.name, tool_call.function.arguments
    if name not in TOOLS:
        return f"ERROR: no tool is called {name}"
    try:
        given = json.loads(text or "{}")
    except ValueError as error:
        return f"ERROR: invalid JSON: {error}"
    if type(given) is not dict:
        return "ERROR: the arguments must be an object"
    try:
        observation = TOOLS[name][0](**given)
    except ToolError as error:
        observation = f"ERROR: {error.message} {error.hint}"
    except Exception as error:
        observation = f"ERROR: {type(error).__name__}: {error}"
    return observation


def right_with_the_harness(tool_call):
    return dispatch(tool_call).content


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("dispatch_one", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn",
    [seed, right_step_by_step, right_by_cases, right_with_the_harness],
    ids=lambda f: f.__name__,
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("dispatch_one", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("dispatch_one", dispatch_one)
    assert report.passed and report.owner == "ours"
