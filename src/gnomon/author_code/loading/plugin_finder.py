"""Finds plugin files in subfolders of the plugins folder by their file names, as Airflow does.

`plugins/team/workday.py` is the module `team.workday` by Python's rules. Airflow loads every file as a module that is named
after the file, and stores its classes as `workday.Class`. A module that no other finder finds is searched by that rule.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

from gnomon.author_code.loading.bytecode import SettledSourceLoader
from gnomon.author_code.loading.regular_files import open_regular_file

_PLUGIN_CLASS_NAME = b"AirflowPlugin"
FILES_MAX = 10_000
"""The number of entries of the plugins folder that are searched."""


class NestedPluginFinder:
    """An import finder for top-level modules, after all other finders."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the first file of that name, in the order of folders; None for a name with a dot."""
        if path is not None or "." in fullname:
            return None
        file_name = f"{fullname}.py"
        for file in list_python_files(self.folder):
            if os.path.basename(file) == file_name:
                return spec_from_file_location(fullname, file, loader=SettledSourceLoader(fullname, file))
        return None


def install_plugin_finder(folder: str) -> None:
    """Let `import` find modules below this folder by their file names; a second call has no effect."""
    if not any(isinstance(finder, NestedPluginFinder) and finder.folder == folder for finder in sys.meta_path):
        sys.meta_path.append(NestedPluginFinder(folder))


def is_plugin_file(path: str, text: bytes = b"") -> bool:
    """Return whether a Python file contains the name AirflowPlugin, and `text`; False for a file that cannot be read."""
    try:
        with open_regular_file(path) as opened:
            content = opened.read()
            return _PLUGIN_CLASS_NAME in content and text in content
    except OSError:
        return False


def list_python_files(folder: str) -> Iterator[str]:
    """Yield the Python files below a folder, sorted, without hidden folders and bytecode; stop after FILES_MAX entries."""
    entry_count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            entry_count += 1
            if entry_count > FILES_MAX:
                return
            if name.endswith(".py"):
                yield os.path.join(place, name)
