"""Files of connections and Variables in the formats of `airflow connections export` and `airflow variables export`: .json, .yaml, .yml and .env.

Source: Airflow's documentation, "Local Filesystem Secrets Backend" and "Exporting connections to file".
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.storable_text import find_unstorable

FORMATS = ("json", "yaml", "env")


class ExportedFileError(UserError):
    """A file of connections or Variables cannot be read; the message names the file, its line where there is one, and the remedy."""


class ExportedVariable(NamedTuple):
    """A Variable as a file has it; a value that is not a text is written as JSON."""

    value: str
    description: str | None = None


def read_connections(path: str) -> dict[str, Connection]:
    """The connections in the file by conn_id. Raises ExportedFileError.

    Each value is a URI, a text with a JSON object, or an object with the fields; a list of one of these is read as its element.
    """
    return {conn_id: _make_connection(path, conn_id, value) for conn_id, value in read_entries(path).items()}


def read_variables(path: str) -> dict[str, ExportedVariable]:
    """The Variables in the file by key. Raises ExportedFileError. An object with a `value` has the value and a `description`."""
    variables = {}
    for key, value in read_entries(path).items():
        description = None
        if isinstance(value, Mapping) and "value" in value and set(value) <= {"value", "description"}:
            value, description = value["value"], value.get("description")
        variables[key] = ExportedVariable(value if isinstance(value, str) else json.dumps(value, indent=2), description)
    return variables


def read_entries(path: str) -> dict[str, Any]:
    """The entries of the file as they are, by name. Raises ExportedFileError."""
    kind = find_format(path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ExportedFileError(
            say("file_cannot_be_read", file=str(path), error=getattr(error, "strerror", None) or "it is not UTF-8")
        ) from None
    if kind == "env":
        return _parse_env(path, text)
    entries = _parse_json(path, text) if kind == "json" else _parse_yaml(path, text)
    if entries is None:
        return {}
    if not isinstance(entries, dict):
        raise ExportedFileError(say("exported_file_is_no_object", file=str(path), thing=type(entries).__name__))
    return {str(name): value for name, value in entries.items()}


def find_format(path: str) -> str:
    """`json`, `yaml` or `env`, by the end of the file's name. Raises ExportedFileError for another end."""
    ending = os.path.splitext(path)[1] or os.path.basename(path)
    kind = {".json": "json", ".yaml": "yaml", ".yml": "yaml", ".env": "env"}.get(ending.lower())
    if kind is None:
        raise ExportedFileError(say("exported_file_has_no_format", file=str(path)))
    return kind


def format_connections(connections: Mapping[str, Connection], kind: str, *, as_json: bool = False) -> str:
    """The text of a file of the format `kind`. `as_json`: in `env`, each connection is a JSON object instead of a URI."""
    if kind == "env":
        return "".join(
            f"{conn_id}={connection.as_json() if as_json else connection.get_uri()}\n"
            for conn_id, connection in connections.items()
        )
    names = ("conn_type", "description", "login", "password", "host", "port", "schema", "extra")
    return format_entries(
        {conn_id: {name: getattr(connection, name) for name in names} for conn_id, connection in connections.items()},
        kind,
    )


def format_variables(variables: Mapping[str, ExportedVariable], kind: str) -> str:
    """The text of a file of the format `kind`. In `env`, values must have one line and descriptions are left out. Raises UserError."""
    if kind == "env":
        for key, variable in variables.items():
            if "\n" in variable.value:
                raise UserError(say("variable_has_several_lines", name=key))
        return "".join(f"{key}={variable.value}\n" for key, variable in variables.items())
    entries: dict[str, Any] = {}
    for key, variable in variables.items():
        value = _parse_value(variable.value)
        is_ambiguous = isinstance(value, dict) and "value" in value
        entries[key] = (
            {"value": value, "description": variable.description} if variable.description or is_ambiguous else value
        )
    return format_entries(entries, kind)


def format_entries(entries: Mapping[str, Any], kind: str) -> str:
    """The text of a JSON or YAML file with these entries."""
    if kind == "json":
        text = json.dumps(entries, indent=4, ensure_ascii=False) + "\n"
        return text if find_unstorable(text, stores_nul=True) is None else json.dumps(entries, indent=4) + "\n"
    import yaml  # slow to import

    return str(yaml.safe_dump(dict(entries), sort_keys=False, allow_unicode=True))


def _parse_value(text: str) -> Any:
    """The value of a Variable as an export writes it: parsed when that is JSON which reads back as the same text, else the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if not isinstance(value, str) and json.dumps(value, indent=2) == text else text


def _make_connection(path: str, conn_id: str, value: Any) -> Connection:
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    try:
        if isinstance(value, str):
            return Connection.from_text(value, conn_id)
        if isinstance(value, Mapping):
            return Connection.from_json(json.dumps({**value, "conn_id": conn_id}), conn_id)
    except (AirflowException, TypeError) as error:
        raise ExportedFileError(say("file_has_error", file=str(path), error=str(error))) from None
    raise ExportedFileError(
        say("exported_connection_is_no_object", file=str(path), conn_id=conn_id, thing=type(value).__name__)
    )


def _parse_env(path: str, text: str) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise ExportedFileError(say("exported_line_is_no_assignment", file=str(path), number=number))
        if name.strip() in entries:
            raise ExportedFileError(say("exported_name_is_twice", file=str(path), number=number, name=name.strip()))
        entries[name.strip()] = value.strip()
    return entries


def _parse_json(path: str, text: str) -> Any:
    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            twice = next(name for name, _ in pairs if [other for other, _ in pairs].count(name) > 1)
            raise ExportedFileError(say("exported_name_is_twice_in_object", file=str(path), name=twice))
        return entries

    try:
        return json.loads(text, object_pairs_hook=refuse_duplicates) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ExportedFileError(
            say("exported_file_is_no_json", file=str(path), number=error.lineno, error=error.msg)
        ) from None


def _parse_yaml(path: str, text: str) -> Any:
    import yaml  # slow to import

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise ExportedFileError(
            say(
                "exported_file_is_no_yaml",
                file=f"{path}{where}",
                error=getattr(error, "problem", None) or "cannot be read",
            )
        ) from None
