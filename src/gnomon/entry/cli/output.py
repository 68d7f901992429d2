"""How commands write listings: a table for people, or JSON or YAML with nothing else on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gnomon.entry.cli.terminal.guarded_output import CONTROL, escape_control
from gnomon.entry.cli.terminal.local_times import format_moment, parse_stored
from gnomon.entry.cli.terminal.reader_language import find_reader_language, name_column, put_into_words
from gnomon.entry.cli.terminal.record_table import draw_records
from gnomon.entry.cli.terminal.screen import Screen, is_plain_asked, read_screen, remember_output, remember_utc
from gnomon.entry.cli.terminal.state_styles import paint_state
from gnomon.entry.cli.terminal.text_width import measure_text, pad_text
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import to_instant

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "json", "yaml", "plain")
_COLUMN_GAP = "  "
_CONTROL = re.compile(CONTROL)
_INSTANT = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})\+00:00"
_WHOLE_INSTANT = re.compile(f"^{_INSTANT}$")
_INSTANT_IN_SENTENCE = re.compile(f"(?<=at |te |re |ce |ot |il |om |to |by |of ){_INSTANT}")
"""An instant in a sentence: after `at`, `since`, `before`, `until`, `start_date`, `end_date`, `logical date`, `slot`, `from`, `to`, `by` or `of`.

A run id that contains an instant does not match.
"""
_INSTANT_BEHIND_SPACE = re.compile(rf"(?<![\w:+-]){_INSTANT}")
"""An instant in a sentence of another language."""
_SENTENCES = (
    "reason",
    "why",
    "schedule",
    "schedule_description",
    "problem",
    "remedy",
    "found",
    "note",
    "blocked",
    "error",
)
"""The columns and fields that hold sentences."""


def output_option(command: F) -> F:
    """Add the option `-o table|json|yaml|plain` to a command, and `--utc`, which `read_screen` reads. See `format_option`."""
    return format_option()(utc_option(command))


def format_option(*others: str, text: str = "Output format.") -> Callable[[F], F]:
    """The option `-o` with the formats of listings and `others`. Its argument is `output`; of `plain` it is `table`, and tables are drawn plainly."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice((*FORMATS, *others)),
        default="table",
        show_default=True,
        callback=remember_output,
        help=text,
    )


def utc_option(command: F) -> F:
    """Add the option `--utc` to a command that shows times."""
    return click.option(
        "--utc",
        is_flag=True,
        expose_value=False,
        callback=remember_utc,
        help="Times in UTC, also on a terminal.",
    )(command)


def print_records(
    records: Sequence[DataclassInstance], output: str, columns: Sequence[str], empty: str = "none"
) -> None:
    """Write records: all their fields as JSON or YAML, or `columns` as a table. `empty` is the text for a table without rows.

    A plain table without rows is the line of the names of its columns, so that a program can always drop the first line.
    """
    rows = [asdict(record) for record in records]
    if output == "table":
        click.echo(
            draw_table(rows, _without_map_index(rows, columns), read_screen()) if rows or is_plain_asked() else empty
        )
    else:
        print_document(rows, output)


def draw_table(rows: Sequence[Mapping[str, object]], columns: Sequence[str], screen: Screen) -> str:
    """A table that fits a terminal; in a pipe one line a row and times in UTC."""
    return (
        draw_records(rows, columns, screen, _format_column_cell) if screen.is_terminal else format_table(rows, columns)
    )


def _without_map_index(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> list[str]:
    """The columns; without `map_index` when no row has one."""
    return [
        column
        for column in columns
        if column != "map_index" or is_plain_asked() or any(row[column] != UNMAPPED for row in rows)
    ]


def _format_column_cell(column: str, value: object) -> str:
    if column == "map_index" and value == UNMAPPED:
        return "-" if is_plain_asked() else ""  # a program that splits lines needs a text in each column
    if column in _SENTENCES and isinstance(value, str):
        return format_cell(put_into_words(value))
    return _to_line(value) if column.endswith("_id") else format_cell(value)


def print_document(value: object, output: str) -> None:
    """Write one value as JSON or YAML."""
    if output == "json":
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        import yaml  # costs more than a short command

        click.echo(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=sys.maxsize), nl=False)


def format_table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Aligned columns under their names, one line a row. No value is shortened, so that the output can be searched."""
    heads = list(map(name_column, columns))
    cells = [[_format_column_cell(column, row[column]) for column in columns] for row in rows]
    widths = [max(measure_text(line[i]) for line in [heads, *cells]) for i in range(len(columns))]
    rule = [] if is_plain_asked() else [["-" * width for width in widths]]
    return "\n".join(_format_line(line, widths) for line in [heads, *rule, *cells])


def format_fields(pairs: Sequence[tuple[str, object]]) -> str:
    """`name  value` lines, names aligned; pairs whose value is None or an empty text are left out. Times as `read_screen` says."""
    screen = read_screen()
    shown = [
        (name_column(name), _format_field(name, value, screen))
        for name, value in pairs
        if value is not None and value != ""
    ]
    width = max((measure_text(name) for name, _ in shown), default=0)
    return "\n".join(f"{pad_text(name, width)}{_COLUMN_GAP}{value}".rstrip() for name, value in shown)


def format_cell(value: object) -> str:
    """A value as one line of text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return name_column("yes" if value else "no")
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_to_line, value)) or "-"
    if isinstance(value, dict):
        return _to_line(json.dumps(value, ensure_ascii=False))
    return _WHOLE_INSTANT.sub(_shorten_instant, _to_line(value))


def format_sentence(text: str) -> str:
    """A sentence of `gnomon.queries.report` or of the engine in the language of the reader, with its instants in the short form; on a terminal in local time with its offset."""
    screen = read_screen()
    safe = put_into_words(escape_controls(text))
    instants = _INSTANT_IN_SENTENCE if find_reader_language() is None else _INSTANT_BEHIND_SPACE
    return instants.sub(_shorten_instant if not screen.is_terminal or screen.utc else _localize_instant, safe)


def _localize_instant(instant: re.Match[str]) -> str:
    """The local time in ISO 8601, which commands take as an argument."""
    moment = parse_stored(instant[0])
    assert moment is not None
    return moment.astimezone().replace(microsecond=0).isoformat()


def _format_field(name: str, value: object, screen: Screen) -> str:
    moment = parse_stored(value) if screen.is_terminal and not screen.utc else None
    if moment is not None:
        return format_moment(to_instant(moment), screen)
    text = format_cell(value)
    return paint_state(screen, text) if name == "state" else text


def _to_line(value: object) -> str:
    return "-" if value is None else _CONTROL.sub(escape_control, " ".join(str(value).split("\n")))


def escape_controls(text: str) -> str:
    """A text with line ends and tabs, without what controls the terminal otherwise: an author or a worker may have written it."""
    return _CONTROL.sub(lambda control: control[0] if control[0] in "\n\t" else escape_control(control), text)


def _shorten_instant(instant: re.Match[str]) -> str:
    """The short form of an instant: Z for UTC, milliseconds only when they are not zero."""
    milliseconds = instant[2][:3]
    return f"{instant[1]}{'' if milliseconds == '000' else '.' + milliseconds}Z"


def _format_line(values: Sequence[str], widths: Sequence[int]) -> str:
    return _COLUMN_GAP.join(pad_text(value, width) for value, width in zip(values, widths, strict=True)).rstrip()
