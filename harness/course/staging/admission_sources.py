"""What `admit` is checked with: what never enters, what the model wrote, and all other sources."""

from dataclasses import replace

from harness.course.staging.admission_cases import (
    GRANT,
    GUESS,
    SAID,
    SECRET,
    SETTING,
    TOLD,
    USER,
)
from harness.course.staging.verdict_cases import Case
from harness.memory.admission import Known, Proposal


def by_the_model() -> list[Case]:
    """What the model concluded, summed up or labelled."""
    label = "confidence and source_id are what the proposal claims of itself; they prove nothing."
    return [
        Case(
            "inference_stored",
            "the model concluded it by itself",
            (GUESS, USER),
            "quarantine",
            "An unverified inference never enters as a fact.",
        ),
        Case(
            "label_believed",
            "the model concluded it and calls it confirmed",
            (replace(GUESS, confidence="confirmed", source_id="call_7"), USER),
            "quarantine",
            label,
        ),
        Case(
            "inference_stored",
            "the program passes on what the model wrote (model_generated)",
            (replace(GUESS, source="application"), USER),
            "quarantine",
            "Whatever comes in by another door, model_generated says who wrote it.",
        ),
        Case(
            "inference_stored",
            "the source is a document, and the model wrote it",
            (replace(SETTING, source="document", model_generated=True), USER),
            "quarantine",
            "Whatever comes in by another door, model_generated says who wrote it.",
        ),
        Case(
            "summary_stored",
            "its source is model_summary, and nobody said that a model wrote it",
            (Proposal("The user wants active to mean ARRIVED", source="model_summary"), USER),
            "quarantine",
            "A summary by the model is never evidence: look at the source as well.",
        ),
        Case(
            "inference_stored",
            "its source is model_inference, and nobody said that a model wrote it",
            (replace(GUESS, model_generated=False), USER),
            "quarantine",
            "An unverified inference never enters as a fact: look at the source as well.",
        ),
        Case(
            "label_believed",
            "the quote is made up and the entry is called confirmed",
            (
                replace(
                    TOLD,
                    value="Active means ARRIVED",
                    quote="active means ARRIVED",
                    confidence="confirmed",
                ),
                USER,
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
                USER,
            ),
            "quarantine",
            "A summary by the model is never evidence, not even of what was said.",
        ),
    ]


def never() -> list[Case]:
    """What is not stored at all, and what is known already."""
    told = Known(user_message=f"{SAID} {SECRET}. The admin said you may rebook containers.")
    secret = "redact(text) != text: refuse, before anything else. Quarantine keeps it as well."
    sentence = "Anybody can say a sentence. Only known.authorized says that an event was signed."
    permission = replace(GRANT, source="user_statement", quote="you may rebook containers")
    impact = "High impact, or a permission, asks for model_generated = False, whatever the source."
    return [
        Case(
            "secret_stored",
            "the user said a secret",
            (replace(TOLD, value=SECRET, quote=SECRET), told),
            "refuse",
            secret,
        ),
        *(
            Case(
                "secret_stored",
                f"the value is {value!r}",
                (replace(SETTING, value=value), told),
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
            (replace(TOLD, subject="password: hunter2hunter2"), USER),
            "refuse",
            "Look at the subject as well as at the value.",
        ),
        Case(
            "secret_quarantined",
            "the model's guess holds a secret",
            (replace(GUESS, value=SECRET), told),
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
            (GRANT, Known(user_message=SAID)),
            "refuse",
            sentence,
        ),
        Case(
            "model_wrote_permission",
            "an event is signed and the entry is written by the model",
            (replace(GRANT, model_generated=True), Known(authorized=True)),
            "refuse",
            impact,
        ),
        Case(
            "high_impact_by_model",
            "the entry has high impact and the model wrote it, with a true quote",
            (replace(TOLD, high_impact=True, model_generated=True), USER),
            "refuse",
            impact,
        ),
        Case(
            "learned_again",
            "the same claim was retracted",
            (TOLD, replace(USER, retracted_as="mem-1")),
            "refuse",
            "known.retracted_as names a tombstone: it is not learned again.",
        ),
        Case(
            "stored_twice",
            "the text was recalled from memory a moment ago",
            (TOLD, replace(USER, duplicate_of="mem-2")),
            "duplicate",
            "known.duplicate_of names the record that says so already.",
        ),
    ]


def by_others() -> list[Case]:
    """What has a source of its own."""
    rest = "What has a source of its own and is not the model's is stored."
    return [
        Case(
            "authorization_refused",
            "an authorization event was signed and verified",
            (GRANT, Known(authorized=True)),
            "store",
            "With known.authorized, and not written by the model, it may enter.",
        ),
        Case(
            "high_impact_refused",
            "the entry has high impact and the user said it",
            (replace(TOLD, high_impact=True), USER),
            "store",
            "High impact alone is not a reason: the model's hand in it is.",
        ),
        *(
            Case(
                "source_refused",
                f"the source is {source} and no model wrote it",
                (Proposal("Reports go out on Fridays", source=source, source_id="x@1"), USER),
                "store",
                rest,
            )
            for source in ("explicit_user_setting", "document", "application")
        ),
        Case(
            "source_refused",
            "the text speaks of a key and of a password, and holds none",
            (replace(SETTING, value="The key account asks for a new password"), USER),
            "store",
            "redact(text) != text: ask redact, not the words.",
        ),
        *(
            Case(
                "source_refused",
                f"it is a setting {what}",
                (replace(SETTING, **label), USER),
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
