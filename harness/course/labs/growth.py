"""The agent as it grows: one picture, a line a part, and what this part's line was before."""

from harness.ui.html import Raw, View, marked, show, table

Seen = tuple[str, bool]  # what happened, and whether that was good

GAINS = {
    "01": "answers from live data",
    "03": "knows a schema that no prompt holds",
    "04": "keeps what it was told, and who told it",
    "07": "always answers, within two budgets",
    "08": "stops when it goes in circles",
    "08b": "takes only an answer for an answer",
    "09": "goes on when the window is full",
    "10": "asks before it acts outside",
    "11": "is noticed when it goes wrong",
    "12": "is weighed, not believed",
    "13": "hands work on, and checks what comes back",
    "14": "can be taken back",
}


def now_it_can(part: str, before: Seen, now: Seen) -> None:
    """Draw what the agent does so far; beside this part's line, what it did before and does now."""
    lines, rows = [], []
    for number, gain in GAINS.items():
        if number > part:
            continue
        head = f"{'■' if number < part else '▣'} {number:<4}"
        lines.append(head + gain)
        if number < part:
            rows.append([head, gain, "", ""])
            continue
        lines += [f"       {_said('before', before)}", f"       {_said('now', now)}"]
        rows.append([head, gain, _cell(before), _cell(now)])
    show(View("\n".join(lines), table(["part", "the agent ...", "before", "now"], rows)))


def _said(when: str, seen: Seen) -> str:
    return f"{when:<8}{'good' if seen[1] else 'BAD '} {seen[0]}"


def _cell(seen: Seen) -> Raw:
    return Raw(marked(seen[0], "good" if seen[1] else "bad"))
