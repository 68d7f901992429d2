"""Checks whether a file can be a SQLite database, and translates SQLite's errors into causes and remedies."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from gnomon.model.errors import GnomonError
from gnomon.model.sentences import say
from gnomon.storage.store.errors import (
    DatabaseReadOnly,
    DatabaseUnavailable,
    DataRejected,
    DiskFull,
    StoreError,
    UnusableFile,
)

SQLITE_VERSION_MIN = (3, 35, 0)
_BINDING = "Error binding parameter"
"""How Python begins the message about a value that SQLite has no type for."""
_MOUNTS = Path("/proc/self/mounts")
_NETWORK_FILE_SYSTEMS = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "beegfs",
        "gpfs",
        "ocfs2",
        "gfs2",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.cephfs",
        "fuse.s3fs",
        "fuse.rclone",
        "fuse.juicefs",
        "fuse.gcsfuse",
        "davfs",
    }
)


def check_library(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Raise UnusableFile when this Python's SQLite is too old for RETURNING, UPDATE FROM and upserts."""
    if version < SQLITE_VERSION_MIN:
        raise UnusableFile(say("sqlite_is_too_old", version=".".join(map(str, version))))


def check_file_system(path: Path, mounts: str | None = None) -> None:
    """Raise UnusableFile when the folder is on a network file system, whose locks and memory maps are not reliable."""
    if mounts is None:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace") if _MOUNTS.exists() else ""
    kind = find_file_system(path.parent.resolve(), mounts)
    if kind in _NETWORK_FILE_SYSTEMS:
        raise UnusableFile(say("database_is_on_network", file=str(path), thing=kind))


def find_file_system(folder: Path, mounts: str) -> str | None:
    """The type of the file system of a folder, by a table like /proc/self/mounts; None when the table does not tell."""
    best: tuple[int, str | None] = (-1, None)
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) >= 3:
            point = Path(fields[1].replace("\\040", " "))
            if folder.is_relative_to(point) and len(point.parts) >= best[0]:
                best = (len(point.parts), fields[2])
    return best[1]


def file_exists(path: Path) -> bool:
    """Whether the file exists. Raises DatabaseReadOnly when this user may not look into its folder."""
    try:
        return path.exists()
    except PermissionError as error:
        raise DatabaseReadOnly(
            say("folder_of_database_is_closed", number=os.getuid(), folder=str(path.parent))
        ) from error


def check_rights(path: Path) -> None:
    """Raise DatabaseReadOnly when this user cannot write the file or its folder; SQLite's log needs both."""
    for checked in (path, path.parent):
        if file_exists(checked) and not os.access(checked, os.W_OK):
            raise DatabaseReadOnly(say("database_is_not_writable", file=str(checked), number=os.getuid()))


def translate_sqlite_error(error: sqlite3.Error, path: Path) -> GnomonError | None:
    """The error of `store.errors` for an error of SQLite; None when the error is a mistake in Gnomon itself."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        return DiskFull(say("disk_of_database_is_full", file=str(path)))
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return DatabaseReadOnly(say("database_cannot_be_opened", file=str(path), error=str(error)))
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return UnusableFile(say("file_is_no_database", file=str(path), error=str(error)))
    if name.startswith("SQLITE_IOERR"):
        return DatabaseUnavailable(say("disk_of_database_fails", file=str(path), error=name))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return DatabaseUnavailable(say("database_is_written_by_another", file=str(path)))
    if (
        isinstance(error, sqlite3.IntegrityError | sqlite3.DataError)
        or name == "SQLITE_TOOBIG"
        or _BINDING in str(error)
    ):
        return DataRejected(say("sqlite_refuses_value", error=str(error)))
    return (
        None
        if isinstance(error, sqlite3.ProgrammingError)
        else StoreError(say("file_has_error", file=str(path), error=str(error)))
    )
