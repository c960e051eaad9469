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
}
