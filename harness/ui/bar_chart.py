"""Bars as a picture. The SVG is written here, so that the same figures are always the same bytes.

The picture brings its own background, so it reads in light and dark; every figure is written
beside its bar, in the text for terminals and in the alternative text, so nothing depends on colour.
"""

import base64
from collections.abc import Mapping

from harness.ui.html import View, escape

Parts = Mapping[str, float]

# Told apart also by people who don't see all colours, and in order from dark to light.
_COLOURS = ("#3b5b92", "#e07b00", "#2f8f6b", "#8e5ea2", "#7a8794", "#c9a400")
_INK, _PAPER, _FAINT = "#1f2328", "#ffffff", "#d0d7de"
_LABELS, _BARS, _FIGURES = 200, 400, 180  # pixels from left to right
_ROW, _BAR, _TOP = 28, 18, 30
_LETTER = 7  # pixels of one, about


def bars(
    title: str,
    rows: Mapping[str, float | Parts],
    *,
    unit: str = "",
    digits: int = 0,
    limits: Parts | None = None,
    most: float | None = None,
) -> View:
    """A bar a row, from the figure or from its parts one after another.

    limits: a dashed line across the bar of that row only, for what has a limit of its own.
    most: the figure that fills the width; the largest of all where it is not given.
    """
    made = {name: row if isinstance(row, Mapping) else {"": row} for name, row in rows.items()}
    limits = dict(limits or {})
    sums = {name: sum(parts.values()) for name, parts in made.items()}
    scale = _BARS / max([*sums.values(), *limits.values(), most or 0, 1e-9])
    names = list(dict.fromkeys(part for parts in made.values() for part in parts if part))
    colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
    text = _as_text(title, made, sums, limits, unit, digits)
    top = _TOP + (_ROW if names else 0)
    drawn = [_text(8, 20, title, weight="bold"), *_legend(colours)]
    for number, (name, parts) in enumerate(made.items()):
        y = top + number * _ROW
        drawn.append(_text(_LABELS - 8, y + 14, _short(name), anchor="end"))
        x = float(_LABELS)
        for part, value in parts.items():
            drawn.append(_bar(x, y, value * scale, colours.get(part, _COLOURS[0])))
            x += value * scale
        end = max(x, _LABELS + limits.get(name, 0) * scale)
        said = _figure(sums[name], digits, unit)
        said += f" of {_figure(limits[name], digits)}" if name in limits else ""
        drawn.append(_text(end + 6, y + 14, said))
        if name in limits:
            drawn.append(_limit(_LABELS + limits[name] * scale, y))
    height = top + len(made) * _ROW + 8
    return View(text, _image(drawn, height, text))


def _as_text(
    title: str,
    rows: Mapping[str, Parts],
    sums: Parts,
    limits: Parts,
    unit: str,
    digits: int,
) -> str:
    """The figures as lines, no wider than a terminal of 60 columns needs."""
    width = max(map(len, rows), default=0) + 2
    lines = [title]
    for name, parts in rows.items():
        line = f"{name:<{width}}{_figure(sums[name], digits, unit)}"
        lines.append(line + (f" of {_figure(limits[name], digits)}" if name in limits else ""))
        if list(parts) != [""]:
            lines += [f"  {part:<{width}}{_figure(v, digits)}" for part, v in parts.items()]
    return "\n".join(lines)


def _figure(value: float, digits: int, unit: str = "") -> str:
    return f"{value:,.{digits}f}{f' {unit}' if unit else ''}"


def _short(name: str) -> str:
    most = (_LABELS - 12) // _LETTER
    return name if len(name) <= most else f"{name[: most - 3]}..."


def _legend(colours: Mapping[str, str]) -> list[str]:
    drawn, x = [], _LABELS
    for name, colour in colours.items():
        drawn += [_bar(x, _TOP, 12, colour, 12), _text(x + 17, _TOP + 11, name)]
        x += 32 + _LETTER * len(name)
    return drawn


def _text(x: float, y: float, text: str, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def _bar(x: float, y: float, width: float, colour: str, height: int = _BAR) -> str:
    """With a light edge, so that neighbours can be told apart without colour."""
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="{height}" '
        f'fill="{colour}" stroke="{_PAPER}"/>'
    )


def _limit(x: float, y: float) -> str:
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4}" y2="{y + _BAR + 4}" stroke="{_INK}" '
        'stroke-width="1.5" stroke-dasharray="4 2"/>'
    )


def _image(drawn: list[str], height: int, text: str) -> str:
    width = _LABELS + _BARS + _FIGURES
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="13" fill="{_INK}">'
        f'<rect width="{width}" height="{height}" rx="6" fill="{_PAPER}" stroke="{_FAINT}"/>'
        f"{''.join(drawn)}</svg>"
    )
    data = base64.b64encode(svg.encode()).decode()
    alt = escape(text.replace("\n", "; "))
    return f'<img style="max-width:100%" alt="{alt}" src="data:image/svg+xml;base64,{data}">'
