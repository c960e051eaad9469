# ruff: noqa: E501  (a line a version)
"""Wrong versions of `helpdesk_contract`."""

from tests.wrong import Wrong

_TERMS = '"2 to 5 keywords taken from the request, no sentence."'
_VERSION = '"v{major}.{minor}, only if the user named a version."'
_EXAMPLE = '{"search_terms": "reset API key", "version_filter": "v2.1"}'
_RETRY = "retry "
_FEWER = '''"once with one keyword fewer. Never make up a version number."'''

WRONG = [
    Wrong(
        ("TODO 1", "`description`"),
        "vague_description",
        {'"Search the helpdesk documentation: procedures, charges, the tracking API."': '""'},
    ),
    Wrong(
        ("TODO 1", "`when`"),
        "no_trigger",
        {'"someone asks how something is done, what it costs, or what the API does."': '""'},
    ),
    Wrong(
        ("TODO 2", "`parameters`"),
        "keywords_not_asked",
        {_TERMS: '"What the request is about, short: 2 to 5 of them."'},
    ),
    Wrong("TODO 2", "keywords_not_asked", {_TERMS: '"Keywords, or better the whole question."'}),
    Wrong(
        "TODO 2",
        "version_form",
        {_VERSION: '"The version, only if the user named one."', ', "version_filter": "v2.1"': ""},
    ),
    Wrong("TODO 2", "version_when", {_VERSION: '"A version such as v2.1."'}),
    Wrong(
        ("TODO 3", "`returns`"),
        "fields_not_named",
        {
            "'snippets' have source (a URL) and excerpt. Cite the source": "What was found. Cite the source"
        },
    ),
    Wrong("TODO 3", "no_citation", {" Cite the source in the answer.": ""}),
    Wrong("TODO 3", "no_citation", {"Cite the source": "Do not cite the source"}),
    Wrong(
        ("TODO 4", "`instructions`"),
        "retry_how",
        {_FEWER: '"once in other words. Never make up a version number."'},
    ),
    Wrong("TODO 4", "retry_opposite", {"retry ": "do not retry "}),
    Wrong(
        "TODO 4", "retry_opposite", {"one keyword fewer": "one keyword fewer, or one more keyword"}
    ),
    Wrong(
        "TODO 4",
        "gave_up",
        {_RETRY: "fewer keywords find more. ", _FEWER: '"Never make up a version number."'},
    ),
    Wrong(
        ("TODO 5", "`example`"),
        "example_is_a_sentence",
        {"reset API key": "How do I reset my key?"},
    ),
    Wrong("TODO 5", "example_version", {'"version_filter": "v2.1"': '"version_filter": "2.1"'}),
    Wrong("TODO 5", "example_finds_nothing", {"reset API key": "paint the hull"}),
    Wrong(
        "The words under which a model uses",
        "not_a_dict",
        {"    return {": "    return None and {"},
    ),
    # What a text says of the other thing, or of the opposite.
    Wrong(
        "TODO 1",
        "description_wrong",
        {
            '"Search the helpdesk documentation: procedures, charges, the tracking API."': '"Search the voyages, vessels and ports of the shipping database."'
        },
    ),
    Wrong(
        "TODO 1",
        "description_wrong",
        {
            '"Search the helpdesk documentation: procedures, charges, the tracking API."': '"Search the public web for pages about anything you like."'
        },
    ),
    Wrong(
        "TODO 1",
        "description_wrong",
        {
            '"Search the helpdesk documentation: procedures, charges, the tracking API."': '"Delete articles of the helpdesk documentation."'
        },
    ),
    Wrong(
        "TODO 1",
        "when_wrong",
        {
            '"someone asks how something is done, what it costs, or what the API does."': '"always, with each message."'
        },
    ),
    Wrong(
        "TODO 1",
        "when_wrong",
        {
            '"someone asks how something is done, what it costs, or what the API does."': '"someone wonders where a vessel is now."'
        },
    ),
    Wrong(
        "TODO 1",
        "when_wrong",
        {
            '"someone asks how something is done, what it costs, or what the API does."': '"never for a question about how something is done."'
        },
    ),
    Wrong("TODO 2", "keywords_number", {_TERMS: '"Exactly one keyword taken from the request."'}),
    Wrong(
        "TODO 2",
        "keywords_number",
        {_TERMS: '"20 to 50 keywords taken from the request, no sentence."'},
    ),
    Wrong("TODO 2", "keywords_number", {_TERMS: '"Keywords taken from the request."'}),
    Wrong(
        "TODO 2", "keywords_not_asked", {_TERMS: '"2 to 5 keywords, or simply the whole question."'}
    ),
    Wrong(
        "TODO 2",
        "keywords_not_asked",
        {_TERMS: '"A full sentence of 2 to 5 keywords that says what is wanted."'},
    ),
    Wrong("TODO 2", "keywords_not_asked", {_TERMS: '"2 to 5 keywords joined with OR."'}),
    Wrong(
        "TODO 2",
        "version_form",
        {_VERSION: '"The number, such as 2.1, only if the user named a version."'},
    ),
    Wrong(
        "TODO 2",
        "version_when",
        {_VERSION: '"v{major}.{minor}, only if the user named no version."'},
    ),
    Wrong("TODO 3", "fields_not_named", {"source (a URL) and excerpt.": "source (a URL)."}),
    Wrong(
        "TODO 4",
        "retry_opposite",
        {_FEWER: '"once with the whole sentence of the user, no keyword fewer."'},
    ),
    Wrong("TODO 5", "example_empty", {"reset API key": ""}),
    Wrong(
        ("TODO 5", "`example`"),
        "example_shape",
        {'{"search_terms": "reset API key", "version_filter": "v2.1"}': '"reset API key"'},
    ),
]
