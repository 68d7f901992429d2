"""Triggers that wait for a file: they check after a change of the folder and every `poke_interval` seconds."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from gnomon.operators.filesystem_hook import find_file
from gnomon.operators.triggers.folder_watch import (
    find_nearest_folder,
    run_in_file_thread,
    wait_for_change,
    watch_folder,
)
from gnomon.sdk.deferral.triggers import BaseEventTrigger, BaseTrigger, TriggerEvent

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
    """Deletes the file at `filepath` when it exists and fires with True. Of two triggers, only one deletes the file and fires."""

    def __init__(self, filepath: str, poke_interval: float = 5.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filepath = os.fspath(filepath)
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.FileDeleteTrigger", {"filepath": self.filepath, "poke_interval": self.poke_interval}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await _wait_until_found(partial(_delete_file, self.filepath), self.filepath, self.poke_interval)
        yield TriggerEvent(True)


class DirectoryFileDeleteTrigger(BaseEventTrigger):
    """Deletes the file of that name in the directory when it exists and fires with {"filepath": path}."""

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
        await _wait_until_found(partial(_delete_file, path), path, self.poke_interval)
        yield TriggerEvent({"filepath": path})


async def _wait_until_found(check: Callable[[], object], pattern: str, poke_interval: float) -> None:
    """Return when `check` returns a true value. It is called in a thread, at least every `poke_interval` seconds."""
    while True:
        folder = await run_in_file_thread(find_nearest_folder, pattern)
        async with watch_folder(folder) as changed:
            while True:
                if await run_in_file_thread(check):
                    return
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
