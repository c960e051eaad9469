"""Our solutions of part 02, generated from authoring/02_tools_are_contracts.py."""

# mypy: ignore-errors
import json

from harness import TOOLS


def helpdesk_contract() -> dict:
    """The words under which a model uses search_docs well."""
    return {
        "description": "Search the helpdesk documentation: procedures, charges, the tracking API.",
        "when": "someone asks how something is done, what it costs, or what the API does.",
        "returns": "'snippets' have source (a URL) and excerpt. Cite the source in the answer.",
        "parameters": {
            "search_terms": "2 to 5 keywords taken from the request, no sentence.",
            "version_filter": "v{major}.{minor}, only if the user named a version.",
        },
        "instructions": "An article is found if it holds every keyword. If nothing is found, retry "
        "once with one keyword fewer. Never make up a version number.",
        "example": {"search_terms": "reset API key", "version_filter": "v2.1"},
    }


def dispatch_one(tool_call) -> str:
    """The observation for one tool call: what the tool returned, or "ERROR: " and the cause."""
    name = tool_call.function.name
    try:
        arguments = json.loads(tool_call.function.arguments or "{}")
    except json.JSONDecodeError as error:
        return f"ERROR: the arguments of {name} are not JSON ({error}). Make the call again."
    if not isinstance(arguments, dict):
        return f"ERROR: the arguments of {name} must be a JSON object. Make the call again."
    if name not in TOOLS:
        return f"ERROR: there is no tool named {name!r}. Use one that you were offered."
    run, _ = TOOLS[name]
    try:
        return run(**arguments)
    except Exception as error:
        return f"ERROR: {error}"
