# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `retire`."""

RIGHT = {
    "a class": """
def retire(record, event):
    source, at, version = (record.source_id or "").partition("@")
    match event.trigger:
        case "user_deletion" if event.user == record.user:
            return "hard_delete"
        case "sensitive" if event.record_id == record.record_id:
            return "hard_delete"
        case "contradiction" if event.subject == record.subject and AUTHORITY[record.confidence] <= AUTHORITY[event.confidence]:
            return "tombstone"
        case "ttl_reached" if record.expires_at and event.now >= record.expires_at:
            return "archive"
        case "source_deleted" if record.source_id and event.source_id == record.source_id:
            return "archive"
        case "source_updated" if at and (event.source_id, ) == (source, ) and version != event.version:
            return "archive"
        case "project_ended" if event.scope == record.scope:
            return "archive"
        case "scope_changed" if event.record_id == record.record_id and record.scope != event.scope:
            return "archive"
        case "unused" if event.record_id == record.record_id and event.unused_days > 180 and len(record.value) > 2000:
            return "archive"
        case _:
            return "keep"
""",
    "match or a partial": """
class _Retire:
    WAYS = {"user_deletion": "hard_delete", "sensitive": "hard_delete", "contradiction": "tombstone"}

    def __call__(self, record, event):
        concerns = getattr(self, event.trigger, lambda r, e: None)
        if not concerns(record, event):
            return "keep"
        return self.WAYS.get(event.trigger, "archive")

    def user_deletion(self, r, e): return e.user == r.user
    def sensitive(self, r, e): return e.record_id == r.record_id
    def contradiction(self, r, e): return e.subject == r.subject and AUTHORITY[e.confidence] >= AUTHORITY[r.confidence]
    def ttl_reached(self, r, e): return r.expires_at is not None and r.expires_at <= e.now
    def source_deleted(self, r, e): return r.source_id is not None and r.source_id == e.source_id
    def source_updated(self, r, e):
        if "@" not in (r.source_id or ""):
            return False
        name, version = r.source_id.split("@", 1)
        return name == e.source_id and version != e.version
    def project_ended(self, r, e): return e.scope == r.scope
    def scope_changed(self, r, e): return self.sensitive(r, e) and e.scope != r.scope
    def unused(self, r, e): return self.sensitive(r, e) and e.unused_days > 180 and len(r.value) > 2000

retire = _Retire()
""",
    "lambdas or a table": """
_RULES = {
    "user_deletion": ("hard_delete", lambda r, e: e.user == r.user),
    "sensitive": ("hard_delete", lambda r, e: e.record_id == r.record_id),
    "contradiction": ("tombstone", lambda r, e: e.subject == r.subject and not AUTHORITY[e.confidence] < AUTHORITY[r.confidence]),
    "ttl_reached": ("archive", lambda r, e: bool(r.expires_at) and not r.expires_at > e.now),
    "source_deleted": ("archive", lambda r, e: e.source_id == r.source_id != None),
    "source_updated": ("archive", lambda r, e: [e.source_id] == (r.source_id or "").split("@")[:-1] and e.version != r.source_id.split("@")[-1]),
    "project_ended": ("archive", lambda r, e: e.scope == r.scope),
    "scope_changed": ("archive", lambda r, e: e.record_id == r.record_id and e.scope != r.scope),
    "unused": ("archive", lambda r, e: e.record_id == r.record_id and e.unused_days >= 181 and len(r.value) >= 2001),
}
retire = lambda record, event: next((way for way, applies in [_RULES.get(event.trigger, ("keep", lambda r, e: False))] if applies(record, event)), "keep")
""",
    "early returns or a recursion": """
def retire(record, event):
    if event.trigger not in ("user_deletion", "sensitive", "contradiction", "ttl_reached", "source_deleted", "source_updated", "project_ended", "scope_changed", "unused"):
        return "keep"
    if event.trigger == "user_deletion":
        if event.user != record.user:
            return "keep"
        return "hard_delete"
    if event.trigger in {"sensitive", "scope_changed", "unused"} and event.record_id != record.record_id:
        return "keep"
    if event.trigger == "sensitive":
        return "hard_delete"
    if event.trigger == "contradiction":
        if event.subject != record.subject or AUTHORITY[event.confidence] < AUTHORITY[record.confidence]:
            return "keep"
        return "tombstone"
    if event.trigger == "ttl_reached" and (record.expires_at is None or event.now < record.expires_at):
        return "keep"
    if event.trigger == "source_deleted" and (record.source_id is None or event.source_id != record.source_id):
        return "keep"
    if event.trigger == "source_updated":
        source, _, version = (record.source_id or "").partition("@")
        if not version or event.source_id != source or event.version == version:
            return "keep"
    if event.trigger == "project_ended" and event.scope != record.scope:
        return "keep"
    if event.trigger == "scope_changed" and event.scope == record.scope:
        return "keep"
    if event.trigger == "unused" and (event.unused_days <= 180 or len(record.value) <= 2000):
        return "keep"
    return "archive"
""",
    "a table of cases or exceptions": """
def retire(record: GovernedRecord, event: Event) -> str:
    from datetime import datetime
    def stale():
        try:
            source, version = record.source_id.split("@")
        except (AttributeError, ValueError):
            return False
        return source == event.source_id and version != event.version
    def over():
        return record.expires_at is not None and datetime.fromisoformat(record.expires_at) <= datetime.fromisoformat(event.now)
    mine = record.record_id == event.record_id
    ways = [
        (event.trigger == "user_deletion" and record.user == event.user, "hard_delete"),
        (event.trigger == "sensitive" and mine, "hard_delete"),
        (event.trigger == "contradiction" and record.subject == event.subject and AUTHORITY.get(event.confidence, 0) >= AUTHORITY[record.confidence], "tombstone"),
        (event.trigger == "ttl_reached" and over(), "archive"),
        (event.trigger == "source_deleted" and record.source_id and record.source_id == event.source_id, "archive"),
        (event.trigger == "source_updated" and stale(), "archive"),
        (event.trigger == "project_ended" and record.scope == event.scope, "archive"),
        (event.trigger == "scope_changed" and mine and record.scope != event.scope, "archive"),
        (event.trigger == "unused" and mine and event.unused_days > 180 and len(record.value) > 2000, "archive"),
    ]
    return ([way for holds, way in ways if holds] or ["keep"])[0]
""",
    "exits by trigger, then whether it concerns": """
_EXIT = {"user_deletion": "hard_delete", "sensitive": "hard_delete", "contradiction": "tombstone"}


def retire(record, event):
    mine = record.record_id == event.record_id
    name, at, version = (record.source_id or "").partition("@")
    concerns = False
    if event.trigger == "user_deletion":
        concerns = record.user == event.user
    elif event.trigger == "sensitive":
        concerns = mine
    elif event.trigger == "contradiction":
        concerns = record.subject == event.subject and not AUTHORITY[event.confidence] < AUTHORITY[record.confidence]
    elif event.trigger == "ttl_reached":
        concerns = bool(record.expires_at) and event.now >= record.expires_at
    elif event.trigger == "source_deleted":
        concerns = record.source_id is not None and record.source_id == event.source_id
    elif event.trigger == "source_updated":
        concerns = at == "@" and name == event.source_id and version != event.version
    elif event.trigger == "project_ended":
        concerns = record.scope == event.scope
    elif event.trigger == "scope_changed":
        concerns = mine and record.scope != event.scope
    elif event.trigger == "unused":
        concerns = mine and event.unused_days > 180 and len(record.value) > 2000
    return _EXIT.get(event.trigger, "archive") if concerns else "keep"
""",
    "a generator of exits": """
def retire(record: GovernedRecord, event: Event) -> str:
    return next(_exits(record, event), "keep")


def _exits(r, e):
    trigger, its = e.trigger, e.record_id == r.record_id
    if (trigger, e.user) == ("user_deletion", r.user) or (trigger == "sensitive" and its):
        yield "hard_delete"
    if (trigger, e.subject) == ("contradiction", r.subject):
        if AUTHORITY[r.confidence] <= AUTHORITY[e.confidence]:
            yield "tombstone"
    if trigger == "ttl_reached" and r.expires_at is not None and not e.now < r.expires_at:
        yield "archive"
    if r.source_id is not None and trigger.startswith("source_"):
        source, _, version = r.source_id.partition("@")
        if trigger == "source_deleted" and e.source_id == r.source_id:
            yield "archive"
        if trigger == "source_updated" and version and e.source_id == source and e.version != version:
            yield "archive"
    if (trigger, e.scope) == ("project_ended", r.scope):
        yield "archive"
    if its and (trigger == "scope_changed" and e.scope != r.scope or trigger == "unused" and e.unused_days > 180 and len(r.value) > 2_000):
        yield "archive"
""",
}
