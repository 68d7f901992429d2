"""Stores: a file system of fsspec for a protocol and a connection, from `attach`, a provider package, or fsspec itself."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import Any, ClassVar

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.provider_packages import list_filesystem_modules
from gnomon.authoring.sdk.storage.connection_login import build_login_options, has_login_options

MISSING = "it needs the packages universal_pathlib and fsspec: pip install 'gnomon[object-storage]'"

try:
    import fsspec
except ImportError as error:
    raise ImportError(f"Object storage cannot be used: {MISSING}") from error

_LOCAL = ("file", "local")


class ObjectStore:
    """A file system or an object store, for a protocol and a connection. Make one with `attach`."""

    __version__: ClassVar[int] = 1

    def __init__(
        self, protocol: str, conn_id: str | None, fs: Any = None, storage_options: Mapping[str, Any] | None = None
    ) -> None:
        self.protocol = protocol
        self.conn_id = conn_id
        self.storage_options = storage_options
        if fs is not None:
            self.fs = fs

    def __str__(self) -> str:
        return f"{self.protocol}-{self.conn_id}" if self.conn_id else self.protocol

    @cached_property
    def fs(self) -> Any:
        """The file system of fsspec."""
        return get_fs(self.protocol, self.conn_id, self.storage_options)

    @property
    def fsid(self) -> str:
        """A text that is equal for equal stores."""
        try:
            return str(self.fs.fsid)
        except NotImplementedError:
            return f"{self.fs.protocol}-{self.conn_id or 'env'}"

    def serialize(self) -> dict[str, Any]:
        """Return the store as plain data, in Airflow's form."""
        cls = type(self.fs)
        return {
            "protocol": self.protocol,
            "conn_id": self.conn_id,
            "filesystem": f"{cls.__module__}.{cls.__qualname__}",
            "storage_options": self.storage_options,
        }

    @classmethod
    def deserialize(cls, data: Mapping[str, Any], version: int) -> ObjectStore:
        """Return the store that `serialize` wrote. Raises ValueError for a newer version, or a protocol without a file system."""
        if version > cls.__version__:
            raise ValueError(f"Cannot deserialize version {version} for {cls.__name__}")
        alias = f"{data['protocol']}-{data['conn_id']}" if data["conn_id"] else data["protocol"]
        if alias in _stores:
            return _stores[alias]
        if not has_fs(data["protocol"]) and data.get("filesystem"):
            raise ValueError(
                f"No attached filesystem found for {data['filesystem']} with protocol {data['protocol']}. "
                "Please use attach() for this protocol and filesystem."
            )
        return attach(data["protocol"], data["conn_id"], storage_options=data.get("storage_options"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectStore):
            return NotImplemented
        return self.conn_id == other.conn_id and bool(self.fs == other.fs)

    def __hash__(self) -> int:
        return hash((self.conn_id, self.fsid))


_stores: dict[str, ObjectStore] = {}


def attach(
    protocol: str | None = None,
    conn_id: str | None = None,
    alias: str | None = None,
    encryption_type: str | None = "",
    fs: Any = None,
    **kwargs: Any,
) -> ObjectStore:
    """Return the store of that protocol and connection; it is made, with the file system `fs` if that is given, when it is new.

    Raises ValueError without a protocol, unless `alias` names a store. `encryption_type` has no effect, as in Airflow, and warns.
    """
    if encryption_type:
        warnings.warn(
            "attach(encryption_type=...) has no effect: set the encryption in the connection or the file system",
            stacklevel=2,
        )
    if alias and alias in _stores:
        return _stores[alias]
    if not protocol:
        raise ValueError(
            f"No registered store with alias: {alias}" if alias else "No protocol specified and no alias provided"
        )
    name = alias or (f"{protocol}-{conn_id}" if conn_id else protocol)
    if name not in _stores:
        _stores[name] = ObjectStore(protocol, conn_id, fs, **kwargs)
    return _stores[name]


def has_fs(scheme: str) -> bool:
    """Return whether there is a file system for the scheme."""
    return scheme in _LOCAL or scheme in _list_provider_schemes() or scheme in fsspec.available_protocols()


def get_fs(scheme: str, conn_id: str | None = None, storage_options: Mapping[str, Any] | None = None) -> Any:
    """Return the file system for a scheme, with the login of the connection.

    Raises ValueError for a scheme that no provider package and no file system of fsspec serves, AttributeError for options that
    the provider's file system does not take.
    """
    options = dict(storage_options or {})
    make = _list_provider_schemes().get(scheme)
    if make is None:
        return _get_plain_fs(scheme, conn_id, options)
    if len(inspect.signature(make).parameters) == 1:
        if options:
            raise AttributeError(
                f"Filesystem {scheme} does not support storage options, but options were passed: {sorted(options)}."
            )
        return make(conn_id)
    return make(conn_id, options)


def _get_plain_fs(scheme: str, conn_id: str | None, options: dict[str, Any]) -> Any:
    if conn_id is not None and has_login_options(scheme):
        options = {**build_login_options(scheme, Connection.get(conn_id)), **options}
    elif conn_id is not None and scheme not in _LOCAL:
        raise ValueError(
            f"No filesystem registered for scheme {scheme} can use the connection {conn_id!r}. Install the provider package of the store."
        )
    if not has_fs(scheme):
        raise ValueError(f"No filesystem registered for scheme {scheme}. Install the provider package of the store.")
    try:
        return fsspec.filesystem("file" if scheme == "local" else scheme, **options)
    except ImportError as error:
        raise ValueError(
            f"The filesystem of scheme {scheme} needs a package that is not installed: {error}. Install the extra of the store, such as gnomon[s3]."
        ) from error


@cache
def _list_provider_schemes() -> dict[str, Callable[..., Any]]:
    """Scheme to the `get_fs` of the provider package that serves it."""
    factories: dict[str, Callable[..., Any]] = {}
    for name in list_filesystem_modules():
        module = import_module(name)
        for scheme in getattr(module, "schemes", ()):
            factories[scheme] = module.get_fs
    return factories
