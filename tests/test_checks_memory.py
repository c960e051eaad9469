"""The checks of admit and retire, against wrong versions and differently written right ones."""

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_04 import admit, retire
from harness.course.exercises import admit as admit_check
from harness.course.exercises import retire as retire_check
from harness.course.staging.retirement_cases import RECORD
from harness.guards.secrets import redact
from harness.memory import admission, retirement
from harness.memory.events import AUTHORITY, Event, facts_of


def but(*changes):
    """Our admit with holes: the first (when, verdict) whose condition holds decides."""

    def version(proposal, known):
        for when, verdict in changes:
            if when(proposal, known):
                return verdict
        return admit(proposal, known)

    return version


def stub(proposal, known):
    raise NotImplementedError("admit is yours to write")


def exact_quote(proposal, known):
    right = admit(proposal, known)
    by_user = proposal.source == "user_statement" and right == "store"
    return "quarantine" if by_user and proposal.quote not in known.user_message else right


def anywhere(proposal, known):
    right = admit(proposal, known)
    by_user = proposal.source == "user_statement"
    return (
        "store"
        if by_user and stands(proposal, known.tool_output) and right == "quarantine"
        else right
    )


def no_none(proposal, known):
    if proposal.source == "tool_output":
        return "store" if proposal.quote in known.tool_output else "quarantine"
    return admit(proposal, known)


def secret(proposal):
    text = proposal.subject + " " + proposal.value
    return redact(text) != text


def trusting_labels(proposal, known):
    return "store" if proposal.confidence == "confirmed" else admit(proposal, known)


def one_argument(proposal):
    return "store"


WRONG_ADMITS = {
    "not_written": stub,
    "signature": one_argument,
    "not_a_verdict": lambda proposal, known: admit(proposal, known) == "store",
    "not_a_verdict nothing": lambda proposal, known: None,
    "always_the_same": lambda proposal, known: "store",
    "always_the_same too careful": lambda proposal, known: "quarantine",
    "crash": no_none,
    "true_quote_refused": exact_quote,
    "made_up_quote": but((lambda p, k: p.quote == "active means ARRIVED", "store")),
    "empty_quote": but(
        (lambda p, k: p.source == "user_statement" and not (p.quote or "").strip(), "store")
    ),
    "question_stored": but((lambda p, k: (p.quote or "").startswith("How"), "store")),
    "wrong_speaker": anywhere,
    "tool_quote_refused": but((lambda p, k: p.source == "tool_output", "quarantine")),
    "tool_quote_made_up": but((lambda p, k: p.source == "tool_output" and k.tool_output, "store")),
    "tool_output_missing": but(
        (lambda p, k: p.source == "tool_output" and not k.tool_output, "store")
    ),
    "inference_stored": but((lambda p, k: p.source == "application", "store")),
    "label_believed": trusting_labels,
    "summary_stored": but((lambda p, k: p.source == "model_summary", "store")),
    "secret_stored": but((lambda p, k: "password" in p.subject, "store")),
    "secret_quarantined": but(
        (lambda p, k: secret(p) and p.source == "model_inference", "quarantine")
    ),
    "sentence_as_permission": but(
        (lambda p, k: p.type == "policy_state" and p.source == "user_statement", "store")
    ),
    "model_wrote_permission": but((lambda p, k: k.authorized, "store")),
    "high_impact_by_model": but((lambda p, k: p.high_impact, "store")),
    "high_impact_refused": but((lambda p, k: p.high_impact, "refuse")),
    "learned_again": but((lambda p, k: k.retracted_as, "store")),
    "stored_twice": but((lambda p, k: k.duplicate_of, "store")),
    "authorization_refused": but((lambda p, k: p.type == "policy_state", "refuse")),
    "source_refused": but((lambda p, k: p.source == "document", "quarantine")),
}


def right_with_the_harness(proposal, known):
    return admission.admit(proposal, known).verdict


def right_as_a_table(proposal, known):
    rules = {
        "refuse": [
            secret(proposal),
            proposal.type == "policy_state" and not known.authorized,
            proposal.model_generated and (proposal.type == "policy_state" or proposal.high_impact),
            known.retracted_as is not None,
        ],
        "duplicate": [known.duplicate_of is not None],
        "quarantine": [
            proposal.source in {"model_inference", "model_summary"},
            proposal.source not in ("user_statement", "tool_output") and proposal.model_generated,
            proposal.source == "user_statement" and not stands(proposal, known.user_message),
            proposal.source == "tool_output" and not stands(proposal, known.tool_output),
        ],
    }
    return next((verdict for verdict, met in rules.items() if any(met)), "store")


def stands(proposal, text):
    words = (proposal.quote or "").lower().split()
    found = bool(words) and bool(text) and " ".join(words) in " ".join(text.lower().split())
    return found and not (words[0] == "how" and text.endswith("?"))


def right_by_source_first(proposal, known):
    match proposal.source:
        case "user_statement":
            fine = stands(proposal, known.user_message)
        case "tool_output":
            fine = stands(proposal, known.tool_output)
        case _:
            fine = not proposal.model_generated and not proposal.source.startswith("model")
    grave = proposal.high_impact or proposal.type == "policy_state"
    if secret(proposal) or known.retracted_as or (grave and proposal.model_generated):
        return "refuse"
    if proposal.type == "policy_state" and not known.authorized:
        return "refuse"
    if known.duplicate_of:
        return "duplicate"
    return "store" if fine else "quarantine"


@pytest.mark.parametrize("title", list(WRONG_ADMITS))
def test_a_wrong_admit_gets_its_finding_and_no_other(title):
    report = evaluate("admit", WRONG_ADMITS[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize("fn", [right_with_the_harness, right_as_a_table, right_by_source_first])
def test_a_right_admit_passes_however_it_is_written(fn):
    report = evaluate("admit", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    for name, fn in (("admit", admit), ("retire", retire)):
        report = evaluate(name, fn)
        assert report.passed and report.owner == "ours", str(report)


def keeps(*triggers):
    def version(record, event):
        return "keep" if event.trigger in triggers else retire(record, event)

    return version


def always(**exits):
    """The exit by trigger, whether or not the event concerns the record."""

    def version(record, event):
        return exits.get(event.trigger) or retire(record, event)

    return version


def instead(trigger, exit_):
    def version(record, event):
        right = retire(record, event)
        return exit_ if event.trigger == trigger and right != "keep" else right

    return version


def retire_stub(record, event):
    raise NotImplementedError("retire is yours to write")


def crashes(record, event):
    source, version = record.source_id.split("@")
    return retire(record, event) if source and version else "keep"


def lookup(record, event):
    return retirement.EXIT_OF.get(event.trigger, "keep")


def strict_time(record, event):
    late = event.trigger != "ttl_reached" or (record.expires_at or "z") < event.now
    return retire(record, event) if late else "keep"


def any_word(record, event):
    same = event.trigger == "contradiction" and event.subject == record.subject
    return "tombstone" if same else retire(record, event)


def any_version(record, event):
    same = event.trigger == "source_updated" and (record.source_id or "").startswith("tariff@")
    return "archive" if same and event.source_id == "tariff" else retire(record, event)


def cheap(record, event):
    idle = event.trigger == "unused" and event.unused_days > 180
    return "archive" if idle and event.record_id == record.record_id else retire(record, event)


def anything_else(record, event):
    return retire(record, event) if event.trigger in retirement.EXIT_OF else "archive"


WRONG_RETIRES = {
    "not_written": retire_stub,
    "signature": lambda record: "keep",
    "not_a_verdict": lambda record, event: retire(record, event).replace("keep", ""),
    "always_the_same": lambda record, event: "archive",
    "crash": crashes,
    "user_deletion": instead("user_deletion", "archive"),
    "sensitive": instead("sensitive", "tombstone"),
    "contradiction": instead("contradiction", "hard_delete"),
    "ttl_reached": strict_time,
    "source_deleted": instead("source_deleted", "hard_delete"),
    "source_updated": keeps("source_updated"),
    "project_ended": instead("project_ended", "tombstone"),
    "scope_changed": keeps("scope_changed"),
    "unused": keeps("unused"),
    "user_deletion_too_far": always(user_deletion="hard_delete"),
    "sensitive_too_far": always(sensitive="hard_delete"),
    "contradiction_too_far": any_word,
    "ttl_reached_too_far": always(ttl_reached="archive"),
    "source_deleted_too_far": always(source_deleted="archive"),
    "source_updated_too_far": any_version,
    "project_ended_too_far": always(project_ended="archive"),
    "scope_changed_too_far": always(scope_changed="archive"),
    "unused_too_far": cheap,
    "unknown_trigger": anything_else,
}


def right_with_the_harness_too(record, event):
    leaves = retirement.retire(record, facts_of(record, event))
    return leaves.exit if leaves else "keep"


def right_with_match(record, event):
    own = event.record_id == record.record_id
    match event.trigger:
        case "user_deletion" if event.user == record.user:
            return "hard_delete"
        case "sensitive" if own:
            return "hard_delete"
        case "contradiction" if event.subject == record.subject:
            weaker = AUTHORITY[event.confidence] < AUTHORITY[record.confidence]
            return "keep" if weaker else "tombstone"
        case "ttl_reached" if record.expires_at and event.now >= record.expires_at:
            return "archive"
        case "source_deleted" if record.source_id and record.source_id == event.source_id:
            return "archive"
        case "source_updated" if record.source_id:
            name, _, version = record.source_id.rpartition("@")
            return "archive" if name == event.source_id and version != event.version else "keep"
        case "project_ended" if event.scope == record.scope:
            return "archive"
        case "scope_changed" if own and event.scope != record.scope:
            return "archive"
        case "unused" if own and event.unused_days > 180 and len(record.value) > 2000:
            return "archive"
    return "keep"


def right_as_rules(record, event):
    source = record.source_id or "@"
    rules = [
        ("user_deletion", lambda: event.user == record.user, "hard_delete"),
        ("sensitive", lambda: event.record_id == record.record_id, "hard_delete"),
        (
            "contradiction",
            lambda: (
                event.subject == record.subject
                and AUTHORITY[event.confidence] >= AUTHORITY[record.confidence]
            ),
            "tombstone",
        ),
        ("ttl_reached", lambda: (record.expires_at or "9999") <= event.now, "archive"),
        ("source_deleted", lambda: event.source_id == source, "archive"),
        (
            "source_updated",
            lambda: (
                "@" in source
                and source.split("@")[0] == event.source_id
                and source.split("@")[1] != event.version
            ),
            "archive",
        ),
        ("project_ended", lambda: event.scope == record.scope, "archive"),
        (
            "scope_changed",
            lambda: (
                (event.record_id, record.scope) == (record.record_id, record.scope)
                and event.scope != record.scope
            ),
            "archive",
        ),
        (
            "unused",
            lambda: (
                event.record_id == record.record_id
                and event.unused_days > 180
                and len(record.value) > 2_000
            ),
            "archive",
        ),
    ]
    return next((out for name, met, out in rules if name == event.trigger and met()), "keep")


@pytest.mark.parametrize("title", list(WRONG_RETIRES))
def test_a_wrong_retire_gets_its_finding_and_no_other(title):
    report = evaluate("retire", WRONG_RETIRES[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize("fn", [right_with_the_harness_too, right_with_match, right_as_rules])
def test_a_right_retire_passes_however_it_is_written(fn):
    report = evaluate("retire", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_a_table_of_exits_alone_is_told_what_it_lets_go():
    report = evaluate("retire", lookup)
    assert len(report.codes) == 9 and all(code.endswith("_too_far") for code in report.codes)


def test_the_store_decides_as_the_checks_say():
    """What learners are taught is what the door and the exits of the harness do."""
    for case in admit_check.cases():
        assert admission.admit(*case.arguments).verdict == case.verdict, case.situation
    for case in retire_check.cases():
        assert right_with_the_harness_too(*case.arguments) == case.verdict, case.situation


def test_an_event_of_another_kind_says_nothing():
    facts = facts_of(RECORD, Event("full_moon", user="ana", scope="project:atlas"))
    assert retirement.retire(RECORD, facts) is None
