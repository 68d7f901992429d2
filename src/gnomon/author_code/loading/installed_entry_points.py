"""The entry points of installed packages."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.unrecorded_reads import unrecorded_reads
from gnomon.ground.config import current_config

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLUGIN_GROUP = "airflow.plugins"
"""The group of the entry points of packages with plugins."""
POLICY_GROUP = "airflow.policy"
"""The group of the entry points of packages with cluster policies."""


def list_entry_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of the group, by name.

    They are read once for each set of package folders, because every installed package is looked at: children of a process that has
    read them read nothing.
    """
    options = current_config()
    author_folders = {
        dialect.TREE,
        str(options.dags_folder),
        str(options.plugins_folder),
        os.path.join(str(options.home), "config"),
    }
    return _read_entry_points(group, tuple(folder for folder in sys.path if folder not in author_folders))


def preload_entry_points() -> None:
    """Read the entry points for the children of this process."""
    for group in (PLUGIN_GROUP, POLICY_GROUP):
        list_entry_points(group)


@cache
def _read_entry_points(group: str, _package_folders: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # start-up cost

    with unrecorded_reads():
        return tuple(sorted(entry_points(group=group), key=lambda entry_point: (entry_point.name, entry_point.value)))
