"""`ProvidersManager`: how provider packages ask what other provider packages are installed."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gnomon.sdk.runtime import provider_packages

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
    """The words of one kind of database."""

    name: str
    dialect_class_name: str
    provider_name: str


class ProvidersManager:
    """What is installed. Every object tells the same; the packages are looked up once in a process."""

    @property
    def providers(self) -> Mapping[str, provider_packages.ProviderPackage]:
        """Package name to version and description."""
        return provider_packages.load_provider_packages().packages

    @property
    def hooks(self) -> Mapping[str, HookInfo | None]:
        """Type of connection to its hook; None for one that cannot be imported, which is tried when it is asked for."""
        return _HookMapping({item["connection-type"]: (name, item) for name, item in provider_packages.iter_provided("connection-types")})

    @property
    def dialects(self) -> Mapping[str, DialectInfo]:
        """Kind of database to its dialect."""
        return {
            item["dialect-type"]: DialectInfo(item["dialect-type"], item["dialect-class-name"], name)
            for name, item in provider_packages.iter_provided("dialects")
        }

    @property
    def queue_class_names(self) -> list[str]:
        """The classes of message queues that can be imported here."""
        return sorted(path for _, path in provider_packages.iter_provided("queues") if _can_import(path))

    def initialize_providers_list(self) -> None:
        """Nothing: what is asked for is looked up then."""

    initialize_providers_hooks = initialize_providers_queues = initialize_providers_list


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
            path, cls.conn_name_attr, package, getattr(cls, "hook_name", conn_type), conn_type, hasattr(cls, "test_connection")
        )

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)


def _can_import(path: str) -> bool:
    """Whether the class is there; a package whose own needs are not installed has it in its list all the same."""
    try:
        provider_packages.import_attribute(path)
    except Exception as error:  # the edge of foreign code: the import of one package keeps nobody from another
        _log.info("%s is left out, because it cannot be imported: %s: %s", path, type(error).__name__, error)
        return False
    return True
