"""Decides which file is parsed next. No I/O; the time is an argument.

A file is queued when it is new, when an input changed, or when it depends on more than its inputs and its interval has
passed. Queued files are started in the order of the sort mode, in at most `processes` slots. A parse that turns out to be
slow frees its slot and continues outside the slots; a file known to be slow never takes a slot of the others.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gnomon.model.spec import FileInputs, ParsedFile
from gnomon.services.dagfiles.inputs import StampCache
from gnomon.services.dagfiles.parse_failures import REPEATABLE
from gnomon.services.dagfiles.settings import SLOW_AFTER_S, SLOW_MAX

RECENTLY_PARSED_S = 5.0
"""A file that was parsed within this time is started after files that have waited longer."""
FAILED_BACKOFF_FACTOR = 10.0
"""A failed file is parsed again after this multiple of the duration of its last parse, if that is longer than its interval."""


@dataclass(slots=True)
class FileParseState:
    """The state of one file in the queue."""

    path: str
    changed_at: int
    """Modification time in ns."""
    inputs: FileInputs | None = None
    parsed_at: float | None = None
    """End of its last parse in monotonic seconds; None before the first parse in this process."""
    duration_s: float = 0.0
    is_failed: bool = False
    is_import_failed: bool = False
    is_queued: bool = True
    is_running: bool = False
    is_changed_meanwhile: bool = False
    """An input changed during the running parse: the file is queued again at its end."""


class ParseQueue:
    """The files of all folders with their states."""

    def __init__(self, *, processes: int, reparse_s: float, sort_mode: str = "modified_time") -> None:
        self._processes = processes
        self._reparse_s = reparse_s
        self._order: Callable[[FileParseState], object] = _ORDERS[sort_mode]
        self._states: dict[str, FileParseState] = {}
        self._readers: dict[str, set[str]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._states

    def __len__(self) -> int:
        return len(self._states)

    def paths(self) -> set[str]:
        """All files in the queue's records."""
        return set(self._states)

    def state(self, path: str) -> FileParseState:
        return self._states[path]

    def restore_file(self, path: str, inputs: FileInputs, now: float) -> None:
        """Add a file that an earlier process parsed with these inputs; `enqueue_changed` decides whether they are current."""
        state = self._states.setdefault(path, FileParseState(path, 0))
        state.is_queued = False
        state.parsed_at = now
        self._set_inputs(state, inputs)

    def update_listing(self, files: Mapping[str, int]) -> list[str]:
        """Add the listed files (path to modification time in ns); returns the new ones, which are queued."""
        new = []
        for path, changed_at in files.items():
            state = self._states.get(path)
            if state is None:
                self._states[path] = FileParseState(path, changed_at)
                new.append(path)
            else:
                state.changed_at = changed_at
        return new

    def remove_file(self, path: str) -> None:
        """Remove a file that is not a DAG file any more."""
        state = self._states.pop(path, None)
        if state is not None:
            self._set_inputs(state, None)

    def enqueue(self, path: str) -> None:
        """Queue `path`; a file that is being parsed is parsed again afterwards."""
        state = self._states.get(path)
        if state is not None:
            state.is_queued = True
            state.is_changed_meanwhile = state.is_changed_meanwhile or state.is_running

    def enqueue_failed_imports(self) -> None:
        """Queue the files that could not be imported: a new or changed file may be the missing module."""
        for state in self._states.values():
            if state.is_import_failed:
                self.enqueue(state.path)

    def failed_imports(self) -> list[str]:
        """The files that could not be imported and are neither queued nor being parsed."""
        return [
            state.path
            for state in self._states.values()
            if state.is_import_failed and not (state.is_queued or state.is_running)
        ]

    def readers(self, path: str) -> set[str]:
        """The files that have `path`, or a listing of its folder, as an input."""
        folder = path.rpartition("/")[0] + "/"
        return self._readers.get(path, set()) | self._readers.get(folder, set()) | self._readers.get(f"{path}/", set())

    def enqueue_changed(self, stamps: StampCache, paths: Iterable[str] | None = None) -> None:
        """Queue those of `paths` (None: of all files) whose inputs have changed."""
        for path in list(self._states if paths is None else paths):
            state = self._states.get(path)
            if state is None or state.inputs is None or (state.is_queued and not state.is_running):
                continue
            current = stamps.renewed(state.inputs)
            if current is None:
                self.enqueue(path)
            elif current is not state.inputs:
                state.inputs = current

    def enqueue_due(self, now: float) -> float | None:
        """Queue the files whose interval has passed; returns the second at which the next one is due, None for never."""
        following: float | None = None
        for state in self._states.values():
            at = self._due_at(state)
            if at is None or state.is_queued or state.is_running:
                continue
            if at <= now:
                state.is_queued = True
            elif following is None or at < following:
                following = at
        return following

    def take_next(self, running: Mapping[str, float], now: float) -> list[str]:
        """The files to start now, which count as started. `running`: the paths being parsed, with the seconds since each start."""
        known_slow = {path for path in running if self._is_slow(path)}
        outside_slots = min(
            SLOW_MAX, len(known_slow | {path for path, seconds in running.items() if seconds > SLOW_AFTER_S})
        )
        free_slots = self._processes - (len(running) - outside_slots)
        free_slow_slots = min(self._processes - len(known_slow), SLOW_MAX - outside_slots)
        started: list[str] = []
        waiting = [state for state in self._states.values() if state.is_queued and not state.is_running]
        for state in sorted(
            waiting, key=lambda state: (self._was_just_parsed(state, now), self._order(state), state.path)
        ):
            if self._is_slow(state.path):
                if free_slow_slots <= 0:
                    continue
                free_slow_slots -= 1
            elif free_slots <= 0:
                continue
            else:
                free_slots -= 1
            state.is_queued, state.is_running = False, True
            started.append(state.path)
        return started

    def has_waiting(self) -> bool:
        """Whether a queued file waits for a slot."""
        return any(state.is_queued and not state.is_running for state in self._states.values())

    def is_settled(self, folder: str) -> bool:
        """Whether no file below the folder waits or is being parsed."""
        below = f"{folder}/"
        return not any(
            (state.is_queued or state.is_running) and state.path.startswith(below) for state in self._states.values()
        )

    def finish_parse(self, parsed: ParsedFile, now: float) -> None:
        """Record the end of a parse."""
        state = self._states.get(parsed.path)
        if state is None:
            return
        state.is_running = False
        state.is_queued, state.is_changed_meanwhile = state.is_queued or state.is_changed_meanwhile, False
        state.parsed_at = now
        state.duration_s = parsed.duration_s
        state.is_failed = any(failure.kind in REPEATABLE for failure in parsed.failures)
        state.is_import_failed = any(failure.kind == "import" for failure in parsed.failures)
        self._set_inputs(state, parsed.inputs)

    def _due_at(self, state: FileParseState) -> float | None:
        if state.inputs is None or state.parsed_at is None or not state.inputs.has_volatile_import:
            return None
        rest = max(self._reparse_s, FAILED_BACKOFF_FACTOR * state.duration_s) if state.is_failed else self._reparse_s
        return state.parsed_at + rest

    def _is_slow(self, path: str) -> bool:
        state = self._states.get(path)
        return state is not None and state.duration_s > SLOW_AFTER_S

    def _was_just_parsed(self, state: FileParseState, now: float) -> bool:
        return state.parsed_at is not None and now - state.parsed_at < RECENTLY_PARSED_S

    def _set_inputs(self, state: FileParseState, inputs: FileInputs | None) -> None:
        for path, _ in state.inputs.paths if state.inputs is not None else ():
            readers = self._readers.get(path)
            if readers is not None:
                readers.discard(state.path)
                if not readers:
                    del self._readers[path]
        state.inputs = inputs
        for path, _ in inputs.paths if inputs is not None else ():
            self._readers.setdefault(path, set()).add(state.path)


def _newest_first(state: FileParseState) -> object:
    return -state.changed_at


def _alphabetical(state: FileParseState) -> object:
    return state.path


def _by_host(state: FileParseState) -> object:
    return hashlib.sha256(f"{socket.gethostname()}\0{state.path}".encode()).digest()


_ORDERS: dict[str, Callable[[FileParseState], object]] = {
    "modified_time": _newest_first,
    "alphabetical": _alphabetical,
    "random_seeded_by_host": _by_host,
}
