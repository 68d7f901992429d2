"""Lists the DAG files below a folder: recursively, without ignored files, including the members of archives."""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from gnomon.author_code.loading import archives
from gnomon.author_code.loading.plugin_finder import is_plugin_file
from gnomon.author_code.loading.regular_files import open_regular_file, read_bounded
from gnomon.author_code.processes.cpu_deadline import CpuDeadlineExceeded, limit_cpu
from gnomon.services.dagfiles import airflowignore
from gnomon.services.dagfiles.settings import SourceFolder

SCANNED_MAX = 16 * 1024 * 1024
"""A file of this size or more counts as a DAG file without a look at its text (bytes)."""
ENTRIES_MAX = 250_000
"""Entries of all folders of one root; links to folders can make any number of a few."""
LINKED_ENTRIES_MAX = 25_000
"""The same, behind links to folders."""
PROBLEMS_MAX = 20
"""Lines of one ignore file that are named as wrong."""
MATCH_LIMIT_S = 0.5
"""Processor time for one path and the regular expressions of one ignore file."""
SLOW_RULES_MAX = 10
"""When so many ignore files have taken too long, no regular expression is applied any more until the dag-processor starts again."""
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


class _Folder(NamedTuple):
    """A folder that is to be listed."""

    path: str
    relative: str
    layers: tuple[airflowignore.IgnoreRules, ...]
    """The rules of the folders above it, outermost first."""
    above: frozenset[FolderIdentity]


class FileDiscovery:
    """Lists folders. Remembers by stamp which files are DAG files, so that an unchanged file is not read again."""

    def __init__(self, *, regexp_ignore: bool, safe_mode: bool) -> None:
        self._regexp = regexp_ignore
        self._safe_mode = safe_mode
        self._known_files: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._slow_rules: set[tuple[airflowignore.IgnoreRule, ...]] = set()
        """Regular expressions that took too long."""

    def list_folder(self, root: SourceFolder) -> FolderListing:
        """All DAG files below `root`. File system errors are not raised; see `FolderListing.unreadable`."""
        listing = FolderListing(is_plugins=root.is_plugins)
        self._list_below(root.folder, listing)
        below = os.path.join(root.folder, "")
        removed = [
            path
            for path in self._known_files
            if path.startswith(below) and path not in listing.files and not os.path.lexists(path)
        ]
        for path in removed:
            del self._known_files[path]
        return listing

    def _list_below(self, root: str, listing: FolderListing) -> None:
        """List the folder and those below it, each before the next. Folders behind links come last, so that their number harms no other."""
        waiting = [_Folder(root, "", (), frozenset())]
        linked: deque[_Folder] = deque()
        remaining = ENTRIES_MAX
        while waiting or linked:
            if not waiting:
                remaining = min(remaining, LINKED_ENTRIES_MAX)
                waiting.append(linked.popleft())
            folder = waiting.pop()
            remaining -= self._list_one(folder, listing, waiting, linked)
            if remaining < 0:
                listing.unreadable[root] = (
                    f"has more entries than are looked at ({ENTRIES_MAX:,}, and {LINKED_ENTRIES_MAX:,} behind links to folders), without those that {airflowignore.FILE_NAME} "
                    f"ignores; {folder.path} was the last: ignore folders without DAG files, and remove links to folders"
                )
                return

    def _list_one(self, folder: _Folder, listing: FolderListing, waiting: list[_Folder], linked: deque[_Folder]) -> int:
        """List one folder; adds its folders to `waiting` and `linked`, and returns the number of its entries."""
        try:
            stat_result = os.stat(folder.path)
            with os.scandir(folder.path) as scan:
                entries = sorted(islice(scan, ENTRIES_MAX + 1), key=lambda entry: entry.name)
        except OSError as error:
            listing.unreadable[folder.path] = error.strerror or str(error)
            return 1
        identity = (stat_result.st_dev, stat_result.st_ino)
        if identity in folder.above:
            return 1  # a symbolic link to a folder that contains it
        listing.folders[folder.path] = identity
        if not entries:
            listing.empty.add(folder.path)
        layers = folder.layers
        if any(entry.name == airflowignore.FILE_NAME for entry in entries):
            layers = (*layers, *self._rules(folder.path, folder.relative, listing))
        below_folders = []
        for entry in entries:
            inside = f"{folder.relative}/{entry.name}" if folder.relative else entry.name
            if not entry.name.isascii() and not is_text(entry.name):
                listing.problems.append(f"{entry.path!r} has a name that is no UTF-8: it is passed by; rename it")
            elif _is_folder(entry):
                if entry.name != "__pycache__" and not self._is_ignored(inside, True, layers, listing):
                    below = _Folder(entry.path, inside, layers, folder.above | {identity})
                    linked.append(below) if entry.is_symlink() else below_folders.append(below)
            elif not self._is_ignored(inside, False, layers, listing):
                self._add_file(entry.path, listing)
        waiting += reversed(below_folders)
        return len(entries) + 1

    def _rules(self, folder: str, relative: str, listing: FolderListing) -> Iterator[airflowignore.IgnoreRules]:
        path = os.path.join(folder, airflowignore.FILE_NAME)
        try:
            text = read_bounded(path, airflowignore.BYTES_MAX).decode(errors="replace")
        except OSError as error:
            listing.problems.append(f"{path} cannot be read ({error.strerror}): its rules are not applied")
            return
        rules, problems = airflowignore.parse_ignore_file(text, relative, regexp=self._regexp)
        listing.problems += [f"{folder}: {problem}" for problem in problems[:PROBLEMS_MAX]]
        yield rules

    def _is_ignored(
        self, path: str, is_folder: bool, layers: tuple[airflowignore.IgnoreRules, ...], listing: FolderListing
    ) -> bool:
        if not self._regexp:
            return airflowignore.is_ignored(path, is_folder, layers)
        return any(self._matches_in_time(rules, path, is_folder, listing) for rules in reversed(layers))

    def _matches_in_time(
        self, rules: airflowignore.IgnoreRules, path: str, is_folder: bool, listing: FolderListing
    ) -> bool:
        """Whether rules of regular expressions ignore the path. Rules that once took too long are not applied again."""
        if rules.rules in self._slow_rules or len(self._slow_rules) >= SLOW_RULES_MAX:
            return False
        try:
            with limit_cpu(MATCH_LIMIT_S):
                return bool(rules.verdict(path, is_folder))
        except CpuDeadlineExceeded:
            self._slow_rules.add(rules.rules)
            place = f"{rules.folder}/{airflowignore.FILE_NAME}" if rules.folder else airflowignore.FILE_NAME
            listing.problems.append(
                f"{place} has an expression that did not match {path!r} within {MATCH_LIMIT_S} s of processor time: its rules are not applied; write it without nested repetitions"
            )
            return False

    def _add_file(self, path: str, listing: FolderListing) -> None:
        """Add the DAG files at `path`: the file itself, the members of an archive, or none."""
        try:
            stat_result = os.stat(path)
            if not stat.S_ISREG(stat_result.st_mode):
                return
            now = f"{stat_result.st_mtime_ns}.{stat_result.st_ctime_ns}.{stat_result.st_size}.{stat_result.st_ino}"
            cached = self._known_files.get(path)
            if cached is None or cached[0] != now:
                dag_files = self._plugin_files(path) if listing.is_plugins else self._dag_files(path)
                cached = self._known_files[path] = (now, tuple(dag_files))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ELOOP) or os.path.islink(path):
                listing.unreadable[path] = error.strerror or str(error)
            return
        except archives.ArchiveError as error:
            listing.problems.append(
                f"{path} is a damaged archive, or one that cannot be read ({error}): its DAGs are kept as they are; write the archive again"
            )
            listing.unreadable[path] = str(error)
            return
        for dag_file in cached[1]:
            listing.files[dag_file] = stat_result.st_mtime_ns

    def _plugin_files(self, path: str) -> Iterator[str]:
        if path.endswith(".py") and is_plugin_file(path):
            yield path

    def _dag_files(self, path: str) -> Iterator[str]:
        if path.endswith(".py"):
            if self._may_hold_dag(path):
                yield path
        elif _is_archive(path):
            with archives.open_archive(path) as archive:
                remaining = SCANNED_MAX
                for member in archives.list_members(archive):
                    text = b""
                    if self._safe_mode and remaining:
                        with archive.open(member) as opened:
                            text = opened.read(remaining)
                        remaining -= len(text)
                    if not (self._safe_mode and remaining) or mentions_dag(text):
                        yield f"{path}/{member.filename}"

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


def is_text(name: str) -> bool:
    """Whether a name of a file is UTF-8; Python shows the bytes of another one as surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_archive(path: str) -> bool:
    with open_regular_file(path) as opened:
        head = opened.read(4)
    return head == b"PK\x03\x04" or (path.endswith(".zip") and zipfile.is_zipfile(path))
