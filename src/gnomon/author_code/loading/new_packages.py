"""Packages that are installed while this process runs: detects them and makes them importable."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

INSTALLED_IN = ("site-packages", "dist-packages")
"""The names of the folders in which packages are installed."""
SHARED_PACKAGES: tuple[tuple[str, ...], ...] = ((), ("common",), ("common", "compat"))
"""The packages below `airflow.providers` of which Gnomon brings a part."""


def stamp() -> str:
    """Return a text that changes when a package is installed, upgraded or removed. Never raises.

    An installer changes the entries of such a folder for every package, which changes the time of the folder.
    """
    return "|".join(f"{folder}:{_changed(folder)}" for folder in sys.path if os.path.basename(folder) in INSTALLED_IN)


def find_new_packages() -> None:
    """Let the next import find packages in folders that did not exist when this process or its parent last searched them."""
    _forget_missing(sys.path)
    for names in SHARED_PACKAGES:
        package = sys.modules.get(".".join(["airflow.providers", *names]))
        if package is not None:
            _forget_missing(package.__path__)
            package.__path__ += new_provider_folders(package.__path__, *names)


def _forget_missing(folders: Iterable[str]) -> None:
    """The import system has None for a folder that did not exist. Only these folders are looked at: a fork writes the page of each entry that it looks at."""
    finders = sys.path_importer_cache
    for folder in folders:
        if finders.get(folder, finders) is None:
            del finders[folder]


def new_provider_folders(known_folders: Iterable[str], *names: str) -> list[str]:
    """Return the folders `airflow/providers` on `sys.path`, or those of a package in it, that are not in `known_folders`."""
    known_paths = set(map(os.path.realpath, known_folders))
    folders = [os.path.join(entry or os.curdir, "airflow", "providers", *names) for entry in sys.path]
    return [folder for folder in folders if os.path.isdir(folder) and os.path.realpath(folder) not in known_paths]


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
