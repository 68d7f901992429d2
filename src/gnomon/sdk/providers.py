"""What the provider packages that are installed here bring, as each says by its entry point for Airflow."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from gnomon.errors.authoring import AirflowException

GROUP = "apache_airflow_provider"
"""The entry points: functions that give a package's description."""
_OURS = {"fs": "airflow.providers.standard.hooks.filesystem.FSHook"}
"""Type of connection to the hook that comes with Gnomon."""


class Provider(NamedTuple):
    """One package: its version, and what it says of itself."""

    version: str
    data: Mapping[str, Any]


class Installed(NamedTuple):
    """All of them, by the package's name, and those that could not be asked, with the reason."""

    packages: Mapping[str, Provider]
    silent: Mapping[str, str]


class NoHook(AirflowException):
    """A connection whose type nothing that is installed has a hook for; or the hook cannot be imported."""


@functools.cache
def installed() -> Installed:
    """Looked up once in a process."""
    packages: dict[str, Provider] = {}
    silent: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.value):
        version = entry.dist.version if entry.dist is not None else ""
        try:
            data = entry.load()()
            packages[data["package-name"]] = Provider(version, data)
        except Exception as error:  # the edge of foreign code: one package does not hide the others
            silent[entry.value] = f"{type(error).__name__}: {error}"
    return Installed(dict(sorted(packages.items())), silent)


def brought(what: str) -> Iterator[tuple[str, Any]]:
    """(package, item) for each item that a package lists under that word: `connection-types`, `queues`, `dialects`, ..."""
    for name, provider in installed().packages.items():
        for item in provider.data.get(what) or ():
            yield name, item


def hook_class(conn_type: str | None, of: str) -> Any:
    """The class of the hook for that type of connection; NoHook, which names the connection `of`, when there is none."""
    paths = {item["connection-type"]: item["hook-class-name"] for _, item in brought("connection-types")}
    path = {**_OURS, **paths}.get(conn_type or "")
    if path is None:
        raise NoHook(
            f"There is no hook for connections of type {conn_type!r} ({of!r}): no provider package that is installed brings one"
            f"{_not_asked()}. Install the package of that system, or make its hook yourself and give it conn_id=."
        )
    try:
        return imported(path)
    except (ImportError, AttributeError) as error:
        raise NoHook(
            f"The hook for connections of type {conn_type!r} ({of!r}), {path}, cannot be loaded: {error}. Install what it needs."
        ) from error


def imported(path: str) -> Any:
    """What stands under `package.module.name`; whatever the import raises."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _not_asked() -> str:
    silent = installed().silent
    return f" (these could not be asked: {'; '.join(f'{name}: {why}' for name, why in silent.items())})" if silent else ""
