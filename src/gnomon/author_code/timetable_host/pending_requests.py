"""The requests of one client to a timetable host that have no answer yet."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from gnomon.author_code.timetable_host.protocol import TimetableHost, TimetableRequest, TimetableResponse
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import say

NO_HOST = say("timetable_has_no_host")

Key = TypeVar("Key", bound=Hashable)
Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class AnsweredRequest(Generic[Key, Subject]):
    """A request that was answered."""

    key: Key
    subject: Subject
    response: TimetableResponse


class PendingRequests(Generic[Key, Subject]):
    """At most one request for each key, so that author code that hangs is called once. No method blocks.

    `Subject` is what the client keeps of a request until its answer.
    """

    def __init__(self, host: TimetableHost | None) -> None:
        """`host`: None if this process has none; then `submit` must not be called."""
        self._host = host
        self._subjects: dict[Key, tuple[int, Subject]] = {}
        """By key: the number of the request, and its subject."""
        self._keys: dict[int, Key] = {}
        """By the number of each request without an answer, also of one that was replaced."""
        self._last_number = 0

    @property
    def has_host(self) -> bool:
        """True if requests can be submitted."""
        return self._host is not None

    def __contains__(self, key: Key) -> bool:
        return key in self._subjects

    def get(self, key: Key) -> Subject | None:
        """The subject of the request with this key that has no answer yet; None if there is none."""
        pending = self._subjects.get(key)
        return None if pending is None else pending[1]

    def submit(self, key: Key, subject: Subject, request: TimetableRequest) -> None:
        """Sends the request to the host. It replaces an earlier one of this key, whose answer is ignored."""
        assert self._host is not None
        self._last_number += 1
        self._subjects[key] = (self._last_number, subject)
        self._keys[self._last_number] = key
        self._host.ask(msgspec.structs.replace(request, number=self._last_number))

    def collect(self) -> list[AnsweredRequest[Key, Subject]]:
        """The requests that were answered since the last call."""
        if self._host is None or not self._last_number:
            return []  # nothing was ever asked: a client that has asked keeps the host going
        answered = []
        for response in self._host.collect():
            key = self._keys.pop(response.number, None)
            pending = None if key is None else self._subjects.get(key)
            if key is not None and pending is not None and pending[0] == response.number:
                del self._subjects[key]
                answered.append(AnsweredRequest(key, pending[1], response))
        return answered

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect` without a wake-up; None if the host has nothing to do."""
        if self._host is None or not self._last_number:
            return None
        seconds = self._host.wake_in_s()
        return None if seconds is None else now + int(seconds * SECOND)

    def filenos(self) -> list[int]:
        """File descriptors that become readable when the host has answers."""
        return self._host.filenos() if self._host is not None else []

    def reset(self) -> None:
        """Forgets all requests: their answers are ignored."""
        self._subjects, self._keys = {}, {}
