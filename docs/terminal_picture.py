"""Pictures of a terminal as SVG, made of what commands print; colours of ANSI are kept."""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

COLUMNS = 120
"""Width of the terminal that commands see."""
_CHAR_W, _LINE_H, _MARGIN, _FONT_PX = 7.8, 18, 14, 13
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b\][^\x07]*\x07|\r(?=\n)")


class Theme(NamedTuple):
    """Colours of a terminal."""

    background: str
    foreground: str
    prompt: str
    ansi: tuple[str, ...]
    """The eight colours of ANSI."""
    bright_black: str


DARK = Theme(
    "#1b1f27",
    "#d6dae3",
    "#7fd48a",
    ("#5c6370", "#f0787f", "#7fd48a", "#e2c27a", "#6fb1f5", "#c792ea", "#6fd0d6", "#d6dae3"),
    "#8b93a1",
)
LIGHT = Theme(
    "#ffffff",
    "#24292f",
    "#116329",
    ("#24292f", "#bc1e28", "#116329", "#875600", "#095fc8", "#7641cd", "#0f6e78", "#57606a"),
    "#57606a",
)
"""Colours that can be read on white: yellow is brown, white is grey."""


class Span(NamedTuple):
    """Text in one style."""

    text: str
    colour: str = ""
    """Of `Theme`: a number of `ansi`, `prompt` or `bright_black`; empty: the foreground."""
    bold: bool = False
    dim: bool = False


Line = list[Span]


def command_lines(command: str, output: str, columns: int = COLUMNS) -> list[Line]:
    """The prompt with the command, and the lines of its output, on a terminal with so many columns."""
    lines = [[Span("$ ", "prompt", bold=True), Span(command, bold=True)], *parse_ansi(output.rstrip("\n"))]
    return [part for line in lines for part in _wrapped(line, columns)]


def _wrapped(line: Line, columns: int) -> list[Line]:
    """The line in parts of at most so many characters, as a terminal shows it."""
    parts: list[Line] = [[]]
    room = columns
    for span in line:
        rest = span.text
        while len(rest) > room:
            parts[-1].append(span._replace(text=rest[:room]))
            parts.append([])
            rest, room = rest[room:], columns
        parts[-1].append(span._replace(text=rest))
        room -= len(rest)
    return [[span for span in part if span.text] for part in parts]


def parse_ansi(text: str) -> list[Line]:
    """Lines of styled text. Of the escape sequences, those of colours, bold and dim count; others are left out."""
    lines: list[Line] = [[]]
    style = Span("")
    place = 0
    for match in [*_ESCAPE.finditer(text), None]:
        for number, part in enumerate(text[place : match.start() if match else None].split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(style._replace(text=part))
        if match is not None:
            place = match.end()
            if match[2] == "m":
                style = _styled(style, [int(code or 0) for code in match[1].split(";")])
    return lines


def _styled(style: Span, codes: list[int]) -> Span:
    for code in codes:
        if code == 0:
            style = Span("")
        elif code in {1, 2, 22}:
            style = style._replace(bold=code == 1, dim=code == 2)
        elif code == 39:
            style = style._replace(colour="")
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(colour="bright_black" if code == 90 else str(code % 10))
    return style


def picture(title: str, lines: list[Line], theme: Theme = DARK, columns: int = 0) -> str:
    """An SVG document. `title` says what the picture shows, for readers who cannot see it. It is at least `columns` wide."""
    longest = max(columns, *(sum(len(span.text) for span in line) for line in lines))
    width, height = round(longest * _CHAR_W + 2 * _MARGIN), len(lines) * _LINE_H + 2 * _MARGIN
    rows = "\n".join(
        _row(line, _MARGIN + number * _LINE_H + _FONT_PX, theme) for number, line in enumerate(lines) if line
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{theme.background}"/>\n'
        f'<g font-family="{_FONTS}" font-size="{_FONT_PX}">\n{rows}\n</g>\n</svg>\n'
    )


def _find_colour(colour: str, theme: Theme) -> str:
    if colour.isdecimal():
        return theme.ansi[int(colour)]
    return {"prompt": theme.prompt, "bright_black": theme.bright_black}.get(colour, theme.foreground)


def _row(line: Line, y: int, theme: Theme) -> str:
    spans, column = [], 0
    for span in line:
        text = span.text.strip(" ")
        if not text:
            column += len(span.text)
            continue
        indent = len(span.text) - len(
            span.text.lstrip(" ")
        )  # as a place: some programs drop spaces at the beginning of a text
        x, length = _MARGIN + (column + indent) * _CHAR_W, len(text) * _CHAR_W
        look = (' font-weight="bold"' if span.bold else "") + (' opacity="0.65"' if span.dim else "")
        shown = escape(text).replace(" ", "\u00a0")  # SVG joins spaces, and browsers differ in how to forbid it
        spans.append(
            f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" fill="{_find_colour(span.colour, theme)}"{look}>{shown}</text>'
        )
        column += len(span.text)
    return "".join(spans)
