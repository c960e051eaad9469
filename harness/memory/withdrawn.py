"""What counts no longer is taken out of everything that could bring it back.

A statement that was retracted, archived or replaced still stands in the messages, in stored outputs
and in summaries. Whoever reads those for a model asks `withdrawn(...)` first. A deleted one is
overwritten in place.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import AnyStr

from harness.databases.state import StateDatabase
from harness.memory import store
from harness.memory.folding import folded, folded_with_places, trimmed
from harness.memory.shapes import MessageRecord
from harness.memory.storable_text import claim_key
from harness.settings import settings

WITHDRAWN, DELETED = "[withdrawn]", "[deleted]"
_STALE = "[withdrawn: an answer that rested on what counts no longer]"
_WHERE_TEXT = (("messages", "content"), ("tool_outputs", "arguments"), ("tool_outputs", "content"))
_MOST = 200  # of a user's withdrawn statements that are looked for, the latest
_SHORT = 8  # characters: less tells nothing
_LEFT = "m.user_id IS ? AND m.status != 'active' AND m.status != 'quarantined'"


@dataclass(frozen=True)
class Withdrawn:
    """The statements of one user that count no longer, as they were said and as they were put."""

    texts: tuple[str, ...]  # folded
    cores: tuple[str, ...]  # the middle of each
    sources: frozenset[str]  # the messages that they were said in

    def cut(self, text: str) -> str:
        """The text with every withdrawn statement replaced by a mark."""
        for wanted in self.texts:
            text = _cut(text, wanted, WITHDRAWN)
        return text

    def quotes(self, text: str) -> bool:
        """Whether most of a withdrawn statement stands in the text, or stood there."""
        plain = folded(text)
        return DELETED in text or any(core in plain for core in self.cores)

    def shown(self, messages: list[MessageRecord]) -> list[MessageRecord]:
        """The messages as a model may see them: answers that rest on what was withdrawn are out."""
        kept: list[MessageRecord] = []
        stale = False  # the answer to a message that said it
        for message in messages:
            if message.role == "user":
                stale = message.id in self.sources or DELETED in (message.content or "")
                content = self.cut(message.content or "")
            elif stale or self.quotes(message.content or ""):
                content = _STALE
            else:
                content = message.content or ""
            kept.append(replace(message, content=content))
        return kept


def withdrawn(database: StateDatabase, user_id: str | None) -> Withdrawn:
    """What this user's memories said and count for no longer."""
    latest = database.read("SELECT max(id) FROM memory_events")[0][0]
    return _withdrawn(database, user_id, latest)


@lru_cache(maxsize=64)
def _withdrawn(database: StateDatabase, user_id: str | None, latest: int | None) -> Withdrawn:
    """As it is since the latest change of any record."""
    tail = f"ORDER BY m.row DESC LIMIT {_MOST}"
    left = [record for _, record in store.fetch(database, _LEFT, (user_id,), tail)]
    claims = [claim_key(record.user, record.value) for record in left]
    live = database.read(
        "SELECT m.claim FROM json_each(?) j CROSS JOIN memories m ON m.claim = j.value"
        " WHERE m.user_id IS ? AND m.status = 'active'",
        (json.dumps(claims), user_id),
    )
    again = {row[0] for row in live}
    gone = [one for one, claim in zip(left, claims, strict=True) if claim not in again]
    texts = _needles(text for one in gone for text in (one.value, one.wording))
    sources = frozenset(one.source_id for one in gone if one.source_id)
    return Withdrawn(texts, tuple(_core(text) for text in texts), sources)


def erase(connection: sqlite3.Connection, user_id: str | None, texts: Iterable[str]) -> None:
    """Overwrite deleted statements in the user's messages, calls and stored outputs."""
    needles = _needles(texts)
    for table, column in _WHERE_TEXT if needles else ():
        rows = connection.execute(
            f"SELECT seq, {column} FROM {table} WHERE user_id IS ? AND {column} IS NOT NULL",
            (user_id,),
        ).fetchall()
        for seq, text in rows:
            plain, new = folded(text), text
            for wanted in needles:
                new = _cut(new, wanted, DELETED) if _core(wanted) in plain else new
            if new != text:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE seq = ?", (new, seq))


def trace_folder(database: StateDatabase) -> Path:
    """Where the traces of the turns lie that a store knows."""
    return settings().traces or database.path.parent / "traces"


def erase_traces(database: StateDatabase, texts: Iterable[str]) -> None:
    """Overwrite deleted statements in the trace files, in place: others may be appending."""
    once = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts if len(text) >= _SHORT]
    twice = [json.dumps(text, ensure_ascii=False)[1:-1] for text in once]
    needles = {text.encode("utf-8", "replace") for text in (*once, *twice)}
    for path in sorted(trace_folder(database).glob("*.jsonl")) if needles else ():
        with path.open("r+b") as file:
            data = file.read()
            for needle in needles:
                for start, end in _runs(data, needle):
                    file.seek(start)
                    file.write(b"-" * (end - start))


def _needles(texts: Iterable[str | None]) -> tuple[str, ...]:
    """As they are compared, each once, longest first; as they are and as JSON writes them."""
    plain = {text for text in texts if text}
    both = plain | {json.dumps(text, ensure_ascii=False)[1:-1] for text in plain}
    found = {trimmed(folded(text)) for text in both}
    return tuple(sorted((t for t in found if len(t) >= _SHORT), key=lambda t: (-len(t), t)))


@lru_cache(maxsize=2_048)
def _core(text: AnyStr) -> AnyStr:
    """The middle third: whoever repeats most of a text repeats that."""
    third = len(text) // 3
    middle = text[third : len(text) - third]
    return middle if len(middle) >= _SHORT else text


def _runs(heard: AnyStr, wanted: AnyStr) -> Iterator[tuple[int, int]]:
    """(start, end) of each piece of `heard` that repeats most of `wanted`."""
    core = _core(wanted)
    before = wanted.find(core)
    after = len(wanted) - before - len(core)
    at, least = heard.find(core), 0
    while at >= 0:
        start, end = at, at + len(core)
        while (
            start > max(least, at - before) and heard[start - 1] == wanted[before - at + start - 1]
        ):
            start -= 1
        most = min(len(heard), end + after)
        while end < most and heard[end] == wanted[before - at + end]:
            end += 1
        yield start, end
        at, least = heard.find(core, end), end


def _cut(text: str, wanted: str, mark: str) -> str:
    heard, places = folded_with_places(text)
    pieces, done = [], 0
    for start, end in _runs(heard, wanted):
        pieces += [text[done : places[start]], mark]
        done = places[end] if end < len(places) else len(text)
    return "".join([*pieces, text[done:]])
