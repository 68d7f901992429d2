"""Tables and lists in Markdown, for the text of a merge request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gnomon.entry.cli.output import format_cell, format_sentence

ROWS_MAX = 200
"""Most rows of a table: a merge request takes a text of some length only."""
_SPECIAL = re.compile(r"([\\`*_<>|\[\]~#])")


def format_markdown(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """A table with these columns, with a line end behind it."""
    lines = [columns, ["---"] * len(columns)]
    lines += [[_escape(format_cell(row[column])) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def format_list(sentences: Iterable[str]) -> str:
    """A list of sentences; nothing without one."""
    return "".join(f"- {_escape(' '.join(format_sentence(sentence).split()))}\n" for sentence in sentences)


def _escape(text: str) -> str:
    """The text without a meaning in Markdown or HTML."""
    return _SPECIAL.sub(r"\\\1", text)
