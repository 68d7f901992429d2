"""The named calendars of `gnomon.toml`, as they are written: `[calendars.NAME]`, read from the file at each call.

A process keeps its options; calendars are data of DAG files, so a DAG file that uses one is parsed again when the file
changes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gnomon.config.option import OptionError, OptionKey
from gnomon.config.sources import CALENDARS, FILE_NAME, find_key_lines, read_toml


class CalendarTable(NamedTuple):
    """One `[calendars.NAME]`: its keys and values as TOML has them."""

    name: str
    values: dict[str, Any]
    file: str
    lines: dict[str, int]
    """Key to its line, as far as known."""

    def place(self, key: str) -> str:
        """Where `key` is set, for messages."""
        line = self.lines.get(key)
        return f"{self.file}, line {line}" if line else self.file


def read_calendar_tables(home: Path) -> dict[str, CalendarTable]:
    """Every named calendar of the home, by name in the order of the file; none when there is no file.

    ConfigMistake when the file is no TOML, or `calendars` is not made of tables.
    """
    file = home / FILE_NAME
    text, whole = read_toml(file)
    found = whole.get(CALENDARS, {})
    if not isinstance(found, dict):
        raise OptionError(f"{file}: calendars is {found!r}; write each calendar below a line such as [calendars.finance]")
    lines = dict(find_key_lines(text))
    tables = {}
    for name, values in found.items():
        if not isinstance(values, dict):
            raise OptionError(
                f"{file}: {name} = {values!r} stands in [{CALENDARS}]; write it below a line such as [calendars.finance]"
            )
        section = f"{CALENDARS}.{name}".lower()
        own = {key: lines[place] for key in values if (place := OptionKey(section, key.lower())) in lines}
        tables[name] = CalendarTable(name, values, str(file), own)
    return tables
