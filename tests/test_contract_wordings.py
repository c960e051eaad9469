"""The words of a contract, as forty people might put them: right ones pass, no wrong one does."""

import pytest

from harness.checks import evaluate
from tests.contract_wordings import RIGHT, WRONG
from tests.slices import in_part

LINES = RIGHT.strip().splitlines()
CHANGES = [tuple(line.split(" | ", 2)) for line in WRONG.strip().splitlines()]


def contract(line: str) -> dict:
    description, when, terms, version, returns, instructions, call = line.split(" | ")
    words, _, asked = call.partition(", ")
    return {
        "description": description,
        "when": when,
        "returns": returns,
        "parameters": {"search_terms": terms, "version_filter": version},
        "instructions": instructions,
        "example": {"search_terms": words} | ({"version_filter": asked} if asked else {}),
    }


@pytest.mark.parametrize("line", in_part(LINES, 4))
def test_a_right_contract_passes_whoever_wrote_it(line):
    report = evaluate("helpdesk_contract", lambda: contract(line))
    assert report.passed, str(report)


@pytest.mark.parametrize(("code", "key", "text"), in_part(CHANGES, 4))
def test_a_wrong_sentence_in_it_gets_its_finding(code, key, text):
    words = contract(LINES[0])
    place = words["parameters"] if key in words["parameters"] else words
    report = evaluate("helpdesk_contract", lambda: {**words, **{key: text}} if place is words
                      else {**words, "parameters": {**place, key: text}})  # fmt: skip
    assert report.codes == [code], str(report)
