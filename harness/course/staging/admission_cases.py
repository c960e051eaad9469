"""What `admit` is checked with: quotes, and proposals to which two rules apply."""

from dataclasses import replace

from harness.course.staging.verdict_cases import Case
from harness.memory.admission import Known, Proposal

SAID = "Important: for dispatch, an active voyage  means LOADING or\nDELAYED. How many are there?"


QUOTE = "an active voyage  means LOADING or\nDELAYED"


TOLD = Proposal(
    "An active voyage means LOADING or DELAYED",
    subject="active voyage",
    kind="correction",
    source="user_statement",
    quote=QUOTE,
)


USER = Known(user_message=SAID)


OUTPUT = '{"status": "ok", "rows": [["Kestrel Ocean", "8 late arrivals"]]}'


TOOL = Proposal(
    "Kestrel Ocean has 8 late arrivals",
    source="tool_output",
    source_id="call_7",
    quote='"Kestrel Ocean", "8 late arrivals"',
)


GUESS = Proposal(
    "Kestrel Ocean is unreliable", source="model_inference", model_generated=True, quote=""
)


SECRET = "The API key is sk-live4f9a8b7c6d5e4f3a2b1c"


GRANT = Proposal(
    "may rebook containers", type="policy_state", source="authorization_event", source_id="ev-1"
)


SETTING = Proposal("Reports go out on Fridays", source="explicit_user_setting", source_id="x@1")


def two_rules() -> list[Case]:
    """Proposals to which two rules apply: the one that is stated first decides."""
    known = Known(user_message=SAID, tool_output=OUTPUT, duplicate_of="mem-2")
    first = "The order of the rules: refuse, then duplicate, then the source."
    made_up = replace(TOLD, value="Active means ARRIVED", quote="active means ARRIVED")
    secret = replace(TOLD, value=SECRET)
    return [
        Case("order_of_rules", situation, arguments, verdict, first, last=True)
        for situation, arguments, verdict in (
            ("a secret is there already", (secret, known), "refuse"),
            (
                "a permission without an event is there already",
                (replace(GRANT, source="user_statement"), known),
                "refuse",
            ),
            (
                "a permission that the model wrote is there already",
                (replace(GRANT, model_generated=True), replace(known, authorized=True)),
                "refuse",
            ),
            (
                "what the model wrote has high impact and is there already",
                (replace(GUESS, high_impact=True), known),
                "refuse",
            ),
            (
                "a permission with a signed event is there already",
                (GRANT, replace(known, authorized=True)),
                "duplicate",
            ),
            (
                "a permission with a signed event was retracted",
                (GRANT, Known(authorized=True, retracted_as="mem-1")),
                "refuse",
            ),
            (
                "the model wrote down what the user said, with a true quote",
                (replace(TOLD, model_generated=True), USER),
                "store",
            ),
            (
                "what was retracted is there already",
                (TOLD, replace(known, retracted_as="mem-1")),
                "refuse",
            ),
            ("a made-up quote is there already", (made_up, known), "duplicate"),
            ("a guess of the model's is there already", (GUESS, known), "duplicate"),
            ("a setting is there already", (SETTING, known), "duplicate"),
        )
    ]


def by_quote() -> list[Case]:
    """Statements and outputs, each with a quote that is there, made up or missing."""
    same = "quoted(proposal.quote, known.user_message) finds it, whatever its case and spacing."
    empty = "An empty text stands in every text: ask for a quote first."
    asked = "What quoted() finds has .asks: a question is nobody's statement."
    made = "The quote must stand in known.user_message; if not, nobody said it: quarantine."
    return [
        Case(
            "true_quote_refused",
            "the user said it, in other letters and over two lines",
            (replace(TOLD, quote="An Active voyage means LOADING or DELAYED"), USER),
            "store",
            same,
        ),
        Case(
            "made_up_quote",
            "the quote is not in the user's message",
            (replace(TOLD, value="Active means ARRIVED", quote="active means ARRIVED"), USER),
            "quarantine",
            made,
        ),
        Case(
            "question_stored",
            "the quote is part of a question",
            (replace(TOLD, value="There are many", quote="How many are there"), USER),
            "quarantine",
            asked,
        ),
        Case(
            "true_quote_refused",
            "the quote is true, and the value says it in other words",
            (replace(TOLD, value="Active: LOADING, DELAYED"), USER),
            "store",
            "The quote is looked up, not the value.",
        ),
        Case(
            "question_stored",
            "the quote is part of a question in a tool's output",
            (
                replace(TOOL, value="Many are free", quote="How many are free"),
                Known(user_message=SAID, tool_output="How many are free?"),
            ),
            "quarantine",
            asked,
            last=True,
        ),
        *(
            Case(
                "empty_quote",
                f"the quote is {quote!r} and the claim is the model's own",
                (replace(TOLD, value="Active means ARRIVED", quote=quote), USER),
                "quarantine",
                empty,
            )
            for quote in (None, "", "  ")
        ),
        Case(
            "wrong_speaker",
            "a user's statement is claimed and the words stand in a tool's output only",
            (
                replace(TOOL, source="user_statement"),
                Known(user_message=SAID, tool_output=OUTPUT),
            ),
            "quarantine",
            "For a user_statement look at known.user_message and nowhere else.",
        ),
        Case(
            "wrong_speaker",
            "a user's statement is claimed, the words stand in a tool's output, the user said less",
            (
                replace(TOOL, source="user_statement", quote="Berth 4 is closed"),
                Known(user_message="Thank you.", tool_output=" Berth 4 is closed."),
            ),
            "quarantine",
            "For a user_statement look at known.user_message and nowhere else.",
        ),
        Case(
            "tool_quote_refused",
            "a tool's output is quoted as it is",
            (TOOL, Known(user_message=SAID, tool_output=OUTPUT)),
            "store",
            "For source tool_output look at known.tool_output.",
        ),
        Case(
            "tool_quote_made_up",
            "the quote is not in the tool's output",
            (
                replace(TOOL, value="Kestrel has 80 late arrivals", quote="80 late arrivals"),
                Known(user_message=SAID, tool_output=OUTPUT),
            ),
            "quarantine",
            "For source tool_output look at known.tool_output.",
        ),
        Case(
            "tool_output_missing",
            "there is no such tool output (known.tool_output is None)",
            (TOOL, USER),
            "quarantine",
            "No output, no evidence.",
        ),
    ]
