"""The record and the events that `retire` is checked with, and some that only look like them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.course.staging.verdict_cases import Case
from harness.memory.events import Event
from harness.memory.records import GovernedRecord

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
BARE = RECORD.model_copy(update={"source_id": None, "expires_at": None})
LONG = RECORD.model_copy(update={"value": "All the rates of the tariff. " * 100})
SAID = RECORD.model_copy(update={"confidence": "confirmed"})
GUESSED = RECORD.model_copy(update={"confidence": "inferred"})

TTL = Event("ttl_reached", now="2026-06-30T00:00:00Z")
GONE = Event("source_deleted", source_id="tariff@3")
NEWER = Event("source_updated", source_id="tariff", version="4")
WISH = Event("user_deletion", user="ana")
ENDED = Event("project_ended", scope="project:atlas")
MOVED = Event("scope_changed", record_id="mem-1", scope="project:borealis")
AGAINST = Event("contradiction", subject="storage fee", confidence="observed")
SENSITIVE = Event("sensitive", record_id="mem-1")
UNUSED = Event("unused", record_id="mem-1", unused_days=200)


def look_alikes() -> Iterator[Case]:
    """Events whose text is almost the record's: another case, shorter, longer, a blank before."""
    for event, field, text in (
        (WISH, "user", "ana"),
        (SENSITIVE, "record_id", "mem-1"),
        (AGAINST, "subject", "storage fee"),
        (GONE, "source_id", "tariff@3"),
        (NEWER, "source_id", "tariff"),
        (ENDED, "scope", "project:atlas"),
        (MOVED, "record_id", "mem-1"),
        (UNUSED, "record_id", "mem-1"),
    ):
        for near in (text.upper(), text[:-1], f"{text}2", f" {text}"):
            changed: dict[str, Any] = {field: near}
            yield Case(
                f"{event.trigger}_too_far",
                f"the event's {field} is {near!r}, and {text!r} would be the record's",
                (LONG, replace(event, **changed)),
                "keep",
                "Compare with ==: a text that only looks like it is another one.",
                last=True,
            )


def elsewhere() -> Iterator[Case]:
    """Events of another record, user, source or scope that share all else with this one."""
    alike = {
        "source_id": "tariff@3", "user": "ana", "scope": "project:atlas", "record_id": "mem-1",
        "subject": "storage fee", "confidence": "confirmed", "unused_days": 200.0,
        "now": "2026-06-29T00:00:00Z",
    }  # fmt: skip
    for event, changes in (
        (WISH, {"user": "ben"}),
        (SENSITIVE, {"record_id": "mem-2"}),
        (AGAINST, {"subject": "pilotage"}),
        (TTL, {}),
        (GONE, {"source_id": "log@3"}),
        (NEWER, {"source_id": "log", "version": "4"}),
        (ENDED, {"scope": "project:borealis"}),
        (MOVED, {"record_id": "mem-2", "scope": "project:borealis"}),
        (UNUSED, {"record_id": "mem-2"}),
    ):
        what = f"has another {next(iter(changes))}" if changes else "comes too early"
        fields: dict[str, Any] = {**alike, **changes}
        yield Case(
            f"{event.trigger}_too_far",
            f"the event {what}, and all else is the record's",
            (LONG, replace(event, **fields)),
            "keep",
            "What decides is in the table's middle column, and nothing beside it.",
            last=True,
        )
