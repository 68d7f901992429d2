"""What stdout is: a terminal or not, how wide, and whether it shows colours and signs outside of ASCII."""

from __future__ import annotations

import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import TextIO

import click

from gnomon.ground.config.environment import get_variable

NO_LIMIT = 1_000_000
"""The width of an output that is no terminal."""
_UTC = "gnomon.utc"
"""The key of `--utc` in the memory of a command line."""
_PLAIN = "gnomon.plain"
"""The key of `-o plain` in the memory of a command line."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What an output can show."""

    is_terminal: bool
    width: int = NO_LIMIT
    """Columns; NO_LIMIT for an output that is no terminal."""
    height: int = NO_LIMIT
    has_colour: bool = False
    can_redraw: bool = False
    """Whether the cursor can be moved: not in a pipe, and not with TERM=dumb."""
    has_unicode: bool = True
    utc: bool = False
    """Whether times are shown in UTC: always in a pipe."""

    def wrap(self, text: str, indent: str = "") -> str:
        """The text in lines that end between words on a terminal, those after the first indented; as it is elsewhere. No word is divided."""
        if not self.is_terminal:
            return text
        parts = (
            textwrap.wrap(line, self.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
            or [""]
            for line in text.split("\n")
        )
        return "\n".join(line for part in parts for line in part)

    def paint(self, text: str, style: str) -> str:
        """The text in a style of `state_styles`, such as "red" or "bold red"; as it is on a screen without colours."""
        if not self.has_colour or not style or not text:
            return text
        *attributes, colour = style.split()
        if colour in ("bold", "dim"):
            return click.style(text, **{colour: True})
        return click.style(text, fg=colour, **dict.fromkeys(attributes, True))


def read_screen() -> Screen:
    """The screen of stdout, with the `--utc` of this command line."""
    return read_screen_of(sys.stdout)


def read_screen_of(stream: TextIO) -> Screen:
    """The screen that a stream of this process writes to.

    NO_COLOR (https://no-color.org), if it is set and not empty, switches colours off; TERM=dumb also the moves of the cursor.
    """
    has_unicode = "utf" in (getattr(stream, "encoding", None) or "ascii").lower()
    if not stream.isatty() or is_plain_asked():
        return Screen(is_terminal=False, utc=True, has_unicode=has_unicode)
    size = shutil.get_terminal_size()
    is_dumb = get_variable("TERM") in ("dumb", "unknown")
    return Screen(
        is_terminal=True,
        width=size.columns,
        height=size.lines,
        has_colour=not is_dumb and not get_variable("NO_COLOR"),
        can_redraw=not is_dumb,
        has_unicode=has_unicode,
        utc=is_utc_asked(),
    )


def is_utc_asked() -> bool:
    """Whether the command line has `--utc`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(_UTC))


def is_plain_asked() -> bool:
    """Whether the command line has `-o plain`: as in a pipe, and tables without the line below their names."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(_PLAIN))


def remember_output(context: click.Context, _: click.Parameter, output: str) -> str:
    """The callback of the option `-o`: `plain` is a table for programs that split lines."""
    if output != "plain":
        return output
    context.find_root().meta[_PLAIN] = True
    return "table"


def remember_utc(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """The callback of the option `--utc`."""
    if is_asked:
        context.find_root().meta[_UTC] = True
