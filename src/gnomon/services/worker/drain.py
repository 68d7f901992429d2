"""The end of a worker in two steps: running attempts get time to end by themselves; then they are ended."""

from __future__ import annotations

import contextlib
import signal
import sys

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.wakeups import StopFlag
from gnomon.model.sentences import render, say
from gnomon.services.worker.loop import TICK_S, WorkerService, describe_stop

events = log.get_logger("worker")

ONE_REQUEST_S = 1.0
"""Stop signals within this time are one request: a shell or `timeout` sends them to a process and to its group."""


class StopRequests:
    """The signals that end a worker: SIGTERM, SIGINT and SIGHUP drain it; a second one of them, or SIGQUIT, ends it at once."""

    def __init__(self, clock: Clock, one_request_s: float = ONE_REQUEST_S) -> None:
        self.at_once = StopFlag().install_handlers((signal.SIGQUIT,))
        self.soon = StopFlag().install_handlers()
        self._clock = clock
        self._one_request_s = one_request_s
        self._first_at: float | None = None
        self._counted = 0

    def __call__(self) -> bool:
        """True once the worker has to end."""
        return self.soon() or self.at_once()

    def is_repeated(self) -> bool:
        """True once the worker has to end without waiting for running attempts."""
        now = self._clock.monotonic()
        if self._first_at is None:
            self._first_at = now
        if now - self._first_at < self._one_request_s or not self._counted:
            self._counted = max(self.soon.signal_count, 1)
        return self.at_once() or self.soon.signal_count > self._counted


def run(worker: WorkerService, requests: StopRequests, clock: Clock, grace_s: float) -> None:
    """Run the worker until a stop signal, drain it, and stop it. `grace_s`: how long running attempts may go on after the signal."""
    reason = describe_stop()
    for flag in (requests.soon, requests.at_once):
        worker.wake_on(flag.fileno())
    try:
        while not requests():
            worker.run_once()
        reason = _drain(worker, requests, clock, grace_s)
    finally:
        worker.stop(reason)


def _drain(worker: WorkerService, requests: StopRequests, clock: Clock, grace_s: float) -> str:
    """Wait for running attempts to end by themselves. Returns the reason for which those that are left are ended."""
    deadline = clock.monotonic() + grace_s
    worker.refuse_attempts()
    if not grace_s or not worker.running or requests.is_repeated():
        return describe_stop()
    _announce_drain(worker.running, grace_s)
    while worker.running:
        remaining_s = deadline - clock.monotonic()
        if requests.is_repeated():
            return _log_forced_end(worker, render(say("worker_was_told_to_stop_at_once")))
        if remaining_s <= 0:
            return _log_forced_end(worker, render(say("worker_stopped_after_grace", duration=grace_s)))
        worker.run_once(min(remaining_s, TICK_S))
    return describe_stop()


def _announce_drain(running: int, grace_s: float) -> None:
    events.info("worker_drains", attempts=running, grace_s=grace_s)
    attempts = "1 attempt runs and has" if running == 1 else f"{running} attempts run and have"
    with contextlib.suppress(OSError):  # the terminal was closed
        sys.stdout.write(
            f"Gnomon stops: {attempts} {grace_s:g} s to end ([workers] shutdown_grace). A second Ctrl-C or SIGTERM ends them at once.\n"
        )
        sys.stdout.flush()


def _log_forced_end(worker: WorkerService, reason: str) -> str:
    events.warning("attempts_ended", attempts=worker.running, reason=reason)
    return reason
