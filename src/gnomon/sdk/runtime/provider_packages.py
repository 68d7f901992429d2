"""What the provider packages that are installed here bring, as each says by its entry point for Airflow."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from gnomon.errors.authoring import AirflowException

ENTRY_POINT_GROUP = "apache_airflow_provider"
"""The entry points: functions that give a package's description."""
_BUILTIN_HOOKS = {"fs": "airflow.providers.standard.hooks.filesystem.FSHook"}
"""Type of connection to the hook that comes with Gnomon."""


class ProviderPackage(NamedTuple):
    """One package: its version, and what it says of itself."""

    version: str
    data: Mapping[str, Any]


class InstalledProviders(NamedTuple):
    """All of them, by the package's name, and those that could not be asked, with the reason."""

    packages: Mapping[str, ProviderPackage]
    failures: Mapping[str, str]


class HookNotFound(AirflowException):
    """A connection whose type nothing that is installed has a hook for; or the hook cannot be imported."""


@functools.cache
def load_provider_packages() -> InstalledProviders:
    """Looked up once in a process."""
    packages: dict[str, ProviderPackage] = {}
    silent: dict[str, str] = {}
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: one.value):
        version = entry.dist.version if entry.dist is not None else ""
        try:
            data = entry.load()()
            packages[data["package-name"]] = ProviderPackage(version, data)
        except Exception as error:  # the edge of foreign code: one package does not hide the others
            silent[entry.value] = f"{type(error).__name__}: {error}"
    return InstalledProviders(dict(sorted(packages.items())), silent)


def iter_provided(what: str) -> Iterator[tuple[str, Any]]:
    """(package, item) for each item that a package lists under that word: `connection-types`, `queues`, `dialects`, ..."""
    for name, provider in load_provider_packages().packages.items():
        for item in provider.data.get(what) or ():
            yield name, item


def load_hook_class(conn_type: str | None, of: str) -> Any:
    """The class of the hook for that type of connection; NoHook, which names the connection `of`, when there is none."""
    paths = {item["connection-type"]: item["hook-class-name"] for _, item in iter_provided("connection-types")}
    path = {**_BUILTIN_HOOKS, **paths}.get(conn_type or "")
    if path is None:
        raise HookNotFound(
            f"There is no hook for connections of type {conn_type!r} ({of!r}): no provider package that is installed brings one"
            f"{_describe_failed()}. Install the package of that system, or make its hook yourself and give it conn_id=."
        )
    try:
        return import_attribute(path)
    except (ImportError, AttributeError) as error:
        raise HookNotFound(
            f"The hook for connections of type {conn_type!r} ({of!r}), {path}, cannot be loaded: {error}. Install what it needs."
        ) from error


def import_attribute(path: str) -> Any:
    """What stands under `package.module.name`; whatever the import raises."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _describe_failed() -> str:
    silent = load_provider_packages().failures
    return f" (these could not be asked: {'; '.join(f'{name}: {why}' for name, why in silent.items())})" if silent else ""
