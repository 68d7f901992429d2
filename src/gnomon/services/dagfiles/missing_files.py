"""Decides which missing files are deleted: a file is deleted only when its folder could be listed and is the same as before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gnomon.author_code.loading import archives
from gnomon.services.dagfiles.discovery import FolderIdentity, FolderListing


@dataclass(slots=True)
class MissingFiles:
    """The recorded files that a listing did not find."""

    deleted: list[str] = field(default_factory=list)
    """Deleted, ignored or without a DAG now: their DAGs are deactivated."""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """Unavailable folder to its files: their DAGs are kept as they are."""


def classify_missing(
    known_files: Iterable[str], listing: FolderListing, before: Mapping[str, FolderIdentity]
) -> MissingFiles:
    """Classify the files `known_files` below the listed folder that are not in `listing`.

    `before`: the identity of each folder at the last listing. An empty folder with another identity than before (or a new
    one) is a mount point without its file system. The plugins folder is exempt: no DAG is lost with a plugin.
    """
    result = MissingFiles()
    for path in sorted(known_files):
        if path in listing.files:
            continue
        file = archives.locate_source(path).file if os.path.lexists(path) else _containing_file(path)
        unavailable = _find_unavailable(file, listing, before)
        if unavailable is None:
            result.deleted.append(path)
        else:
            result.unknown.setdefault(unavailable, []).append(path)
    return result


def _find_unavailable(file: str, listing: FolderListing, before: Mapping[str, FolderIdentity]) -> str | None:
    """The unavailable file or folder at or above `file`; None when the file was really deleted."""
    if file in listing.unreadable:
        return file
    folder = os.path.dirname(file)
    while True:
        if folder in listing.unreadable:
            return folder
        if folder in listing.folders:
            is_another = before.get(folder) != listing.folders[folder]
            return folder if folder in listing.empty and is_another and not listing.is_plugins else None
        above = os.path.dirname(folder)
        if above == folder:
            return None  # not below any listed folder
        folder = above


def _containing_file(path: str) -> str:
    """The file that contains a missing DAG file: for `archive.zip/member.py` the archive, when it is one."""
    above = os.path.dirname(path)
    return above if os.path.isfile(above) else path
