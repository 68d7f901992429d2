"""Author code asked in this process: for simulations and tests, whose author code is theirs."""

from __future__ import annotations

from gnomon.userhost.asked import answer
from gnomon.userhost.interface import Answer, Question


class HostHere:
    """A TimetableHost without a process: what is asked is answered with the next `collect`."""

    def __init__(self) -> None:
        self._asked: list[Question] = []

    def ask(self, question: Question) -> None:
        self._asked.append(question)

    def collect(self) -> list[Answer]:
        asked, self._asked = self._asked, []
        return [answer(question) for question in asked]

    def wake_in_s(self) -> float | None:
        return 0.0 if self._asked else None

    def filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self._asked = []
