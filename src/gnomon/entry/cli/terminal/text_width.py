"""How many columns of a terminal a text takes: two for a Chinese, Japanese or Korean character."""

from __future__ import annotations

import textwrap
import unicodedata

_WIDE = ("W", "F")


def measure_text(text: str) -> int:
    """The columns that the text takes."""
    return len(text) if text.isascii() else sum(map(_measure_character, text))


def pad_text(text: str, width: int) -> str:
    """The text with spaces behind it, up to so many columns."""
    return text + " " * max(0, width - measure_text(text))


def wrap_text(text: str, width: int) -> list[str]:
    """The text in lines of so many columns; a text with wide characters, which has few spaces, is divided between any two."""
    if measure_text(text) == len(text):
        return textwrap.wrap(text, width, break_on_hyphens=False)
    lines, line, taken = [], "", 0
    for character in text:
        taken += _measure_character(character)
        if taken > width and line:
            lines.append(line.rstrip())
            line, taken = "", _measure_character(character)
        line += character if line or character != " " else ""
    return [*lines, line.rstrip()] if line else lines


def _measure_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
