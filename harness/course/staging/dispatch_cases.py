"""What `dispatch_one` is asked to do: calls that a model gets wrong, and arguments to pass on."""

from harness.course.staging.dispatch_bench import (
    CAUSE,
    GAUGE,
    LANES,
    LOOKUP,
    SONAR,
    UNKNOWN,
)

# What an observation must say, so that a model can act on it: one of these words.
ABOUT_JSON = ("json", "argument", "pars")
ABOUT_OBJECT = ("object", "dict", "array", "{")

# situation, code where it raises, (tool, arguments), words of which one must be told
BAD: tuple[tuple[str, str, tuple[str, str], tuple[str, ...]], ...] = (
    ("arguments are not JSON", "crash_bad_json", (LOOKUP, '{"name": "north, '), ABOUT_JSON),
    ("arguments are a JSON array", "crash_not_object", (LOOKUP, '["north"]'), ABOUT_OBJECT),
    # A tool without parameters would run on {}, which is what nobody said.
    ("arguments are not JSON and none are needed", "crash_bad_json", (LANES, '{"a": '), ABOUT_JSON),
    (
        "arguments are an array and none are needed",
        "crash_not_object",
        (LANES, "[7]"),
        ABOUT_OBJECT,
    ),
    ("arguments are an empty array", "crash_not_object", (LANES, "[]"), ABOUT_OBJECT),
    (
        "a call names a tool that does not exist",
        "crash_unknown_tool",
        (UNKNOWN, "{}"),
        (UNKNOWN,),
    ),
    ("a tool raises", "crash_tool_error", (GAUGE, '{"station": "four"}'), (CAUSE,)),
    ("a tool says at length why it can't", "crash_tool_error", (SONAR, "{}"), ("silt",)),
    ("a parameter is misspelt", "crash_tool_error", (LOOKUP, '{"nam": "x"}'), ("nam", "name")),
)

# Nearly JSON, or JSON and no object: somebody could guess what is meant. json.loads does not.
NEARLY_JSON = (
    "{'name': 'north'}",
    '{"name": "north"',
    '{"name": "north",}',
    '{"name": "north"} and thanks',
    'Here you are: {"name": "north"}',
    '```json\n{"name": "north"}\n```',
    '{"name": "north\nquay"}',
    "name=north",
)
NO_OBJECT = ('[{"name": "north"}]', '[["name", "north"]]', "7", "false", '"north"')

# Nearly the name of a tool, which is not one.
NEARLY_NAMES = (
    LANES.title(),
    f" {LANES}",
    f"{LANES}()",
    f"functions.{LANES}",
    f"harbour.{LANES}",
    LANES.replace("_", "-"),
    LANES[:-1],
)

# Arguments that are JSON objects, whatever the tool makes of them.
AS_WRITTEN = (
    (LOOKUP, '{"name": " East  One "}'),
    (LOOKUP, '{"name": ""}'),
    (LANES, "{}"),
    (LOOKUP, '{"name": null}'),
    (LOOKUP, '{"name": "12"}'),
    (LOOKUP, '{"name": 12}'),
    (LOOKUP, '{"name": "east", "nam": "west"}'),
    (LOOKUP, '{"nam": "west"}'),
)
