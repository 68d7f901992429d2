"""Assets, references to them and params, under Airflow's names of their classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from gnomon.authoring.sdk.serialization.allowed_classes import check_allowed
from gnomon.model.errors.authoring import DeserializationError
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_ASSETS = "airflow.sdk.definitions.asset"
_PARAM = "airflow.sdk.definitions.param.Param"
_FIELDS: dict[str, tuple[str, ...]] = {
    "Asset": ("name", "uri", "group", "extra"),
    "Dataset": ("name", "uri", "group", "extra"),
    "Model": ("name", "uri", "group", "extra"),
    "AssetAlias": ("name", "group"),
    "AssetNameRef": ("name",),
    "AssetUriRef": ("uri",),
}
_REFUSED = {
    "Connection": "It holds a password. Return its conn_id, and read it with BaseHook.get_connection(conn_id) in the other task.",
    "ConnectionModel": "It holds a password. Return its conn_id, and read it with BaseHook.get_connection(conn_id) in the other task.",
    "Variable": "It may hold a secret. Return its key, and read it with Variable.get(key) in the other task.",
}


def describe(value: object) -> StoredObject | None:
    """What is stored of an asset, an alias, a reference or a param; None for other objects of Gnomon. Raises NoStoredForm."""
    name = type(value).__name__
    if name in _REFUSED:
        raise NoStoredForm(_REFUSED[name])
    if name == "Param" and type(value).__module__ == "gnomon.authoring.sdk.arguments.params":
        return StoredObject(_PARAM, 1, cast(Any, value).serialize())
    if name not in _FIELDS or type(value).__module__ != "gnomon.authoring.sdk.assets.asset":
        return None
    if getattr(value, "watchers", None):
        raise NoStoredForm("Watchers cannot be stored: return Asset(name=..., uri=...) without them.")
    version = 1 if "extra" in _FIELDS[name] else 0
    return StoredObject(f"{_ASSETS}.{name}", version, {field: getattr(value, field) for field in _FIELDS[name]})


def find_reader(classname: str) -> Callable[[StoredObject], object] | None:
    """The function that makes an asset, an alias, a reference or a param, if the class is allowed; None for other classes."""
    reader = _find_reader(classname)
    if reader is not None:
        check_allowed(classname)
    return reader


def _find_reader(classname: str) -> Callable[[StoredObject], object] | None:
    module, _, name = classname.rpartition(".")
    if classname == f"{_ASSETS}.access_control.AssetAccessControl":
        return _read_access
    if classname == _PARAM:
        return _read_param
    return _read_asset if module == _ASSETS and name in _FIELDS else None


def _read_asset(stored: StoredObject) -> object:
    from gnomon.authoring.sdk import assets

    data: Any = stored.data
    name = stored.classname.rpartition(".")[2]
    if data.get("watchers"):
        raise DeserializationError(
            f"The stored object of class {stored.classname} has watchers, which cannot be read: return it without them."
        )
    return getattr(assets, name)(**{field: data[field] for field in _FIELDS[name] if field in data})


def _read_access(stored: StoredObject) -> object:
    """What Airflow stores with each asset: the teams that may use it. Gnomon has no teams."""
    from gnomon.authoring.sdk.assets import AssetAccessControl

    data: Any = stored.data
    return AssetAccessControl(**data)


def _read_param(stored: StoredObject) -> object:
    from gnomon.authoring.sdk.arguments.params import Param

    data: Any = stored.data
    return Param(data["value"], data.get("description"), data.get("source"), **data.get("schema", {}))
