"""The hook of a mounted file system, and the search for a file."""

from __future__ import annotations

import os
from glob import glob
from typing import Any

from gnomon.authoring.sdk.connections.connection import BaseHook
from gnomon.model.errors.authoring import AirflowNotFoundException

DEFAULT_CONN_ID = "fs_default"


class FSHook(BaseHook):
    """A file system that is mounted on this machine. Relative paths begin at `path` in the extra of the connection.

    `fs_default` needs no connection: relative paths then begin at the root.
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
        """Do nothing: a mounted file system needs no client."""

    def get_path(self) -> str:
        """Return the folder at which relative paths begin."""
        return self.basepath

    def test_connection(self) -> tuple[bool, str]:
        """Return whether the path exists, and a message."""
        path = self.get_path()
        if not path:
            return False, "File Path is undefined."
        if not os.path.exists(path):
            return False, f"Path {path} does not exist."
        return True, f"Path {path} is existing."


def find_file(pattern: str, recursive: bool) -> str | None:
    """Return the first file that matches the glob pattern, or is in or below a folder that matches it; None when there is none."""
    for path in glob(pattern, recursive=recursive):
        if os.path.isfile(path):
            return path
        for folder, _, files in os.walk(path):
            if files:
                return os.path.join(folder, files[0])
    return None
