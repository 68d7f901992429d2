"""Packages that are installed while a process lives: where they come to, whether there are new ones, and how an import finds them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

INSTALLED_IN = ("site-packages", "dist-packages")
"""The names of folders that installers write to."""


def stamp() -> str:
    """Another text after a package was installed, upgraded or removed here; the same while nothing was. Never raises.

    An installer makes, renames or removes an entry of such a folder for every package: the folder's time changes with it.
    """
    return "|".join(f"{folder}:{_changed(folder)}" for folder in sys.path if os.path.basename(folder) in INSTALLED_IN)


def find_new_packages() -> None:
    """The next import finds packages in folders that did not exist when this process, or the one that forked it, looked there."""
    for folder, finder in list(sys.path_importer_cache.items()):
        if finder is None:
            del sys.path_importer_cache[folder]
    providers = sys.modules.get("airflow.providers")
    if providers is not None:
        providers.__path__ += new_provider_folders(providers.__path__)


def new_provider_folders(known: Iterable[str]) -> list[str]:
    """The folders `airflow/providers` on `sys.path` that are not among the known ones."""
    seen = set(map(os.path.realpath, known))
    folders = [os.path.join(entry or os.curdir, "airflow", "providers") for entry in sys.path]
    return [folder for folder in folders if os.path.isdir(folder) and os.path.realpath(folder) not in seen]


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
