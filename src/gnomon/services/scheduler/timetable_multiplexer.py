"""Several clients of one host of author timetables."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from gnomon.author_code.timetable_host import TimetableHost, TimetableRequest, TimetableResponse


class TimetableHostMultiplexer:
    """Multiplexes several clients over one host: request numbers are rewritten on the way out and restored on the way back."""

    def __init__(self, host: TimetableHost) -> None:
        self._host = host
        self._clients: dict[int, tuple[TimetableHostClient, int]] = {}
        self._last = 0
        self._answers: dict[TimetableHostClient, list[TimetableResponse]] = defaultdict(list)

    def open_client(self) -> TimetableHostClient:
        """A TimetableHost for one client."""
        return TimetableHostClient(self)

    def ask(self, client: TimetableHostClient, question: TimetableRequest) -> None:
        """Sends a request of this client to the host."""
        self._last += 1
        self._clients[self._last] = (client, question.number)
        self._host.ask(msgspec.structs.replace(question, number=self._last))

    def collect(self, client: TimetableHostClient) -> list[TimetableResponse]:
        """The answers to this client's requests that have arrived since its last call."""
        for answer in self._host.collect():
            client_of_answer, number = self._clients.pop(answer.number)
            self._answers[client_of_answer].append(msgspec.structs.replace(answer, number=number))
        return self._answers.pop(client, [])

    def wake_in_s(self) -> float | None:
        """Seconds until the next poll: 0 while a client has answers to collect; None if no request is pending."""
        return 0.0 if self._answers else self._host.wake_in_s()

    def filenos(self) -> list[int]:
        return self._host.filenos()


class TimetableHostClient:
    """One client of a multiplexer, with the interface of a TimetableHost."""

    def __init__(self, multiplexer: TimetableHostMultiplexer) -> None:
        self._multiplexer = multiplexer

    def ask(self, question: TimetableRequest) -> None:
        self._multiplexer.ask(self, question)

    def collect(self) -> list[TimetableResponse]:
        return self._multiplexer.collect(self)

    def wake_in_s(self) -> float | None:
        return self._multiplexer.wake_in_s()

    def filenos(self) -> list[int]:
        return self._multiplexer.filenos()

    def close(self) -> None:
        """Does nothing: the process that started the host closes it."""
