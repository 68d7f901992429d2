"""Renders a calendar sheet as SVG: months side by side, as many as the window is wide, in light and dark colours.

CSS media rules place the months for each width, so that the same file is legible on a telephone and fills a screen. A viewer
without CSS shows _USUAL months side by side.
"""

from __future__ import annotations

import textwrap
from calendar import month_name, monthrange
from collections.abc import Iterator
from datetime import date
from html import escape

from gnomon.queries.report.pictures.calendar_sheet import CalendarSheet, DayMark

CELL_W, CELL_H = 25, 28
_MONTH_W, _MONTH_H = 7 * CELL_W + 11, 30 + 6 * CELL_H + 14
_EDGE = 12
_LINE = 18
_TITLE_CHARS, _TITLE_LINES = 42, 3
_WIDTHS = ((6, 1160), (4, 780), (3, 590), (2, 0))
"""Months side by side, and the least window width in px for them; 390 px is a telephone."""
_USUAL = 4
_LEAST_W = 390
"""The least width in px that title and legend need."""

STYLE = """
svg{background:#fff;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
text{fill:#1f2430}.title{font-size:15px;font-weight:600}.words,.key{font-size:12px}.month{font-size:13px;font-weight:600}
.week{font-size:9px;fill:#6b7280;text-anchor:middle}.n{font-size:10px;text-anchor:middle}.c{font-size:9px;text-anchor:middle;font-weight:600}
.day{fill:#f3f4f6}.end .day,.day.end{fill:#e9ebef}.out{opacity:.35}
.one{fill:#b9dcc3}.few{fill:#86c79b}.some{fill:#4fa56d}.many{fill:#276b43}.dark{fill:#fff}
.gained{fill:#9fd8b0}.lost{fill:#f3b4ae}.moved{fill:#f4d58a}.mixed{fill:#cdb7e6}.same{fill:#dde1e7}
.dot{fill:#1f2430}.clock{fill:#ea580c;stroke:#fff;stroke-width:.6}
@media (prefers-color-scheme:dark){
svg{background:#14171c}text{fill:#e6e8ec}.week{fill:#9aa3b2}.day{fill:#20252d}.day.end{fill:#2a303a}
.one{fill:#24503a}.few{fill:#2f7050}.some{fill:#4c9a70}.many{fill:#93dcb2}.dark{fill:#fff}.many+.n,.many~.dark{fill:#0d1713}
.gained{fill:#27613c}.lost{fill:#7f302b}.moved{fill:#6d5515}.mixed{fill:#54407a}.same{fill:#333a45}.dot{fill:#e6e8ec}.clock{fill:#fb923c;stroke:#14171c}}
"""


def render_calendar_svg(sheet: CalendarSheet) -> str:
    """The SVG document of a sheet."""
    header = list(_draw_header(sheet))
    top = _EDGE + _LINE * len(header) + 10
    months = sheet.months()
    foot = _LINE * (1 + _legend_lines(sheet)) + _EDGE
    width, height = _size(_USUAL, len(months), top, foot)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{escape_svg(sheet.title)}">',
        f"<title>{escape_svg(sheet.title)}</title>",
        f"<style>{STYLE}{_places(len(months), top, foot)}</style>",
        *(
            f'<text class="{kind}" x="{_EDGE}" y="{_EDGE + _LINE * (n + 1) - 5}">{escape_svg(line)}</text>'
            for n, (kind, line) in enumerate(header)
        ),
    ]
    for number, (year, month) in enumerate(months):
        x, y = _place(number, _USUAL, top)
        parts.append(f'<g class="m{number}" transform="translate({x} {y})">')
        parts += _draw_month(sheet, year, month)
        parts.append("</g>")
    x, y = _EDGE, _foot_at(_USUAL, len(months), top)
    parts += [f'<g class="foot" transform="translate({x} {y})">', *_draw_legend(sheet), "</g>", "</svg>"]
    return "\n".join(parts) + "\n"


def _draw_header(sheet: CalendarSheet) -> Iterator[tuple[str, str]]:
    yield from (("title", line) for line in _wrapped(sheet.title))
    yield from (("words", line) for line in _wrapped(sheet.words))
    yield "words", f"{sheet.first} to {sheet.last}, days of {sheet.zone_name}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _TITLE_CHARS, max_lines=_TITLE_LINES, placeholder=" …") if text else []


def _draw_month(sheet: CalendarSheet, year: int, month: int) -> Iterator[str]:
    yield f'<text class="month" x="1" y="13">{month_name[month]} {year}</text>'
    for column, letter in enumerate("MTWTFSS"):
        yield f'<text class="week" x="{column * CELL_W + 12}" y="26">{letter}</text>'
    first_column, days = monthrange(year, month)
    for number in range(1, days + 1):
        row, column = divmod(first_column + number - 1, 7)
        yield from _draw_day(sheet, date(year, month, number), column * CELL_W, 30 + row * CELL_H, column > 4)


def _draw_day(sheet: CalendarSheet, day: date, x: int, y: int, end: bool) -> Iterator[str]:
    mark = sheet.marks.get(day)
    outside = "" if sheet.first <= day <= sheet.last else ' class="out"'
    yield f'<g transform="translate({x} {y})"{outside}>'
    words = "; ".join(filter(None, [mark.words if mark else None, sheet.changes.get(day)]))
    if words:
        yield f"<title>{day}: {escape_svg(words)}</title>"
    yield from _draw_cell(mark, end, str(day.day))
    if day in sheet.changes:
        yield f'<path class="clock" d="M{CELL_W - 9} 0h7v7z"/>'
    yield "</g>"


def _draw_cell(mark: DayMark | None, end: bool, number: str) -> Iterator[str]:
    kind = mark.kind if mark else ("day end" if end else "day")
    ink = " dark" if kind in ("some", "many") else ""
    yield f'<rect class="{kind}" width="{CELL_W - 2}" height="{CELL_H - 2}" rx="4"/>'
    middle = (CELL_W - 2) // 2
    if mark is None:
        yield f'<text class="n" x="{middle}" y="17">{number}</text>'
        return
    yield f'<text class="n{ink}" x="{middle}" y="11">{number}</text>'
    if mark.text:
        yield f'<text class="c{ink}" x="{middle}" y="22">{escape_svg(mark.text)}</text>'
    else:
        yield f'<circle class="dot" cx="{middle}" cy="19" r="2.2"/>'


def _draw_legend(sheet: CalendarSheet) -> Iterator[str]:
    """The legend, two entries a line, which fit on a telephone."""
    entries = [*sheet.legend, *([DayMark("clock", "", "the clock changes")] if sheet.changes else [])]
    for number, mark in enumerate(entries):
        line, column = divmod(number, 2)
        yield f'<g transform="translate({column * 180} {line * (CELL_H + 4)})">'
        if mark.kind == "clock":
            yield f'<rect class="day" width="{CELL_W - 2}" height="{CELL_H - 2}" rx="4"/><path class="clock" d="M{CELL_W - 9} 0h7v7z"/>'
        else:
            yield from _draw_cell(mark, False, "1")
        yield f'<text class="key" x="{CELL_W + 5}" y="17">{escape_svg(mark.words)}</text></g>'


def _legend_lines(sheet: CalendarSheet) -> int:
    entries = len(sheet.legend) + bool(sheet.changes)
    return -(-(-(-entries // 2) * (CELL_H + 4)) // _LINE)


def _places(months: int, top: int, foot: int) -> str:
    """The CSS rules that place months and footer and set the height, for each width."""
    rules, below = list[str](), None
    for columns, least in _WIDTHS:
        most = "" if below is None else f" and (max-width:{below - 0.02:g}px)"
        _, height = _size(columns, months, top, foot)
        places = [f"svg{{width:100%;min-width:{_LEAST_W}px;height:{height}px}}"]
        for number in range(months):
            x, y = _place(number, columns, top)
            places.append(f".m{number}{{transform:translate({x}px,{y}px)}}")
        places.append(f".foot{{transform:translate({_EDGE}px,{_foot_at(columns, months, top)}px)}}")
        rules.append(f"@media (min-width:{least}px){most}{{{''.join(places)}}}")
        below = least
    return "\n".join(rules) + "\n"


def _place(number: int, columns: int, top: int) -> tuple[int, int]:
    row, column = divmod(number, columns)
    return _EDGE + column * _MONTH_W, top + row * _MONTH_H


def _foot_at(columns: int, months: int, top: int) -> int:
    return top + -(-months // columns) * _MONTH_H


def _size(columns: int, months: int, top: int, foot: int) -> tuple[int, int]:
    return max(_LEAST_W, 2 * _EDGE + min(columns, months) * _MONTH_W), _foot_at(columns, months, top) + foot


def escape_svg(text: str) -> str:
    """The text escaped for SVG, with a space for each control character, which XML does not allow."""
    return escape("".join(char if char.isprintable() else " " for char in text))
