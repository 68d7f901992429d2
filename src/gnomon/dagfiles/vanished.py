"""Which files are really gone. Nothing is removed for lack of news: only what a healthy folder says counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gnomon.dagfiles.discovery import Identity, Listing
from gnomon.loading import zips


@dataclass(slots=True)
class Vanished:
    """The files that a listing did not find again."""

    gone: list[str] = field(default_factory=list)
    """Deleted, ignored or without a DAG now: their DAGs are deactivated."""
    held: dict[str, list[str]] = field(default_factory=dict)
    """Folder about which nothing is known now, to the files below it: their DAGs stay as they are."""


def judge(known: Iterable[str], listing: Listing, before: Mapping[str, Identity]) -> Vanished:
    """What became of the `known` files below the listed folder that are not in `listing`.

    `before`: the identity of each folder when it was listed last. A folder that is empty and another one than before (or
    was never seen) is a mount point without its file system. Not so the plugins folder: no DAG is lost with a plugin.
    """
    result = Vanished()
    for path in sorted(known):
        if path in listing.files:
            continue
        file = zips.place_of(path).file if os.path.lexists(path) else _file_of(path)
        silent = _silent(file, listing, before)
        if silent is None:
            result.gone.append(path)
        else:
            result.held.setdefault(silent, []).append(path)
    return result


def _silent(file: str, listing: Listing, before: Mapping[str, Identity]) -> str | None:
    """The file or the folder around it that cannot be asked; None when the file's absence is a fact."""
    if file in listing.unreadable:
        return file
    folder = os.path.dirname(file)
    while True:
        if folder in listing.unreadable:
            return folder
        if folder in listing.folders:
            is_another = before.get(folder) != listing.folders[folder]
            return folder if folder in listing.empty and is_another and not listing.plugins else None
        above = os.path.dirname(folder)
        if above == folder:
            return None  # it is below no folder that was listed
        folder = above


def _file_of(path: str) -> str:
    """The file of a DAG file that is not there: for `archive.zip/member.py` the archive, when it is one."""
    above = os.path.dirname(path)
    return above if os.path.isfile(above) else path
