"""A scenario in a file: a TOML document, each key with the line on which it stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnomon.changes.scenarios.scenario_changes import Change
from gnomon.changes.scenarios.scenario_document import read_document
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

SUFFIX = ".toml"
MAX_BYTES = 1_000_000
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_.-]|\s*"[^"\n]*"\s*|\s*'[^'\n]*'\s*)+?)\s*=""")
_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_FAULT_AT = re.compile(r"\(at line (\d+), column \d+\)")


def read_scenario_file(path: str) -> list[Change]:
    """The changes of the file; a folder of DAGs is named from the folder of the file.

    Raises UserError for a file that cannot be read, and for a key, a value or a repetition that it may not have.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UserError(say("scenario_file_is_large", file=path, most=MAX_BYTES))
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(say("scenario_file_is_not_read", file=path, error=why or "")) from None
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _refuse_syntax(path, text, str(error)) from None
    return read_document(document, _FilePlaces(path, text))


def _refuse_syntax(path: str, text: str, error: str) -> UserError:
    """The error names the key of the line, too: tomllib names a line, but not what is there twice."""
    at = _FAULT_AT.search(error)
    lines = text.splitlines()
    line = lines[int(at[1]) - 1].strip() if at is not None and int(at[1]) <= len(lines) else ""
    return UserError(say("scenario_file_is_no_toml", file=path, error=error, text=line))


class _FilePlaces:
    """Places of a file: its name, the line, the key. An item of a list has the place of the list."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._lines = path, _find_lines(text)

    def name(self, path: tuple[str, ...], item: int | None = None) -> str:
        """As `Places.name`."""
        return f"{self.name_around(path)}: {'.'.join(path)} ="

    def name_around(self, path: tuple[str, ...]) -> str:
        """As `Places.name_around`."""
        return f"{self._path}, line {_find_line(self._lines, path)}"


def _find_line(lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> int:
    """The line of the key, or of the table around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _find_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and table. Lines inside a value of several lines may be taken for keys: the first line of a key counts."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header, key = _TABLE.match(line), _KEY.match(line)
        if header is not None:
            table = _split(header[1])
            lines.setdefault(table, number)
        elif key is not None:
            path = (*table, *_split(key[1]))
            for length in range(len(path), len(table), -1):
                lines.setdefault(path[:length], number)
    return lines


def _split(key: str) -> tuple[str, ...]:
    """The parts of a key with dots and quotes; nothing if it is none."""
    try:
        value: Any = tomllib.loads(f"{key} = 0")
    except (tomllib.TOMLDecodeError, RecursionError):
        return ()
    names: list[str] = []
    while isinstance(value, dict):
        name, value = next(iter(value.items()))
        names.append(name)
    return tuple(names)
