"""Reads the files of `conn_file_path` and `variable_file_path`: `.env`, `.json`, `.yaml` and `.yml`, as Airflow's local secrets backend."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.ground.config.environment import environment, replace_environment
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

_FORMATS = ".env, .json, .yaml or .yml"
_PREFIXES = {"connection": ("GNOMON_CONN_", "AIRFLOW_CONN_"), "Variable": ("GNOMON_VAR_", "AIRFLOW_VAR_")}


@contextmanager
def settings_of_files(store: PrivateStore, conn_file: str | None, variable_file: str | None) -> Iterator[None]:
    """Store what the files contain; it takes precedence over the environment inside this block.

    Raises UserError, which names the file and the line or the key, when a file is missing or not valid.
    """
    conn_ids = _store_connections(store, conn_file) if conn_file is not None else []
    keys = _store_variables(store, variable_file) if variable_file is not None else []
    before = environment()
    hidden = {
        prefix + name.upper()
        for kind, names in (("connection", conn_ids), ("Variable", keys))
        for name in names
        for prefix in _PREFIXES[kind]
    }
    taken = {name: text for name, text in before.items() if name in hidden}
    replace_environment({name: text for name, text in before.items() if name not in hidden})
    try:
        yield
    finally:
        replace_environment({**environment(), **taken})


def _store_connections(store: PrivateStore, file: str) -> list[str]:
    connections = _read(file, "connection")
    for conn_id, value in connections.items():
        if isinstance(value, list):
            if len(value) != 1:
                raise UserError(say("connection_has_several_entries", file=file, name=conn_id, number=len(value)))
            value = value[0]
        if not isinstance(value, str | dict):
            raise UserError(say("connection_is_no_mapping", file=file, name=conn_id, text=repr(value)))
        try:
            text = value if isinstance(value, str) else json.dumps(_rename_extra(value))
            store.set_connection(conn_id, Connection.from_text(text, conn_id))
        except AirflowException as error:
            raise UserError(say("file_has_error", file=file, error=str(error))) from None
    return list(connections)


def _rename_extra(fields: dict[str, Any]) -> dict[str, Any]:
    """`extra_dejson` is Airflow's name for an extra that is a mapping; `extra` may be one too."""
    fields = dict(fields)
    if "extra_dejson" in fields:
        fields["extra"] = fields.pop("extra_dejson")
    return fields


def _store_variables(store: PrivateStore, file: str) -> list[str]:
    variables = _read(file, "Variable")
    for key, value in variables.items():
        store.set_variable(
            key, value["value"] if isinstance(value, dict) and value.keys() == {"value", "description"} else value
        )
    return list(variables)


def _read(file: str, kind: str) -> dict[str, Any]:
    suffix = os.path.splitext(file)[1].lower() or os.path.basename(file)
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        raise UserError(say("settings_file_cannot_be_read", thing=kind, file=file, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise UserError(say("file_is_no_text", file=file)) from None
    if suffix == ".env":
        return dict(_iter_env(file, text, kind))
    if suffix not in (".json", ".yaml", ".yml"):
        raise UserError(say("settings_file_has_no_format", file=file, thing=kind, names=_FORMATS))
    document = _load_document(file, text, suffix)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UserError(say("settings_file_is_no_mapping", file=file, name=type(document).__name__, thing=kind))
    return {str(name): value for name, value in document.items()}


def _load_document(file: str, text: str, suffix: str) -> Any:
    if suffix == ".json":
        try:
            return json.loads(text) if text.strip() else None
        except json.JSONDecodeError as error:
            raise UserError(say("file_is_no_json", file=file, number=error.lineno, error=error.msg)) from None
    import yaml  # only files in YAML need it

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise UserError(
            say("file_is_no_yaml", file=f"{file}{line}", error=str(error.problem or error.context))
        ) from None
    except yaml.YAMLError as error:
        raise UserError(say("file_is_no_yaml", file=file, error=str(error))) from None


def _iter_env(file: str, text: str, kind: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals or not name.strip():
            raise UserError(
                say("line_is_no_assignment", file=file, number=number, thing=kind, text=stripped.split()[0])
            )
        yield name.strip(), value.strip()
