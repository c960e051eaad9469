# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `delegate`."""

RIGHT = {
    "a class": """
class _Delegate:
    def __call__(self, task: str, contract: SubagentContract) -> Delegated:
        here = current_session()
        run = uuid.uuid4().hex
        if len(here.runs) >= MAX_DEPTH:
            return Delegated(contract.name, None, "authority", "deep", run)
        seconds = here.seconds_left() * contract.share
        if contract.seconds < seconds:
            seconds = contract.seconds
        settings = dict(tools=list(contract.tools), k_tools=len(contract.tools), max_iterations=contract.max_turns,
                        budget_seconds=seconds, require_tools=contract.require_tools, answer_model=contract.output, job=contract.job)
        try:
            with as_subagent(contract.name, run, read_envelope(contract.envelope)):
                result = run_turn(task, run, config=TurnConfig(**settings))
        except Exception as e:
            return Delegated(contract.name, None, "turn", str(e), run)
        return self.judge(contract, run, result)

    def judge(self, contract, run, result):
        if result.status != "completed":
            return Delegated(contract.name, None, "turn", result.status, run, result)
        try:
            output = contract.output.model_validate_json(result.answer)
        except ValidationError as e:
            return Delegated(contract.name, None, "schema", str(e), run, result)
        try:
            fault = contract.evaluate(output) if contract.evaluate is not None else None
        except Exception as e:
            fault = repr(e)
        if fault:
            return Delegated(contract.name, None, "evaluation", str(fault), run, result)
        return Delegated(contract.name, output, "", "", run, result)

delegate = _Delegate()
""",
    "match or a partial": r"""
def delegate(task, contract):
    from functools import partial
    from contextlib import ExitStack
    me = current_session()
    thread = "-".join([contract.name, str(uuid.uuid4())])
    done = partial(Delegated, contract.name, run=thread)
    if not len(me.runs) < MAX_DEPTH:
        return done(output=None, boundary="authority", why="no deeper")
    with ExitStack() as stack:
        try:
            stack.enter_context(as_subagent(contract.name, thread, read_envelope(contract.envelope)))
            result = run_turn(task, thread, config=TurnConfig(tools=contract.tools, k_tools=len(contract.tools),
                max_iterations=contract.max_turns, budget_seconds=sorted([contract.seconds, contract.share * me.seconds_left()])[0],
                require_tools=contract.require_tools, answer_model=contract.output, job="\n" + contract.job))
        except Exception as error:
            return done(output=None, boundary="turn", why=repr(error))
    boundary = why = ""
    output = None
    match result.status:
        case "completed":
            try:
                output = contract.output.model_validate_json(result.answer)
            except ValueError as error:
                boundary, why = "schema", str(error)
            else:
                if why := _fault(contract, output):
                    boundary, output = "evaluation", None
        case other:
            boundary, why = "turn", other
    return done(output=output, boundary=boundary, why=why or "", result=result)


def _fault(contract, output):
    try:
        return contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:
        return f"the evaluation raised {error!r}"
""",
    "lambdas or a table": """
class _Failed(Exception):
    pass

def delegate(task, contract):
    run, result = contract.name + uuid.uuid1().hex, None
    try:
        output, result = _work(task, contract, run)
    except _Failed as failed:
        boundary, why, result = failed.args
        return Delegated(contract.name, None, boundary, why, run, result)
    return Delegated(contract.name, output, run=run, result=result)

def _work(task, contract, run):
    s = current_session()
    if len(s.runs) >= MAX_DEPTH:
        raise _Failed("authority", "too deep", None)
    try:
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            r = run_turn(task, run, config=TurnConfig(tools=tuple(contract.tools), k_tools=len(contract.tools), max_iterations=contract.max_turns,
                         budget_seconds=min(s.seconds_left() * contract.share, contract.seconds), require_tools=contract.require_tools, answer_model=contract.output, job=f"{contract.job}"))
    except Exception as e:
        raise _Failed("turn", repr(e), None)
    if r.status != "completed":
        raise _Failed("turn", r.status, r)
    try:
        o = contract.output.model_validate_json(r.answer)
    except ValidationError as e:
        raise _Failed("schema", str(e), r)
    if fault := _fault(contract, o):
        raise _Failed("evaluation", fault, r)
    return o, r


def _fault(contract, output):
    try:
        return contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:
        return f"the evaluation raised {error!r}"
""",
    "early returns or a recursion": """
delegate = lambda task, contract: (
    Delegated(contract.name, None, "authority", "too deep", "none")
    if len(current_session().runs) >= MAX_DEPTH
    else _checked(contract, *_asked(task, contract))
)

def _asked(task, contract):
    run = uuid.uuid4().hex[:12]
    left = current_session().seconds_left()
    config = TurnConfig(tools=contract.tools, k_tools=len(contract.tools), max_iterations=contract.max_turns,
        budget_seconds=min(left * contract.share, contract.seconds), require_tools=contract.require_tools, answer_model=contract.output, job=contract.job)
    try:
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            return run, run_turn(task, run, config=config)
    except Exception as error:
        return run, error

def _checked(contract, run, result):
    end = lambda boundary, why: Delegated(contract.name, None, boundary, why, run, result)
    if isinstance(result, Exception):
        return Delegated(contract.name, None, "turn", repr(result), run)
    if result.status != "completed":
        return end("turn", result.status)
    try:
        output = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        return end("schema", str(error))
    fault = _fault(contract, output)
    return end("evaluation", fault) if fault else Delegated(contract.name, output, "", "", run, result)


def _fault(contract, output):
    try:
        return contract.evaluate(output) if contract.evaluate else ""
    except Exception as error:
        return f"the evaluation raised {error!r}"
""",
    "a table of cases or exceptions": '''
def delegate(task: str, contract: SubagentContract) -> Delegated:
    """Have a subagent do a task."""
    name, here = contract.name, current_session()
    run = f"{name}:{uuid.uuid4()}"
    state = {"boundary": "authority", "why": "too deep", "output": None, "result": None}
    if len(here.runs) < MAX_DEPTH:
        state["boundary"] = "turn"
        try:
            allowed = here.seconds_left() * contract.share
            config = TurnConfig(tools=contract.tools, k_tools=len(contract.tools))
            config = config.model_copy(update=dict(max_iterations=contract.max_turns, budget_seconds=allowed if allowed < contract.seconds else contract.seconds,
                require_tools=contract.require_tools, answer_model=contract.output, job=contract.job))
            with as_subagent(name, run, read_envelope(contract.envelope)):
                result = state["result"] = run_turn(task, run, config=config)
            state["why"] = result.status
            if result.status == "completed":
                state["boundary"] = "schema"
                output = contract.output.model_validate_json(result.answer)
                state["boundary"] = "evaluation"
                state["why"] = contract.evaluate(output) if contract.evaluate else ""
                if not state["why"]:
                    state.update(boundary="", output=output)
        except Exception as error:
            state["why"] = f"{type(error).__name__}: {error}"
    return Delegated(name, run=run, **state)
''',
    "a function for each boundary": """
def _turn(task, contract, run, seconds):
    wanted = dict(tools=contract.tools, k_tools=len(contract.tools), require_tools=contract.require_tools)
    wanted |= dict(max_iterations=contract.max_turns, budget_seconds=seconds)
    config = TurnConfig(**wanted, answer_model=contract.output, job="\\n" + contract.job)
    with as_subagent(contract.name, run, read_envelope(contract.envelope)):
        return run_turn(task, f"for {run}", config=config)


def _fault_of(contract, output):
    if contract.evaluate is None:
        return ""
    try:
        return contract.evaluate(output)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def delegate(task, contract):
    me = current_session()
    run = uuid.uuid4().hex
    no = lambda boundary, why, result=None: Delegated(contract.name, None, boundary, why, run, result)
    if not len(me.runs) < MAX_DEPTH:
        return no("authority", "no deeper")
    try:
        result = _turn(task, contract, run, min(contract.seconds, contract.share * me.seconds_left()))
    except Exception as error:
        return no("turn", str(error))
    if str(result.status) != "completed":
        return no("turn", str(result.status), result)
    try:
        output = contract.output.model_validate_json(result.answer)
    except ValidationError as error:
        return no("schema", str(error), result)
    fault = _fault_of(contract, output)
    return no("evaluation", fault, result) if fault else Delegated(contract.name, output, run=run, result=result)
""",
    "one try, and the boundary as it goes": """
def delegate(task: str, contract: SubagentContract) -> Delegated:
    session = current_session()
    run, boundary, result = f"{contract.name}:{uuid.uuid1()}", "authority", None
    try:
        if len(session.runs) >= MAX_DEPTH:
            raise PermissionError("two deep is deep enough")
        boundary = "turn"
        config = TurnConfig(
            tools=tuple(contract.tools), k_tools=len(contract.tools), require_tools=tuple(contract.require_tools),
            max_iterations=contract.max_turns, answer_model=contract.output, job=contract.job,
            budget_seconds=min(contract.seconds, session.seconds_left() * contract.share),
        )
        with as_subagent(contract.name, run, read_envelope(contract.envelope)):
            result = run_turn(task, run, config=config)
        if result.status != "completed":
            raise RuntimeError(result.status)
        boundary = "schema"
        output = contract.output.model_validate_json(result.answer)
        boundary = "evaluation"
        if contract.evaluate and (fault := contract.evaluate(output)):
            raise ValueError(fault)
    except Exception as error:
        return Delegated(contract.name, None, boundary, str(error) or repr(error), run, result)
    return Delegated(contract.name, output, "", "", run, result)
""",
}
