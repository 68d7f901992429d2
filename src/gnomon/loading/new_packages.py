"""Packages that are installed while this process runs: detects them and makes them importable."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

INSTALLED_IN = ("site-packages", "dist-packages")
"""The names of the folders in which packages are installed."""


def stamp() -> str:
    """Return a text that changes when a package is installed, upgraded or removed. Never raises.

    An installer changes the entries of such a folder for every package, which changes the time of the folder.
    """
    return "|".join(f"{folder}:{_changed(folder)}" for folder in sys.path if os.path.basename(folder) in INSTALLED_IN)


def find_new_packages() -> None:
    """Let the next import find packages in folders that did not exist when this process or its parent last searched them."""
    for folder, finder in list(sys.path_importer_cache.items()):
        if finder is None:
            del sys.path_importer_cache[folder]
    providers = sys.modules.get("airflow.providers")
    if providers is not None:
        providers.__path__ += new_provider_folders(providers.__path__)


def new_provider_folders(known: Iterable[str]) -> list[str]:
    """Return the folders `airflow/providers` on `sys.path` that are not in `known`."""
    seen = set(map(os.path.realpath, known))
    folders = [os.path.join(entry or os.curdir, "airflow", "providers") for entry in sys.path]
    return [folder for folder in folders if os.path.isdir(folder) and os.path.realpath(folder) not in seen]


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
