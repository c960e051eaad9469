"""What messages show of long values: whole words, closed quotes, "..." for what is left out."""

import ast
import re

import pytest

from harness.excerpt import excerpt, short_repr
from harness.settings import root

LONG = "Berth seven is half full, as of this morning, and nobody knows about tomorrow."


def test_what_fits_is_shown_as_it_is():
    for value in ("", "full", 7, None, {"name": "seven", "free": [1, 2]}, ("a", "b")):
        assert short_repr(value) == repr(value)
    assert excerpt(LONG, len(LONG)) == LONG


def test_a_text_ends_after_a_word():
    assert short_repr(LONG, 40) == "'Berth seven is half full, as of ...'"
    assert excerpt(LONG, 40) == "Berth seven is half full, as of this ..."
    assert short_repr("x" * 80, 20) == f"'{'x' * 15}...'"


@pytest.mark.parametrize("width", [40, 60, 120])
@pytest.mark.parametrize(
    "value",
    [
        LONG * 3,
        'it\'s "so"\n' * 40,
        "\n" * 200,
        [LONG] * 9,
        [["nested", LONG]] * 40,
        {"kind": "table", "body": LONG, "name": "voyages"},
        {f"key {n}": n for n in range(90)},
        (LONG, 4.5, None, LONG),
    ],
)
def test_a_cut_value_can_still_be_read_by_python(value, width):
    said = short_repr(value, width)
    assert len(said) <= width and "..." in said
    if isinstance(value, dict):
        said = said.replace(", ...}", "}")
    assert type(ast.literal_eval(re.sub(r", \.\.\.(?=[\])])", "", said))) is type(value)


def test_no_message_cuts_a_representation_in_its_middle():
    cut = re.compile(r"!r:\.\d|\[:\d+\]!r")
    files = (root() / "harness").rglob("*.py")
    assert [f.name for f in files if cut.search(f.read_text("utf-8"))] == []
