"""Reads the named calendars of `gnomon.toml` (`[calendars.NAME]`) from the file at each call.

The options of a process do not change while it runs. Calendars are data of DAG files: when the file changes, each DAG file
that uses a calendar is parsed again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gnomon.ground.config.option import OptionError, OptionKey
from gnomon.ground.config.sources import CALENDARS, FILE_NAME, find_key_lines, read_toml


class CalendarTable(NamedTuple):
    """One `[calendars.NAME]`: its keys and values as TOML has them."""

    name: str
    values: dict[str, Any]
    file: str
    lines: dict[str, int]
    """Key to its line, where the line could be found."""

    def place(self, key: str) -> str:
        """Where `key` is set, for messages."""
        line = self.lines.get(key)
        return f"{self.file}, line {line}" if line else self.file


def read_calendar_tables(home: Path) -> dict[str, CalendarTable]:
    """Every named calendar of the home, by name in the order of the file; none when there is no file.

    Raises OptionError when the file is not valid TOML, or `calendars` does not consist of tables.
    """
    file = home / FILE_NAME
    text, whole = read_toml(file)
    calendars_of_file = whole.get(CALENDARS, {})
    if not isinstance(calendars_of_file, dict):
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("calendars_are_no_table", file=str(file), thing=repr(calendars_of_file)))
    lines = dict(find_key_lines(text))
    tables = {}
    for name, values in calendars_of_file.items():
        if not isinstance(values, dict):
            from gnomon.model.sentences import say

            raise OptionError(say("calendar_is_no_table", file=str(file), name=name, thing=repr(values)))
        section = f"{CALENDARS}.{name}".lower()
        own = {key: lines[place] for key in values if (place := OptionKey(section, key.lower())) in lines}
        tables[name] = CalendarTable(name, values, str(file), own)
    return tables
