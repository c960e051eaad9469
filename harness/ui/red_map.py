"""The red map: what went wrong in a lab, beside what went right, as it was measured."""

from harness.ui.html import Raw, View, marked, show, table

Outcomes = dict[str, tuple[str, bool]]  # failure -> (what happened, whether that was good)

_MARKS = {True: "good", False: "BAD "}  # in words, for terminals


def draw_red_map(wrong: Outcomes, right: Outcomes) -> None:
    """A row for each failure: the naive loop's cell and the prepared one's, red or green.

    A failure whose cells were not all run yet is left out.
    """
    names = [name for name in wrong if name in right]
    if not names:
        print("Nothing to show yet: run the cells above.")
        return
    left = [f"{_MARKS[wrong[name][1]]} {wrong[name][0]}" for name in names]
    width = max(map(len, left)) + 2
    lines = [
        f"{name:<21}{cell:<{width}}{_MARKS[right[name][1]]} {right[name][0]}"
        for name, cell in zip(names, left, strict=True)
    ]
    rows = [[name, _cell(*wrong[name]), _cell(*right[name])] for name in names]
    show(View("\n".join(lines), table(["", "a naive loop", "a prepared one"], rows)))


def _cell(text: str, good: bool) -> str:
    return Raw(marked(text, "good" if good else "bad"))
