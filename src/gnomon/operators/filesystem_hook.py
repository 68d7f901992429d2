"""Where files are: the connection of a file system, and what stands at a path."""

from __future__ import annotations

import os
from glob import glob
from typing import Any

from gnomon.errors.authoring import AirflowNotFoundException
from gnomon.sdk.runtime.connection import BaseHook

DEFAULT_CONN_ID = "fs_default"


class FSHook(BaseHook):
    """A file system that is mounted here: the connection's extra `path` is where relative paths begin.

    `fs_default` needs no connection: relative paths begin at the root then.
    """

    conn_name_attr = "fs_conn_id"
    default_conn_name = DEFAULT_CONN_ID
    conn_type = "fs"
    hook_name = "File (path)"

    def __init__(self, fs_conn_id: str = DEFAULT_CONN_ID, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        try:
            self.conn = self.get_connection(fs_conn_id)
        except AirflowNotFoundException:
            if fs_conn_id != DEFAULT_CONN_ID:
                raise
            self.basepath = "/"
        else:
            self.basepath = str(self.conn.extra_dejson.get("path") or "")

    def get_conn(self) -> None:
        """There is nothing to connect to."""

    def get_path(self) -> str:
        """Where relative paths begin."""
        return self.basepath

    def test_connection(self) -> tuple[bool, str]:
        """Whether the path is there."""
        path = self.get_path()
        if not path:
            return False, "File Path is undefined."
        if not os.path.exists(path):
            return False, f"Path {path} does not exist."
        return True, f"Path {path} is existing."


def find_file(pattern: str, recursive: bool) -> str | None:
    """The first file that the glob pattern names, or that stands in or below a folder that it names; None without one."""
    for path in glob(pattern, recursive=recursive):
        if os.path.isfile(path):
            return path
        for folder, _, files in os.walk(path):
            if files:
                return os.path.join(folder, files[0])
    return None
