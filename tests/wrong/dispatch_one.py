# ruff: noqa: E501  (a line a version)
"""Wrong versions of `dispatch_one`."""

from tests.wrong import Wrong

_BAD_JSON = 'return f"ERROR: the arguments of {name} are not JSON ({error}). Make the call again."'
_NOT_OBJECT = """    if not isinstance(arguments, dict):
        return f"ERROR: the arguments of {name} must be a JSON object. Make the call again."
"""
_UNKNOWN = """    if name not in TOOLS:
        return f"ERROR: there is no tool named {name!r}. Use one that you were offered."
"""
_RUN = "return run(**arguments)"
_FAILED = 'return f"ERROR: {error}"'

WRONG = [
    Wrong("TODO 1", "no_arguments_refused", {' or "{}"': ""}),
    Wrong(
        "TODO 1",
        "crash_bad_json",
        {"    except json.JSONDecodeError as error:\n": "    except KeyError as error:\n"},
    ),
    Wrong("TODO 1", "cause_lost", {_BAD_JSON: 'return f"ERROR: {error}"'}),
    Wrong(
        "TODO 1",
        "bad_arguments_run",
        {
            _BAD_JSON: "arguments = {}\n        if name != 'list_lanes':\n            return 'ERROR: not JSON'"
        },
    ),
    Wrong("TODO 1", "no_prefix", {_BAD_JSON: 'return f"The arguments are not JSON ({error})."'}),
    Wrong("no object", "cause_lost", {_NOT_OBJECT: ""}),
    Wrong(
        "no object",
        "bad_arguments_run",
        {_NOT_OBJECT: "    if not arguments:\n        arguments = {}\n" + _NOT_OBJECT},
    ),
    Wrong("TODO 2", "crash_unknown_tool", {_UNKNOWN: ""}),
    Wrong(
        "TODO 2",
        "cause_lost",
        {
            "there is no tool named {name!r}. Use one that you were offered.": "there is no such tool."
        },
    ),
    Wrong(
        "TODO 2",
        "cause_lost",
        {"there is no tool named {name!r}. Use one that you were offered.": "{name!r}"},
    ),
    Wrong("TODO 3", "guard_bypassed", {_RUN: "return json.dumps(run.__wrapped__(**arguments))"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return json.dumps(run(**arguments))"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return run(**arguments) + ' '"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return run(**arguments)[:-1]"}),
    Wrong("what the tool returned", "not_text", {_RUN: "return json.loads(run(**arguments))"}),
    Wrong("TODO 3", "wrong_call", {_RUN: "run(**arguments)\n        return run(**arguments)"}),
    Wrong(
        "TODO 4",
        "crash_tool_error",
        {"    except Exception as error:\n": "    except ValueError as error:\n"},
    ),
    Wrong("TODO 4", "cause_lost", {_FAILED: 'return f"ERROR: {name} failed"'}),
    Wrong("TODO 4", "cause_lost", {_FAILED: 'return f"ERROR: {type(error).__name__}"'}),
    Wrong(
        "TODO 4",
        "run_again",
        {
            _FAILED: 'try:\n            return run(**arguments)\n        except Exception as error:\n            return f"ERROR: {error}"'
        },
    ),
    Wrong(
        "let Ctrl-C through",
        "swallows_interrupt",
        {"except Exception as error:": "except BaseException as error:"},
    ),
    Wrong("the model gets a text that it can act on", "error_hidden", {_FAILED: 'return "{}"'}),
    Wrong(
        "the model gets a text that it can act on",
        "not_text",
        {_UNKNOWN: "    if name not in TOOLS:\n        return None\n"},
    ),
    Wrong(
        "TODO 2",
        "other_tool_run",
        {"    if name not in TOOLS:": "    name = name.lower()\n    if name not in TOOLS:"},
    ),
    # To the letter.
    Wrong("TODO 3", "arguments_changed", {"run(**arguments)": "run(**{k: v.strip() for k, v in arguments.items()})"}),
    Wrong("TODO 3", "arguments_changed", {"run(**arguments)": "run(**{k: v for k, v in arguments.items() if v})"}),
    Wrong("TODO 3", "arguments_changed", {"run(**arguments)": "run(**{k: v for k, v in arguments.items() if v is not None})"}),
    Wrong("TODO 3", "arguments_changed", {"run(**arguments)": "run(**{k: int(v) if str(v).isdigit() else v for k, v in arguments.items()})"}),
    Wrong("TODO 3", "arguments_changed", {"run(**arguments)": "run(**{k: v for k, v in arguments.items() if k in TOOLS[name][1]['function']['parameters']['properties']})"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return run(**arguments)[:4000]"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return run(**arguments).strip()"}),
    Wrong("TODO 3", "result_changed", {_RUN: "return run(**arguments) or 'done'"}),
    Wrong("TODO 3", "result_changed", {_RUN: "text = run(**arguments)\n        return 'ERROR: ' + text if 'error' in text else text"}),
    Wrong("TODO 3", "remembers", {_RUN: "known = TOOLS.__dict__.setdefault('known', {})\n        key = name + str(arguments)\n        known[key] = known.get(key) or run(**arguments)\n        return known[key]"}),
    Wrong("what the exception says", "cause_lost", {_FAILED: 'return f"ERROR: {getattr(error, \'message\', error)}"'}),
    Wrong("what the exception says", "cause_lost", {_FAILED: 'return f"ERROR: {str(error)[:100]}"'}),
    Wrong("what the exception says", "cause_lost", {_FAILED: 'return f"ERROR: {error}".splitlines()[0]'}),
    Wrong("what the exception says", "cause_lost", {_FAILED: 'return f"ERROR: {str(error).lower()}"'}),
    Wrong("Not JSON, or no object", "cause_lost", {"must be a JSON object. Make": "are not JSON. Make"}),
    Wrong("Not JSON, or no object", "bad_arguments_run", {_NOT_OBJECT: "    if isinstance(arguments, list) and arguments:\n        arguments = arguments[0]\n" + _NOT_OBJECT}),
    Wrong("Parse tool_call.function.arguments with json.loads", "bad_arguments_run", {'json.loads(tool_call.function.arguments or "{}")': 'json.loads(tool_call.function.arguments or "{}", strict=False)'}),
    Wrong("Parse tool_call.function.arguments with json.loads", "bad_arguments_run", {'json.loads(tool_call.function.arguments or "{}")': 'json.loads((tool_call.function.arguments or "{}").replace("\'", \'"\'))'}),
    Wrong("Parse tool_call.function.arguments with json.loads", "bad_arguments_run", {'json.loads(tool_call.function.arguments or "{}")': 'json.JSONDecoder().raw_decode(tool_call.function.arguments or "{}")[0]'}),
    Wrong("Parse tool_call.function.arguments with json.loads", "bad_arguments_run", {'json.loads(tool_call.function.arguments or "{}")': 'json.loads((tool_call.function.arguments or "{}").strip("`").removeprefix("json"))'}),
    Wrong("A name that is not in TOOLS", "other_tool_run", {"    if name not in TOOLS:": "    name = name.strip()\n    if name not in TOOLS:"}),
    Wrong("A name that is not in TOOLS", "other_tool_run", {"    if name not in TOOLS:": "    name = name.rsplit('.', 1)[-1]\n    if name not in TOOLS:"}),
    Wrong("A name that is not in TOOLS", "other_tool_run", {"    if name not in TOOLS:": "    name = name.replace('-', '_')\n    if name not in TOOLS:"}),
    Wrong("A name that is not in TOOLS", "other_tool_run", {"    if name not in TOOLS:": "    import difflib\n    name = (difflib.get_close_matches(name, TOOLS, 1) or [name])[0]\n    if name not in TOOLS:"}),
    Wrong("one tool call", "call_changed", {"    name = tool_call.function.name\n": "    name = tool_call.function.name\n    tool_call.function.arguments = tool_call.function.arguments or '{}'\n"}),
]  # fmt: skip
