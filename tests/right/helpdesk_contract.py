# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `helpdesk_contract`."""

RIGHT = {
    "a class": """
class _Contract:
    def __call__(self):
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


helpdesk_contract = _Contract()
""",
    "texts that deny": """
def helpdesk_contract():
    keywords = "A few keywords (three, say), never the whole question and not a full sentence."
    version = "The version of the API, in the form v{major}.{minor}. Leave it out if the user named none."
    return dict(
        description="Looks up articles of the support documentation by keyword.",
        when="a question is about procedures, prices or the tracking API; not for figures from the database.",
        parameters=dict(search_terms=keywords, version_filter=version),
        returns="A list, snippets, each with source and excerpt. Name the source in each answer.",
        instructions="Every keyword has to occur. No snippets? Search once more and drop a keyword; don't send the full question.",
        example=dict(search_terms="demurrage free days"),
    )
""",
    "built up line by line": """
def helpdesk_contract() -> dict:
    words = {"parameters": {}}
    words["description"] = "Find helpdesk guides. They say how something is done and what it costs."
    words["when"] = "somebody wants to know how to do something, or what the API can do."
    words["parameters"]["search_terms"] = "Two or three words out of the request: more than one word, with blanks between them."
    words["parameters"]["version_filter"] = "Only where a version was named: 'v' and the number, as in v1.4."
    words["returns"] = "{'snippets': [{'source': URL, 'excerpt': text}]}. Give the source of what you use."
    words["instructions"] = "If the list is empty, try again once with fewer keywords, then say that there is nothing."
    words["example"] = {"search_terms": "API key"}
    return words
""",
    "a module's texts, joined": """
_SEARCH = " ".join([
    "Give three to five keywords that an article about it would hold,",
    "separated by blanks; leave out small words and don't pass the question itself.",
])
_WORDS = {
    "description": "Look up the support manual: how things are done, what is charged, and the tracking API.",
    "when": "the user asks about a procedure, a fee, a policy or the API",
    "parameters": {"search_terms": _SEARCH, "version_filter": "Pass v{major}.{minor} when the user mentions a version; otherwise omit it."},
    "returns": "{'snippets': [...]}, each with a source to cite and an excerpt to quote from.",
    "instructions": "retry with one fewer; more keywords find less. If that finds nothing either, say so.",
    "example": {"search_terms": "demurrage"},
}


def helpdesk_contract():
    return dict(_WORDS)
""",
    "a TypedDict and a function a text": """
from typing import TypedDict


class Words(TypedDict, total=False):
    description: str
    when: str
    returns: str
    parameters: dict[str, str]
    instructions: str
    example: dict[str, str]


def _parameter(name):
    match name:
        case "search_terms":
            return "At most 4 keywords, most telling first. Every one must occur in the article, so fewer find more."
        case "version_filter":
            return "Only documentation of this API version, such as v2.0. Omit it unless one was named."


def helpdesk_contract() -> Words:
    return Words(
        description="Retrieve helpdesk articles: company procedures, prices and API documentation.",
        when="a question is about how the company does something, its charges, or the API",
        returns="snippets: up to three of source and excerpt. Mention the source with what you say.",
        parameters={name: _parameter(name) for name in ("search_terms", "version_filter")},
        instructions="With no result, leave one keyword out and search again, once.",
        example={"search_terms": "rate limit", "version_filter": "v1.4"},
    )
""",
}
