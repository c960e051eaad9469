"""From marks to conditions: which column a value, a number, a time or a name belongs to."""

from harness.standin.brain.read.senses import Sense
from harness.standin.brain.read.times import Times


class Reader(Times):
    """All that reading one question needs, and what has been read so far."""


__all__ = ["Reader", "Sense"]
