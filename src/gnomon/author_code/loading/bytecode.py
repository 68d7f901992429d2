"""Imports modules beside DAG files without stale bytecode.

Python treats a .pyc as valid when the size and the second of the last change of the source are the same. An author who saves a
helper module twice within a second would keep running the first version. Below the DAG and plugin folders a .pyc is
therefore written only when the source has not changed for some seconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)

from gnomon.ground.clock import SystemClock
from gnomon.model.instants import SECOND

SETTLED_S = 3
"""The seconds without a change after which bytecode of a source is written."""
_hooked_folders: set[str] = set()


class SettledSourceLoader(SourceFileLoader):
    """A source file loader that writes no bytecode of a file that has just changed."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        if _is_settled(self.path):
            super().set_data(path, data, _mode=_mode)  # type: ignore[arg-type]


def _is_settled(source: str) -> bool:
    try:
        changed = os.stat(source).st_mtime_ns // 1000
    except OSError:
        return False
    return SystemClock().now() - changed > SETTLED_S * SECOND


def install_bytecode_hook(folders: Iterable[str]) -> None:
    """Use SettledSourceLoader for modules below these folders; a second call for a folder has no effect."""
    for folder in folders:
        below = os.path.join(folder, "")
        if below in _hooked_folders:
            continue
        _hooked_folders.add(below)
        sys.path_hooks.insert(0, _create_hook(below))
        for cached in [entry for entry in sys.path_importer_cache if os.path.join(entry, "").startswith(below)]:
            del sys.path_importer_cache[cached]


def _create_hook(below: str) -> Callable[[str], FileFinder]:
    def finder(path: str) -> FileFinder:
        if not os.path.join(path, "").startswith(below) or not os.path.isdir(path):
            raise ImportError
        return FileFinder(
            path,
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (SettledSourceLoader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        )

    return finder
