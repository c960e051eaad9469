"""Right versions of `dispatch_one`."""

RIGHT = {
    "a class": """
class _Dispatch:
    def __call__(self, tool_call):
        wanted = tool_call.function
        try:
            return TOOLS[self.known(wanted.name)][0](**self.parsed(wanted))
        except Exception as error:
            return f"ERROR: {error}"

    def known(self, name):
        if name not in TOOLS:
            raise LookupError(f"there is no tool {name!r}")
        return name

    def parsed(self, wanted):
        try:
            arguments = json.loads(wanted.arguments or "{}")
        except ValueError as error:
            raise ValueError(f"the arguments are not JSON: {error}") from None
        if not isinstance(arguments, dict):
            raise ValueError("the arguments must be a JSON object")
        return arguments


dispatch_one = _Dispatch()
""",
    "match": """
def dispatch_one(tool_call):
    name, text = tool_call.function.name, tool_call.function.arguments
    if name not in TOOLS:
        return f"ERROR: no tool is called {name}."
    try:
        arguments = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        return f"ERROR: arguments that are not JSON: {error}"
    match arguments:
        case dict():
            try:
                return TOOLS[name][0](**arguments)
            except Exception as error:
                return "ERROR: " + str(error)
        case _:
            return "ERROR: arguments must be a JSON object."
""",
    "early returns and a helper": """
def dispatch_one(tool_call):
    asked = tool_call.function
    if not (pair := TOOLS.get(asked.name)):
        return "ERROR: unknown tool " + asked.name
    arguments, fault = _read(asked.arguments)
    if fault:
        return "ERROR: " + fault
    try:
        observation = pair[0](**arguments)
    except Exception as error:
        observation = f"ERROR: {type(error).__name__}: {error}"
    return observation


def _read(text):
    try:
        value = json.loads(text.strip() or "{}")
    except ValueError:
        return None, f"these arguments are not valid JSON: {text}"
    return (value, "") if type(value) is dict else (None, "the JSON is not an object")
""",
    "a list of refusals, then the call": """
def dispatch_one(tool_call):
    asked, problem, given = tool_call.function, None, {}
    try:
        given = json.loads(asked.arguments) if asked.arguments != "" else {}
    except json.JSONDecodeError:
        problem = f"I can't parse the arguments: {asked.arguments}"
    checks = [
        (problem, problem),
        (not isinstance(given, dict), "The arguments have to be one JSON object {...}."),
        (asked.name not in TOOLS.keys(), f"Nothing here is called '{asked.name}'."),
    ]
    for wrong, text in checks:
        if wrong:
            return "ERROR: " + text
    tool = TOOLS[asked.name][0]
    try:
        return tool(**given)
    except Exception as error:
        return f"ERROR: {asked.name} did not work: {error}"
""",
    "nested functions": """
def dispatch_one(tool_call):
    def failed(text):
        return f"ERROR: {text}"

    def run(name, given):
        guarded, _schema = TOOLS[name]
        try:
            return guarded(**given)
        except Exception as error:
            return failed(error)

    try:
        given = json.loads(tool_call.function.arguments or "{}")
        if not isinstance(given, dict):
            raise ValueError("arguments: a dict was expected, as JSON")
    except ValueError as error:
        return failed(f"JSON arguments: {error}")
    name = tool_call.function.name
    return run(name, given) if name in TOOLS else failed(f"{name!r}: no tool has this name")
""",
}
