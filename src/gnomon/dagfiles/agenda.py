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

from gnomon.dagfiles.failures import REPEATABLE
from gnomon.dagfiles.inputs import Look
from gnomon.dagfiles.settings import SLOW_AFTER_S, SLOW_MAX
from gnomon.model.spec import FileInputs, ParsedFile

BUSY_WRITER_S = 5.0
"""A file that was parsed so recently stands behind those that wait longer."""
FAILED_REST = 10.0
"""A failed file is left alone for so many times as long as its failing took."""


@dataclass(slots=True)
class FileState:
    """What the dag-processor knows of one file."""

    path: str
    changed_at: int
    """By its time stamp, ns."""
    inputs: FileInputs | None = None
    parsed_at: float | None = None
    """When its last parse ended, monotonic seconds; None before the first one in this process."""
    duration_s: float = 0.0
    failed: bool = False
    import_failed: bool = False
    wanted: bool = True
    running: bool = False
    again: bool = False
    """An input changed while it was being parsed."""


class Agenda:
    """The files of all folders and what is to be done with them."""

    def __init__(self, *, processes: int, reparse_s: float, sort_mode: str = "modified_time") -> None:
        self._processes = processes
        self._reparse_s = reparse_s
        self._order: Callable[[FileState], object] = _ORDERS[sort_mode]
        self._states: dict[str, FileState] = {}
        self._readers: dict[str, set[str]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._states

    def paths(self) -> set[str]:
        """All files that it knows."""
        return set(self._states)

    def state(self, path: str) -> FileState:
        return self._states[path]

    def remember(self, path: str, inputs: FileInputs, now: float) -> None:
        """`path` was parsed by an earlier process with these inputs; whether they still hold is for `look` to say."""
        state = self._states.setdefault(path, FileState(path, 0))
        state.wanted = False
        state.parsed_at = now
        self._set_inputs(state, inputs)

    def listed(self, files: Mapping[str, int]) -> list[str]:
        """These files are there; returns the new ones, which are wanted."""
        new = []
        for path, changed_at in files.items():
            state = self._states.get(path)
            if state is None:
                self._states[path] = FileState(path, changed_at)
                new.append(path)
            else:
                state.changed_at = changed_at
        return new

    def forget(self, path: str) -> None:
        """The file is no DAG file any more."""
        state = self._states.pop(path, None)
        if state is not None:
            self._set_inputs(state, None)

    def want(self, path: str) -> None:
        """`path` is to be parsed, again when that is just being done."""
        state = self._states.get(path)
        if state is not None:
            state.wanted = True
            state.again = state.again or state.running

    def want_failed_imports(self) -> None:
        """A file came or changed: what could not be imported may find it now."""
        for state in self._states.values():
            if state.import_failed:
                self.want(state.path)

    def failed_imports(self) -> list[str]:
        """The files that could not be imported, and are not about to be parsed again."""
        return [state.path for state in self._states.values() if state.import_failed and not (state.wanted or state.running)]

    def readers(self, path: str) -> set[str]:
        """The files that have `path` as an input, or a listing of the folder that it is in."""
        folder = path.rpartition("/")[0] + "/"
        return self._readers.get(path, set()) | self._readers.get(folder, set()) | self._readers.get(f"{path}/", set())

    def look(self, look: Look, paths: Iterable[str] | None = None) -> None:
        """Of these files (all), those are wanted of which an input has changed."""
        for path in list(self._states if paths is None else paths):
            state = self._states.get(path)
            if state is None or state.inputs is None or (state.wanted and not state.running):
                continue
            renewed = look.renewed(state.inputs)
            if renewed is None:
                self.want(path)
            elif renewed is not state.inputs:
                state.inputs = renewed

    def due(self, now: float) -> float | None:
        """Files whose interval has passed are wanted; returns when the next one's will have, None for never."""
        following: float | None = None
        for state in self._states.values():
            at = self._due_at(state)
            if at is None or state.wanted or state.running:
                continue
            if at <= now:
                state.wanted = True
            elif following is None or at < following:
                following = at
        return following

    def next(self, running: Mapping[str, float], now: float) -> list[str]:
        """The files to start now, given the seconds that each running parse has taken; they count as started."""
        known_slow = {path for path in running if self._is_slow(path)}
        beside = min(SLOW_MAX, len(known_slow | {path for path, seconds in running.items() if seconds > SLOW_AFTER_S}))
        places = self._processes - (len(running) - beside)
        places_for_slow = min(self._processes - len(known_slow), SLOW_MAX - beside)
        started: list[str] = []
        waiting = [state for state in self._states.values() if state.wanted and not state.running]
        for state in sorted(waiting, key=lambda one: (self._was_just_parsed(one, now), self._order(one), one.path)):
            if self._is_slow(state.path):
                if places_for_slow <= 0:
                    continue
                places_for_slow -= 1
            elif places <= 0:
                continue
            else:
                places -= 1
            state.wanted, state.running = False, True
            started.append(state.path)
        return started

    def is_waiting(self) -> bool:
        """Whether a wanted file has no place yet."""
        return any(state.wanted and not state.running for state in self._states.values())

    def done(self, parsed: ParsedFile, now: float) -> None:
        """The parse of a file has ended so."""
        state = self._states.get(parsed.path)
        if state is None:
            return
        state.running = False
        state.wanted, state.again = state.wanted or state.again, False
        state.parsed_at = now
        state.duration_s = parsed.duration_s
        state.failed = any(one.kind in REPEATABLE for one in parsed.failures)
        state.import_failed = any(one.kind == "import" for one in parsed.failures)
        self._set_inputs(state, parsed.inputs)

    def _due_at(self, state: FileState) -> float | None:
        if state.inputs is None or state.parsed_at is None or not state.inputs.looked_further:
            return None
        rest = max(self._reparse_s, FAILED_REST * state.duration_s) if state.failed else self._reparse_s
        return state.parsed_at + rest

    def _is_slow(self, path: str) -> bool:
        state = self._states.get(path)
        return state is not None and state.duration_s > SLOW_AFTER_S

    def _was_just_parsed(self, state: FileState, now: float) -> bool:
        return state.parsed_at is not None and now - state.parsed_at < BUSY_WRITER_S

    def _set_inputs(self, state: FileState, inputs: FileInputs | None) -> None:
        for path, _ in state.inputs.paths if state.inputs is not None else ():
            readers = self._readers.get(path)
            if readers is not None:
                readers.discard(state.path)
                if not readers:
                    del self._readers[path]
        state.inputs = inputs
        for path, _ in inputs.paths if inputs is not None else ():
            self._readers.setdefault(path, set()).add(state.path)


def _newest_first(state: FileState) -> object:
    return -state.changed_at


def _alphabetical(state: FileState) -> object:
    return state.path


def _by_host(state: FileState) -> object:
    return hashlib.sha256(f"{socket.gethostname()}\0{state.path}".encode()).digest()


_ORDERS: dict[str, Callable[[FileState], object]] = {
    "modified_time": _newest_first,
    "alphabetical": _alphabetical,
    "random_seeded_by_host": _by_host,
}
