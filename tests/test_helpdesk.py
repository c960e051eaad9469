"""The helpdesk tools: the rules that a playbook would only state, as behaviour."""

import json

import pytest

from harness import (
    TOOLS,
    TurnConfig,
    query_internal_kb,
    run_turn,
    standin,
)
from harness.knowledge import helpdesk
from tests.tool_answers import refused


def ask(terms, version=None):
    return json.loads(query_internal_kb(terms, version))


def turn_with(turns, *names, question="How do I reset my API key?"):
    with standin.script(turns) as seen:
        result = run_turn(question, config=TurnConfig(tools=names))
    return result, [
        json.loads(message["content"]) if message["content"][0] == "{" else message["content"]
        for message in seen.requests[-1]["messages"]
        if message["role"] == "tool"
    ]


# The knowledge base itself


def test_the_articles_are_sound():
    articles = helpdesk.articles()
    assert len({a.topic for a in articles}) >= 15
    assert helpdesk.versions() == ["v1.4", "v2.0", "v2.1"]
    of_topic = {}
    for a in articles:
        assert a.text.strip() and a.title and a.keywords
        assert len(a.text) < 600
        of_topic.setdefault(a.topic, []).extend(a.versions or [None])
    for topic, versions in of_topic.items():
        assert len(versions) == len(set(versions)), f"{topic} documents a version twice"
        assert versions == [None] or None not in versions


def test_versions_are_ordered_as_numbers():
    def article(*versions):
        return helpdesk.Article("api", "t", "T", "k", "x", versions)

    known = (article("v2.9"), article("v2.10"), article("v10.0"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helpdesk, "articles", lambda: known)
        assert helpdesk.versions() == ["v2.9", "v2.10", "v10.0"]


@pytest.mark.parametrize(
    ("terms", "topic"),
    [
        ("reset API key", "api-keys"),
        ("rotate access key", "api-keys"),
        ("API rate limits", "rate-limits"),
        ("429 retry after", "rate-limits"),
        ("webhook signature", "webhooks"),
        ("pagination cursor", "pagination"),
        ("error codes", "error-codes"),
        ("container event types", "container-events"),
        ("sandbox environment", "sandbox"),
        ("dispute demurrage", "demurrage-disputes"),
        ("detention free time", "free-time"),
        ("reefer temperature alarm", "reefer-alarms"),
        ("cancel booking fee", "booking-cancellation"),
        ("bill of lading correction", "bill-of-lading-corrections"),
        ("hazardous cargo declaration", "dangerous-goods"),
        ("verified gross mass", "verified-gross-mass"),
        ("customs hold", "customs-holds"),
        ("damaged cargo claim", "cargo-claims"),
        ("delay notice", "vessel-delays"),
        ("invite team member", "user-roles"),
        ("password lockout", "single-sign-on"),
        ("invoice payment terms", "invoices"),
    ],
)
def test_every_topic_is_found_by_its_words(terms, topic):
    found = ask(terms)
    assert found["snippets"][0]["source"].endswith(f"/{topic}")
    assert found["confident"] and found["snippets"][0]["confidence"] >= 0.85
    assert "next" not in found


# Snippets


def test_snippets_are_structured_and_lines_say_source_excerpt_confidence():
    found = ask("API rate limits", "v2.0")
    best = found["snippets"][0]
    assert best == {
        "source": "https://docs.harbourline.example/api/v2.0/rate-limits",
        "title": "Rate limits of the tracking API",
        "version": "v2.0",
        "excerpt": "300 requests a minute for each key. Beyond that the API answers 429 with a "
        "Retry-After header in seconds.",
        "confidence": 1.0,
    }
    assert found["lines"][0] == f"{best['source']} | {best['excerpt']} | 1.00"
    assert len(found["lines"]) == len(found["snippets"]) <= 3
    confidences = [each["confidence"] for each in found["snippets"]]
    assert confidences == sorted(confidences, reverse=True)


def test_the_same_search_gives_the_same_text_whatever_the_order_of_the_words():
    assert query_internal_kb("rate limits API") == query_internal_kb("rate limits API")
    first, second = ask("rate limits API"), ask("API, limits; RATE")
    assert first["snippets"] == second["snippets"]


# Versions


def test_without_a_filter_the_latest_version_of_a_topic_answers():
    sources = [each["source"] for each in ask("API rate limits")["snippets"]]
    assert sources[0].endswith("api/v2.1/rate-limits")
    assert not any("v1.4" in source or "v2.0" in source for source in sources)


def test_a_filter_gives_that_versions_text():
    excerpts = {v: ask("API rate limits", v)["snippets"][0] for v in ("v1.4", "v2.0", "v2.1")}
    assert [each["version"] for each in excerpts.values()] == ["v1.4", "v2.0", "v2.1"]
    assert "60 requests" in excerpts["v1.4"]["excerpt"]
    assert "600 requests" in excerpts["v2.1"]["excerpt"]


def test_a_procedure_has_no_version_and_says_so():
    for version in (None, "v2.1"):
        best = ask("dispute demurrage", version)["snippets"][0]
        assert best["version"] == "version not specified in docs"
        assert best["source"].endswith("/procedures/demurrage-disputes")


@pytest.mark.parametrize("version", ["v3.0", "v2.2", "v0.0", "v21.0", "v2.10"])
def test_a_version_that_no_article_has_is_never_made_up(version):
    error = refused(query_internal_kb, "API rate limits", version)
    assert error.kind == "bad_arguments"
    assert f"no documentation of {version}" in str(error)
    assert "v1.4, v2.0, v2.1" in str(error)


@pytest.mark.parametrize(
    "version", ["2.1", "v2", "latest", "v2.1.0", "V2.1", "v2.1\n", " v2.1", "v2.x", ""]
)
def test_the_form_of_a_version_is_enforced(version):
    error = refused(query_internal_kb, "API rate limits", version)
    assert error.kind == "bad_arguments" and "'version_filter'" in str(error)


def test_a_topic_that_a_version_lacks_is_not_carried_over():
    found = ask("webhook signature", "v1.4")
    assert not any(each["version"] in ("v2.0", "v2.1") for each in found["snippets"])
    assert not found["confident"]
    assert found["next"].startswith("Not documented for v1.4; it is for v2.0, v2.1.")


def test_a_version_among_the_keywords_is_sent_where_it_belongs():
    error = refused(query_internal_kb, "rate limits v2.1")
    assert "'v2.1' is a version, not a keyword" in str(error) and "version_filter" in str(error)


# Keywords


@pytest.mark.parametrize(
    "terms",
    [
        "How do I reset my API key?",
        "reset the key of my account please",
        "what is demurrage",
        "how reset keys",
        "reset keys?",
        "demurrage",
        "demurrage demurrage Demurrage",
        "one two three four five six",
        "the of",
        "   ",
        ", ; ,",
        "?!",
    ],
)
def test_a_sentence_or_the_wrong_number_of_keywords_is_sent_back(terms):
    error = refused(query_internal_kb, terms)
    assert error.kind == "bad_arguments"
    assert "search_terms" in str(error)
    assert "pass 2 to 5 keywords" in str(error)


def test_the_hint_shows_the_sentences_own_keywords():
    error = refused(query_internal_kb, "How do I reset my API key?")
    assert "Such as 'reset api key'" in str(error)


@pytest.mark.parametrize("terms", ["", "x" * 201, None, 7, ["reset", "key"]])
def test_what_is_no_text_of_a_sane_length_is_named(terms):
    assert "parameter 'search_terms' is wrong" in str(refused(query_internal_kb, terms))


@pytest.mark.parametrize(
    "terms", ["API key", "api,key,reset", "terms of payment", "a1 b2 c3 d4 e5", "Übergröße Fracht"]
)
def test_two_to_five_keywords_pass(terms):
    assert ask(terms)["status"] == "ok"


# Confidence and the one retry


def test_an_unsure_search_says_to_rewrite_and_finds_nothing_it_has_not():
    found = ask("chocolate cake recipe")
    assert (found["snippets"], found["lines"], found["confident"]) == ([], [], False)
    assert "Rewrite search_terms" in found["next"] and "0.85" in found["next"]


def test_meaning_alone_is_never_sure():
    terms = ["forgotten", "passphrase", "unlocking"]
    assert all(each.confidence < helpdesk.CONFIDENT for each in helpdesk.search(terms))


def test_the_retry_is_one_and_the_next_turn_has_its_own():
    turns = [
        standin.call("query_internal_kb", search_terms="forgotten passphrase"),
        standin.call("query_internal_kb", search_terms="blocked entrance"),
        standin.call("query_internal_kb", search_terms="password lockout"),
        standin.say("done"),
    ]
    for _ in range(2):
        _, seen = turn_with(turns, "query_internal_kb")
        assert "retry once" in seen[0]["next"]
        assert "Don't search again" in seen[1]["next"] and "ticket" in seen[1]["next"]
        assert seen[2]["confident"] and "next" not in seen[2]


def test_a_sure_search_before_uses_no_retry_up():
    turns = [
        standin.call("query_internal_kb", search_terms="password lockout"),
        standin.call("query_internal_kb", search_terms="forgotten passphrase"),
        standin.say("done"),
    ]
    _, seen = turn_with(turns, "query_internal_kb")
    assert "retry once" in seen[1]["next"]


def test_the_rules_reach_the_model_with_the_first_result_only():
    turns = [
        standin.call("query_internal_kb", search_terms="reset API key"),
        standin.call("query_internal_kb", search_terms="API rate limits"),
        standin.say("done"),
    ]
    _, (first, second) = turn_with(turns, "query_internal_kb")
    assert "Never make up a version number" in first["instructions"]
    assert "instructions" not in second
    assert "Cite the sources" in first["contract"] and first["contract"] == second["contract"]
    light = TOOLS["query_internal_kb"][1]["function"]["description"]
    assert "make up a version" not in light
