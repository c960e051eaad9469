"""Pieces of HTML for the outputs of a notebook.

They take their colours from JupyterLab, so they fit light and dark; elsewhere, as on GitHub, they
are plain. Colour only repeats what a sign and a word say, and nothing needs a script or a kernel.
"""

import html
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.settings import settings

Tone = Literal["good", "bad", "warn", "plain"]

_COLOURS: dict[Tone, str] = {
    "good": "var(--jp-success-color1, #2e7d32)",
    "bad": "var(--jp-error-color1, #c62828)",
    "warn": "var(--jp-warn-color1, #b26a00)",
    "plain": "var(--jp-border-color1, #8a8a8a)",
}
SIGNS: dict[Tone, str] = {"good": "✓", "bad": "✗", "warn": "!", "plain": "·"}
_FAINT = "opacity:.75"
_PRE = (
    "margin:.2em 0 .4em;padding:.4em .6em;max-height:22em;overflow:auto;white-space:pre-wrap;"
    "overflow-wrap:break-word;background:var(--jp-layout-color2, rgba(128,128,128,.12))"
)


@dataclass(frozen=True)
class View:
    """Something to look at: `text` for a terminal, `html` for a notebook."""

    text: str
    html: str

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self.text, self.html)


def widget_bundle(widget: Any, what: str, command: str, **options: Any) -> dict[str, Any]:
    """A widget as a notebook takes it; where none can be drawn, a line says what would be there."""
    needs = "it needs a page that can draw widgets, such as `python workshop.py lab`"
    instead = f"({what}: {needs}. In a terminal: python -m harness {command})"
    return {**(widget._repr_mimebundle_(**options) or {}), "text/plain": instead}


def bundle(text: str, shown: str) -> dict[str, str]:
    """Both forms of an output, as a notebook takes them."""
    return {"text/plain": text, "text/html": shown}


def show(thing: Any) -> None:
    """Display something in a notebook; print it anywhere else."""
    if in_notebook():
        from IPython.display import display  # only there

        display(thing)
    else:
        print(thing)


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    ipython = sys.modules.get("IPython")
    return getattr(ipython.get_ipython() if ipython else None, "kernel", None) is not None


def milliseconds(value: float | None) -> str:
    """A time as it is shown: none in an output that has to be the same tomorrow."""
    return "" if value is None or settings().offline else f"{value:,.0f} ms"


def escape(value: Any) -> str:
    """Text as HTML."""
    return html.escape(str(value))


def card(title: str, body: str, tone: Tone = "plain") -> str:
    """A box with a bar in its tone at the left; `title` is text, `body` HTML."""
    style = (
        f"border-left:4px solid {_COLOURS[tone]};padding:.3em .8em;margin:.3em 0;"
        "max-width:62em;font-family:var(--jp-ui-font-family, sans-serif)"
    )
    return f'<div style="{style}"><strong>{marked(title, tone)}</strong>{body}</div>'


def marked(text: str, tone: Tone) -> str:
    """A text behind the sign of its tone, in its colour."""
    colour = f' style="color:{_COLOURS[tone]}"' if tone != "plain" else ""
    return f"<span{colour}>{SIGNS[tone]}</span> {escape(text)}"


def fold(summary: str, body: str, is_open: bool = False) -> str:
    """HTML that opens under its summary, which is HTML too; by mouse or by keyboard."""
    mark = " open" if is_open else ""
    return (
        f'<details{mark} style="margin:.15em 0"><summary style="cursor:pointer">{summary}</summary>'
        f'<div style="margin-left:1.1em">{body}</div></details>'
    )


def faint(text: Any) -> str:
    """A text in the second row."""
    return f'<span style="{_FAINT}">{escape(text)}</span>' if str(text) else ""


def pre(text: Any) -> str:
    """A text as it is: wrapped between words, and scrolled where it is long."""
    return f'<pre style="{_PRE}">{escape(text)}</pre>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Sequence[int] = ()) -> str:
    """A table of texts, or HTML where they are `Raw`; columns of `numbers` are aligned right."""
    lines = [_row("th", head, numbers), *(_row("td", row, numbers) for row in rows)]
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.4em 0">'
        f"<thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table></div>"
    )


class Raw(str):
    """HTML that is put into a table's cell as it is."""


def _row(tag: str, cells: Sequence[Any], numbers: Sequence[int]) -> str:
    made = []
    for column, cell in enumerate(cells):
        right = column in numbers
        style = f"text-align:{'right' if right else 'left'};padding:.15em .7em;vertical-align:top"
        style += ";white-space:nowrap" if right else ""
        made.append(
            f'<{tag} style="{style}">{cell if isinstance(cell, Raw) else escape(cell)}</{tag}>'
        )
    return f"<tr>{''.join(made)}</tr>"
