"""One host of author timetables, and several who ask it."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from gnomon.timetable_host import TimetableHost, TimetableRequest, TimetableResponse


class TimetableHostMultiplexer:
    """Gives each place its own answers. Questions are numbered here; who asks numbers them as before."""

    def __init__(self, host: TimetableHost) -> None:
        self._host = host
        self._asked: dict[int, tuple[TimetableHostClient, int]] = {}
        self._last = 0
        self._answers: dict[TimetableHostClient, list[TimetableResponse]] = defaultdict(list)

    def open_client(self) -> TimetableHostClient:
        """A TimetableHost for one who asks."""
        return TimetableHostClient(self)

    def ask(self, place: TimetableHostClient, question: TimetableRequest) -> None:
        self._last += 1
        self._asked[self._last] = (place, question.number)
        self._host.ask(msgspec.structs.replace(question, number=self._last))

    def collect(self, place: TimetableHostClient) -> list[TimetableResponse]:
        for answer in self._host.collect():
            whose, number = self._asked.pop(answer.number)
            self._answers[whose].append(msgspec.structs.replace(answer, number=number))
        return self._answers.pop(place, [])

    def wake_in_s(self) -> float | None:
        """At once while an answer that has come is still to be collected."""
        return 0.0 if self._answers else self._host.wake_in_s()

    def filenos(self) -> list[int]:
        return self._host.filenos()


class TimetableHostClient:
    """A TimetableHost that is one of several at a desk."""

    def __init__(self, desk: TimetableHostMultiplexer) -> None:
        self._desk = desk

    def ask(self, question: TimetableRequest) -> None:
        self._desk.ask(self, question)

    def collect(self) -> list[TimetableResponse]:
        return self._desk.collect(self)

    def wake_in_s(self) -> float | None:
        return self._desk.wake_in_s()

    def filenos(self) -> list[int]:
        return self._desk.filenos()

    def close(self) -> None:
        """The host goes with whoever started it."""
