"""Tables of Delta Lake and of Iceberg: what is stored is where the table is, not its rows.

Airflow stores the options of the storage and the properties of the catalog encrypted. Tasks have no key of the store here: what is a secret is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from gnomon.authoring.sdk.connections.secret_masking import should_hide_value_for_key
from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.errors.authoring import DeserializationError
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_VERSION = 1
_DELTA = "deltalake.table.DeltaTable"
_ICEBERG = "pyiceberg.table.Table"
_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]+@")
_SECRET_NAME = re.compile("key|credential|connection_string", re.IGNORECASE)
"""Names of options of storages, beside those that are sensitive everywhere."""
_ENCRYPTED = "gAAAA"
"""The first characters of a text that Airflow has encrypted."""


def describe(value: object) -> StoredObject | None:
    """What is stored of a table; None for other objects of the two libraries. Raises NoStoredForm."""
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    table: Any = value
    if name == _DELTA:
        options = dict(table._storage_options or {})
        _check_secrets(
            options,
            "storage option",
            "Set them in the environment of the tasks, or return value.table_uri and open the table with a connection.",
        )
        return StoredObject(
            name, _VERSION, {"table_uri": table.table_uri, "version": table.version(), "storage_options": options}
        )
    if name == _ICEBERG:
        return StoredObject(
            name,
            _VERSION,
            {"identifier": [table.catalog.name, *table.name()], "catalog_properties": _read_properties(table.catalog)},
        )
    return None


def _read_properties(catalog: Any) -> dict[str, str]:
    """The properties of the catalog that its name does not find in the configuration of pyiceberg."""
    from pyiceberg.utils.config import Config

    configured = Config().get_catalog_config(catalog.name) or {}
    properties = {name: text for name, text in catalog.properties.items() if configured.get(name) != text}
    _check_secrets(
        properties,
        "catalog property",
        f"Configure the catalog {catalog.name!r} for the tasks: PYICEBERG_CATALOG__NAME__PROPERTY, or .pyiceberg.yaml.",
    )
    return properties


def _check_secrets(options: Mapping[str, Any], what: str, remedy: str) -> None:
    secret = sorted(
        name
        for name, text in options.items()
        if should_hide_value_for_key(name) or _SECRET_NAME.search(name) or _PASSWORD.search(str(text))
    )
    if secret:
        raise NoStoredForm(
            f"The {what} {', '.join(map(repr, secret))} may be a secret, and XComs are not encrypted. {remedy}"
        )


def find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    """The function that opens the table; None for other classes."""
    return {_DELTA: _open_delta, _ICEBERG: _open_iceberg}.get(classname)


def _open_delta(stored: StoredObject) -> Any:
    from deltalake.table import DeltaTable

    check_version(stored, _VERSION)
    data: Any = stored.data
    _check_encryption(stored.classname, data["storage_options"])
    return DeltaTable(data["table_uri"], version=data["version"], storage_options=data["storage_options"] or None)


def _open_iceberg(stored: StoredObject) -> Any:
    from pyiceberg.catalog import load_catalog

    check_version(stored, _VERSION)
    data: Any = stored.data
    _check_encryption(stored.classname, data["catalog_properties"])
    catalog, *table = data["identifier"]
    return load_catalog(catalog, **data["catalog_properties"]).load_table(tuple(table))


def _check_encryption(classname: str, options: Mapping[str, Any]) -> None:
    if any(str(text).startswith(_ENCRYPTED) for text in options.values()):
        raise DeserializationError(
            f"The stored object of class {classname} holds options that Airflow has encrypted, and tasks have no key here: clear the task that stored it."
        )
