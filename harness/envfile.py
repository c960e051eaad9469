"""Reading `.env`, with an error that names the line and never shows what is on it."""

import io
from pathlib import Path

from dotenv.parser import parse_stream

from harness.errors import WorkshopError


def read_env_file(path: Path) -> dict[str, str]:
    """The settings of a `.env` file; {} where there is none.

    Values are taken as written: `$` means nothing. Raises WorkshopError for a file that can't be
    read or a line that is not `NAME=value`.
    """
    text = _text(path)
    if text is None:
        return {}
    values: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(text)):
        if binding.error or (binding.key is not None and binding.value is None):
            raise WorkshopError(
                f".env, line {_line(binding.original.string, binding.original.line)}: "
                "not NAME=value, or a quote that is never closed.",
                "Correct that line; .env.example shows how each setting is written.",
            )
        if binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
    return values


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise WorkshopError(
            ".env is not UTF-8 text.", "Save it again as UTF-8 (in Notepad: Encoding, UTF-8)."
        ) from None
    except OSError as error:
        raise WorkshopError(
            f".env can't be read ({error.strerror or type(error).__name__}).",
            "It must be a plain file that you may read; .env.example is one to start from.",
        ) from None


def _line(original: str, line: int) -> int:
    """The line on which a statement begins; the parser counts blank lines before it to it."""
    before = original[: len(original) - len(original.lstrip())]
    return line + before.count("\n")
