"""The check of fit_window, against wrong versions and differently written right ones."""

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_09 import fit_window
from harness.course.staging.window_cases import conversation
from harness.model.tokens import count_message
from harness.standin.protocol import check_messages


def total(messages):
    return sum(count_message(message) for message in messages)


def marker(count=0):
    said = f"{count} messages" if count else "what was said earlier"
    return {"role": "user", "content": f"[{said} left out]"}


def head_of(messages):
    return next(i for i, m in enumerate(messages) if m["role"] == "user") + 1


def right(messages, limit, keep_last=8):
    """A right version of another make: whole steps, taken off the front one by one."""
    if total(messages) <= limit:
        return messages
    head, steps = messages[: head_of(messages)], []
    for message in messages[head_of(messages) :]:
        if message["role"] == "tool":
            steps[-1].append(message)
        else:
            steps.append([message])
    while len(steps) > 1:
        kept = [message for step in steps for message in step]
        if len(kept) <= keep_last and total([*head, marker(), *kept]) <= limit:
            break
        steps.pop(0)
    return [*head, marker(), *[message for step in steps for message in step]]


def right_from_the_end(messages, limit, keep_last=8):
    """Backwards, step by step, as long as a step begins within keep_last and all of it fits."""
    if total(messages) <= limit:
        return list(messages)
    best, head = None, head_of(messages)
    for start in range(len(messages) - 1, head - 1, -1):
        if messages[start]["role"] == "tool":
            continue
        candidate = [*messages[:head], marker(start - head), *messages[start:]]
        too_far = len(messages) - start > keep_last
        if best is not None and (total(candidate) > limit or too_far):
            break
        best = candidate
    return best


def right_by_recursion(messages, limit, keep_last=8):
    """Short of one message more, until it fits."""
    head = head_of(messages)

    def from_(start):
        if messages[start]["role"] == "tool":
            return from_(start + 1)
        shorter = [*messages[:head], marker(start - head), *messages[start:]]
        later = [i for i in range(start + 1, len(messages)) if messages[i]["role"] != "tool"]
        return shorter if total(shorter) <= limit or not later else from_(later[0])

    if total(messages) <= limit:
        return messages[:]
    starts = [i for i, m in enumerate(messages) if i >= head and m["role"] != "tool"]
    near = [i for i in starts if i >= len(messages) - keep_last]
    return from_((near or starts[-1:])[0])


def right_with_a_summary(messages, limit, keep_last=8):
    """With a summary in the marker, as a system message."""
    fitted = right(messages, limit, keep_last)
    if fitted is messages:
        return fitted
    names = [c["function"]["name"] for m in messages for c in m.get("tool_calls") or ()]
    note = {"role": "system", "content": f"Earlier: {len(names)} calls of {sorted(set(names))}."}
    return [note if message == marker() else message for message in fitted]


def right_with_a_long_marker(messages, limit, keep_last=8):
    """A line for each message that is missing: the more go, the longer it is."""
    if total(messages) <= limit:
        return messages
    head = head_of(messages)
    starts = [i for i, m in enumerate(messages) if i >= head and m["role"] != "tool"]
    for start in [i for i in starts if i >= len(messages) - keep_last] or starts[-1:]:
        lines = "\n".join(str(m["content"])[:30] for m in messages[head:start])
        note = {"role": "user", "content": f"Earlier:\n{lines}"}
        fitted = [*messages[:head], note, *messages[start:]]
        if total(fitted) <= limit:
            break
    return fitted


def stub(messages, limit, keep_last=8):
    raise NotImplementedError("fit_window is yours to write")


def nothing(messages, limit, keep_last=8):
    return None


def unchanged(messages, limit, keep_last=8):
    return messages


def sliced(messages, limit, keep_last=8):
    if total(messages) <= limit:
        return messages
    while total(messages[-keep_last:]) > limit - 120 and keep_last > 1:
        keep_last -= 1
    return [*messages[:2], marker(), *messages[-keep_last:]]


def always(messages, limit, keep_last=8):
    return right(messages, min(limit, total(messages) - 1), keep_last)


def below(messages, limit, keep_last=8):
    return right(messages, limit - 1, keep_last)


def without_system(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else fitted[1:]


def without_task(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [fitted[0], *fitted[2:]]


def task_at_the_end(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [fitted[0], *fitted[2:], fitted[1]]


def without_marker(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [*fitted[:2], *fitted[3:]]


def empty_marker(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [*fitted[:2], marker() | {"content": ""}, *fitted[3:]]


def marker_a_message(messages, limit, keep_last=8):
    fitted = right(messages, limit - 60, keep_last)
    if len(fitted) < 3 or total(messages) <= limit:
        return messages
    return [*fitted[:2], marker(), marker(1), *fitted[3:]]


def results_dropped(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [m for m in fitted if m["role"] != "tool"]


def calls_dropped(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    return fitted if fitted is messages else [m for m in fitted if "tool_calls" not in m]


def last_step_only(messages, limit, keep_last=8):
    return right(messages, limit, 2)


def ignores_keep_last(messages, limit, keep_last=8):
    return right(messages, limit, 1_000)


def ignores_limit(messages, limit, keep_last=8):
    if total(messages) <= limit:
        return messages
    return right(messages, total(messages) - 1, keep_last)


def in_place(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    messages[:] = fitted
    return fitted


def crashes_where_nothing_fits(messages, limit, keep_last=8):
    fitted = right(messages, limit, keep_last)
    if total(fitted) > limit:
        raise ValueError("it can't be done")
    return fitted


WRONG = {
    "not_written": stub,
    "not_a_list": nothing,
    "over_limit": unchanged,
    "over_limit 2": ignores_limit,
    "result_without_call": sliced,
    "cut_needlessly": always,
    "cut_needlessly 2": below,
    "system_lost": without_system,
    "task_lost": without_task,
    "order_changed": task_at_the_end,
    "no_marker": without_marker,
    "marker_empty": empty_marker,
    "several_markers": marker_a_message,
    "call_without_result": results_dropped,
    "result_without_call 2": calls_dropped,
    "tail_lost": last_step_only,
    "keep_last_ignored": ignores_keep_last,
    "input_changed": in_place,
    "crash": crashes_where_nothing_fits,
}


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    report = evaluate("fit_window", WRONG[title])
    assert report.codes == [title.split()[0]], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn",
    [
        right,
        right_from_the_end,
        right_by_recursion,
        right_with_a_summary,
        right_with_a_long_marker,
    ],
)
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("fit_window", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("fit_window", fit_window)
    assert report.passed and report.owner == "ours"


def test_the_check_s_own_conversations_are_legal():
    for groups in ((), (1, 1), (3, 0, 9)):
        check_messages({"messages": conversation(*groups)})


def test_ours_is_legal_at_every_limit_and_keeps_the_task():
    messages = conversation(1, 3, 0, 1, 2, 9, 1)
    for limit in range(0, total(messages) + 1, 7):
        for keep_last in (1, 3, 8):
            fitted = fit_window(messages, limit, keep_last)
            check_messages({"messages": fitted})
            assert fitted[:2] == messages[:2]
