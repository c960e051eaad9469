"""The table of parts: what README, the map in part 00 and the headings of the notebooks say.

A row a part, written by hand. The minutes are what `python -m benchmarks.minutes` works out,
rounded up for the cells that run. The TODOs of a part are not listed here: they are the functions
whose solutions are in the part's source, and the build writes them down (`answers/`).

A number is two digits. A part that was split keeps its number for the first half and adds a letter
for the second ("08", "08b"), so that no other part changes its name.
"""

import re
from dataclasses import dataclass

NUMBER = re.compile(r"\d\d[a-z]?")
TRACKS = ("90 minutes", "half a day", "a day")  # each holds the parts of the one before


@dataclass(frozen=True)
class Part:
    """One part: its question, its minutes, how hard it is (1 to 3), the shortest track it is in.

    `instead` is what there is to do in a part without a TODO.
    """

    number: str
    title: str
    question: str
    minutes: int
    level: int
    track: str
    instead: str = ""


_ALL = (
    Part(
        "00",
        "Start here",
        "What is an agent made of?",
        minutes=10,
        level=1,
        track="90 minutes",
        instead="nothing yet: ask, delete a line, meet the API's 400, put it back",
    ),
    Part(
        "01",
        "The smallest loop",
        "What is the least code that turns a model into an agent?",
        minutes=20,
        level=1,
        track="90 minutes",
    ),
    Part(
        "02",
        "Tools are contracts",
        "Why does a model call a tool wrongly, and whose fault is it?",
        minutes=30,
        level=1,
        track="90 minutes",
    ),
    Part(
        "03",
        "Knowledge",
        "How does an agent know a schema that nobody put in its prompt?",
        minutes=30,
        level=2,
        track="a day",
    ),
    Part(
        "04",
        "Memory",
        "What may an agent remember, and who says so?",
        minutes=45,
        level=3,
        track="a day",
    ),
    Part(
        "05",
        "Real work",
        "How do you let a model write SQL without being sorry?",
        minutes=45,
        level=3,
        track="half a day",
    ),
    Part(
        "06",
        "Context",
        "What does the model see, and what does each token of it buy?",
        minutes=20,
        level=2,
        track="half a day",
    ),
    Part(
        "07",
        "The agent loop",
        "What does the loop owe the person who asked?",
        minutes=30,
        level=2,
        track="90 minutes",
    ),
    Part(
        "08",
        "When loops go wrong",
        "What does your loop do on the day the model does not behave?",
        minutes=35,
        level=3,
        track="half a day",
    ),
    Part(
        "08b",
        "When answers go wrong",
        "What can still be wrong when the answer looks right?",
        minutes=25,
        level=2,
        track="a day",
    ),
    Part(
        "09",
        "Long tasks",
        "What happens when the conversation outgrows the window?",
        minutes=30,
        level=2,
        track="a day",
    ),
    Part(
        "10",
        "Authority",
        "What may an agent do, and who decides that before it does it?",
        minutes=35,
        level=3,
        track="a day",
    ),
    Part(
        "11",
        "Seeing inside",
        "What did the agent do, and who would notice if it went wrong?",
        minutes=30,
        level=2,
        track="half a day",
    ),
    Part(
        "12",
        "Measuring",
        "How do you know that it got better?",
        minutes=15,
        level=2,
        track="a day",
    ),
    Part(
        "13",
        "Delegation",
        "When is a second agent worth what it costs?",
        minutes=30,
        level=3,
        track="a day",
    ),
    Part(
        "14",
        "Ship it",
        "What do you hand over, and how do you take it back?",
        minutes=10,
        level=2,
        track="a day",
        instead="nothing more: pack it, check it, take it back",
    ),
)
PARTS = {part.number: part for part in _ALL}


def numbered(text: str) -> str:
    """A part's number as the table has it: "7" -> "07", "8b" -> "08b"; other text as it is."""
    return f"0{text}" if NUMBER.fullmatch(f"0{text}") else text


def on_track(track: str) -> list[Part]:
    """The parts of a track, in order."""
    within = TRACKS[: TRACKS.index(track) + 1]
    return [part for part in _ALL if part.track in within]
