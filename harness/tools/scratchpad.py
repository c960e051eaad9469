"""The scratchpad: small text files of the agent's own, kept in the database between turns."""

import re
import sqlite3
import unicodedata
from typing import Annotated, Any

from pydantic import Field

from harness.databases.business import limits
from harness.databases.state import state
from harness.errors import ToolError
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.guards.secrets import redact
from harness.memory.default_user import session_user
from harness.memory.storable_text import storable
from harness.memory.times import utc_now
from harness.memory.visibility import visible
from harness.tools.toolbox import register

MAX_PATH_CHARS = 200
MAX_FILE_CHARS = 100_000
MAX_FILES = 200
MAX_TOTAL_CHARS = 2_000_000
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f:*?\"<>|\u2028\u2029]")
_Path = Annotated[str, "Such as drafts/voyages.sql."]


def normalise_path(path: str) -> str:
    """The one form of a relative path. Raises ToolError for one that would leave the scratchpad."""
    plain = unicodedata.normalize("NFC", storable(path)).strip().replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if plain.startswith(("/", "~")) or ".." in [part.strip() for part in parts]:
        raise _bad_path(path, "it would leave the scratchpad")
    if not parts:
        raise _bad_path(path, "it names no file")
    if _FORBIDDEN.search(plain):
        raise _bad_path(path, "it holds a character that file names can't have")
    joined = "/".join(parts)
    if redact(joined) != joined:
        raise _bad_path(redact(path), "it holds a secret")
    if len(joined) > MAX_PATH_CHARS:
        raise _bad_path(path, f"it is longer than {MAX_PATH_CHARS} characters")
    return joined


@register(
    when="you draft SQL that is not trivial, or keep a note.",
    returns="'path' as it is stored and 'chars', the size of the file.",
    tier="write",
    preconditions="what the file held may go.",
    idempotent=True,
    example={"path": "drafts/active.sql", "content": "SELECT 1"},
    always=True,  # the system prompt's rules name it
    effects=(Effect("scratchpad", "write", "agent", "irreversible"),),
)
def scratch_write(path: _Path, content: Annotated[str, "The whole new content."]) -> dict[str, Any]:
    """Write a file of the scratchpad; it stays between turns."""
    return _save(normalise_path(path), redact(storable(content)), append=False)


@register(
    when="a file of the scratchpad should grow.",
    returns="'path' as it is stored and 'chars', the size of the whole file.",
    tier="write",
    preconditions="the text is not in the file yet.",
    idempotent=False,
    example={"path": "notes.md", "content": "- 42 delayed\n"},
    effects=(Effect("scratchpad", "write", "agent", "reversible"),),
)
def scratch_append(
    path: _Path, content: Annotated[str, "Text to put at the end of the file."]
) -> dict[str, Any]:
    """Add text to the end of a scratchpad file, which is made if need be."""
    return _save(normalise_path(path), redact(storable(content)), append=True)


@register(
    tier="read",
    when="you check a draft before you run it, or need a note back.",
    returns="'content' is the text of the file.",
    repeatable=True,
    example={"path": "drafts/active.sql"},
    always=True,  # the system prompt's rules name it
    effects=(Effect("scratchpad", "read"),),
)
def scratch_read(path: _Path) -> dict[str, Any]:
    """Read a file of the scratchpad."""
    name = normalise_path(path)
    here, limited = visible()
    rows = state().read(
        f"SELECT content FROM scratch_files WHERE user_id = ? AND path = ? AND {here}",
        (session_user(), name, *limited),
    )
    if not rows:
        known = ", ".join(one["path"] for one in _files()[:10]) or "none yet"
        raise ToolError("failed", f"there is no scratch file {name!r}.", f"Files: {known}.")
    return {"path": name, "content": rows[0]["content"]}


@register(
    tier="read",
    when="you don't remember which drafts and notes there are.",
    returns="'files' is a list of path and chars, by path.",
    repeatable=True,
    effects=(Effect("scratchpad", "read"),),
)
def scratch_list(
    prefix: Annotated[
        str, Field(max_length=MAX_PATH_CHARS, description="Only paths that begin with this.")
    ] = "",
) -> dict[str, Any]:
    """List the files of the scratchpad with their sizes."""
    return {"files": [one for one in _files() if one["path"].startswith(prefix)]}


def _files() -> list[dict[str, Any]]:
    here, limited = visible()
    rows = state().read(
        "SELECT path, length(content) AS chars FROM scratch_files"
        f" WHERE user_id = ? AND {here} ORDER BY path",
        (session_user(), *limited),
    )
    return [{"path": row["path"], "chars": row["chars"]} for row in rows]


def _save(path: str, content: str, *, append: bool) -> dict[str, Any]:
    user = session_user()
    with state().write() as connection:
        old = connection.execute(
            "SELECT content, seen FROM scratch_files WHERE user_id = ? AND path = ?", (user, path)
        ).fetchone()
        if old and limits() not in ("", old["seen"]):
            raise _bad_path(path, "a session with another role keeps a file there")
        whole = (old["content"] if old and append else "") + content
        _check_room(connection, user, path, whole)
        connection.execute(
            "INSERT OR REPLACE INTO scratch_files VALUES (?, ?, ?, ?, ?)",
            (user, path, whole, utc_now(), limits()),
        )
    return {"path": path, "chars": len(whole)}


def _check_room(connection: sqlite3.Connection, user: str, path: str, whole: str) -> None:
    if len(whole) > MAX_FILE_CHARS:
        raise ToolError(
            "bad_arguments",
            f"parameter 'content': {path} would have {len(whole):,} characters, "
            f"the most is {MAX_FILE_CHARS:,}.",
            "Keep what you need, or use another file.",
        )
    files, chars = connection.execute(
        "SELECT count(*), coalesce(sum(length(content)), 0) FROM scratch_files"
        " WHERE user_id = ? AND path != ?",
        (user, path),
    ).fetchone()
    if files >= MAX_FILES or chars + len(whole) > MAX_TOTAL_CHARS:
        raise ToolError(
            "failed",
            f"the scratchpad is full ({files} files, {chars:,} characters).",
            "Overwrite files that are no longer needed.",
        )


def _bad_path(path: str, why: str) -> ToolError:
    return ToolError(
        "bad_arguments",
        f"parameter 'path': {short_repr(path, 80)} can't be used: {why}.",
        "Use a relative path such as drafts/voyages.sql.",
    )
