"""What `retire` is checked with: each trigger on records that it concerns, and on others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.course.staging.retirement_events import (
    AGAINST,
    BARE,
    ENDED,
    GONE,
    GUESSED,
    LONG,
    MOVED,
    NEWER,
    RECORD,
    SAID,
    SENSITIVE,
    TTL,
    UNUSED,
    WISH,
    elsewhere,
    look_alikes,
)
from harness.course.staging.verdict_cases import Case, again_with
from harness.memory.events import Event
from harness.memory.records import GovernedRecord

VERSIONS = (
    'source, _, version = (record.source_id or "").partition("@") takes "tariff@3" apart. '
    "AUTHORITY[event.confidence] >= AUTHORITY[record.confidence] says whether a contradiction is "
    "strong enough. Times in ISO 8601 compare as text."
)


def cases() -> list[Case]:
    """Every case: each trigger on a record that it concerns, and on some that it does not."""
    leave, stay = _leave(), _stay()
    first = {case.code: case for case in [*stay[::-1], *leave[::-1]]}
    beside = [more for case in first.values() for more in _beside(case)]
    return [*leave, *stay, *look_alikes(), *elsewhere(), *beside]


def _beside(case: Case) -> Iterator[Case]:
    """The case again, with what its row of the table does not name."""
    trigger = case.arguments[1].trigger
    named = {
        "user_deletion": ("user",),
        "contradiction": ("subject", "confidence"),
        "ttl_reached": ("expires_at",),
        "source_deleted": ("source_id",),
        "source_updated": ("source_id",),
        "project_ended": ("scope",),
        "scope_changed": ("scope",),
    }.get(trigger, ())
    other: dict[str, tuple[Any, ...]] = {
        "type": ("policy_state", "commitment"),
        "kind": ("correction",),
        "source": ("user_statement", "model_inference"),
        "confidence": ("confirmed", "inferred"),
        "high_impact": (True,),
        "model_generated": (True,),
        "user": ("cem", None),
        "subject": ("pilotage",),
        "expires_at": (None, "2020-01-01T00:00:00Z"),
        "source_id": (None, "log@7"),
        "scope": ("user_account",),
    }
    yield from again_with(case, **{k: v for k, v in other.items() if k not in named})


def _leave() -> list[Case]:
    nothing = "Nothing may be left, in no index: hard_delete."
    known = "A tombstone remembers that it was wrong, so that it is not learned again."
    out = "Nobody was wrong, and an audit may want it: archive."
    table: list[tuple[str, GovernedRecord, Event, str, str]] = [
        ("its user asks for deletion", RECORD, WISH, "hard_delete", nothing),
        ("it turns out to be sensitive", RECORD, SENSITIVE, "hard_delete", nothing),
        ("a source as good says otherwise", RECORD, AGAINST, "tombstone", known),
        (
            "what was inferred is contradicted by an observation",
            GUESSED,
            AGAINST,
            "tombstone",
            known,
        ),
        (
            "a confirmation contradicts what was confirmed",
            SAID,
            replace(AGAINST, confidence="confirmed"),
            "tombstone",
            "As strong is strong enough: >=.",
        ),
        (
            "a guess contradicts a guess",
            GUESSED,
            replace(AGAINST, confidence="inferred"),
            "tombstone",
            "As strong is strong enough: >=.",
        ),
        ("its time is up to the second", RECORD, TTL, "archive", "expires_at <= event.now"),
        (
            "its time is long up",
            RECORD,
            replace(TTL, now="2027-01-01T00:00:00Z"),
            "archive",
            "expires_at <= event.now",
        ),
        ("its source was deleted", RECORD, GONE, "archive", out),
        ("its source has a newer version", RECORD, NEWER, "archive", VERSIONS),
        ("its project has ended", RECORD, ENDED, "archive", out),
        ("it belongs to another scope now", RECORD, MOVED, "archive", out),
        (
            "its source was put back to an older version",
            RECORD,
            replace(NEWER, version="2"),
            "archive",
            "Another version is another version: compare with !=, a version is a name.",
        ),
        (
            "its source has version 10, and 3 was known",
            RECORD,
            replace(NEWER, version="10"),
            "archive",
            "As texts, 10 comes before 3: compare with !=, a version is a name.",
        ),
        (
            "its source has version 3.1, and 3 was known",
            RECORD,
            replace(NEWER, version="3.1"),
            "archive",
            "A version that begins alike is another one: compare with !=.",
        ),
        (
            "it is unused, and 2,001 characters with the blanks at its end",
            RECORD.model_copy(update={"value": "x" * 1_900 + " " * 101}),
            UNUSED,
            "archive",
            "len(record.value): every character counts.",
        ),
        (
            "it is unused for 181 days and has 2,001 characters",
            LONG.model_copy(update={"value": "x" * 2_001}),
            replace(UNUSED, unused_days=181),
            "archive",
            "Over 180 days, over 2,000 characters.",
        ),
        ("it is long and unused for 200 days", LONG, UNUSED, "archive", out),
    ]
    return [
        Case(event.trigger, situation, (record, event), verdict, hint)
        for situation, record, event, verdict, hint in table
    ]


def _stay() -> list[Case]:
    own = "The event names the record, user, source or scope that it is about: compare."
    table: list[tuple[str, GovernedRecord, Event, str]] = [
        ("another user asks for deletion", RECORD, replace(WISH, user="ben"), own),
        ("another record is sensitive", RECORD, replace(SENSITIVE, record_id="mem-2"), own),
        ("another subject is contradicted", RECORD, replace(AGAINST, subject="demurrage"), own),
        (
            "what the user confirmed is contradicted by an observation",
            SAID,
            AGAINST,
            "A weaker word does not overrule a stronger one: AUTHORITY.",
        ),
        (
            "its time is not up yet",
            RECORD,
            replace(TTL, now="2026-06-29T23:59:59Z"),
            "expires_at <= event.now",
        ),
        (
            "its time is up later on the same day",
            RECORD.model_copy(update={"expires_at": "2026-06-30T18:00:00Z"}),
            replace(TTL, now="2026-06-30T06:00:00Z"),
            "Compare the whole texts: they have hours, too.",
        ),
        (
            "an observation is contradicted by a guess",
            RECORD,
            replace(AGAINST, confidence="inferred"),
            "A weaker word does not overrule a stronger one: AUTHORITY.",
        ),
        (
            "it has 1,500 characters, more in bytes, and is unused",
            LONG.model_copy(update={"value": "ü" * 1_500}),
            UNUSED,
            "Over 2,000 characters: len(record.value).",
        ),
        (
            "a source of its name was deleted, and no version is said",
            RECORD,
            replace(GONE, source_id="tariff"),
            "The whole source_id, with its version.",
        ),
        ("it never expires", BARE, TTL, "expires_at may be None."),
        ("another source was deleted", RECORD, replace(GONE, source_id="manual@1"), own),
        ("it has no source_id and a source was deleted", BARE, GONE, own),
        ("another source has a new version", RECORD, replace(NEWER, source_id="manual"), own),
        (
            "its source was read again and is the same version",
            RECORD,
            replace(NEWER, version="3"),
            "Only another version makes it stale.",
        ),
        ("it has no source_id and a source was updated", BARE, NEWER, own),
        (
            "its source has no version",
            RECORD.model_copy(update={"source_id": "tariff"}),
            NEWER,
            'A source_id without "@" names no version: nothing to compare.',
        ),
        (
            "a source whose name only begins alike was updated",
            RECORD.model_copy(update={"source_id": "tariffs@3"}),
            NEWER,
            "The source is what comes before the @, all of it.",
        ),
        (
            "a source whose id only begins alike was deleted",
            RECORD,
            replace(GONE, source_id="tariff@30"),
            "The whole source_id, not how it begins.",
        ),
        (
            "it is long and unused for exactly 180 days",
            LONG,
            replace(UNUSED, unused_days=180),
            "Over 180 days.",
        ),
        (
            "it has exactly 2,000 characters and is unused",
            LONG.model_copy(update={"value": "x" * 2_000}),
            UNUSED,
            "Over 2,000 characters.",
        ),
        ("another project has ended", RECORD, replace(ENDED, scope="project:borealis"), own),
        ("another record has changed its scope", RECORD, replace(MOVED, record_id="mem-2"), own),
        (
            "its scope was looked at and is the same",
            RECORD,
            replace(MOVED, scope="project:atlas"),
            "Only another scope takes it out.",
        ),
        ("it is short and unused", RECORD, UNUSED, "Unused and expensive: over 2,000 characters."),
        (
            "it is long and unused for 100 days",
            LONG,
            replace(UNUSED, unused_days=100),
            "More than 180 days.",
        ),
        ("another record is unused", LONG, replace(UNUSED, record_id="mem-2"), own),
    ]
    return [
        *(
            Case(f"{event.trigger}_too_far", situation, (record, event), "keep", hint)
            for situation, record, event, hint in table
        ),
        Case(
            "unknown_trigger",
            "the trigger is none of the nine",
            (RECORD, Event("full_moon")),
            "keep",
            "Keep what you have no reason to let go.",
        ),
    ]
