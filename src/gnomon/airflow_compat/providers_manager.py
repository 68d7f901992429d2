"""`ProvidersManager`: the installed provider packages and their hooks, for code of provider packages."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gnomon.authoring.sdk.connections import provider_packages

_log = logging.getLogger("airflow.providers_manager")


class HookInfo(NamedTuple):
    """The hook of one type of connection."""

    hook_class_name: str
    connection_id_attribute_name: str
    package_name: str
    hook_name: str
    connection_type: str
    connection_testable: bool
    dialects: tuple[str, ...] = ()


class DialectInfo(NamedTuple):
    """The SQL dialect of one kind of database."""

    name: str
    dialect_class_name: str
    provider_name: str


class ProvidersManager:
    """The installed provider packages. They are looked up once in a process, and all objects share the result."""

    @property
    def providers(self) -> Mapping[str, provider_packages.ProviderPackage]:
        """Version and description of each package, by package name."""
        return provider_packages.load_provider_packages().packages

    @property
    def hooks(self) -> Mapping[str, HookInfo | None]:
        """The hook of each connection type. A hook is imported when its item is read; None when the import fails."""
        return _HookMapping(
            {
                item["connection-type"]: (name, item)
                for name, item in provider_packages.iter_provided("connection-types")
            }
        )

    @property
    def dialects(self) -> Mapping[str, DialectInfo]:
        """The SQL dialect of each kind of database."""
        return {
            item["dialect-type"]: DialectInfo(item["dialect-type"], item["dialect-class-name"], name)
            for name, item in provider_packages.iter_provided("dialects")
        }

    @property
    def queue_class_names(self) -> list[str]:
        """The import paths of message queue classes that can be imported."""
        return sorted(path for _, path in provider_packages.iter_provided("queues") if _can_import(path))

    @property
    def asset_to_openlineage_converters(self) -> Mapping[str, Any]:
        """Scheme of the URI of an asset to the function that makes a dataset of OpenLineage of it; those that cannot be imported are left out."""
        named = [
            (item, item.get("to_openlineage_converter")) for _, item in provider_packages.iter_provided("asset-uris")
        ]
        return {
            scheme: provider_packages.import_attribute(path)
            for item, path in named
            if path is not None and _can_import(path)
            for scheme in item.get("schemes") or ()
        }

    def initialize_providers_list(self) -> None:
        """No effect: the packages are looked up when a property is read."""

    initialize_providers_hooks = initialize_providers_queues = initialize_providers_asset_uri_resources = (
        initialize_providers_list
    )


class _HookMapping(Mapping[str, HookInfo | None]):
    def __init__(self, items: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
        self._items = items

    def __getitem__(self, conn_type: str) -> HookInfo | None:
        package, item = self._items[conn_type]
        path = item["hook-class-name"]
        if not _can_import(path):
            return None
        cls: Any = provider_packages.import_attribute(path)
        return HookInfo(
            path,
            cls.conn_name_attr,
            package,
            getattr(cls, "hook_name", conn_type),
            conn_type,
            hasattr(cls, "test_connection"),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)


def _can_import(path: str) -> bool:
    """Whether the class can be imported; a provider lists it even when the packages that it requires are not installed."""
    try:
        provider_packages.import_attribute(path)
    except Exception as error:  # the edge of foreign code: a package that fails must not affect the others
        _log.info("%s is left out, because it cannot be imported: %s: %s", path, type(error).__name__, error)
        return False
    return True
