"""Tables of records on a terminal: as wide as it, in colour, and without a shortened value.

In a table that is too wide, sentences are wrapped and empty columns are left out; then columns are left out (those of `LEAST_NEEDED`, which
a line below the table names) and ids are wrapped; and where that is not enough, each record is a block of `name  value` lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gnomon.entry.cli.terminal.local_times import ColumnTimes
from gnomon.entry.cli.terminal.reader_language import name_column
from gnomon.entry.cli.terminal.screen import Screen
from gnomon.entry.cli.terminal.state_styles import find_style
from gnomon.entry.cli.terminal.text_width import measure_text, pad_text, wrap_text

GAP = "  "
LEAST_NEEDED = (
    "file",
    "run_type",
    "owner",
    "description",
    "tags",
    "operator",
    "trigger_rule",
    "start_date",
    "host",
    "next_run",
    "end_date",
    "run_after",
)
"""Columns that a narrow table leaves out, the first one first."""
_TEXT_MIN = 20
"""A column of sentences is wrapped to no less than this width."""
_ID_MIN = 16
"""A column of ids is wrapped to no less than this width."""
_WRAPPED = ("reason", "message", "value", "warning", "subject", "why", "sentence", "sentences", "error")
"""Columns of sentences, which may be wrapped."""
_STATES = ("state", "last_run_state", "previous_state")

Cells = dict[str, list[str]]
"""The texts of each column, by the name of the column."""


def draw_records(
    rows: Sequence[Mapping[str, object]],
    columns: Sequence[str],
    screen: Screen,
    format_cell: Callable[[str, object], str],
) -> str:
    """The rows as a table or as blocks of lines. `format_cell` makes the text of a value that is no time, given its column."""
    heads: dict[str, str] = {}
    cells: Cells = {}
    for column in columns:
        times = ColumnTimes((row[column] for row in rows), screen)
        name = name_column(column)
        heads[column] = f"{name} ({times.zone})" if times.zone else name
        cells[column] = [times.format(row[column]) or format_cell(column, row[column]) for row in rows]
    left_out = _choose_left_out(heads, cells, screen.width)
    shown = [column for column in columns if column not in left_out]
    widths = _fit(heads, {column: cells[column] for column in shown}, screen.width)
    if widths is None:
        return _draw_blocks(heads, cells, screen)
    lines = [screen.paint(_join([heads[column] for column in shown], list(widths.values())), "bold")]
    for index in range(len(rows)):
        lines += _draw_row({column: cells[column][index] for column in shown}, widths, screen)
    named = [column for column in left_out if set(cells[column]) - {"-", ""}]
    if named:
        note = wrap_text(
            f"not shown in {screen.width} columns: {', '.join(named)}; -o json has all fields", screen.width
        )
        lines += [screen.paint(line, "bright_black") for line in note]
    return "\n".join(lines)


def _choose_left_out(heads: Mapping[str, str], cells: Cells, width: int) -> list[str]:
    """The columns to leave out so that the others fit: none if that does not suffice."""

    def fits(left_out: Sequence[str]) -> bool:
        shown_cells = {name: texts for name, texts in cells.items() if name not in left_out}
        return _fit(heads, shown_cells, width, wraps_ids=bool(left_out) or not empty) is not None

    empty = [column for column, texts in cells.items() if set(texts) <= {"-", ""}]
    candidates = [
        *empty,
        *(column for column in LEAST_NEEDED if column in heads and column not in (next(iter(heads)), *empty)),
    ]
    count = next((count for count in (0, *range(len(empty), len(candidates) + 1)) if fits(candidates[:count])), 0)
    left_out = candidates[:count]
    for column in reversed(candidates[len(empty) : count]):
        without = [name for name in left_out if name != column]
        left_out = without if fits(without) else left_out
    return left_out


def _fit(heads: Mapping[str, str], cells: Cells, width: int, *, wraps_ids: bool = True) -> dict[str, int] | None:
    """The width of each column, with sentences and then ids narrowed as far as they may be; None when the table is too wide."""
    widths = {column: max(measure_text(heads[column]), *map(measure_text, texts)) for column, texts in cells.items()}
    excess = sum(widths.values()) + len(GAP) * (len(widths) - 1) - width
    by_width = sorted(widths, key=lambda column: -widths[column])
    narrowed = [(column, _TEXT_MIN) for column in by_width if column in _WRAPPED]
    narrowed += [(column, _ID_MIN) for column in by_width if column.endswith("_id") and wraps_ids]
    for column, least in narrowed:
        taken = min(max(excess, 0), max(0, widths[column] - max(least, measure_text(heads[column]))))
        widths[column] -= taken
        excess -= taken
    return None if excess > 0 else widths


def _draw_row(texts: Mapping[str, str], widths: Mapping[str, int], screen: Screen) -> list[str]:
    parts = {column: wrap_text(text, widths[column]) or [""] for column, text in texts.items()}
    lines = []
    for number in range(max(map(len, parts.values()))):
        line = [part[number] if number < len(part) else "" for part in parts.values()]
        painted = [
            _paint(column, text, screen) + " " * (widths[column] - measure_text(text))
            for column, text in zip(parts, line, strict=True)
        ]
        lines.append(GAP.join(painted).rstrip())
    return lines


def _draw_blocks(heads: Mapping[str, str], cells: Cells, screen: Screen) -> str:
    """A block of lines for each record, without the values that are missing."""
    width = max(map(measure_text, heads.values()))
    blocks = []
    for index in range(len(next(iter(cells.values())))):
        pairs = [(column, texts[index]) for column, texts in cells.items() if texts[index] not in ("-", "")]
        blocks.append(
            "\n".join(_draw_field(pad_text(heads[column], width), column, text, screen) for column, text in pairs)
        )
    return "\n\n".join(blocks)


def _draw_field(head: str, column: str, text: str, screen: Screen) -> str:
    """The line of one value. A sentence is wrapped beside its name; another value stays in one piece, so that it can be copied."""
    room = screen.width - measure_text(head) - len(GAP)
    lines = wrap_text(text, room) if column in _WRAPPED and room >= _ID_MIN else [text]
    return f"{screen.paint(head, 'bold')}{GAP}{_paint(column, lines[0], screen)}" + "".join(
        f"\n{'':<{measure_text(head)}}{GAP}{line}" for line in lines[1:]
    )


def _paint(column: str, text: str, screen: Screen) -> str:
    if column in _STATES:
        return screen.paint(text, find_style(text).style)
    return text


def _join(values: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(pad_text(value, width) for value, width in zip(values, widths, strict=True)).rstrip()
