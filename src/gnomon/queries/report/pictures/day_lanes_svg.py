"""Renders the waits between DAGs on one day as SVG: a panel for each dependency, side by side when the window is wide enough.

The lines of a run are highlighted under the pointer, and its tooltip lists the slots that it waits for.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gnomon.queries.report.pictures.calendar_svg import escape_svg
from gnomon.queries.report.waits.day_lanes import LaneLink, LaneMark, LanePanel
from gnomon.queries.report.waits.edge_wording import rule_words_of

WIDTH = 366
"""Width of a panel in px: with its margins it fits a telephone of 390 px."""
_EDGE, _LINE = 12, 16
_LEFT_X, _RIGHT_X = 112, 286
_TITLE_CHARS, _LEGEND_CHARS, _NAME_CHARS = 48, 54, 25
_MAX_COLUMNS = 3
_HEAD = 30
"""Height in px of the names above the lanes."""

STYLE = """
svg{background:#fff;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
text{fill:#1f2430;font-size:11px}.title{font-size:15px;font-weight:600}.words,.key{font-size:12px}.edge{font-size:13px;font-weight:600}
.name{font-weight:600}.day{font-weight:600}.tick{font-size:9px;fill:#6b7280}.grid{stroke:#e5e7eb}.band{fill:#f3f4f6}
.run,.upstream{fill:#1f2430}.free{fill:#fff;stroke:#1f2430;stroke-width:1.4}.idle text{fill:#6b7280}
path.link{fill:none;stroke-width:1.3;opacity:.75}g.one:hover path.link{stroke-width:3;opacity:1}
.whole_day,.span,.same_hour,.backward{stroke:#2563eb}.one_to_one{stroke:#0f766e}.previous{stroke:#92400e}
.carried,.nearest{stroke:#9333ea;stroke-dasharray:5 3}.forward{stroke:#ea580c;stroke-dasharray:2 2.5}
@media (prefers-color-scheme:dark){
svg{background:#14171c}text{fill:#e6e8ec}.tick,.idle text{fill:#9aa3b2}.grid{stroke:#2a303a}.band{fill:#20252d}
.run,.upstream{fill:#e6e8ec}.free{fill:#14171c;stroke:#e6e8ec}
.whole_day,.span,.same_hour,.backward{stroke:#60a5fa}.one_to_one{stroke:#2dd4bf}.previous{stroke:#fbbf24}
.carried,.nearest{stroke:#c084fc}.forward{stroke:#fb923c}}
"""


def render_day_lanes_svg(title: str, words: str, panels: Sequence[LanePanel]) -> str:
    """The SVG document of the panels. `words`: the line below the title."""
    header = [("title", line) for line in textwrap.wrap(title, _TITLE_CHARS - 6)] + [("words", words)]
    top = _EDGE + 20 * len(header) + 8
    drawn = [list(_draw_panel(panel)) for panel in panels]
    heights = [_height(panel) for panel in panels]
    width, height = _size(min(2, len(panels)), heights, top)
    description = " ".join(f"{panel.title}. {panel.words}." for panel in panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{escape_svg(title)}">',
        f"<title>{escape_svg(title)}</title>",
        f"<desc>{escape_svg(description)}</desc>",
        f"<style>{STYLE}{_places(heights, top)}</style>",
        *(
            f'<text class="{kind}" x="{_EDGE}" y="{_EDGE + 20 * (n + 1) - 5}">{escape_svg(line)}</text>'
            for n, (kind, line) in enumerate(header)
        ),
    ]
    for number, lines in enumerate(drawn):
        x, y = _place(number, min(2, len(panels)), heights, top)
        parts += [f'<g class="p{number}" transform="translate({x} {y})">', *lines, "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_panel(panel: LanePanel) -> Iterator[str]:
    title = _wrapped(panel.title, _TITLE_CHARS)
    for number, line in enumerate(title):
        yield f'<text class="edge" y="{_LINE * (number + 1) - 3}">{escape_svg(line)}</text>'
    top = _LINE * len(title) + _HEAD
    yield f'<text class="name" x="6" y="{top - 11}">{_name(panel.left)}</text>'
    yield f'<text class="name" x="{WIDTH - 6}" y="{top - 11}" text-anchor="end">{_name(panel.right)}</text>'
    yield f'<g transform="translate(0 {top})">'
    yield from _draw_axis(panel)
    for mark, links in panel.runs:
        yield from _draw_run(mark, links)
    for mark in panel.slots:
        yield from _draw_mark(mark, "upstream", _RIGHT_X, 9, "start")
    yield "</g>"
    yield from _draw_legend(panel, top + round(panel.height) + 4)


def _draw_axis(panel: LanePanel) -> Iterator[str]:
    for y, text in panel.days:
        yield f'<rect class="band" y="{_px(y)}" width="{WIDTH}" height="18" rx="4"/><text class="day" x="6" y="{_px(y + 13)}">{text}</text>'
    for y, text in panel.ticks:
        yield f'<path class="grid" d="M30 {_px(y)}H{WIDTH}"/><text class="tick" y="{_px(y + 3)}">{text}</text>'


def _draw_run(mark: LaneMark, links: Sequence[LaneLink]) -> Iterator[str]:
    yield '<g class="one">'
    for link in links:
        yield f'<path class="link {link.rule}" d="{_draw_curve(link)}"/>'
    yield from _draw_mark(mark, "run", _LEFT_X, -9, "end")
    yield "</g>"


def _draw_curve(link: LaneLink) -> str:
    bend = (_RIGHT_X - _LEFT_X) // 3
    return f"M{_LEFT_X} {_px(link.left_y)}C{_LEFT_X + bend} {_px(link.left_y)} {_RIGHT_X - bend} {_px(link.right_y)} {_RIGHT_X} {_px(link.right_y)}"


def _draw_mark(mark: LaneMark, kind: str, x: int, label_dx: int, anchor: str) -> Iterator[str]:
    """A dot, or a bar for the runs of an hour; hollow without a line."""
    shape = kind if mark.waits else "free"
    yield ("<g>" if mark.waits else '<g class="idle">') + f"<title>{escape_svg(mark.words)}</title>"
    if mark.count > 1:
        yield f'<rect class="{shape}" x="{x - 3.5}" y="{_px(mark.y - 6)}" width="7" height="12" rx="2"/>'
    else:
        yield f'<circle class="{shape}" cx="{x}" cy="{_px(mark.y)}" r="3.4"/>'
    yield f'<text x="{x + label_dx}" y="{_px(mark.y + 4)}" text-anchor="{anchor}">{escape_svg(mark.label)}</text></g>'


def _draw_legend(panel: LanePanel, top: int) -> Iterator[str]:
    line = 0
    for rule, lines in _entries(panel):
        y = top + _LINE * line + 12
        if rule == "none":
            yield f'<circle class="free" cx="11" cy="{y - 4}" r="3.4"/>'
        else:
            yield f'<path class="link {rule}" d="M0 {y - 4}H22"/>'
        for number, text in enumerate(lines):
            yield f'<text class="key" x="30" y="{y + number * _LINE}">{escape_svg(text)}</text>'
        line += len(lines)


def _entries(panel: LanePanel) -> Iterator[tuple[str, list[str]]]:
    for rule in panel.rules:
        words = rule_words_of(rule)
        yield rule, textwrap.wrap(f"{words.name}: {words.meaning}", _LEGEND_CHARS)


def _height(panel: LanePanel) -> int:
    legend = sum(len(lines) for _, lines in _entries(panel))
    return _LINE * (len(_wrapped(panel.title, _TITLE_CHARS)) + legend) + _HEAD + round(panel.height) + 12


def _places(heights: Sequence[int], top: int) -> str:
    """The CSS rules that place the panels and set the height, for each width."""
    rules, below = list[str](), None
    for columns in range(min(_MAX_COLUMNS, len(heights)), 0, -1):
        least = 0 if columns == 1 else _size(columns, heights, top)[0]
        most = "" if below is None else f" and (max-width:{below - 0.02:g}px)"
        places = [f"svg{{width:100%;min-width:{WIDTH + 2 * _EDGE}px;height:{_size(columns, heights, top)[1]}px}}"]
        for number in range(len(heights)):
            x, y = _place(number, columns, heights, top)
            places.append(f".p{number}{{transform:translate({x}px,{y}px)}}")
        rules.append(f"@media (min-width:{least}px){most}{{{''.join(places)}}}")
        below = least
    return "\n".join(rules) + "\n"


def _place(number: int, columns: int, heights: Sequence[int], top: int) -> tuple[int, int]:
    row, column = divmod(number, columns)
    above = sum(max(heights[first : first + columns]) + 2 * _EDGE for first in range(0, row * columns, columns))
    return _EDGE + column * (WIDTH + 2 * _EDGE), top + above


def _size(columns: int, heights: Sequence[int], top: int) -> tuple[int, int]:
    _, last = _place((len(heights) - 1) // columns * columns, columns, heights, top)
    return columns * (WIDTH + 2 * _EDGE), last + max(heights[(len(heights) - 1) // columns * columns :]) + _EDGE


def _wrapped(text: str, chars: int) -> list[str]:
    return textwrap.wrap(text, chars, max_lines=4, placeholder=" …")


def _px(height: float) -> str:
    return f"{round(height, 1):.6g}"


def _name(text: str) -> str:
    """The name above a lane; a long name is shortened in the middle."""
    half = (_NAME_CHARS - 1) // 2
    return escape_svg(text if len(text) <= _NAME_CHARS else f"{text[:half]}…{text[-half:]}")
