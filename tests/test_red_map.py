"""The red map of parts 08 and 08b, in a terminal."""

from harness.ui import draw_red_map


def test_each_row_says_what_happened_and_whether_that_was_good(capsys):
    wrong = {"endless loop": ("25 calls", False), "a long text": ("it was fine", True)}
    right = {"a long text": ("5 tokens", False), "endless loop": ("4 calls", True)}
    draw_red_map(wrong, right)
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["endless", "loop", "BAD", "25", "calls", "good", "4", "calls"]
    assert "good it was fine" in second and second.endswith("BAD  5 tokens")
    assert first.index("good") == second.index("BAD")


def test_rows_that_were_not_run_yet_are_left_out(capsys):
    draw_red_map(
        {"endless loop": ("25 calls", False), "other": ("x", False)}, {"other": ("y", True)}
    )
    assert capsys.readouterr().out.count("\n") == 1
    draw_red_map({"endless loop": ("25 calls", False)}, {})
    assert "run the cells above" in capsys.readouterr().out
