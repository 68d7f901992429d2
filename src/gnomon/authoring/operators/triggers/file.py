"""Triggers that wait for a file: they check after a change of the folder and every `poke_interval` seconds."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import uuid
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from gnomon.authoring.operators.filesystem_hook import find_file
from gnomon.authoring.operators.triggers.folder_watch import (
    find_nearest_folder,
    run_in_file_thread,
    wait_for_change,
    watch_folder,
)
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger, BaseTrigger, TriggerEvent

CHECK_INTERVAL_MIN_S = 0.05
"""The shortest time between two checks: many changes of a folder cause few checks."""


class FileTrigger(BaseTrigger):
    """Fires with True when a file matches `filepath` or is below a match. `recursive` lets ** match several folders."""

    def __init__(self, filepath: str, recursive: bool = False, poke_interval: float = 5.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filepath = os.fspath(filepath)
        self.recursive = recursive
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {"filepath": self.filepath, "recursive": self.recursive, "poke_interval": self.poke_interval}
        return f"{__name__}.FileTrigger", kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await _wait_until_found(partial(find_file, self.filepath, self.recursive), self.filepath, self.poke_interval)
        yield TriggerEvent(True)


class FileDeleteTrigger(BaseEventTrigger):
    """Deletes the file at `filepath` when it exists and fires with True. Of two triggers, only one deletes the file and fires.

    As a watcher of an asset it goes on with the next file. The file is deleted when its event is stored: until then it has another name
    in its folder (`.taken-...`), under which a trigger that is started after a crash finds it. So each file becomes one event.
    """

    def __init__(self, filepath: str, poke_interval: float = 5.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filepath = os.fspath(filepath)
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.FileDeleteTrigger", {"filepath": self.filepath, "poke_interval": self.poke_interval}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        async for event in _delete_files(self, self.filepath, self.poke_interval, True):
            yield event


class DirectoryFileDeleteTrigger(BaseEventTrigger):
    """Deletes the file of that name in the directory when it exists and fires with {"filepath": path}. Otherwise as FileDeleteTrigger."""

    def __init__(self, *, directory: str, filename: str, poke_interval: float = 5.0) -> None:
        super().__init__()
        self.directory = os.fspath(directory)
        self.filename = filename
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {"directory": self.directory, "filename": self.filename, "poke_interval": self.poke_interval}
        return f"{__name__}.DirectoryFileDeleteTrigger", kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        path = os.path.join(self.directory, self.filename)
        async for event in _delete_files(self, path, self.poke_interval, {"filepath": path}):
            yield event


async def _delete_files(
    trigger: BaseEventTrigger, path: str, poke_interval: float, payload: object
) -> AsyncIterator[TriggerEvent]:
    """Yield one event for a deferred task, and one for each file at `path` to a watcher of an asset."""
    if trigger.asset_state_store is None:
        await _wait_until_found(partial(_delete_file, path), path, poke_interval)
        yield TriggerEvent(payload)
        return
    prefix = _taken_prefix(trigger, path)
    for taken in await run_in_file_thread(_list_taken, prefix):
        yield TriggerEvent(payload, uid=os.path.basename(taken))
        await run_in_file_thread(_delete_file, taken)
    while True:
        taken = str(await _wait_until_found(partial(_take_file, path, prefix), path, poke_interval))
        yield TriggerEvent(payload, uid=os.path.basename(taken))
        await run_in_file_thread(_delete_file, taken)


async def _wait_until_found(check: Callable[[], object], pattern: str, poke_interval: float) -> object:
    """Return the first true value of `check`. It is called in a thread, at least every `poke_interval` seconds."""
    while True:
        folder = await run_in_file_thread(find_nearest_folder, pattern)
        async with watch_folder(folder) as changed:
            while True:
                if result := await run_in_file_thread(check):
                    return result
                await wait_for_change(changed, poke_interval)
                await asyncio.sleep(CHECK_INTERVAL_MIN_S)
                if await run_in_file_thread(find_nearest_folder, pattern) != folder:
                    break


def _delete_file(path: str) -> bool:
    """Return whether this call has deleted the file. Raises OSError for a folder."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _taken_prefix(trigger: BaseEventTrigger, path: str) -> str:
    """The path, without its last part, under which a file is kept until its event is stored; other triggers have other prefixes."""
    identity = f"{trigger.serialize()}\0{os.path.abspath(path)}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return os.path.join(os.path.dirname(path), f".taken-{digest}-")


def _list_taken(prefix: str) -> list[str]:
    """The files that a trigger with this prefix has taken and not deleted, the oldest first."""
    folder, start = os.path.split(prefix)
    try:
        with os.scandir(folder or ".") as entries:
            taken_files = [
                (entry.stat(follow_symlinks=False).st_ctime_ns, entry.path)
                for entry in entries
                if entry.name.startswith(start)
            ]
    except FileNotFoundError:
        return []
    return [path for _, path in sorted(taken_files)]


def _take_file(path: str, prefix: str) -> str | None:
    """Return the new path of the file that this call has renamed; None when there is none. Raises OSError for a folder."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, and only files are deleted", path)
    taken = prefix + uuid.uuid4().hex
    try:
        os.rename(path, taken)
    except FileNotFoundError:
        return None
    return taken
