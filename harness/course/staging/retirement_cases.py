"""What `retire` is checked with: each trigger on records that it concerns, and on others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.course.staging.verdict_cases import Case, again_with
from harness.memory.events import Event
from harness.memory.records import GovernedRecord

VERSIONS = (
    'source, _, version = (record.source_id or "").partition("@") takes "tariff@3" apart. '
    "AUTHORITY[event.confidence] >= AUTHORITY[record.confidence] says whether a contradiction is "
    "strong enough. Times in ISO 8601 compare as text."
)
RECORD = GovernedRecord(
    record_id="mem-1",
    subject="storage fee",
    value="Storage costs 40 dollars a day",
    source="document",
    source_id="tariff@3",
    confidence="observed",
    scope="project:atlas",
    expires_at="2026-06-30T00:00:00Z",
    user="ana",
)
_BARE = RECORD.model_copy(update={"source_id": None, "expires_at": None})
_LONG = RECORD.model_copy(update={"value": "All the rates of the tariff. " * 100})
_SAID = RECORD.model_copy(update={"confidence": "confirmed"})
_GUESSED = RECORD.model_copy(update={"confidence": "inferred"})

_TTL = Event("ttl_reached", now="2026-06-30T00:00:00Z")
_GONE = Event("source_deleted", source_id="tariff@3")
_NEWER = Event("source_updated", source_id="tariff", version="4")
_WISH = Event("user_deletion", user="ana")
_ENDED = Event("project_ended", scope="project:atlas")
_MOVED = Event("scope_changed", record_id="mem-1", scope="project:borealis")
_AGAINST = Event("contradiction", subject="storage fee", confidence="observed")
_SENSITIVE = Event("sensitive", record_id="mem-1")
_UNUSED = Event("unused", record_id="mem-1", unused_days=200)


def cases() -> list[Case]:
    """Every case: each trigger on a record that it concerns, and on some that it does not."""
    leave, stay = _leave(), _stay()
    first = {case.code: case for case in [*stay[::-1], *leave[::-1]]}
    beside = [more for case in first.values() for more in _beside(case)]
    return [*leave, *stay, *_look_alikes(), *beside]


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


def _look_alikes() -> Iterator[Case]:
    """Events whose text is almost the record's: another case, shorter, longer, a blank before."""
    for event, field, text in (
        (_WISH, "user", "ana"),
        (_SENSITIVE, "record_id", "mem-1"),
        (_AGAINST, "subject", "storage fee"),
        (_GONE, "source_id", "tariff@3"),
        (_NEWER, "source_id", "tariff"),
        (_ENDED, "scope", "project:atlas"),
        (_MOVED, "record_id", "mem-1"),
        (_UNUSED, "record_id", "mem-1"),
    ):
        for near in (text.upper(), text[:-1], f"{text}2", f" {text}"):
            changed: dict[str, Any] = {field: near}
            yield Case(
                f"{event.trigger}_too_far",
                f"the event's {field} is {near!r}, and {text!r} would be the record's",
                (_LONG, replace(event, **changed)),
                "keep",
                "Compare with ==: a text that only looks like it is another one.",
                last=True,
            )


def _leave() -> list[Case]:
    nothing = "Nothing may be left, in no index: hard_delete."
    known = "A tombstone remembers that it was wrong, so that it is not learned again."
    out = "Nobody was wrong, and an audit may want it: archive."
    table: list[tuple[str, GovernedRecord, Event, str, str]] = [
        ("its user asks for deletion", RECORD, _WISH, "hard_delete", nothing),
        ("it turns out to be sensitive", RECORD, _SENSITIVE, "hard_delete", nothing),
        ("a source as good says otherwise", RECORD, _AGAINST, "tombstone", known),
        (
            "what was inferred is contradicted by an observation",
            _GUESSED,
            _AGAINST,
            "tombstone",
            known,
        ),
        (
            "a confirmation contradicts what was confirmed",
            _SAID,
            replace(_AGAINST, confidence="confirmed"),
            "tombstone",
            "As strong is strong enough: >=.",
        ),
        (
            "a guess contradicts a guess",
            _GUESSED,
            replace(_AGAINST, confidence="inferred"),
            "tombstone",
            "As strong is strong enough: >=.",
        ),
        ("its time is up to the second", RECORD, _TTL, "archive", "expires_at <= event.now"),
        (
            "its time is long up",
            RECORD,
            replace(_TTL, now="2027-01-01T00:00:00Z"),
            "archive",
            "expires_at <= event.now",
        ),
        ("its source was deleted", RECORD, _GONE, "archive", out),
        ("its source has a newer version", RECORD, _NEWER, "archive", VERSIONS),
        ("its project has ended", RECORD, _ENDED, "archive", out),
        ("it belongs to another scope now", RECORD, _MOVED, "archive", out),
        (
            "its source was put back to an older version",
            RECORD,
            replace(_NEWER, version="2"),
            "archive",
            "Another version is another version: compare with !=, a version is a name.",
        ),
        (
            "its source has version 10, and 3 was known",
            RECORD,
            replace(_NEWER, version="10"),
            "archive",
            "As texts, 10 comes before 3: compare with !=, a version is a name.",
        ),
        (
            "its source has version 3.1, and 3 was known",
            RECORD,
            replace(_NEWER, version="3.1"),
            "archive",
            "A version that begins alike is another one: compare with !=.",
        ),
        (
            "it is unused, and 2,001 characters with the blanks at its end",
            RECORD.model_copy(update={"value": "x" * 1_900 + " " * 101}),
            _UNUSED,
            "archive",
            "len(record.value): every character counts.",
        ),
        (
            "it is unused for 181 days and has 2,001 characters",
            _LONG.model_copy(update={"value": "x" * 2_001}),
            replace(_UNUSED, unused_days=181),
            "archive",
            "Over 180 days, over 2,000 characters.",
        ),
        ("it is long and unused for 200 days", _LONG, _UNUSED, "archive", out),
    ]
    return [
        Case(event.trigger, situation, (record, event), verdict, hint)
        for situation, record, event, verdict, hint in table
    ]


def _stay() -> list[Case]:
    own = "The event names the record, user, source or scope that it is about: compare."
    table: list[tuple[str, GovernedRecord, Event, str]] = [
        ("another user asks for deletion", RECORD, replace(_WISH, user="ben"), own),
        ("another record is sensitive", RECORD, replace(_SENSITIVE, record_id="mem-2"), own),
        ("another subject is contradicted", RECORD, replace(_AGAINST, subject="demurrage"), own),
        (
            "what the user confirmed is contradicted by an observation",
            _SAID,
            _AGAINST,
            "A weaker word does not overrule a stronger one: AUTHORITY.",
        ),
        (
            "its time is not up yet",
            RECORD,
            replace(_TTL, now="2026-06-29T23:59:59Z"),
            "expires_at <= event.now",
        ),
        (
            "its time is up later on the same day",
            RECORD.model_copy(update={"expires_at": "2026-06-30T18:00:00Z"}),
            replace(_TTL, now="2026-06-30T06:00:00Z"),
            "Compare the whole texts: they have hours, too.",
        ),
        (
            "an observation is contradicted by a guess",
            RECORD,
            replace(_AGAINST, confidence="inferred"),
            "A weaker word does not overrule a stronger one: AUTHORITY.",
        ),
        (
            "it has 1,500 characters, more in bytes, and is unused",
            _LONG.model_copy(update={"value": "ü" * 1_500}),
            _UNUSED,
            "Over 2,000 characters: len(record.value).",
        ),
        (
            "a source of its name was deleted, and no version is said",
            RECORD,
            replace(_GONE, source_id="tariff"),
            "The whole source_id, with its version.",
        ),
        ("it never expires", _BARE, _TTL, "expires_at may be None."),
        ("another source was deleted", RECORD, replace(_GONE, source_id="manual@1"), own),
        ("it has no source_id and a source was deleted", _BARE, _GONE, own),
        ("another source has a new version", RECORD, replace(_NEWER, source_id="manual"), own),
        (
            "its source was read again and is the same version",
            RECORD,
            replace(_NEWER, version="3"),
            "Only another version makes it stale.",
        ),
        ("it has no source_id and a source was updated", _BARE, _NEWER, own),
        (
            "its source has no version",
            RECORD.model_copy(update={"source_id": "tariff"}),
            _NEWER,
            'A source_id without "@" names no version: nothing to compare.',
        ),
        (
            "a source whose name only begins alike was updated",
            RECORD.model_copy(update={"source_id": "tariffs@3"}),
            _NEWER,
            "The source is what comes before the @, all of it.",
        ),
        (
            "a source whose id only begins alike was deleted",
            RECORD,
            replace(_GONE, source_id="tariff@30"),
            "The whole source_id, not how it begins.",
        ),
        (
            "it is long and unused for exactly 180 days",
            _LONG,
            replace(_UNUSED, unused_days=180),
            "Over 180 days.",
        ),
        (
            "it has exactly 2,000 characters and is unused",
            _LONG.model_copy(update={"value": "x" * 2_000}),
            _UNUSED,
            "Over 2,000 characters.",
        ),
        ("another project has ended", RECORD, replace(_ENDED, scope="project:borealis"), own),
        ("another record has changed its scope", RECORD, replace(_MOVED, record_id="mem-2"), own),
        (
            "its scope was looked at and is the same",
            RECORD,
            replace(_MOVED, scope="project:atlas"),
            "Only another scope takes it out.",
        ),
        ("it is short and unused", RECORD, _UNUSED, "Unused and expensive: over 2,000 characters."),
        (
            "it is long and unused for 100 days",
            _LONG,
            replace(_UNUSED, unused_days=100),
            "More than 180 days.",
        ),
        ("another record is unused", _LONG, replace(_UNUSED, record_id="mem-2"), own),
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
