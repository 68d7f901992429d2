"""A timetable host that answers before time goes on: a projection has no clock that could pass while author code runs."""

from __future__ import annotations

import select

from gnomon.author_code.timetable_host import TimetableHost, TimetableRequest, TimetableResponse
from gnomon.author_code.timetable_host.settings import build_timetable_host_settings
from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config

POLL_S = 0.2


def start_host(cfg: Config) -> WaitingTimetableHost:
    """A host of this process, which closes it; its own process starts with the first request."""
    return WaitingTimetableHost(SubprocessTimetableHost(build_timetable_host_settings(cfg), SystemClock()))


class WaitingTimetableHost:
    """Passes requests to a host of another process; `collect` returns when all have an answer, which the host gives in any case."""

    def __init__(self, host: TimetableHost) -> None:
        self._host = host
        self._pending = 0

    def ask(self, question: TimetableRequest) -> None:
        """Send the request."""
        self._pending += 1
        self._host.ask(question)

    def collect(self) -> list[TimetableResponse]:
        """The answers to all requests since the last call."""
        responses: list[TimetableResponse] = []
        while self._pending:
            arrived = self._host.collect()
            responses += arrived
            self._pending -= len(arrived)
            if self._pending:
                wait_s = self._host.wake_in_s()
                select.select(self._host.filenos(), [], [], POLL_S if wait_s is None else min(wait_s, POLL_S))
        return responses

    def wake_in_s(self) -> float | None:
        """0 while a request has no answer: `collect` waits for it."""
        return 0.0 if self._pending else None

    def filenos(self) -> list[int]:
        """None: nothing has to be waited for outside of `collect`."""
        return []

    def close(self) -> None:
        """End the host."""
        self._host.close()
