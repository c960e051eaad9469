"""The figure of the loop at the top of each part: text, so it reads in any light and aloud.

It grows from part to part: a filled square is a piece that was there before, a framed one is this
part's, an open one is still to come.
"""

from harness.course.parts import PARTS

# where in the loop -> its pieces, each with the part that brings it
PIECES = {
    "context": {"knowledge": "03", "memory": "04"},
    "chat": {"chat": "01", "the few tools": "06", "window": "09", "your model": "14"},
    "end": {"budgets": "07", "finish": "08b"},
    "dispatch": {"dispatch": "01", "contracts": "02", "guard": "08", "authority": "10"},
    "tools": {"run_sql": "05", "subagents": "13"},
    "outside": {"scoreboard": "01", "trace": "11", "measuring": "12"},
}
_PICTURE = """\
      question
         v
      context       {context}
         v
 +--> chat          {chat}
 |       v
 |    tool calls? --- none ---> answer, log       {end}
 |       v
 +--- dispatch      {dispatch}
      tools         {tools}

 seen from outside  {outside}"""
_BEFORE, _NOW, _LATER = "■", "▣", "□"


def loop_figure(part: str) -> str:
    """The figure as a block of text, with a line below it that says in words what is new."""
    there = {
        place: {name: number for name, number in pieces.items() if number in PARTS}
        for place, pieces in PIECES.items()
    }
    lines = {
        place: "   ".join(f"{_mark(number, part)} {name}" for name, number in pieces.items())
        for place, pieces in there.items()
    }
    picture = "\n".join(line.rstrip() for line in _PICTURE.format(**lines).split("\n"))
    new = [n for pieces in there.values() for n, number in pieces.items() if number == part]
    words = f"New in the loop: {', '.join(new)}." if new else "What happens to a question."
    legend = f"{_NOW} this part, {_BEFORE} before it, {_LATER} later"
    return f"```text\n{picture}\n```\n\n{words} ({legend})"


def _mark(number: str, part: str) -> str:
    return _NOW if number == part else _BEFORE if number < part else _LATER
