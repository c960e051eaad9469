"""What a contract is read from, what can't be registered, and which tools a question gets."""

import datetime
import enum
import json
import threading
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from harness import TOOLS, ToolError, WorkshopError, register
from harness.standin.schemas import schema_problem
from harness.tools.contract import contract_of
from harness.tools.toolbox import contracts

pytestmark = pytest.mark.usefixtures("toolbox_kept")


class Place(BaseModel):
    """Where something is."""

    lat: float
    name: str | None = None


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def parameters(fn, **words):
    return contract_of(fn, **words).parameters


def call(fn, **arguments):
    return json.loads(register(fn, replace=True)(**arguments))["result"]


# What a schema is made from


def test_descriptions_come_from_annotated_field_or_docstring():
    def tool(
        a: Annotated[str, "from annotated"],
        b: Annotated[int, Field(ge=1, description="from field")],
        c: str,
        d: Annotated[str, "annotated wins"] = "",
        e: int = Field(default=2, description="from a default"),
    ) -> str:
        """Do it.

        Args:
            c: from the docstring
            d: not this
            b (int): nor this

        Returns:
            a: none of it
        """
        return ""

    properties = parameters(tool)["properties"]
    assert [each["description"] for each in properties.values()] == [
        "from annotated",
        "from field",
        "from the docstring",
        "annotated wins",
        "from a default",
    ]
    assert parameters(tool)["required"] == ["a", "b", "c"]
    assert properties["b"]["minimum"] == 1
    assert properties["e"]["default"] == 2


def test_optional_parameters_are_plain_types():
    def tool(
        a: str | None = None, b: Annotated[int | None, Field(ge=1)] = 3, c: list[str] | None = None
    ) -> str:
        return ""

    assert parameters(tool)["properties"] == {
        "a": {"type": "string"},
        "b": {"type": "integer", "minimum": 1, "default": 3},
        "c": {"type": "array", "items": {"type": "string"}},
    }


@pytest.mark.parametrize("value", [Place, Node, list[Place], Place | None, dict[str, Place | None]])
def test_models_nest_without_an_any_of(value):
    def tool(x: value) -> str:  # type: ignore[valid-type]
        return ""

    text = json.dumps(parameters(tool))
    assert "anyOf" not in text and "title" not in text
    assert schema_problem(parameters(tool)) is None


def test_a_union_of_two_types_stays_one_without_null():
    def tool(x: int | str | None = None) -> str:
        return ""

    assert parameters(tool)["properties"]["x"] == {
        "anyOf": [{"type": "integer"}, {"type": "string"}]
    }


def test_choices_are_enums_and_values_arrive_as_the_functions_own_types():
    def tool(
        colour: Colour,
        place: Place,
        day: datetime.date = datetime.date(2026, 1, 31),
        mode: Literal["a", "b"] = "a",
        tags: set[str] = frozenset({"t"}),  # type: ignore[assignment]
    ) -> str:
        return repr((colour, place, day, mode, sorted(tags)))

    shown = parameters(tool)["properties"]
    assert shown["mode"] == {"type": "string", "enum": ["a", "b"], "default": "a"}
    assert shown["day"] == {"type": "string", "format": "date", "default": "2026-01-31"}
    assert "red" in json.dumps(parameters(tool))
    expected = (Colour.RED, Place(lat=1), datetime.date(2026, 2, 1), "b", ["t"])
    assert call(tool, colour="red", place={"lat": 1}, day="2026-02-01", mode="b") == repr(expected)


def test_a_schema_without_parameters_has_properties():
    def tool() -> str:
        return "x"

    assert parameters(tool) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "name",
    [
        "model_config",
        "_private",
        "schema",
        "json",
        "copy",
        "self",
        "model_dump",
        "title",
        "default",
    ],
)
def test_any_parameter_name_works_and_warns_of_nothing(name):
    space: dict[str, Any] = {}
    exec(f"def tool({name}: int, other: int = 1) -> int:\n    return {name} + other", space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(parameters(space["tool"])["properties"]) == [name, "other"]
        assert call(space["tool"], **{name: 41}) == 42
    with pytest.raises(ToolError, match=f"parameter '{name}' is missing"):
        TOOLS["tool"][0]()


def test_an_alias_is_the_name_that_the_model_uses():
    def tool(from_: Annotated[str, Field(alias="from")], to: str = "x") -> str:
        return from_ + to

    assert parameters(tool)["required"] == ["from"]
    assert call(tool, **{"from": "a"}) == "ax"


def test_a_mutable_default_is_not_shared_between_calls():
    def tool(x: list[int] = []) -> int:  # noqa: B006
        x.append(1)
        return len(x)

    assert [call(tool), call(tool)] == [1, 1]


def test_words_become_the_summary_and_what_matters_comes_first():
    def tool(a: int) -> str:
        """Pay an invoice.

        Long explanation that the model is not sent.
        """
        return ""

    made = contract_of(
        tool,
        when="the user has\n  confirmed it.",
        preconditions="the invoice is open.",
        tier="write",
        cost="high",
        idempotent=False,
        permission="payments",
        example={"a": 1},
        instructions="HEAVY",
    )
    assert made.schema["function"]["description"] == (
        "Pay an invoice. Use when: the user has confirmed it. Before: the invoice is open. "
        "Writes (high cost, not safe to repeat). Needs permission: payments. "
        'Example: {"a": 1}'
    )


# What can't be registered


def with_args(*values: str) -> str:
    return ""


def with_kwargs(**values: str) -> str:
    return ""


def with_positional(x: int, /) -> str:
    return ""


def with_lock(x: threading.Lock) -> str:  # type: ignore[valid-type]
    return ""


def with_callable(x: Callable[[int], int]) -> str:
    return ""


def with_class(x: type) -> str:
    return ""


def with_unknown(x: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
    return ""


def with_nan(x: float = float("nan")) -> str:
    return ""


async def with_async(x: int) -> str:
    return ""


def with_yield(x: int) -> Any:
    yield x


def plain(x: int = 0) -> str:
    """Say something."""
    return "x"


@pytest.mark.parametrize(
    ("fn", "words", "names"),
    [
        (with_args, {}, "values"),
        (with_kwargs, {}, "values"),
        (with_positional, {}, "x can't be given by name"),
        (with_lock, {}, "no JSON schema"),
        (with_callable, {}, "no JSON schema"),
        (with_class, {}, "no JSON schema"),
        (with_nan, {}, "no JSON schema"),
        (with_unknown, {}, "Nowhere"),
        (with_async, {}, "async"),
        (with_yield, {}, "async or yields"),
        (lambda x: x, {}, "<lambda>"),
        ("query", {}, "'query'"),
        (5, {}, "named function"),
        (plain, {"name": "find it"}, "'find it'"),
        (plain, {"name": "suche_für"}, "suche_für"),
        (plain, {"name": "x" * 65}, "x" * 65),
        (plain, {"name": "a.b"}, "'a.b'"),
        (plain, {"name": "a\n"}, "tool name"),
        (plain, {"name": 7}, "7"),
        (plain, {"wen": "asked"}, "Did you mean: when"),
        (plain, {"tier": "Write"}, "tier='Write'"),
        (plain, {"cost": 3}, "cost=3"),
        (plain, {"timeout": 0}, "timeout=0"),
        (plain, {"example": "x"}, "example='x'"),
        (plain, {"idempotent": "no"}, "idempotent='no'"),
    ],
)
def test_what_cannot_be_a_tool_is_said_at_once_and_leaves_no_trace(fn, words, names):
    before = list(TOOLS)
    with pytest.raises(WorkshopError) as caught:
        register(fn, **words) if not words else register(**words)(fn)
    assert names in str(caught.value)
    assert caught.value.hint or "signature" in caught.value.message
    assert len(str(caught.value).splitlines()) <= 2
    assert list(TOOLS) == before and len(contracts()) == len(before)


def test_a_default_that_is_no_json_is_left_out_of_the_schema():
    marker = object()

    def tool(x: Any = marker) -> bool:
        return x is marker

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parameters(tool)["properties"] == {"x": {}}
    assert call(tool) is True
