"""`ConfinedFile`: a file beneath a folder, opened, listed and deleted without following links.

Tasks write into the folder of logs, so whatever stands there may be a link, a pipe or a second name of somebody else's file. Each folder on the way is
opened relative to the one before (openat with O_NOFOLLOW), so that a link that is put there meanwhile is not followed either. The path of the root folder
is the operator's, and may contain links; so the first folder beneath it is opened by its whole path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""O_NONBLOCK: to open a pipe does not wait for its other end."""
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
_REPLACEMENTS_MAX = 8
_ANY = "*"
"""Stands for a name in a folder that is opened itself."""


class ForeignFileError(FileNotFoundError):
    """There is no regular file beneath the folder: what stands there is a link, a pipe, a folder, or a second name of another user's file. Readers treat it as missing."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(errno.ENOENT, f"{what}; only a regular file beneath the folder is opened", path)


@dataclass(frozen=True, slots=True)
class ConfinedFile:
    """The file with a relative path beneath a folder. It need not exist. No method follows a link beneath the folder."""

    folder: Path
    relative: str

    @property
    def path(self) -> Path:
        """The whole path, for messages: whoever opens it follows links."""
        return self.folder / self.relative

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.relative.rpartition("/")[2]

    def __str__(self) -> str:
        return str(self.path)

    def beside(self, name: str) -> ConfinedFile:
        """The file with another name in the same folder."""
        folder, slash, _ = self.relative.rpartition("/")
        return ConfinedFile(self.folder, f"{folder}{slash}{name}")

    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        """Open for reading (`rb`), or for appending with missing folders created (`ab`, `ab+`). Raises OSError, ForeignFileError (a FileNotFoundError) for what is no file."""
        descriptor = (
            open_to_read(self.folder, self.relative)
            if mode == "rb"
            else open_to_append(self.folder, self.relative, readable=mode == "ab+")
        )
        return open(descriptor, mode, buffering)  # type: ignore[return-value]

    def stat(self) -> os.stat_result:
        """Raises FileNotFoundError, ForeignFileError for what is no regular file."""
        with _open_parent(self.folder, self.relative) as (parent, name):
            stat_result = os.stat(name, dir_fd=parent, follow_symlinks=False)
            _check(stat_result, parent, self.relative)
            return stat_result

    def changed_s(self) -> float:
        """When it was changed last, in seconds of the epoch; of a link, when that was made. Raises FileNotFoundError."""
        with _open_parent(self.folder, self.relative) as (parent, name):
            return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mtime

    def is_file(self) -> bool:
        """Whether there is a regular file that `open` opens."""
        try:
            self.stat()
        except OSError:
            return False
        return True

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete the file, or the link that stands in its place. Raises OSError."""
        try:
            with _open_parent(self.folder, self.relative) as (parent, name):
                os.unlink(name, dir_fd=parent)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def replace_with(self, source: ConfinedFile) -> None:
        """Give another file of the same folder this path. Raises OSError."""
        with (
            _open_parent(source.folder, source.relative) as (old_parent, old_name),
            _open_parent(self.folder, self.relative, create=True) as (parent, name),
        ):
            os.replace(old_name, name, src_dir_fd=old_parent, dst_dir_fd=parent)


def open_to_read(folder: str | Path, relative: str) -> int:
    """A descriptor of the file beneath the folder. Raises OSError, ForeignFileError for what is no regular file."""
    with _open_parent(folder, relative) as (parent, name):
        return _open_existing(parent, name, os.O_RDONLY, relative)


def open_to_append(folder: str | Path, relative: str, *, readable: bool = False, replaces_foreign: bool = False) -> int:
    """A descriptor at the end of the file beneath the folder, which is created with its folders when it is missing.

    `replaces_foreign`: a link, a pipe or another user's file in its place is removed, not refused. Raises OSError, ForeignFileError.
    """
    flags = (os.O_RDWR if readable else os.O_WRONLY) | os.O_APPEND
    parent, name = _enter_parent(folder, relative, create=True)
    try:
        for _ in range(_REPLACEMENTS_MAX):
            with contextlib.suppress(FileExistsError):
                return os.open(name, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE, dir_fd=parent)
            try:
                return _open_existing(parent, name, flags, relative)
            except ForeignFileError:
                if not replaces_foreign:
                    raise
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=parent)
            except FileNotFoundError:
                continue  # it was deleted meanwhile
        raise ForeignFileError(relative, "something is put in the place of this file again and again")
    finally:
        os.close(parent)


def list_files(folder: Path, pattern: str) -> Iterator[ConfinedFile]:
    """The regular files, links and pipes beneath the folder whose path matches a pattern such as `dag_id=*/run_id=*/*.log`; folders that are links are not entered."""
    *folders, last = pattern.split("/")
    for parent in _list_folders(folder, folders):
        for name, is_folder in _scan(folder, parent):
            if not is_folder and fnmatchcase(name, last):
                yield ConfinedFile(folder, f"{parent}/{name}" if parent else name)


def list_folders(folder: Path, pattern: str) -> Iterator[ConfinedFile]:
    """The folders beneath the folder whose path matches a pattern; none that is a link, and none behind one."""
    return (ConfinedFile(folder, relative_path) for relative_path in _list_folders(folder, pattern.split("/")))


def remove_empty_folder(folder: ConfinedFile, before_s: float) -> None:
    """Remove the folder if it is empty and was changed last before an instant, in seconds of the epoch. Raises OSError when it is not empty or is gone."""
    with _open_parent(folder.folder, folder.relative) as (parent, name):
        if os.stat(name, dir_fd=parent, follow_symlinks=False).st_mtime < before_s:
            os.rmdir(name, dir_fd=parent)


@contextlib.contextmanager
def _open_parent(folder: str | Path, relative: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """As `_enter_parent`; the descriptor is closed at the end of the block."""
    descriptor, name = _enter_parent(folder, relative, create=create)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)


def _enter_parent(folder: str | Path, relative: str, *, create: bool) -> tuple[int, str]:
    """A descriptor of the folder of the file, and the name of the file in it. `create`: missing folders are made, the root folder too."""
    *parts, name = relative.split("/")
    if "\0" in relative or not {"", ".", ".."}.isdisjoint((*parts, name)):
        raise ForeignFileError(relative, "this is no path beneath a folder")
    if not parts:
        return _open_root(folder, create=create), name
    descriptor = _open_folder(None, f"{folder}/{parts[0]}", relative, create=create)
    for part in parts[1:]:
        try:
            inner = _open_folder(descriptor, part, relative, create=create)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor, name


def _open_root(folder: str | Path, *, create: bool) -> int:
    try:
        return os.open(folder, _FOLDER)
    except FileNotFoundError:
        if not create:
            raise
    os.makedirs(folder, _FOLDER_MODE, exist_ok=True)
    return os.open(folder, _FOLDER)


def _open_folder(parent: int | None, path: str, relative: str, *, create: bool) -> int:
    """A descriptor of the folder with this path below `parent`; with None, of one in the root folder, whose path may contain links."""
    try:
        return os.open(path, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise ForeignFileError(relative, f"{path.rpartition('/')[2]!r} in its path is a link or a file") from None
        raise
    if parent is None:
        os.makedirs(path.rpartition("/")[0] or "/", _FOLDER_MODE, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, _FOLDER_MODE, dir_fd=parent)
    return _open_folder(parent, path, relative, create=False)


def _open_existing(parent: int, name: str, flags: int, relative: str) -> int:
    try:
        descriptor = os.open(name, flags | _FILE, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV):
            raise ForeignFileError(relative, "a link, a pipe or a folder stands in its place") from None
        raise
    try:
        _check(os.fstat(descriptor), parent, relative)
        os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(stat_result: os.stat_result, parent: int, relative: str) -> None:
    """Refuse what is no regular file, and a second name of a file that belongs to another user than its folder."""
    if not stat.S_ISREG(stat_result.st_mode):
        raise ForeignFileError(relative, "a link, a pipe or a folder stands in its place")
    if stat_result.st_nlink > 1 and stat_result.st_uid != os.fstat(parent).st_uid:
        raise ForeignFileError(relative, "it is a second name of a file of another user")


def _list_folders(folder: Path, patterns: list[str]) -> Iterator[str]:
    if not patterns:
        yield ""
        return
    for parent in _list_folders(folder, patterns[:-1]):
        for name, is_folder in _scan(folder, parent):
            if is_folder and fnmatchcase(name, patterns[-1]):
                yield f"{parent}/{name}" if parent else name


def _scan(folder: Path, relative: str) -> list[tuple[str, bool]]:
    """The names in a folder, each with whether it is a folder; none of one that is missing or cannot be read."""
    try:
        with _open_parent(folder, f"{relative}/{_ANY}" if relative else _ANY) as (parent, _):
            listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=parent)
            try:
                with os.scandir(listed) as entries:
                    return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            finally:
                os.close(listed)
    except OSError:
        return []
