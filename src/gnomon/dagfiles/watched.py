"""The folders under watch: a stable descriptor over watches that come and go with the folders."""

from __future__ import annotations

import os
import selectors
from collections.abc import Iterable, Mapping

from gnomon.dagfiles.discovery import Identity
from gnomon.dagfiles.watch import Watch


class Watched:
    """Watches these folders; one that is replaced by another (a mount, a switched link) is watched anew."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._selector = selectors.DefaultSelector()
        self._seen: tuple[object, ...] = ()
        self._watch: Watch | None = None

    def fileno(self) -> int:
        """Readable when `take` has something."""
        return self._selector.fileno()

    def follow(self, listed: Mapping[str, Identity]) -> None:
        """The watch is on the folders that are there now, links inside them included. `listed`: folders and who they are."""
        links = [folder for folder in listed if os.path.islink(folder)]
        wanted = [*self._folders, *links]
        seen = tuple((folder, listed.get(folder), os.path.isdir(folder)) for folder in wanted)
        if seen == self._seen:
            return
        self._seen = seen
        self._drop()
        self._watch = Watch(wanted)
        self._selector.register(self._watch, selectors.EVENT_READ)

    def take(self) -> list[str]:
        """The paths that changed since the last call."""
        return list(self._watch.take()) if self._watch is not None else []

    def close(self) -> None:
        """Nothing is watched."""
        self._drop()
        self._selector.close()

    def _drop(self) -> None:
        if self._watch is not None:
            self._selector.unregister(self._watch)
            self._watch.close()
            self._watch = None
