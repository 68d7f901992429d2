"""Lists the DAG files below a folder: recursively, without ignored files, including the members of archives."""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from gnomon.dagfiles import airflowignore
from gnomon.dagfiles.settings import SourceFolder
from gnomon.loading import archives
from gnomon.loading.plugin_finder import is_plugin_file
from gnomon.loading.regular_file import open_regular_file

SCANNED_MAX = 16 * 1024 * 1024
"""A file of this size or more counts as a DAG file without a look at its text (bytes)."""
FolderIdentity = tuple[int, int]
"""Device and inode of a folder; when they change, another folder (for example a mount) has taken its place."""


@dataclass(slots=True)
class FolderListing:
    """The result of listing one folder."""

    is_plugins: bool = False
    """The listed folder is the plugins folder."""
    files: dict[str, int] = field(default_factory=dict)
    """DAG file (for an archive: `archive.zip/member.py`) to its modification time in ns."""
    folders: dict[str, FolderIdentity] = field(default_factory=dict)
    """Every folder that could be listed, with its identity."""
    empty: set[str] = field(default_factory=set)
    """Listed folders that are empty, as a mount point without its file system is."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Folder or file that cannot be read, to the error; nothing is known about the files below."""
    problems: list[str] = field(default_factory=list)
    """Messages about ignore files and archives that cannot be read."""


_IGNORE_FILE_MAX = 1_000_000
"""Bytes that are read of an ignore file."""


class FileDiscovery:
    """Lists folders. Remembers by stamp which files are DAG files, so that an unchanged file is not read again."""

    def __init__(self, *, regexp_ignore: bool, safe_mode: bool) -> None:
        self._regexp = regexp_ignore
        self._safe_mode = safe_mode
        self._ignore_rules: list[airflowignore.IgnoreRules] = []
        """Those that the last listing has met."""
        self._known_files: dict[str, tuple[str, tuple[str, ...]]] = {}

    def list_folder(self, root: SourceFolder) -> FolderListing:
        """All DAG files below `root`. File system errors are not raised; see `FolderListing.unreadable`."""
        listing = FolderListing(is_plugins=root.is_plugins)
        self._ignore_rules.clear()
        self._list_below(root.folder, "", [], frozenset(), listing)
        listing.problems += [f"{root.folder}: {problem}" for rules in self._ignore_rules for problem in rules.list_problems()]
        below = os.path.join(root.folder, "")
        removed = [path for path in self._known_files if path.startswith(below) and path not in listing.files and not os.path.lexists(path)]
        for path in removed:
            del self._known_files[path]
        return listing

    def _list_below(
        self, folder: str, relative: str, layers: list[airflowignore.IgnoreRules], above: frozenset[FolderIdentity], listing: FolderListing
    ) -> None:
        try:
            seen = os.stat(folder)
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            listing.unreadable[folder] = error.strerror or str(error)
            return
        identity = (seen.st_dev, seen.st_ino)
        if identity in above:
            return  # a symbolic link to a folder that contains it
        listing.folders[folder] = identity
        if not entries:
            listing.empty.add(folder)
        if any(entry.name == airflowignore.FILE_NAME for entry in entries):
            layers = [*layers, *self._rules(folder, relative, listing)]
        for entry in entries:
            inside = f"{relative}/{entry.name}" if relative else entry.name
            if _is_folder(entry):
                if entry.name != "__pycache__" and not airflowignore.is_ignored(inside, True, layers):
                    self._list_below(entry.path, inside, layers, above | {identity}, listing)
            elif not airflowignore.is_ignored(inside, False, layers):
                self._add_file(entry.path, listing)

    def _rules(self, folder: str, relative: str, listing: FolderListing) -> Iterator[airflowignore.IgnoreRules]:
        path = os.path.join(folder, airflowignore.FILE_NAME)
        try:
            with open_regular_file(path) as opened:
                text = opened.read(_IGNORE_FILE_MAX).decode(errors="replace")
        except OSError as error:
            listing.problems.append(f"{path} cannot be read ({error.strerror}): its rules are not applied")
            return
        rules, problems = airflowignore.parse_ignore_file(text, relative, regexp=self._regexp)
        listing.problems += [f"{folder}: {problem}" for problem in problems]
        self._ignore_rules.append(rules)
        yield rules

    def _add_file(self, path: str, listing: FolderListing) -> None:
        """Add the DAG files at `path`: the file itself, the members of an archive, or none."""
        try:
            seen = os.stat(path)
            if not stat.S_ISREG(seen.st_mode):
                return
            now = f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"
            known = self._known_files.get(path)
            if known is None or known[0] != now:
                dag_files = self._plugin_files(path) if listing.is_plugins else self._dag_files(path)
                known = self._known_files[path] = (now, tuple(dag_files))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ELOOP) or os.path.islink(path):
                listing.unreadable[path] = error.strerror or str(error)
            return
        except zipfile.BadZipFile as error:
            listing.problems.append(f"{path} is a damaged archive ({error}): its DAGs are kept as they are; write the archive again")
            listing.unreadable[path] = str(error)
            return
        for dag_file in known[1]:
            listing.files[dag_file] = seen.st_mtime_ns

    def _plugin_files(self, path: str) -> Iterator[str]:
        if path.endswith(".py") and is_plugin_file(path):
            yield path

    def _dag_files(self, path: str) -> Iterator[str]:
        if path.endswith(".py"):
            if self._may_hold_dag(path):
                yield path
        elif _is_archive(path):
            with zipfile.ZipFile(path) as archive:
                for name in archives.list_members(path):
                    if not self._safe_mode or mentions_dag(archive.read(name)):
                        yield f"{path}/{name}"

    def _may_hold_dag(self, path: str) -> bool:
        if not self._safe_mode:
            return True
        with open_regular_file(path) as opened:
            text = opened.read(SCANNED_MAX)
        return len(text) == SCANNED_MAX or mentions_dag(text)


def mentions_dag(source: bytes) -> bool:
    """Whether the text contains `dag` or `asset`, and `airflow` or `gnomon`, in upper or lower case (Airflow's safe mode)."""
    text = source.lower()
    return (b"dag" in text or b"asset" in text) and (b"airflow" in text or b"gnomon" in text)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_archive(path: str) -> bool:
    with open_regular_file(path) as opened:
        head = opened.read(4)
    return head == b"PK\x03\x04" or (path.endswith(".zip") and zipfile.is_zipfile(path))
