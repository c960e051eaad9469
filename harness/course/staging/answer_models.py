"""What `finish` is checked with: models of an answer, and an answer that fits."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field, model_validator

NAME = 'Captain\'s  "East" Pier,\nGdańsk'  # whatever is done to a text shows in it


class Stay(BaseModel):
    """How long a ship stays at a berth."""

    berth: str
    hours: int = Field(ge=1, le=500)
    arrives: date


class Fleet(BaseModel):
    """Several stays."""

    harbour: str
    stays: list[Stay]


class Closed(BaseModel):
    """A model that takes no other field."""

    model_config = ConfigDict(extra="forbid")
    free: int


class Berths(BaseModel):
    """Two numbers whose faults have the same words."""

    free: int = Field(ge=1)
    full: int = Field(ge=1)


class Span(BaseModel):
    """Two numbers that must fit each other: a fault of neither field."""

    first: int
    last: int

    @model_validator(mode="after")
    def _in_order(self) -> "Span":
        if self.last < self.first:
            raise ValueError("last comes before first")
        return self


class Free(BaseModel):
    """A number that need not be said."""

    free: int = 3


GOOD = {"berth": NAME, "hours": 41, "arrives": "2026-05-04"}
EXPECTED = Stay(berth=NAME, hours=41, arrives=date(2026, 5, 4))
