"""The installed provider packages of Airflow, found by their entry points, and the hooks that they provide."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.error_text import describe_error

ENTRY_POINT_GROUP = "apache_airflow_provider"
"""The group of entry points; each is a function that returns the description of a package."""
BUILTIN_HOOKS = {
    "fs": "airflow.providers.standard.hooks.filesystem.FSHook",
    "package_index": "airflow.providers.standard.hooks.package_index.PackageIndexHook",
}
"""Connection type to the path of a hook of Gnomon."""


class ProviderPackage(NamedTuple):
    """One package: its version and its description."""

    version: str
    data: Mapping[str, Any]


class InstalledProviders(NamedTuple):
    """The packages by name, and the reason for each package whose description could not be loaded."""

    packages: Mapping[str, ProviderPackage]
    failures: Mapping[str, str]


class HookNotFound(AirflowException):
    """No installed package has a hook for the type of a connection, or the hook cannot be imported."""


@functools.cache
def load_provider_packages() -> InstalledProviders:
    """Load the descriptions of the installed provider packages; a process does it once."""
    packages: dict[str, ProviderPackage] = {}
    failures: dict[str, str] = {}
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry_point: entry_point.value):
        version = entry.dist.version if entry.dist is not None else ""
        try:
            data = entry.load()()
            packages[data["package-name"]] = ProviderPackage(version, data)
        except Exception as error:  # foreign code: an error in one package must not hide the others
            failures[entry.value] = f"{describe_error(error)}"
    return InstalledProviders(dict(sorted(packages.items())), failures)


def iter_provided(key: str) -> Iterator[tuple[str, Any]]:
    """Yield (package, item) for each item that a package lists under `key`: `connection-types`, `queues`, `dialects`, ..."""
    for name, provider in load_provider_packages().packages.items():
        for item in provider.data.get(key) or ():
            yield name, item


def list_option_defaults() -> Mapping[tuple[str, str], str]:
    """Return (section, option) to the default of each option that a package declares with one, all as text."""
    defaults: dict[tuple[str, str], str] = {}
    for provider in load_provider_packages().packages.values():
        for section, content in (provider.data.get("config") or {}).items():
            for name, option in (content.get("options") or {}).items():
                if option.get("default") is not None:
                    defaults.setdefault((section.lower(), name.lower()), str(option["default"]))
    return defaults


def list_filesystem_modules() -> list[str]:
    """Return the modules of the packages that serve schemes of object storage, such as s3."""
    return [module for _, module in iter_provided("filesystems")]


def load_hook_class(conn_type: str | None, of: str) -> Any:
    """Return the class of the hook for a connection type. `of` is the conn_id, for the message.

    Raises HookNotFound when no installed package has a hook for the type, or the hook cannot be imported.
    """
    paths = {item["connection-type"]: item["hook-class-name"] for _, item in iter_provided("connection-types")}
    path = {**BUILTIN_HOOKS, **paths}.get(conn_type or "")
    if path is None:
        raise HookNotFound(
            f"There is no hook for connections of type {conn_type!r} ({of!r}): no installed provider package has one"
            f"{_describe_failed()}. Install the package of that system, or make its hook yourself and give it conn_id=."
        )
    try:
        return import_attribute(path)
    except (ImportError, AttributeError) as error:
        raise HookNotFound(
            f"The hook for connections of type {conn_type!r} ({of!r}), {path}, cannot be loaded: {error}. Install what it needs."
        ) from error


def import_attribute(path: str) -> Any:
    """Import `package.module.name` and return the object. Errors of the import propagate."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _describe_failed() -> str:
    failures = load_provider_packages().failures
    return (
        f" (these could not be loaded: {'; '.join(f'{name}: {why}' for name, why in failures.items())})"
        if failures
        else ""
    )


def describe_providers() -> list[tuple[str, str, str]]:
    """(name, version, description) of the installed provider packages, by name."""
    return [
        (name, provider.version, str(provider.data.get("description") or ""))
        for name, provider in load_provider_packages().packages.items()
    ]
