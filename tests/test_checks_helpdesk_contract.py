"""The check of helpdesk_contract, and the measure that it rests on."""

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_02 import helpdesk_contract
from harness.course.labs.contract_measure import VAGUE, contract_from, measure, search_docs
from harness.errors import WorkshopError
from harness.standin.literal import keywords
from harness.tools.toolbox import TOOLS

RIGHT = helpdesk_contract()


def giving(**changes):
    words = {**RIGHT, **changes}
    return lambda: {key: value for key, value in words.items() if value is not None}


def parameters(**texts):
    return giving(parameters={**RIGHT["parameters"], **texts})


def stub():
    raise NotImplementedError("helpdesk_contract is yours to write")


WRONG = {
    "not_written": stub,
    "not_a_dict": lambda: "Search database",
    "not_text": giving(returns=["source"]),
    "not_text parameters": giving(parameters="2 to 5 keywords"),
    "no_contract unknown word": giving(trigger="someone asks"),
    "no_contract unknown parameter": parameters(query="2 to 5 keywords"),
    "vague_description": giving(description="Search database"),
    "buried_lead": giving(
        description="Note that this is a useful new tool and you should use it to query helpdesk "
        "procedures and charges."
    ),
    "no_trigger": giving(when=None),
    "no_output_contract": giving(returns="A result."),
    "no_parameter_description": parameters(version_filter="The version filter."),
    "invalid_example": giving(example={"terms": "reset API key"}),
    "too_large": giving(description=RIGHT["description"] + " Charges and procedures." * 100),
    "keywords_not_asked": parameters(search_terms="What the user wants to know."),
    "sentences_passed not keywords": parameters(search_terms="The question, not keywords."),
    "example_is_a_sentence": giving(example={"search_terms": "How do I reset my API key?"}),
    "version_form": giving(
        parameters={**RIGHT["parameters"], "version_filter": "The version, only if one was named."},
        example={"search_terms": "reset API key"},
    ),
    "no_citation": giving(returns="'snippets' have source (a URL) and excerpt."),
    "retry_how": giving(instructions="Never make up a version number."),
    "retry_how none": giving(instructions=None),
}

RIGHTS = {
    "other words": giving(
        description="Finds articles of the company's helpdesk, by keyword.",
        when="the user wants to know a rule, a charge, a limit or how the API behaves",
        returns="A list 'snippets' of source and excerpt; always name the source URL.",
        parameters={
            "search_terms": "Two to five key words, separated by spaces. Never the whole question.",
            "version_filter": "Which version of the API documentation, such as v2.1. Leave it out "
            "unless the user said one.",
        },
        instructions="Empty list? Try once more with the least important word left out.",
        example=None,
    ),
    "by example": giving(
        parameters={
            "search_terms": "What to look for, in the style of 'cancel booking fee'.",
            "version_filter": "API version, where one was asked about.",
        },
    ),
    "trigger in the description": giving(
        description="Search helpdesk articles on procedures and charges. Use it when someone asks "
        "how something is done.",
        when=None,
    ),
    "everything in the output contract": giving(
        returns="'snippets': source, excerpt. Mention each source. Where there are none, search "
        "again with fewer keywords.",
        instructions=None,
    ),
}


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_contract_gets_its_finding_and_no_other(title):
    report = evaluate("helpdesk_contract", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message


@pytest.mark.parametrize("title", list(RIGHTS))
def test_a_right_contract_passes_however_it_is_worded(title):
    report = evaluate("helpdesk_contract", RIGHTS[title])
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("helpdesk_contract", helpdesk_contract)
    assert report.passed and report.owner == "ours"


def test_a_mended_contract_reaches_more_goals_with_fewer_tokens_and_calls():
    vague, mended = measure(VAGUE), measure(RIGHT)
    assert (vague.reached, mended.reached) == (0, 6)
    assert mended.tokens < vague.tokens and mended.calls < vague.calls
    assert all(row.task.question in row.calls[0]["search_terms"] for row in vague.rows)


def test_measuring_leaves_the_toolbox_as_it_was():
    before = dict(TOOLS)
    measure(VAGUE)
    assert before == TOOLS and list(before) == list(TOOLS)


def test_the_function_finds_what_holds_every_word():
    assert [s["source"][-20:] for s in search_docs("rate limit", "v1.4")["snippets"]] == [
        "api/v1.4/rate-limits"
    ]
    assert search_docs("How do I reset my API key?") == {"snippets": []}
    assert search_docs("rate limit", "v9.9") == {"snippets": []}


def test_words_of_no_contract_are_refused():
    with pytest.raises(WorkshopError, match="no 'trigger'"):
        contract_from({"trigger": "x"})


def test_keywords_leave_out_small_words_and_versions():
    assert keywords("What is the rate limit in version 1.4?") == ["rate", "limit"]
