"""Calls listeners of plugins for what the dag-processor finds, in a process of their own: the dag-processor runs no author code."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from gnomon.ground import log
from gnomon.ground.clock import Clock

LISTENER_MODULE = "gnomon.services.dagfiles.listener_main"
START_S = 30.0
"""Time for the start of a process and the import of the plugins."""
CALL_S = 31.0
"""Time for one call; the process itself ends a listener after LISTENER_TIMEOUT_S, so a little more than that."""
CALLS_PER_PROCESS = 100
WAITING_MAX = 10_000
"""Calls that wait; a call beyond is dropped, and the log says so."""
POLL_S = 0.2
"""Interval between two looks at a running process."""
_log = log.get_logger("dagfiles.listeners")


class ListenerCall(msgspec.Struct, frozen=True):
    """One change that listeners are told about."""

    hook: str
    arguments: dict[str, str]


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    kill_at: float
    """Monotonic seconds."""
    hooks: tuple[str, ...]


class ListenerProcess:
    """Calls that wait, and at most one process that makes calls. No method blocks."""

    def __init__(self, environ: Mapping[str, str], clock: Clock, may_have_listeners: Callable[[], bool]) -> None:
        """`environ`: of the process. `may_have_listeners`: whether a plugin may have one; without, nothing is called."""
        self._environ = dict(environ)
        self._clock = clock
        self.may_have_listeners = may_have_listeners
        self._waiting: deque[ListenerCall] = deque()
        self._running: _Running | None = None

    def add(self, call: ListenerCall) -> None:
        """Make the call as soon as a process can."""
        if len(self._waiting) < WAITING_MAX:
            self._waiting.append(call)
        else:
            _log.warning("listener_call_dropped", hook=call.hook, waiting=WAITING_MAX)

    def advance(self) -> float | None:
        """Look at the running process and start the next one; returns the monotonic second of the next call, None: nothing is left to do."""
        now = self._clock.monotonic()
        if self._running is not None:
            self._check(self._running, now)
        if self._running is None and self._waiting:
            self._start(now)
        return now + POLL_S if self._running is not None else None

    def close(self) -> None:
        """End the running process; what waits is not called."""
        if self._running is not None:
            self._running.process.kill()
            self._running.process.wait()
            self._running = None

    def _check(self, running: _Running, now: float) -> None:
        code = running.process.poll()
        if code is None and now < running.kill_at:
            return
        if code is None:
            running.process.kill()
            running.process.wait()
            _log.error(
                "listener_process_killed",
                hooks=running.hooks,
                reason="a listener could not be ended after its time limit",
            )
        elif code != 0:
            _log.error("listener_process_failed", hooks=running.hooks, exit_code=code)
        self._running = None

    def _start(self, now: float) -> None:
        batch = [self._waiting.popleft() for _ in range(min(CALLS_PER_PROCESS, len(self._waiting)))]
        hooks = tuple(dict.fromkeys(call.hook for call in batch))
        with tempfile.TemporaryFile() as file:
            file.write(msgspec.json.encode(batch))
            file.seek(0)
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-m", LISTENER_MODULE], env=self._environ, stdin=file, start_new_session=True
                )
            except OSError as error:
                _log.error("listener_process_refused", hooks=hooks, error=str(error))
                return
        self._running = _Running(process, now + START_S + CALL_S * len(batch), hooks)
