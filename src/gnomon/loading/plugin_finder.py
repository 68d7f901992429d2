"""Plugin files in folders of the plugins folder, by their bare names: Airflow registers them so, and DAG files import them so.

`plugins/team/workday.py` is `team.workday` by Python's own rules. Airflow loads every file of the folder as a module named
after the file alone, and stores its classes as `workday.Class`. What nothing else provides is looked for so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

from gnomon.loading.bytecode import SettledSourceLoader

_PLUGIN_CLASS_NAME = b"AirflowPlugin"
FILES_MAX = 10_000
"""Entries of the plugins folder that are looked at."""


class NestedPluginFinder(MetaPathFinder):
    """The last to be asked for a top-level module."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The first file of that name, in the order of folders; None for anything but a top-level name."""
        if path is not None or "." in fullname:
            return None
        wanted = f"{fullname}.py"
        for file in list_python_files(self.folder):
            if os.path.basename(file) == wanted:
                return spec_from_file_location(fullname, file, loader=SettledSourceLoader(fullname, file))
        return None


def install_plugin_finder(folder: str) -> None:
    """Modules below this plugins folder are found by their bare names; said again, nothing changes."""
    if not any(isinstance(finder, NestedPluginFinder) and finder.folder == folder for finder in sys.meta_path):
        sys.meta_path.append(NestedPluginFinder(folder))


def is_plugin_file(path: str) -> bool:
    """Whether a Python file mentions the class that plugins derive from; False for one that cannot be read."""
    try:
        with open(path, "rb") as opened:
            return _PLUGIN_CLASS_NAME in opened.read()
    except OSError:
        return False


def list_python_files(folder: str) -> Iterator[str]:
    """The Python files below a folder, sorted; hidden folders and bytecode are left out, and what is beyond FILES_MAX."""
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            seen += 1
            if seen > FILES_MAX:
                return
            if name.endswith(".py"):
                yield os.path.join(place, name)
