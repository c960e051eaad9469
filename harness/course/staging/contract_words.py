"""What the words of `helpdesk_contract` must say, in whatever words, and what they must not say."""

import re

_ABOUT = (
    r"help|doc|article|support|procedure|polic|charge|guide|manual|faq|knowledge|\bAPI\b|how-to"
)
# text, what it must say, code, the same in words, what to try
SAYS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "description",
        r"\b(?:search|find|look|retriev|quer|fetch|gets?\b|gives?\b|consult|read|list|return|show|brows)",
        "description_wrong",
        "that it searches",
        "The main thing first: what the function does.",
    ),
    (
        "description",
        _ABOUT,
        "description_wrong",
        "what is searched",
        "It is the helpdesk's documentation: procedures, charges, the tracking API.",
    ),
    (
        "when",
        rf"{_ABOUT}|\bhow\b|what|rule|cost|charg|fee|pric|service|instruct|troubl|problem",
        "when_wrong",
        "which questions it is for",
        "Someone asks how something is done, what it costs, or what the API does.",
    ),
    (
        "search_terms",
        r"key ?-?words?|\bterms\b|\bwords\b|'[^'?]{3,40}'",
        "keywords_not_asked",
        "that keywords are wanted",
        "Models copy an example, or don't: the parameter's own text must ask for keywords.",
    ),
    (
        "version_filter",
        r"\bv\W*(?:\d|x\b|\{|<)|\{?major",
        "version_form",
        "what a version looks like",
        "Show the form: v{major}.{minor}, or such as v2.1.",
    ),
    (
        "version_filter",
        r"\bonly\b|\bif\b|\bwhen\b|\bwhere\b|\bunless\b|\bleave\b|\bomit|\botherwise\b"
        r"|\bno (?:version|filter|other)\b|\bnamed by\b",
        "version_when",
        "when to pass it and when not",
        "Only if the user named a version.",
    ),
    (
        "returns",
        r"snippets?",
        "fields_not_named",
        "which field holds what was found",
        "'snippets', with source and excerpt.",
    ),
    (
        "returns",
        r"\bsources?\b",
        "fields_not_named",
        "which field to cite",
        "'snippets', with source and excerpt.",
    ),
    (
        "returns",
        r"\bexcerpts?\b",
        "fields_not_named",
        "which field holds the text",
        "'snippets', with source and excerpt.",
    ),
    (
        "instructions",
        r"fewer|\bless\b|drop|remov|\bleav|left out|without|shorte[rn]|omit|reduc|broader|\baway\b",
        "retry_how",
        "how to try again",
        "An article must hold every keyword: with one keyword fewer, more is found.",
    ),
)
_NOT = r"\b(?:never|not|don't|without)\b (?:\w+ ){0,2}"
_WHOLE = r"(?:whole|full|entire|complete) (?:\w+ )?(?:question|sentence|message|request)"
SAYS_NOT: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "when",
        r"^\W*(?:never|not|don't|do not)\b.*",
        "when_wrong",
        "this is when to leave it",
        "Say first when to use it.",
    ),
    (
        "search_terms",
        rf"{_WHOLE}|\bword for word|\bverbatim",
        "keywords_not_asked",
        "a sentence finds nothing here",
        "Ask for a few keywords and no sentence.",
    ),
    (
        "search_terms",
        r"(?<!at least )(?<!more than )\b(?:one|1|a single) (?:key ?-?)?word\b"
        r"|\b(?:1[1-9]|[2-9]\d|\d{3,})\b[^.,;]*words?",
        "keywords_number",
        "one finds too much, and with many nothing holds them all",
        "A few: 2 to 5.",
    ),
    (
        "search_terms",
        r"(?-i:\bOR\b)|quotation marks|wildcards?|\bboolean\b",
        "keywords_not_asked",
        "the function knows words and nothing else",
        "A few keywords, with blanks between them.",
    ),
    (
        "search_terms",
        r"key ?-?words? (?:are |is )?(?:not |un)(?:needed|necessary)|\b(?:paste|copy)\b"
        r"|\b(?:or|better|rather)\b(?:(?!\bnot\b|never|n't|instead)[^.;])*"
        r"\buser's (?:own )?(?:sentence|question|message)",
        "keywords_not_asked",
        "a sentence finds nothing here",
        "Ask for a few keywords and no sentence.",
    ),
    (
        "version_filter",
        r"\bguess|\b(?:take|use|pass|assume)\b[^.;]*\b(?:latest|newest|current)\b"
        r"|\b(?:latest|newest|current)\b[^.;]*\bunless\b",
        "version_when",
        "a version that nobody named hides the articles of the others",
        "Only if the user named a version; otherwise leave it out.",
    ),
    (
        "version_filter",
        r"(?<![\w.}])\d+\.\d+",
        "version_form",
        "a version begins with v",
        "Show the form: v{major}.{minor}, or such as v2.1.",
    ),
    (
        "version_filter",
        r"\bonly (?:if|when|where)\b[^.;,]*\b(?:no|none)\b.*",
        "version_when",
        "this is when to leave it out",
        "Only if the user named a version.",
    ),
    (
        "returns",
        _NOT + r"(?:cite|name|mention|give|quote|show)"
        r"|\bno need to (?:cite|name|mention|give|quote|show)"
        r"|\b(?:hide|omit|skip|drop|leave)\b[^.;,]*\bsources?\b"
        r"|\b(?:cit|nam|mention|quot)\w* [^.;,]*\b(?:optional|not needed|unnecessary)",
        "no_citation",
        "the opposite of what helps the reader",
        "The answer must cite the source.",
    ),
    (
        "instructions",
        r"\b(?:until|again and again|as often|keep (?:on )?(?:trying|retrying|searching))\b",
        "retry_opposite",
        "each further try is paid for",
        "One more try with one keyword fewer, then say that nothing was found.",
    ),
    (
        "instructions",
        r"(?:more|additional|extra|another|longer) key ?words?|key ?words? more",
        "retry_opposite",
        "every further keyword finds less",
        "One more try with one keyword fewer.",
    ),
    (
        "instructions",
        r"\b(?:two|three|four|five|several|many|[2-9])\b (?:more )?(?:times|tries|searches)\b",
        "retry_opposite",
        "each further try is paid for",
        "One more try with one keyword fewer, then say that nothing was found.",
    ),
    (
        "instructions",
        r"\b(?:fewer|less)\b[^.;:!?]*\b(?:not allowed|forbidden)\b"
        r"|\bfrom (?:your|its) (?:own )?(?:knowledge|memory)\b",
        "retry_opposite",
        "one more try is worth it, and what nobody wrote down is no answer",
        "One more try with one keyword fewer.",
    ),
    (
        "instructions",
        r"\b(?:if|when) (?:some|any)thing (?:is|was) found\b[^.;:!?]*\b(?:again|once more|retry)",
        "retry_opposite",
        "the second try is for when nothing was found",
        "If nothing is found, one more try with one keyword fewer.",
    ),
    (
        "instructions",
        rf"{_WHOLE}|\bno (?:key ?words? )?fewer",
        "retry_opposite",
        "a sentence holds more words, and finds less",
        "One more try with one keyword fewer.",
    ),
    (
        "instructions",
        rf"(?!{_NOT}(?:keep|go)\b){_NOT}(?:retry|try|search)(?: again| once| it)?\b"
        r"(?![^.;:!?]*\b(?:more|over|same|twice|forever|endless|until)\b)",
        "retry_opposite",
        "one more try is worth it",
        "One more try with one keyword fewer.",
    ),
)
_DENIED = re.compile(
    r"(?:\b(?:no|not|never|without|nor|avoid|leave|omit|instead of|rather than)\b|n't)[^.;:!?]*$",
    re.IGNORECASE,
)


# A clause that says what comes of it asks for nothing: "more keywords find less".
_OUTCOME = re.compile(
    r"\b(?:finds?|gives?|brings?|holds?|gets?|hides?)\b[^.;:!?,]*"
    r"\b(?:nothing|no|none|less|fewer|little|worse)\b|\b(?:worse|useless|a waste)\b",
    re.IGNORECASE,
)


def said(pattern: str, text: str) -> str:
    """What a text says of this without denying it; "" if nothing.

    "Never the whole question" does not ask for the whole question, and neither does "a whole
    question finds nothing".
    """
    for found in re.finditer(pattern, text, re.IGNORECASE):
        clause = re.split(r"[.;:!?,]", text[found.start() :])[0]
        if not _DENIED.search(text[: found.start()]) and not _OUTCOME.search(clause):
            return found[0]
    return ""
