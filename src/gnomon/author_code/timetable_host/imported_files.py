"""Tracks the author files that this process has imported, and whether one has changed since."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from gnomon.model.ids import DAG_FILE_MODULE

_FileStamp = tuple[int, int, int]
_CHANGED_MEANWHILE: _FileStamp = (0, 0, 0)
"""The stamp of a file that changed during its import: equal to no stamp."""


class ImportedFiles:
    """The files below the given folders, and DAG files elsewhere, that modules of this process come from."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(os.path.join(folder, "") for folder in folders)
        self._stamps: dict[str, _FileStamp] = {}
        self._module_count = 0

    def record_imports(self, began_ns: int, ended_ns: int) -> None:
        """Record the files imported since the last call; the imports took place between these two times (ns)."""
        if len(sys.modules) == self._module_count:
            return
        self._module_count = len(sys.modules)
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file not in self._stamps and self._is_author_module(module.__name__, file):
                stamp = _stamp(file)
                self._stamps[file] = _CHANGED_MEANWHILE if began_ns <= stamp[0] <= ended_ns else stamp

    def are_current(self) -> bool:
        """Whether no recorded file has changed."""
        return all(_stamp(file) == recorded for file, recorded in self._stamps.items())

    def _is_author_module(self, name: str, file: str) -> bool:
        return file.startswith(self._folders) or name.startswith(DAG_FILE_MODULE)


def _stamp(file: str) -> _FileStamp:
    """Modification time, size and inode of a file, or of the archive that contains it."""
    while file:
        try:
            stat_result = os.stat(file)
        except NotADirectoryError:
            file = os.path.dirname(file)
            continue
        except OSError:
            break
        return stat_result.st_mtime_ns, stat_result.st_size, stat_result.st_ino
    return 0, 0, -1
