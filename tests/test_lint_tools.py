"""The linter of contracts: each fault is caught, and what only looks like it is not."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from harness import TOOLS, register
from harness.commands import lint_command
from harness.tools.contract import contract_of
from harness.tools.lint import lint, lint_all, lint_budget, sent_at_most

pytestmark = pytest.mark.usefixtures("toolbox_kept")

GOOD = {
    "when": "the user has confirmed the amounts of a report.",
    "returns": "'report_id' and 'state'; tell the user both.",
    "tier": "write",
    "preconditions": "the user has confirmed the amounts.",
    "idempotent": False,
    "example": {"report_id": "R-1", "cents": 1200},
}


def submit_expense_report(
    report_id: Annotated[str, "Id that draft_expense_report gave."],
    cents: Annotated[int, Field(ge=0, description="Total in US cents.")],
) -> dict[str, Any]:
    """Submit a finalised expense report for the manager's approval."""
    return {}


def contract(doc=None, fn=submit_expense_report, **words):
    made = contract_of(fn, **{**GOOD, **words})
    return made if doc is None else type(made)(**{**vars(made), "description": doc})


def named(name, doc, when="the user asks for it by name", **words):
    """A contract that differs in its words only."""
    return contract(doc, name=name, when=when, example=None, **words)


def codes(made, others=()):
    return [finding.code for finding in lint(made, list(others))]


def test_a_good_contract_has_no_findings():
    assert lint(contract(), []) == []


def test_each_finding_says_what_is_wrong_and_what_to_do():
    (finding,) = lint(contract(when=""), [])
    assert str(finding) == (
        "submit_expense_report: no_trigger: Nothing says when to use it. Add when=, the situation "
        "in which the model should reach for this tool."
    )
    assert (finding.tool, finding.code) == ("submit_expense_report", "no_trigger")


# One fault a test: what is caught, then what is near and is not


@pytest.mark.parametrize(
    "when", ["", "needed.", "always", "whenever necessary", "the tool is to be used"]
)
def test_no_trigger(when):
    assert codes(contract(when=when)) == ["no_trigger"]


@pytest.mark.parametrize(
    "doc",
    [
        "Submit an expense report for approval. Use AFTER the user confirms the amounts.",
        "Submit an expense report for approval when the amounts are final.",
    ],
)
def test_a_trigger_in_the_description_is_one(doc):
    assert codes(contract(doc, when="")) == []


@pytest.mark.parametrize(
    "doc",
    [
        "",
        "Search database",
        "Get user info",
        "Search the database.",
        "Gets information about a user.",
        "This tool is used to process data.",
        "Handles requests and returns the results.",
        "Query the backend API and return a list of objects.",
        "Look up information about things in the database.",
        "Refunds",
        "Refund order",
    ],
)
def test_vague_description(doc):
    assert codes(contract(doc)) == ["vague_description"]


@pytest.mark.parametrize(
    "doc",
    [
        "Get a user's open invoices.",
        "Search the database of ship positions by vessel.",
        "Reverse the letters of a word.",
        "Return the current weather in a city.",
        "Cancel a booking before its cut-off.",
    ],
)
def test_a_short_description_that_is_specific_is_not_vague(doc):
    assert codes(contract(doc)) == []


@pytest.mark.parametrize(
    "doc",
    [
        "Note: this is a general helper tool, please use it only with attention to all of the "
        "important information. Submits an expense report for the manager's approval.",
        "This function is the new version of the old legacy function, deprecated in the old "
        "system. Cancels a booking.",
    ],
)
def test_buried_lead(doc):
    assert codes(contract(doc)) == ["buried_lead"]


def test_a_long_description_that_begins_well_is_fine():
    doc = "Submit an expense report for approval. " + "Note that this is important. " * 10
    assert codes(contract(doc)) == []


@pytest.mark.parametrize(
    "name", ["get_data", "search", "query_db", "run", "tool_1", "process-item"]
)
def test_vague_name(name):
    assert codes(contract(name=name)) == ["vague_name"]


@pytest.mark.parametrize("name", ["get_invoice", "search_flights", "run_sql", "voyage_status"])
def test_a_name_with_one_word_of_its_own_is_fine(name):
    assert codes(contract(name=name)) == []


class Line(BaseModel):
    cents: int = Field(description="Amount in US cents.")
    note: str = ""


class Place(BaseModel):
    """Where it was spent, by UN/LOCODE."""

    code: str = Field(description="UN/LOCODE, five letters.")


def test_no_parameter_description():
    def bare(report_id: str, cents: Annotated[int, "cents"], to: Annotated[str, "The to."]) -> str:
        """Submit a finalised expense report for the manager's approval."""
        return ""

    found = lint(contract(fn=bare, example=None), [])
    assert [f.code for f in found] == ["no_parameter_description"] * 3
    assert [f.message.split("'")[1] for f in found] == ["report_id", "cents", "to"]


def test_nested_parameters_are_looked_at_and_a_models_docstring_counts():
    def nested(
        lines: Annotated[list[Line], "The lines of the report."],
        place: Place,
    ) -> str:
        """Submit a finalised expense report for the manager's approval."""
        return ""

    found = lint(contract(fn=nested, example=None), [])
    assert [(f.code, f.message) for f in found] == [
        ("no_parameter_description", "The parameter 'Line.note' is not described.")
    ]


@pytest.mark.parametrize(
    "described",
    [
        'def f(month: Annotated[str, "YYYY-MM"]) -> str: "Close the books of a month."',
        'def f(month: str) -> str:\n "Close the books of a month.\\n\\nArgs:\\n  month: YYYY-MM"',
        'def f(month: str = Field(description="YYYY-MM")) -> str: "Close the books of a month."',
        'def f() -> str: "Close the books of this month."',
    ],
)
def test_every_way_of_describing_a_parameter_counts(described):
    space: dict[str, Any] = {"Annotated": Annotated, "Field": Field}
    exec(described, space)
    assert codes(contract(fn=space["f"], name="close_month", example=None)) == []


@pytest.mark.parametrize("returns", ["", "JSON.", "The result.", "a dict"])
def test_no_output_contract(returns):
    assert codes(contract(returns=returns)) == ["no_output_contract"]


@pytest.mark.parametrize("returns", ["'sum' in US cents.", "Rows of name and size."])
def test_a_short_output_contract_is_one(returns):
    assert codes(contract(returns=returns)) == []


def test_a_write_tool_without_preconditions():
    when = "somebody wants a report sent."
    assert codes(contract(when=when, preconditions="")) == ["no_precondition"]
    assert codes(contract(when=when, preconditions="", tier="read")) == []
    said = "Submit an expense report, only after the user confirmed the amounts."
    assert codes(contract(said, when=when, preconditions="")) == []


def test_a_write_tool_that_does_not_say_whether_it_may_be_repeated():
    assert codes(contract(idempotent=None)) == ["no_idempotency"]
    assert codes(contract(idempotent=True)) == []
    assert codes(contract(idempotent=None, tier="read")) == []
    assert codes(contract(idempotent=None, instructions="One call per report.")) == []


@pytest.mark.parametrize(
    ("example", "at"),
    [
        ({"report_id": "R-1"}, "cents"),
        ({"report_id": "R-1", "cents": "12"}, "cents"),
        ({"report_id": "R-1", "cents": -1}, "cents"),
        ({"report_id": "R-1", "cents": 1, "to": "x"}, "to"),
        ({}, "report_id"),
    ],
)
def test_an_example_that_breaks_the_schema(example, at):
    (finding,) = lint(contract(example=example), [])
    assert finding.code == "invalid_example" and f"'{at}'" in finding.message


def test_an_example_may_leave_out_what_is_optional_and_may_be_missing():
    assert codes(contract(example=None)) == []
    assert codes(contract(example={"report_id": "", "cents": 0})) == []


def test_over_2_kb_and_just_under():
    assert codes(contract(when="the amounts are confirmed. " + "é" * 1_000)) == ["too_large"]
    assert codes(contract(when="the amounts are confirmed. " + "e" * 1_000)) == []
    assert codes(contract(instructions="Rules. " * 1_000)) == []


# Near-duplicates, by meaning

SAME = [
    (
        ("run_shipping_query", "Run a SQL query on the shipping database and return the rows."),
        ("read_sql", "Read rows from the shipping database with one SQL query."),
        "the question needs rows, counts or sums from the shipping data",
    ),
    (
        ("list_voyages", "List voyages filtered by carrier, region, port or status."),
        ("search_voyages", "Find voyages by status, ocean region, carrier and ports."),
        "someone asks which voyages there are",
    ),
    (
        ("send_email", "Send an email to a recipient."),
        ("mail_person", "Email somebody a message."),
        "the user wants to write to a person by mail",
    ),
]
DIFFERENT = [
    (
        ("read_report", "Read a report from disk.", "you need the text of a report"),
        ("write_report", "Write a report to disk.", "a finished text must be kept"),
    ),
    (
        ("draft_notice", "Draft a delay notice to a shipper.", "a voyage is late"),
        ("send_notice", "Send a delay notice to a shipper.", "the user confirmed the draft"),
    ),
    (
        ("create_ticket", "Create a support ticket.", "the user reports a new bug"),
        ("close_ticket", "Close a support ticket.", "the user says that it is solved"),
    ),
    (
        ("list_invoices", "List a customer's open invoices.", "someone asks what is unpaid"),
        ("pay_invoice", "Pay a customer's open invoice.", "the user confirmed the payment"),
    ),
    (
        ("find_ports", "Find ports by country or ocean region.", "someone asks for ports"),
        ("find_vessels", "Find vessels by carrier or flag.", "someone asks for vessels"),
    ),
]


@pytest.mark.parametrize(("one", "other", "when"), SAME)
def test_the_same_in_other_words_is_a_near_duplicate(one, other, when):
    first, second = named(*one, when), named(*other, when)
    (finding,) = lint(first, [first, second])
    assert finding.code == "near_duplicate" and other[0] in finding.message


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_action_or_object_is_another_tool(one, other):
    assert codes(named(*one), [named(*other)]) == []


def test_reading_is_no_duplicate_of_writing():
    one = named("keep_note", "Keep the note of a voyage.")
    assert codes(one, [named("note_kept", "Keep the note of a voyage.", tier="read")]) == []


def test_a_copy_of_one_of_our_tools_is_found_among_all_registered():
    @register(
        when="a question needs rows, counts or sums from the shipping data.",
        returns="'columns' and 'rows', a list of lists in that order.",
    )
    def query_shipping_rows(sql: Annotated[str, "One SELECT."]) -> dict[str, Any]:
        """Read the shipping database with a SQL query."""
        return {}

    (finding,) = lint(query_shipping_rows.contract)
    assert finding.code == "near_duplicate" and "run_sql" in finding.message
    assert [f.tool for f in lint_all() if f.code == "near_duplicate"] == ["query_shipping_rows"]


# Everything together


def test_our_own_tools_are_clean(capsys):
    assert lint_all() == []
    assert lint_command.main() == 0
    assert capsys.readouterr().out == f"{len(TOOLS)} tools, no findings.\n"


def test_the_command_prints_a_line_a_finding_and_fails(capsys):
    @register
    def get_data(x: str) -> str:
        """Get data."""
        return x

    assert lint_command.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["get_data", code]
        for code in (
            "vague_name",
            "vague_description",
            "no_trigger",
            "no_output_contract",
            "no_parameter_description",
        )
    ]


def test_the_command_is_there():
    from harness.commands.cli import main

    assert main(["lint-tools"]) == 0


def schema(words):
    text = "word " * words
    return {"type": "function", "function": {"name": "a", "description": text, "parameters": {}}}


def test_the_budget_of_prompt_and_tools_together():
    assert lint_budget("word " * 1_000, [schema(900), schema(900)]) == []
    (warning,) = lint_budget("word " * 1_000, [schema(1_100), schema(1_100)])
    assert warning.code == "over_budget" and "more than 3,000" in warning.message
    assert [f.code for f in lint_budget("word " * 20_000, [schema(6_000)])] == ["redesign"]


def test_the_budget_counts_what_a_request_can_carry_at_most():
    small = [named(f"make_thing_{i}", f"Make the widget number {i}.") for i in range(20)]
    large = named("make_large", "Make the large widget. " + "word " * 300)
    always = named("keep_always", "Keep the widget.", always=True)
    sent = sent_at_most([*small, large, always], k=3)
    sent_names = [each["function"]["name"] for each in sent]
    assert len(sent) == 4 and {"make_large", "keep_always"} <= set(sent_names)
