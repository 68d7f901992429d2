"""A scenario in a file: TOML with the keys of `scenario_changes.KINDS`, each with the line on which it stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gnomon.entry.projection.scenario_changes import KINDS, Change, read_change, refuse_twice
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
    lines = _find_lines(text)
    changes = [change for key, value in document.items() for change in _read_key(path, lines, key, value)]
    refuse_twice(changes)
    return changes


def _refuse_syntax(path: str, text: str, error: str) -> UserError:
    """The error names the key of the line, too: tomllib names a line, but not what is there twice."""
    at = _FAULT_AT.search(error)
    lines = text.splitlines()
    line = lines[int(at[1]) - 1].strip() if at is not None and int(at[1]) <= len(lines) else ""
    return UserError(say("scenario_file_is_no_toml", file=path, error=error, text=line))


def _read_key(path: str, lines: Mapping[tuple[str, ...], int], key: str, value: Any) -> Iterator[Change]:
    kind = KINDS.get(key)
    if kind is None:
        line = _find_line(lines, (key,))
        raise UserError(
            say("scenario_key_is_unknown", file=path, number=str(line), key=key, names=", ".join(sorted(KINDS)))
        )
    place = f"{path}, line {_find_line(lines, (key,))}: {key} ="
    if kind.shape == "one":
        yield read_change(key, "", value, place)
    elif kind.shape == "list":
        if not isinstance(value, list):
            raise UserError(
                say("scenario_key_takes_list", option=place, example=f'{key} = ["{kind.example.strip(chr(39))}"]')
            )
        for name in value:
            yield read_change(key, name if isinstance(name, str) else "", name, place)
    elif not isinstance(value, dict):
        name, _, example = kind.example.rpartition("for example ")[2].partition(",")[0].partition("=")
        raise UserError(say("scenario_key_takes_table", option=place, key=key, example=f'"{name}" = {_quote(example)}'))
    else:
        for names, single in _walk((), value):
            line = _find_line(lines, (key, *names))
            yield read_change(key, ".".join(names), single, f"{path}, line {line}: {key}.{'.'.join(names)} =")


def _quote(example: str) -> str:
    return example if example.isdigit() else '"' + example.strip("'") + '"'


def _walk(names: tuple[str, ...], value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values under a table. A name with dots may be quoted or not: TOML makes tables of one that is not."""
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from _walk((*names, name), inner)
        else:
            yield (*names, name), inner


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
