# ruff: noqa: E501  (a line a version)
"""Wrong versions of `retire`."""

from tests.wrong import Wrong

WRONG = [
    Wrong(
        ("TODO 1", "`user_deletion`", "hard_delete user_deletion"),
        "user_deletion_too_far",
        {'return "hard_delete" if event.user == record.user else "keep"': 'return "hard_delete"'},
    ),
    Wrong(
        ("TODO 1", "`sensitive`"),
        "sensitive_too_far",
        {'return "hard_delete" if its_own else "keep"': 'return "hard_delete"'},
    ),
    Wrong(
        "hard_delete user_deletion",
        "sensitive",
        {
            'return "hard_delete" if its_own else "keep"': 'return "tombstone" if its_own else "keep"'
        },
    ),
    Wrong(
        "AUTHORITY gives a number",
        "contradiction",
        {
            "AUTHORITY[event.confidence] >= AUTHORITY[record.confidence]": "AUTHORITY[event.confidence] > AUTHORITY[record.confidence]"
        },
    ),
    Wrong(("TODO 2", "`contradiction`"), "contradiction_too_far", {" and as_strong": ""}),
    Wrong("TODO 2", "contradiction_too_far", {"event.subject == record.subject and ": ""}),
    Wrong(
        "tombstone contradiction",
        "contradiction",
        {'return "tombstone" if event.subject': 'return "archive" if event.subject'},
    ),
    Wrong(
        ("`ttl_reached`", "Times are texts"),
        "ttl_reached",
        {"record.expires_at <= event.now": "record.expires_at < event.now"},
    ),
    Wrong(
        "Times are texts",
        "ttl_reached_too_far",
        {"record.expires_at <= event.now": "record.expires_at[:4] <= event.now[:4]"},
    ),
    Wrong(
        "source_id and expires_at may be None", "crash", {"record.expires_at is not None and ": ""}
    ),
    Wrong(
        "source_id and expires_at may be None",
        "crash",
        {'(record.source_id or "")': "record.source_id"},
    ),
    Wrong(
        "`source_deleted`",
        "source_deleted_too_far",
        {
            "event.source_id == record.source_id,": "(event.source_id or '').startswith(record.source_id),"
        },
    ),
    Wrong(
        "`source_deleted`",
        "source_deleted_too_far",
        {"record.source_id is not None and event.source_id == record.source_id": "True"},
    ),
    Wrong(
        ("`source_updated`", "TODO 3"),
        "source_updated",
        {"event.version != version": "float(event.version or 0) > float(version)"},
    ),
    Wrong(
        "`source_updated`",
        "source_updated_too_far",
        {"event.source_id == source and": "source.startswith(event.source_id or '-') and"},
    ),
    Wrong(
        "TODO 3", "source_updated_too_far", {'"source_updated": version and': '"source_updated":'}
    ),
    Wrong(
        "TODO 3",
        "crash",
        {
            'source, _, version = (record.source_id or "").partition("@")': 'source, version = (record.source_id or "@").split("@")'
        },
    ),
    Wrong(
        "`project_ended`",
        "project_ended_too_far",
        {"event.scope == record.scope,": "event.scope is not None,"},
    ),
    Wrong(
        "`scope_changed`",
        "scope_changed_too_far",
        {"its_own and event.scope != record.scope": "its_own"},
    ),
    Wrong(
        "`scope_changed`",
        "scope_changed_too_far",
        {"its_own and event.scope != record.scope": "event.scope != record.scope"},
    ),
    Wrong("`unused`", "unused_too_far", {"unused_days > 180": "unused_days >= 180"}),
    Wrong(
        "`unused`", "unused_too_far", {"len(record.value) > 2_000": "len(record.value) >= 2_000"}
    ),
    Wrong("`unused`", "unused_too_far", {" and len(record.value) > 2_000": ""}),
    Wrong(
        "archive ttl_reached",
        "project_ended",
        {'"project_ended": event.scope == record.scope,': ""},
    ),
    Wrong(
        ("TODO 4", "keep everything else"),
        "unknown_trigger",
        {
            'return "archive" if meets.get(event.trigger) else "keep"': 'return "archive" if meets.get(event.trigger, True) else "keep"'
        },
    ),
    Wrong(
        "What an event does to a record",
        "always_the_same",
        {"    its_own = event": '    return "keep"\n    its_own = event'},
    ),
    # What only looks like the record's, and what is almost enough.
    Wrong("`user_deletion`", "user_deletion_too_far", {"event.user == record.user": "event.user.lower() == record.user.lower()"}),
    Wrong("`sensitive`", "sensitive_too_far", {'return "hard_delete" if its_own': 'return "hard_delete" if event.record_id.startswith(record.record_id)'}),
    Wrong("`contradiction`", "contradiction_too_far", {"event.subject == record.subject": "event.subject in record.subject"}),
    Wrong("`contradiction`", "contradiction", {"AUTHORITY[event.confidence] >= AUTHORITY[record.confidence]": 'record.confidence != "confirmed"'}, also=("contradiction_too_far",)),
    Wrong("Times are texts", "ttl_reached_too_far", {"record.expires_at <= event.now": "record.expires_at[:10] <= event.now[:10]"}),
    Wrong("`source_deleted`", "source_deleted_too_far", {"event.source_id == record.source_id,": "event.source_id in (source, record.source_id),"}),
    Wrong("`source_updated`", "source_updated", {"event.version != version": "not event.version.startswith(version)"}),
    Wrong("`project_ended`", "project_ended_too_far", {"event.scope == record.scope,": '(event.scope or "").startswith(record.scope),'}),
    Wrong("`unused`", "unused_too_far", {"len(record.value) > 2_000": "len(record.value.encode()) > 2_000"}),
    Wrong("`unused`", "unused", {"len(record.value) > 2_000": "len(record.value.strip()) > 2_000"}),
    # What the text says and no version above breaks.
    Wrong('`ttl_reached`', 'unused', {'    its_own = event': '    if record.type == "policy_state":\n        return "keep"\n    its_own = event'}),
    Wrong('`project_ended`', 'unused', {'return "archive" if meets.get(event.trigger)': 'return "archive" if meets.get(event.trigger) and record.confidence != "confirmed"'}),
    Wrong("TODO 1", "sensitive_too_far", {'return "hard_delete" if its_own else "keep"': 'return "hard_delete" if its_own or event.subject == record.subject else "keep"'}),
]  # fmt: skip
