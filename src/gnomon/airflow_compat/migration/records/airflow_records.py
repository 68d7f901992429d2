"""What an Airflow installation has stored, read from its export files: `airflow connections export`, `variables export`, `pools export`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.exported_files import (
    ExportedFileError,
    ExportedVariable,
    find_format,
    read_connections,
    read_entries,
    read_variables,
)
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

KINDS = ("connections", "variables", "pools")
_URI = re.compile(r"^[A-Za-z][\w+.-]*://")


class AirflowPool(NamedTuple):
    """A pool of Airflow."""

    slots: int
    description: str = ""
    include_deferred: bool = False


@dataclass(slots=True)
class AirflowRecords:
    """Everything that was read, and what could not be."""

    connections: dict[str, Connection] = field(default_factory=dict)
    variables: dict[str, ExportedVariable] = field(default_factory=dict)
    pools: dict[str, AirflowPool] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    """A sentence for each record that cannot be imported."""


def read_export_file(path: str, kind: str | None, records: AirflowRecords) -> str:
    """Add the records of the file; return their kind. `kind`: one of KINDS, or None to find it out.

    Raises UserError when the file cannot be read, or when its kind cannot be told.
    """
    kind = kind or _find_kind(path)
    if kind == "connections":
        for conn_id, connection in read_connections(path).items():
            if connection.conn_type:
                records.connections[conn_id] = connection
            else:
                records.skipped.append(f"{path}: connection {conn_id!r} has no conn_type")
    elif kind == "variables":
        records.variables.update(read_variables(path))
    else:
        records.pools.update(_read_pools(path))
    return kind


def _find_kind(path: str) -> str:
    """The kind of records, by the name of the file or by the form of its entries."""
    named = [kind for kind in KINDS if kind.removesuffix("s") in Path(path).name.lower()]
    if len(named) == 1:
        return named[0]
    entries = read_entries(path)
    values = list(entries.values())
    if values and all(isinstance(value, Mapping) and "slots" in value for value in values):
        return "pools"
    if values and all(isinstance(value, Mapping) and "conn_type" in value for value in values):
        return "connections"
    if (
        find_format(path) == "env"
        or any(isinstance(value, str) and _URI.match(value) for value in values)
        or not values
    ):
        raise UserError(say("kind_of_records_is_not_known", file=str(path)))
    return "variables"


def _read_pools(path: str) -> dict[str, AirflowPool]:
    return {name: build_pool(path, name, value) for name, value in read_entries(path).items()}


def build_pool(place: str, name: str, value: Any) -> AirflowPool:
    """Return the pool that an entry describes. Raises ExportedFileError for one without a number of slots."""
    slots = value.get("slots") if isinstance(value, Mapping) else None
    if isinstance(slots, bool) or not isinstance(slots, int) or slots < -1:
        raise ExportedFileError(say("exported_pool_is_no_object", place=place, name=name))
    return AirflowPool(slots, str(value.get("description") or ""), bool(value.get("include_deferred")))
