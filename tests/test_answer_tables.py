"""Tables of an answer: HTML where it is shown in a notebook, lined up in a terminal."""

import pytest

from harness.ui.answer_tables import AnswerTable, answer_html, answer_text, pieces

LINED_UP = """2 vessels (capacity_teu > 20000):
name             capacity_teu
---------------  ------------
Winter Marigold         24000
Early Plover            21900
The time is that of departed_at.
(offline stand-in)"""
MARKDOWN = """Here they are:

| name | capacity |
|:-----|---------:|
| Winter Marigold | 24,000 |
| A \\| B | 5 |

That is all."""


def tables(answer: str) -> list[AnswerTable]:
    return [piece for piece in pieces(answer) if isinstance(piece, AnswerTable)]


def test_a_table_over_a_row_of_dashes_is_found_and_what_follows_it_is_text() -> None:
    (found,) = tables(LINED_UP)
    assert found.head == ("name", "capacity_teu")
    assert found.rows == (("Winter Marigold", "24000"), ("Early Plover", "21900"))
    assert found.numbers == (1,)
    assert list(pieces(LINED_UP))[-1] == "The time is that of departed_at.\n(offline stand-in)"


def test_a_markdown_table_is_found_and_lined_up_in_a_terminal() -> None:
    (found,) = tables(MARKDOWN)
    assert found.rows == (("Winter Marigold", "24,000"), ("A | B", "5"))
    lines = answer_text(MARKDOWN).splitlines()
    assert lines[2:6] == [
        "name             capacity",
        "---------------  --------",
        "Winter Marigold    24,000",
        "A | B                   5",
    ]
    assert answer_text(LINED_UP) == LINED_UP


def test_a_notebook_gets_a_table_and_nothing_that_runs() -> None:
    html = answer_html(MARKDOWN.replace("Winter Marigold", "<script>alert(1)</script>"))
    assert html.count("<tr>") == 3 and "Here they are:" in html and "That is all." in html
    assert "<script" not in html and "|---" not in html


@pytest.mark.parametrize(
    "text",
    [
        "a | b\nno rule",
        "name\nno dashes",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "",
        "----\n----",
        "SELECT 1\n  -- note",
        "-" * 1_000_000,
        "|" * 1_000_000 + "\n" + "|-" * 500_000 + "x",
    ],
)
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert answer_text(text) == text
