"""Which file is parsed next: pure bookkeeping, the time is an argument.

A file is wanted when it is new, when an input changed, or when it looked further than its inputs and its interval has
passed. Wanted files are started in the order of the sort mode, at most `processes` at a time; one that turns out slow
gives its place to the next and goes on beside, and a file known as slow never takes a place from the others.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gnomon.dagfiles.inputs import StampCache
from gnomon.dagfiles.parse_failures import REPEATABLE
from gnomon.dagfiles.settings import SLOW_AFTER_S, SLOW_MAX
from gnomon.model.spec import FileInputs, ParsedFile

RECENTLY_PARSED_S = 5.0
"""A file that was parsed so recently stands behind those that wait longer."""
FAILED_BACKOFF_FACTOR = 10.0
"""A failed file is left alone for so many times as long as its failing took."""


@dataclass(slots=True)
class FileParseState:
    """What the dag-processor knows of one file."""

    path: str
    changed_at: int
    """By its time stamp, ns."""
    inputs: FileInputs | None = None
    parsed_at: float | None = None
    """When its last parse ended, monotonic seconds; None before the first one in this process."""
    duration_s: float = 0.0
    is_failed: bool = False
    is_import_failed: bool = False
    is_queued: bool = True
    is_running: bool = False
    is_changed_meanwhile: bool = False
    """An input changed while it was being parsed."""


class ParseQueue:
    """The files of all folders and what is to be done with them."""

    def __init__(self, *, processes: int, reparse_s: float, sort_mode: str = "modified_time") -> None:
        self._processes = processes
        self._reparse_s = reparse_s
        self._order: Callable[[FileParseState], object] = _ORDERS[sort_mode]
        self._states: dict[str, FileParseState] = {}
        self._readers: dict[str, set[str]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._states

    def paths(self) -> set[str]:
        """All files that it knows."""
        return set(self._states)

    def state(self, path: str) -> FileParseState:
        return self._states[path]

    def restore_file(self, path: str, inputs: FileInputs, now: float) -> None:
        """`path` was parsed by an earlier process with these inputs; whether they still hold is for `look` to say."""
        state = self._states.setdefault(path, FileParseState(path, 0))
        state.is_queued = False
        state.parsed_at = now
        self._set_inputs(state, inputs)

    def update_listing(self, files: Mapping[str, int]) -> list[str]:
        """These files are there; returns the new ones, which are wanted."""
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
        """The file is no DAG file any more."""
        state = self._states.pop(path, None)
        if state is not None:
            self._set_inputs(state, None)

    def enqueue(self, path: str) -> None:
        """`path` is to be parsed, again when that is just being done."""
        state = self._states.get(path)
        if state is not None:
            state.is_queued = True
            state.is_changed_meanwhile = state.is_changed_meanwhile or state.is_running

    def enqueue_failed_imports(self) -> None:
        """A file came or changed: what could not be imported may find it now."""
        for state in self._states.values():
            if state.is_import_failed:
                self.enqueue(state.path)

    def failed_imports(self) -> list[str]:
        """The files that could not be imported, and are not about to be parsed again."""
        return [state.path for state in self._states.values() if state.is_import_failed and not (state.is_queued or state.is_running)]

    def readers(self, path: str) -> set[str]:
        """The files that have `path` as an input, or a listing of the folder that it is in."""
        folder = path.rpartition("/")[0] + "/"
        return self._readers.get(path, set()) | self._readers.get(folder, set()) | self._readers.get(f"{path}/", set())

    def enqueue_changed(self, look: StampCache, paths: Iterable[str] | None = None) -> None:
        """Of these files (all), those are wanted of which an input has changed."""
        for path in list(self._states if paths is None else paths):
            state = self._states.get(path)
            if state is None or state.inputs is None or (state.is_queued and not state.is_running):
                continue
            renewed = look.renewed(state.inputs)
            if renewed is None:
                self.enqueue(path)
            elif renewed is not state.inputs:
                state.inputs = renewed

    def enqueue_due(self, now: float) -> float | None:
        """Files whose interval has passed are wanted; returns when the next one's will have, None for never."""
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
        """The files to start now, given the seconds that each running parse has taken; they count as started."""
        known_slow = {path for path in running if self._is_slow(path)}
        beside = min(SLOW_MAX, len(known_slow | {path for path, seconds in running.items() if seconds > SLOW_AFTER_S}))
        places = self._processes - (len(running) - beside)
        places_for_slow = min(self._processes - len(known_slow), SLOW_MAX - beside)
        started: list[str] = []
        waiting = [state for state in self._states.values() if state.is_queued and not state.is_running]
        for state in sorted(waiting, key=lambda one: (self._was_just_parsed(one, now), self._order(one), one.path)):
            if self._is_slow(state.path):
                if places_for_slow <= 0:
                    continue
                places_for_slow -= 1
            elif places <= 0:
                continue
            else:
                places -= 1
            state.is_queued, state.is_running = False, True
            started.append(state.path)
        return started

    def has_waiting(self) -> bool:
        """Whether a wanted file has no place yet."""
        return any(state.is_queued and not state.is_running for state in self._states.values())

    def finish_parse(self, parsed: ParsedFile, now: float) -> None:
        """The parse of a file has ended so."""
        state = self._states.get(parsed.path)
        if state is None:
            return
        state.is_running = False
        state.is_queued, state.is_changed_meanwhile = state.is_queued or state.is_changed_meanwhile, False
        state.parsed_at = now
        state.duration_s = parsed.duration_s
        state.is_failed = any(one.kind in REPEATABLE for one in parsed.failures)
        state.is_import_failed = any(one.kind == "import" for one in parsed.failures)
        self._set_inputs(state, parsed.inputs)

    def _due_at(self, state: FileParseState) -> float | None:
        if state.inputs is None or state.parsed_at is None or not state.inputs.looked_further:
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
