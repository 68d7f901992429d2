"""Which files are really gone. Nothing is removed for lack of news: only what a healthy folder says counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gnomon.dagfiles.discovery import FolderIdentity, FolderListing
from gnomon.loading import archives


@dataclass(slots=True)
class MissingFiles:
    """The files that a listing did not find again."""

    deleted: list[str] = field(default_factory=list)
    """Deleted, ignored or without a DAG now: their DAGs are deactivated."""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """Folder about which nothing is known now, to the files below it: their DAGs stay as they are."""


def classify_missing(known: Iterable[str], listing: FolderListing, before: Mapping[str, FolderIdentity]) -> MissingFiles:
    """What became of the `known` files below the listed folder that are not in `listing`.

    `before`: the identity of each folder when it was listed last. A folder that is empty and another one than before (or
    was never seen) is a mount point without its file system. Not so the plugins folder: no DAG is lost with a plugin.
    """
    result = MissingFiles()
    for path in sorted(known):
        if path in listing.files:
            continue
        file = archives.locate_source(path).file if os.path.lexists(path) else _containing_file(path)
        silent = _find_unavailable(file, listing, before)
        if silent is None:
            result.deleted.append(path)
        else:
            result.unknown.setdefault(silent, []).append(path)
    return result


def _find_unavailable(file: str, listing: FolderListing, before: Mapping[str, FolderIdentity]) -> str | None:
    """The file or the folder around it that cannot be asked; None when the file's absence is a fact."""
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
            return None  # it is below no folder that was listed
        folder = above


def _containing_file(path: str) -> str:
    """The file of a DAG file that is not there: for `archive.zip/member.py` the archive, when it is one."""
    above = os.path.dirname(path)
    return above if os.path.isfile(above) else path
