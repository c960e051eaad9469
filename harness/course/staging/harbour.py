"""A harbour's toolbox, and vectors made of words: the surroundings of a check of retrieval.

A text is the sum of its words, so "nearest in meaning" is "shares the most words", and everybody
can see which tools that are.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging.stage import Stage
from harness.retrieval import embedding
from harness.retrieval.embedding import pack
from harness.tools.toolbox import TOOLS, register, spare_toolbox

TOOLS_HERE: tuple[tuple[str, str, bool], ...] = (  # name, description, always on
    ("open_lock", "Opens one chamber of the canal lock", False),
    ("read_gauge", "Water level measured under bridges by the gauge", False),
    ("list_pilots", "Pilots who are on duty", False),
    ("ring_bell", "Water level warning for everyone on the quay", True),
    ("tide_table", "Hours and heights printed for one week", False),
    ("book_tug", "Reserve a tug for one ship", False),
    ("weigh_truck", "Gross weight of a truck on the scales", False),
    ("print_badge", "Badge for visitors at the gate", False),
    ("water_plants", "Sprinkle flowers beside our office", False),
    ("crane_plan", "Shifts of cranes and their drivers", False),
    (
        "bridge_level",
        "Clear height and water level under bridges today, at each of them, in metres",
        False,
    ),
    (
        "call_doctor",
        "Medical help for seafarers. A doctor calls back within one hour, at any time. Tell what "
        "happened, how old the patient is, and which remedies are in the chest of your ship. For "
        "an accident that needs hospital treatment ask our pilot station instead. "
        + "Keep calm. "
        * 80,  # a schema is returned whole, however long
        False,
    ),
    ("dry_dock", "Opposite: water level under the bridges", False),  # as far as can be
    (
        "gulls_east",
        "Gull counts " + " ".join(f"q{a}{b}" for a in "ab" for b in "efghijklmnopqrtu"),
        False,
    ),
    (
        "gulls_west",
        "Gull counts " + " ".join(f"q{a}{b}" for a in "ab" for b in "efghijklmnopqru"),
        False,
    ),
    ("note_down", "Write a remark into the logbook", True),
)
ALWAYS = [name for name, _, always in TOOLS_HERE if always]
CLOSE = "Where can gulls be seen?"  # gulls_west is nearer than gulls_east, by a hair
QUESTION = "What is the water level under the bridges?"
LATE = ("sonar_scan", "Sonar scan of silt and wrecks on the harbour floor")
_OPPOSITE = "opposite"  # the word that turns a text into its contrary
_DIMENSIONS = 384
computed: list[str] = []  # every text for which a vector had to be made
_places: dict[str, int] = {}  # a word's own direction
_visit = 0  # the number of this check, so that no cache knows its texts from an earlier one


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage with the harbour's tools alone in TOOLS, and vectors made of words."""
    global _visit

    real, embedding.compute = embedding.compute, _vectors
    _visit += 1
    try:
        with spare_toolbox():
            fill()
            yield Stage(clock, watch, restore)
    finally:
        embedding.compute = real


def fill() -> None:
    """Put the harbour's tools, and no others, into TOOLS."""

    TOOLS.clear()
    for name, description, always in TOOLS_HERE:
        add(name, description, always)


def add(name: str, description: str, always: bool = False) -> None:
    """Register a tool that does nothing."""

    def tool() -> dict[str, Any]:
        return {}

    tool.__doc__ = f"{description} ({_visit})"
    register(name=name, always=always, replace=True)(tool)
    if name == "crane_plan":  # a schema may hold more than the usual
        TOOLS[name][1]["function"]["strict"] = True


def once(text: str) -> str:
    """The text with the number of this check: no cache knows it."""
    return f"{text} ({_visit})"


def _words(text: str) -> list[str]:
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower())]


def _vectors(texts: list[str]) -> list[bytes]:
    computed.extend(texts)
    vectors = []
    for text in texts:
        vector = np.zeros(_DIMENSIONS)
        for word in _words(text) or ["nothing"]:
            vector[_places.setdefault(word, len(_places) % _DIMENSIONS)] += 1
        sign = -1 if _OPPOSITE in _words(text) else 1
        vectors.append(sign * vector / np.linalg.norm(vector))
    return pack(vectors)


def nearness(question: str, text: str) -> float:
    """The cosine of two texts as these vectors have it."""
    a, b = Counter(_words(question)), Counter(_words(text))
    sign = -1 if _OPPOSITE in b else 1
    length = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sign * sum(a[word] * b[word] for word in a) / (length or 1)
