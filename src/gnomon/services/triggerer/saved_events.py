"""Events of watchers on disk, from the moment at which a trigger yields one until it is stored in the database.

A host writes the file before it sends the event, and deletes it when the event is stored. When the host and its triggerer are killed between
the two, any triggerer of the home finds the file and stores the event; one that is stored already is dropped by its uid.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gnomon.ground import log
from gnomon.ground.config import Config
from gnomon.ground.log.confined_files import ConfinedFile, ForeignFileError, open_to_append
from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.result_checks import find_watcher_event_fault

SAVED_AGE_S = 3.0
"""A file of this age is stored by the triggerer that finds it; a younger one is on its way."""
_FOLDER = "watcher_events"
_SUFFIX = ".json"
_DRAFT_SUFFIX = ".draft"
_HEADROOM = 100
"""Levels of nesting for which the stack of this process must have room, in addition to those of a payload."""
_log = log.get_logger("triggerer")


class SavedEvents:
    """The files of one home."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def save(self, event: WatcherEvent) -> None:
        """Write the file of the event. A disk that refuses is logged: the event is sent nevertheless."""
        file = self._file_of(event)
        draft = file.beside(file.name + _DRAFT_SUFFIX)
        try:
            with open(open_to_append(self._folder, draft.relative, replaces_foreign=True), "wb") as opened:
                opened.truncate(0)
                opened.write(msgspec.json.encode(event))
            file.replace_with(draft)
        except OSError as error:
            _log.warning("watcher_event_not_saved", path=str(file), error=str(error))

    def drop(self, event: WatcherEvent) -> None:
        """Delete the file: the event is stored."""
        with contextlib.suppress(OSError):
            self._file_of(event).unlink()

    def list_left(self, now_s: float, age_s: float = SAVED_AGE_S) -> Iterator[WatcherEvent]:
        """The events whose files are at least that old; a file that cannot be read is renamed and logged. `now_s`: seconds since 1970.

        A file of the future counts as old: the clock was set back since, and an event that is stored twice is one event.
        """
        try:
            with os.scandir(self._folder) as entries:
                saved_files = [
                    (entry.stat(follow_symlinks=False).st_mtime, entry.name)
                    for entry in entries
                    if entry.name.endswith(_SUFFIX)
                ]
        except FileNotFoundError:
            return
        except OSError as error:
            _log.error(
                "watcher_events_unreadable",
                path=self._folder,
                error=str(error),
                next="let this user read and write the folder",
            )
            return
        for written_at, name in sorted(saved_files):
            if abs(now_s - written_at) < age_s:
                continue
            file = ConfinedFile(Path(self._folder), name)
            try:
                yield _read_event(file)
            except (OSError, ValueError, RecursionError) as error:
                if isinstance(error, FileNotFoundError) and not isinstance(error, ForeignFileError):
                    continue
                _log.error(
                    "watcher_event_unreadable",
                    path=str(file),
                    error=str(error),
                    next="the file is renamed and not read again",
                )
                with contextlib.suppress(OSError):
                    file.beside(name.removesuffix(_SUFFIX) + ".unreadable").replace_with(file)

    def _file_of(self, event: WatcherEvent) -> ConfinedFile:
        digest = hashlib.sha256(f"{event.identity}\0{event.uid}".encode("utf-8", "surrogatepass")).hexdigest()
        return ConfinedFile(Path(self._folder), digest[:40] + _SUFFIX)


def _read_event(file: ConfinedFile) -> WatcherEvent:
    """The event of that file. Raises OSError; ValueError or RecursionError for a file or a payload that is no JSON of ours."""
    with file.open() as opened:
        event = msgspec.json.decode(opened.read(), type=WatcherEvent)
    json.loads(
        "[" * _HEADROOM + event.payload + "]" * _HEADROOM
    )  # otherwise each triggerer of the home would fail to store it
    if (fault := find_watcher_event_fault(event)) is not None:
        raise ValueError(fault)
    return event


def open_saved_events(cfg: Config) -> SavedEvents:
    """The files of the home of this configuration."""
    return SavedEvents(os.path.join(cfg.home, _FOLDER))
