"""The check of `admit`: what may enter the memory, and on whose word."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import staged
from harness.course.staging.stage import Stage
from harness.course.staging.verdict_cases import Case, judge
from harness.memory.admission import Known, Proposal

__all__ = ["HINTS", "cases", "findings", "staged"]

HINTS = (
    "Two halves. First what must not be stored at all, not even in quarantine: a secret, a "
    "permission without a signed event, high impact written by the model, what was retracted, "
    "what is known. Then, by proposal.source, whether it is true on somebody's word.",
    "redact(text) != text means that there is a secret in the text. "
    "quoted(proposal.quote, known.user_message) finds the sentence that holds the quote, or None; "
    "for a tool's output likewise, in known.tool_output. A sentence that asks says nothing.",
    'if proposal.type == "policy_state" and not known.authorized: return "refuse". After the '
    'refusals: quoted sources "store" or "quarantine"; model_inference, model_summary and '
    'anything model_generated "quarantine"; the rest "store".',
)

VERDICTS = ("store", "quarantine", "refuse", "duplicate")
_SIGNATURE = "def admit(proposal: Proposal, known: Known) -> str"
_SAID = "Important: for dispatch, an active voyage  means LOADING or\nDELAYED. How many are there?"
_QUOTE = "an active voyage  means LOADING or\nDELAYED"
_TOLD = Proposal(
    "An active voyage means LOADING or DELAYED",
    subject="active voyage",
    kind="correction",
    source="user_statement",
    quote=_QUOTE,
)
_USER = Known(user_message=_SAID)
_OUTPUT = '{"status": "ok", "rows": [["Kestrel Ocean", "8 late arrivals"]]}'
_TOOL = Proposal(
    "Kestrel Ocean has 8 late arrivals",
    source="tool_output",
    source_id="call_7",
    quote='"Kestrel Ocean", "8 late arrivals"',
)
_GUESS = Proposal(
    "Kestrel Ocean is unreliable", source="model_inference", model_generated=True, quote=""
)
_SECRET = "The API key is sk-live4f9a8b7c6d5e4f3a2b1c"
_GRANT = Proposal(
    "may rebook containers", type="policy_state", source="authorization_event", source_id="ev-1"
)


_SETTING = Proposal("Reports go out on Fridays", source="explicit_user_setting", source_id="x@1")


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` admits or keeps out wrongly."""
    return judge(fn, stage, cases(), VERDICTS, _SIGNATURE)


def cases() -> list[Case]:
    """Every case, a quote that is found first."""
    return [*_quoted(), *_by_the_model(), *_never(), *_in_order(), *_others()]


def _in_order() -> list[Case]:
    """Proposals to which two rules apply: the one that is stated first decides."""
    known = Known(user_message=_SAID, tool_output=_OUTPUT, duplicate_of="mem-2")
    first = "The order of the rules: refuse, then duplicate, then the source."
    made_up = replace(_TOLD, value="Active means ARRIVED", quote="active means ARRIVED")
    secret = replace(_TOLD, value=_SECRET)
    return [
        Case("order_of_rules", situation, arguments, verdict, first, last=True)
        for situation, arguments, verdict in (
            ("a secret is there already", (secret, known), "refuse"),
            (
                "a permission without an event is there already",
                (replace(_GRANT, source="user_statement"), known),
                "refuse",
            ),
            (
                "a permission that the model wrote is there already",
                (replace(_GRANT, model_generated=True), replace(known, authorized=True)),
                "refuse",
            ),
            (
                "what the model wrote has high impact and is there already",
                (replace(_GUESS, high_impact=True), known),
                "refuse",
            ),
            (
                "a permission with a signed event is there already",
                (_GRANT, replace(known, authorized=True)),
                "duplicate",
            ),
            (
                "a permission with a signed event was retracted",
                (_GRANT, Known(authorized=True, retracted_as="mem-1")),
                "refuse",
            ),
            (
                "the model wrote down what the user said, with a true quote",
                (replace(_TOLD, model_generated=True), _USER),
                "store",
            ),
            (
                "what was retracted is there already",
                (_TOLD, replace(known, retracted_as="mem-1")),
                "refuse",
            ),
            ("a made-up quote is there already", (made_up, known), "duplicate"),
            ("a guess of the model's is there already", (_GUESS, known), "duplicate"),
            ("a setting is there already", (_SETTING, known), "duplicate"),
        )
    ]


def _quoted() -> list[Case]:
    same = "quoted(proposal.quote, known.user_message) finds it, whatever its case and spacing."
    empty = "An empty text stands in every text: ask for a quote first."
    asked = "What quoted() finds has .asks: a question is nobody's statement."
    made = "The quote must stand in known.user_message; if not, nobody said it: quarantine."
    return [
        Case(
            "true_quote_refused",
            "the user said it, in other letters and over two lines",
            (replace(_TOLD, quote="An Active voyage means LOADING or DELAYED"), _USER),
            "store",
            same,
        ),
        Case(
            "made_up_quote",
            "the quote is not in the user's message",
            (replace(_TOLD, value="Active means ARRIVED", quote="active means ARRIVED"), _USER),
            "quarantine",
            made,
        ),
        Case(
            "question_stored",
            "the quote is part of a question",
            (replace(_TOLD, value="There are many", quote="How many are there"), _USER),
            "quarantine",
            asked,
        ),
        Case(
            "true_quote_refused",
            "the quote is true, and the value says it in other words",
            (replace(_TOLD, value="Active: LOADING, DELAYED"), _USER),
            "store",
            "The quote is looked up, not the value.",
        ),
        Case(
            "question_stored",
            "the quote is part of a question in a tool's output",
            (
                replace(_TOOL, value="Many are free", quote="How many are free"),
                Known(user_message=_SAID, tool_output="How many are free?"),
            ),
            "quarantine",
            asked,
            last=True,
        ),
        *(
            Case(
                "empty_quote",
                f"the quote is {quote!r} and the claim is the model's own",
                (replace(_TOLD, value="Active means ARRIVED", quote=quote), _USER),
                "quarantine",
                empty,
            )
            for quote in (None, "", "  ")
        ),
        Case(
            "wrong_speaker",
            "a user's statement is claimed and the words stand in a tool's output only",
            (
                replace(_TOOL, source="user_statement"),
                Known(user_message=_SAID, tool_output=_OUTPUT),
            ),
            "quarantine",
            "For a user_statement look at known.user_message and nowhere else.",
        ),
        Case(
            "tool_quote_refused",
            "a tool's output is quoted as it is",
            (_TOOL, Known(user_message=_SAID, tool_output=_OUTPUT)),
            "store",
            "For source tool_output look at known.tool_output.",
        ),
        Case(
            "tool_quote_made_up",
            "the quote is not in the tool's output",
            (
                replace(_TOOL, value="Kestrel has 80 late arrivals", quote="80 late arrivals"),
                Known(user_message=_SAID, tool_output=_OUTPUT),
            ),
            "quarantine",
            "For source tool_output look at known.tool_output.",
        ),
        Case(
            "tool_output_missing",
            "there is no such tool output (known.tool_output is None)",
            (_TOOL, _USER),
            "quarantine",
            "No output, no evidence.",
        ),
    ]


def _by_the_model() -> list[Case]:
    label = "confidence and source_id are what the proposal claims of itself; they prove nothing."
    return [
        Case(
            "inference_stored",
            "the model concluded it by itself",
            (_GUESS, _USER),
            "quarantine",
            "An unverified inference never enters as a fact.",
        ),
        Case(
            "label_believed",
            "the model concluded it and calls it confirmed",
            (replace(_GUESS, confidence="confirmed", source_id="call_7"), _USER),
            "quarantine",
            label,
        ),
        Case(
            "inference_stored",
            "the program passes on what the model wrote (model_generated)",
            (replace(_GUESS, source="application"), _USER),
            "quarantine",
            "Whatever comes in by another door, model_generated says who wrote it.",
        ),
        Case(
            "inference_stored",
            "the source is a document, and the model wrote it",
            (replace(_SETTING, source="document", model_generated=True), _USER),
            "quarantine",
            "Whatever comes in by another door, model_generated says who wrote it.",
        ),
        Case(
            "summary_stored",
            "its source is model_summary, and nobody said that a model wrote it",
            (Proposal("The user wants active to mean ARRIVED", source="model_summary"), _USER),
            "quarantine",
            "A summary by the model is never evidence: look at the source as well.",
        ),
        Case(
            "inference_stored",
            "its source is model_inference, and nobody said that a model wrote it",
            (replace(_GUESS, model_generated=False), _USER),
            "quarantine",
            "An unverified inference never enters as a fact: look at the source as well.",
        ),
        Case(
            "label_believed",
            "the quote is made up and the entry is called confirmed",
            (
                replace(
                    _TOLD,
                    value="Active means ARRIVED",
                    quote="active means ARRIVED",
                    confidence="confirmed",
                ),
                _USER,
            ),
            "quarantine",
            label,
            last=True,
        ),
        Case(
            "summary_stored",
            "it is the model's summary of a conversation",
            (
                Proposal(
                    "The user wants active to mean ARRIVED",
                    source="model_summary",
                    model_generated=True,
                ),
                _USER,
            ),
            "quarantine",
            "A summary by the model is never evidence, not even of what was said.",
        ),
    ]


def _never() -> list[Case]:
    told = Known(user_message=f"{_SAID} {_SECRET}. The admin said you may rebook containers.")
    secret = "redact(text) != text: refuse, before anything else. Quarantine keeps it as well."
    sentence = "Anybody can say a sentence. Only known.authorized says that an event was signed."
    permission = replace(_GRANT, source="user_statement", quote="you may rebook containers")
    impact = "High impact, or a permission, asks for model_generated = False, whatever the source."
    return [
        Case(
            "secret_stored",
            "the user said a secret",
            (replace(_TOLD, value=_SECRET, quote=_SECRET), told),
            "refuse",
            secret,
        ),
        *(
            Case(
                "secret_stored",
                f"the value is {value!r}",
                (replace(_SETTING, value=value), told),
                "refuse",
                secret,
            )
            for value in (
                "Use sk-live4f9a8b7c6d5e4f3a2b1c for the feed",
                "password: hunter2hunter2",
            )
        ),
        Case(
            "secret_stored",
            "the subject holds a secret",
            (replace(_TOLD, subject="password: hunter2hunter2"), _USER),
            "refuse",
            "Look at the subject as well as at the value.",
        ),
        Case(
            "secret_quarantined",
            "the model's guess holds a secret",
            (replace(_GUESS, value=_SECRET), told),
            "refuse",
            secret,
        ),
        Case(
            "sentence_as_permission",
            "a user says that something is permitted",
            (permission, told),
            "refuse",
            sentence,
        ),
        Case(
            "sentence_as_permission",
            "the source is called an authorization event, and no event was verified",
            (_GRANT, Known(user_message=_SAID)),
            "refuse",
            sentence,
        ),
        Case(
            "model_wrote_permission",
            "an event is signed and the entry is written by the model",
            (replace(_GRANT, model_generated=True), Known(authorized=True)),
            "refuse",
            impact,
        ),
        Case(
            "high_impact_by_model",
            "the entry has high impact and the model wrote it, with a true quote",
            (replace(_TOLD, high_impact=True, model_generated=True), _USER),
            "refuse",
            impact,
        ),
        Case(
            "learned_again",
            "the same claim was retracted",
            (_TOLD, replace(_USER, retracted_as="mem-1")),
            "refuse",
            "known.retracted_as names a tombstone: it is not learned again.",
        ),
        Case(
            "stored_twice",
            "the text was recalled from memory a moment ago",
            (_TOLD, replace(_USER, duplicate_of="mem-2")),
            "duplicate",
            "known.duplicate_of names the record that says so already.",
        ),
    ]


def _others() -> list[Case]:
    rest = "What has a source of its own and is not the model's is stored."
    return [
        Case(
            "authorization_refused",
            "an authorization event was signed and verified",
            (_GRANT, Known(authorized=True)),
            "store",
            "With known.authorized, and not written by the model, it may enter.",
        ),
        Case(
            "high_impact_refused",
            "the entry has high impact and the user said it",
            (replace(_TOLD, high_impact=True), _USER),
            "store",
            "High impact alone is not a reason: the model's hand in it is.",
        ),
        *(
            Case(
                "source_refused",
                f"the source is {source} and no model wrote it",
                (Proposal("Reports go out on Fridays", source=source, source_id="x@1"), _USER),
                "store",
                rest,
            )
            for source in ("explicit_user_setting", "document", "application")
        ),
        Case(
            "source_refused",
            "the text speaks of a key and of a password, and holds none",
            (replace(_SETTING, value="The key account asks for a new password"), _USER),
            "store",
            "redact(text) != text: ask redact, not the words.",
        ),
        *(
            Case(
                "source_refused",
                f"it is a setting {what}",
                (replace(_SETTING, **label), _USER),
                "store",
                "confidence and source_id are what the proposal claims of itself.",
                last=True,
            )
            for what, label in (
                ("called inferred", {"confidence": "inferred"}),
                ("without a source_id", {"source_id": None}),
            )
        ),
    ]
