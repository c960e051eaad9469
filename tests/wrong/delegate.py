# ruff: noqa: E501  (a line a version)
"""Wrong versions of `delegate`."""

from tests.wrong import Wrong

_DEPTH = "if len(here.runs) >= MAX_DEPTH:"
_SECONDS = "min(contract.seconds, here.seconds_left() * contract.share)"
_AS = "with as_subagent(contract.name, run, read_envelope(contract.envelope)):"
_RUN = "result = run_turn(task, run, config=config)"
_RAISED = '    except Exception as error:\n        return Delegated(contract.name, None, "turn", repr(error), run)\n'
_STATUS = '    if result.status != "completed":\n        return Delegated(contract.name, None, "turn", result.status, run, result)\n'
_SCHEMA = '        return Delegated(contract.name, None, "schema", str(error), run, result)\n'
_FAULT = '        return Delegated(contract.name, None, "evaluation", fault, run, result)\n'
_GOOD = "return Delegated(contract.name, output, run=run, result=result)"
_JOB = '        job=f"\\n\\n{contract.job}",\n'

WRONG = [
    Wrong("Have a subagent do a task", "nobody_asked", {_RUN: "return Delegated(contract.name, contract.output(crates=7))"}),
    Wrong("Have a subagent do a task", "not_told", {_RUN: _RUN.replace("task", "'Do your job.'")}),
    Wrong("Have a subagent do a task", "shape", {_GOOD: "return output"}),
    Wrong("never raised", "raised", {_RAISED: '    except KeyError as error:\n        return Delegated(contract.name, None, "turn", repr(error), run)\n'}),
    Wrong("TODO 1", "too_deep", {_DEPTH: _DEPTH.replace(">=", ">")}),
    Wrong("TODO 1", "too_deep", {_DEPTH: "if False:"}),
    Wrong("TODO 1", "too_deep", {'None, "authority", "too many': 'None, "turn", "too many'}),
    Wrong("TODO 1", "not_deep", {_DEPTH: "if here.runs:"}),
    Wrong("TODO 2", "share_ignored", {_SECONDS: "contract.seconds"}),
    Wrong("TODO 2", "share_ignored", {_SECONDS: "min(contract.seconds, here.seconds_left())"}),
    Wrong("TODO 2", "seconds_ignored", {_SECONDS: "here.seconds_left() * contract.share"}),
    Wrong("TODO 2", "seconds_short", {_SECONDS: _SECONDS + " * contract.share"}),
    Wrong("As the subagent", "not_as_subagent", {_AS: "if read_envelope(contract.envelope):"}),
    Wrong("As the subagent", "not_as_subagent", {_AS: _AS.replace("contract.name, run", "'subagent', run")}),
    Wrong("read_envelope(contract.envelope)", "rights_ignored", {_AS: _AS.replace("read_envelope(contract.envelope)", "here.envelope")}),
    Wrong("a thread that nobody else has", "thread_shared", {_RUN: "result = run_turn(task, contract.name, config=config)"}),
    Wrong("a thread that nobody else has", "thread_shared", {_RUN: "result = run_turn(task, config=config)"}),
    Wrong("TODO 3", "other_tools", {"        tools=contract.tools,\n        k_tools=len(contract.tools),\n": ""}),
    Wrong("k_tools: all of them", "tools_missing", {"k_tools=len(contract.tools)": "k_tools=1"}),
    Wrong("TODO 3", "cap_ignored", {"        max_iterations=contract.max_turns,\n": ""}),
    Wrong("TODO 3", "cap_ignored", {"contract.max_turns": "contract.max_turns + 1"}),
    Wrong("TODO 3", "not_told", {_JOB: ""}),
    Wrong("output model", "no_second_try", {"        answer_model=contract.output,\n": ""}),
    Wrong("TODO 4", "raised", {_RAISED: "    finally:\n        pass\n"}),
    Wrong("TODO 4", "failure_hidden", {_STATUS: '    if result.status != "completed":\n        return Delegated(contract.name, result.answer, run=run, result=result)\n'}),
    Wrong("TODO 4", "failure_hidden", {_STATUS: ""}),
    Wrong("TODO 4", "failure_hidden", {_STATUS: _STATUS.replace('"turn"', '"evaluation"')}),
    Wrong("TODO 5", "raised", {"except ValidationError as error": "except KeyError as error"}),
    Wrong("TODO 5", "failure_hidden", {_SCHEMA: "        return Delegated(contract.name, result.answer, run=run, result=result)\n"}),
    Wrong("TODO 6", "not_evaluated", {"contract.evaluate(output) if contract.evaluate": "'' if contract.evaluate"}),
    Wrong("TODO 6", "not_evaluated", {_FAULT: "        return Delegated(contract.name, output, why=fault, run=run, result=result)\n"}),
    Wrong("TODO 6", "not_evaluated", {_FAULT: _FAULT.replace("None", "output")}),
    Wrong("if there is one", "output_lost", {"contract.evaluate(output) if contract.evaluate else \"\"": "contract.evaluate(output)"}),
    Wrong("returns a fault", "good_refused", {"    if fault:\n": "    if contract.evaluate:\n"}),
    Wrong("TODO 7", "output_lost", {_GOOD: _GOOD.replace("output", "result.answer")}),
    Wrong("TODO 7", "output_lost", {_GOOD: _GOOD.replace("output", "output.model_dump()")}),
    Wrong("TODO 7", "run_lost", {_GOOD: _GOOD.replace("run=run, ", "")}),
    Wrong("TODO 7", "run_lost", {_GOOD: _GOOD.replace("run=run", "run=contract.name")}),
    Wrong("TODO 7", "result_lost", {_GOOD: "return Delegated(contract.name, output)"}),
    # Told or held, but not as it was agreed.
    Wrong("Have a subagent do a task", "subagent_unnamed", {_GOOD: _GOOD.replace("contract.name", "'subagent'")}),
    Wrong("run_turn the task", "task_changed", {_RUN: "result = run_turn(f'{contract.job} {task}', run, config=config)", _JOB: ""}),
    Wrong("run_turn the task", "task_changed", {_RUN: _RUN.replace("task", "task + ' '")}),
    Wrong("read_envelope(contract.envelope)", "envelope_unread", {_AS: _AS.replace("read_envelope(contract.envelope)", "contract.envelope")}),
    Wrong("a thread that nobody else has", "thread_shared", {_RUN: 'result = run_turn(task, f"{contract.name}-{len(task)}", config=config)'}),
    Wrong("k_tools: all of them", "tools_missing", {"k_tools=len(contract.tools)": "k_tools=5"}),
    Wrong("TODO 4", "raised", {_RAISED: _RAISED.replace("Exception", "(ValueError, OSError)")}),
    Wrong("TODO 4", "failure_hidden", {_STATUS: "", "    try:\n        fault": _STATUS + "    try:\n        fault"}),
    Wrong("or raises", "raised", {"    except Exception as error:\n        fault = repr(error)\n": "    except KeyError as error:\n        fault = repr(error)\n"}),
    Wrong("TODO 7", "result_lost", {_GOOD: _GOOD.replace("result=result", "result=result.answer")}),
    # What the text says and no version above breaks.
    Wrong("require_tools", "requirement_ignored", {"        require_tools=contract.require_tools,\n": ""}),
    Wrong("require_tools", "requirement_ignored", {"require_tools=contract.require_tools": "require_tools=()"}),
    # Written from the text alone, and what passed before.
    Wrong("Whatever goes wrong comes back", "why_missing", {'"turn", result.status, run, result)': '"turn", "", run, result)'}),
    Wrong("TODO 1", "why_missing", {'"too many subagents deep"': '" "'}),
    Wrong("TODO 6", "why_missing", {'"evaluation", fault, run': '"evaluation", "", run'}),
    Wrong("TODO 5", "turn_again", {_SCHEMA: '        run_turn(task, run + "-again", config=config)\n' + _SCHEMA}),
    Wrong("TODO 4", "turn_again", {_STATUS: _STATUS.replace("        return", "        run_turn(task, run, config=config)\n        return")}, also=("cap_ignored",)),
    Wrong("TODO 2", "share_ignored", {_SECONDS: _SECONDS.replace("contract.share", "0.5")}),
    Wrong("TODO 4", "why_another", {"repr(error), run)": '"it failed", run)'}),
    Wrong("TODO 6", "why_another", {'"evaluation", fault, run': '"evaluation", "not good enough", run'}),
    Wrong("TODO 6", "evaluated_another", {"contract.evaluate(output) if": "contract.evaluate(result.answer) if"}),
]  # fmt: skip
