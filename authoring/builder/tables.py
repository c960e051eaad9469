"""What is written from the table of parts: headings and map of the notebooks, README's table."""

import re
from pathlib import Path

from authoring.builder.loop_figure import loop_figure
from authoring.builder.source import BuildError, Source, read_source, sources
from harness.course.parts import PARTS, TRACKS, on_track

BEGIN, END = "<!-- parts: written by the build -->", "<!-- /parts -->"


def fill(text: str, source: Source) -> str:
    """A markdown cell with its placeholders filled in: {{heading}}, {{map}}, {{tracks}}.

    Raises BuildError for a part that has no row, or a placeholder that nobody knows.
    """
    known = {"heading": heading, "map": part_map, "tracks": tracks}

    def value(match: re.Match[str]) -> str:
        if match[1] not in known:
            names = ", ".join(f"{{{{{name}}}}}" for name in known)
            raise BuildError(source.path, None, f"{match[0]} is none of {names}")
        return known[match[1]](source)

    filled = re.sub(r"\{\{(\w+)\}\}", value, text)
    return f"{filled.rstrip()}\n\n{loop_figure(source.part)}" if "{{heading}}" in text else filled


def heading(source: Source) -> str:
    """The title of a notebook, and its question."""
    if source.part not in PARTS:
        raise BuildError(source.path, None, "no row in harness/course/parts.py")
    part = PARTS[source.part]
    return f"# {part.number} · {part.title}\n\n**{part.question}**"


def part_map(source: Source) -> str:
    """The table of all parts, from their rows and the TODOs in their sources."""
    return _table(_todos(source.path.parent))


def tracks(source: Source | None = None) -> str:
    """Which parts to take when there is less than a day."""
    return "\n".join(f"- {_track(track)}" for track in TRACKS)


def readme(root: Path) -> str | None:
    """The text of README.md as it should be; None where there is no README.

    Raises BuildError when it lacks the two markers, or when rows and sources don't match.
    """
    path = root / "README.md"
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise BuildError(path, None, f"needs one line {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n\n{_table(_todos(root / 'authoring'))}\n\n{tracks()}\n\n{END}{tail}"


def _todos(folder: Path) -> dict[str, list[str]]:
    """The functions to write in each part. Raises BuildError for a part without source or row."""
    found = {source.part: source.roots for source in map(read_source, sources(folder))}
    for number in sorted(found.keys() ^ PARTS.keys()):
        what = "a source and no row" if number in found else "a row and no source"
        raise BuildError(folder, None, f"part {number} has {what} in harness/course/parts.py")
    return found


def _table(todos: dict[str, list[str]]) -> str:
    rows = ["| part | its question | you write | minutes | |", "| --- | --- | --- | --- | --- |"]
    for part in PARTS.values():
        write = ", ".join(f"`{name}`" for name in todos[part.number]) or part.instead
        level = "●" * part.level + "○" * (3 - part.level)
        cells = f"{part.number} {part.title}", part.question, write, str(part.minutes), level
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _track(track: str) -> str:
    parts = on_track(track)
    whole = len(parts) == len(PARTS)
    numbers = "all of them" if whole else ", ".join(part.number for part in parts)
    minutes = sum(part.minutes for part in parts)
    hours = f"{minutes} minutes" if minutes < 100 else f"{minutes / 60:.1f} hours"
    return f"**{track}**: {numbers}" + (f" ({hours})" if hours != track else "")
