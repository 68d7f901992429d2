"""Where author timetables are asked: one lane for all, another for those whose last question ended a process.

So a timetable that hangs delays the others once, by as long as one call may take. It is back among them with its first
good answer.
"""

from __future__ import annotations

from gnomon.clock import Clock
from gnomon.userhost.interface import Answer, Answers, Question
from gnomon.userhost.lane import Lane
from gnomon.userhost.settings import Settings

SUSPECTS_MAX = 1000


class Hosts:
    """The TimetableHost of a service: processes that are started when something is asked, and end when nothing is."""

    def __init__(self, settings: Settings, clock: Clock, answers: Answers | None = None) -> None:
        """`answers`: who answers what author code asks; without, it finds itself where no Gnomon runs."""
        self._usual = Lane(settings, clock, self._blame, answers)
        self._suspected = Lane(settings, clock, self._blame, answers)
        self._lanes = (self._usual, self._suspected)
        self._suspects: set[tuple[str | None, str]] = set()
        self._asked: dict[int, tuple[str | None, str]] = {}

    def ask(self, question: Question) -> None:
        key = _key(question)
        self._asked[question.number] = key
        (self._suspected if key in self._suspects else self._usual).put(question)

    def collect(self) -> list[Answer]:
        answers = [answer for lane in self._lanes for answer in lane.turn()]
        for answer in answers:
            key = self._asked.pop(answer.number, None)
            if key is not None and not answer.ended:
                self._suspects.discard(key)
        return answers

    def wake_in_s(self) -> float | None:
        times = [seconds for lane in self._lanes if (seconds := lane.wake_in_s()) is not None]
        return min(times, default=None)

    def filenos(self) -> list[int]:
        return [number for lane in self._lanes for number in lane.filenos()]

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()

    def _blame(self, question: Question) -> None:
        """This question ended a process: it is asked apart from now on, and so are, for now, those of its class."""
        if len(self._suspects) >= SUSPECTS_MAX:
            self._suspects.clear()  # mostly of files that were edited since
        self._suspects.add(_key(question))
        path = None if question.timetable is None else question.timetable.path
        for other in self._usual.take_back(lambda one: one.timetable is not None and one.timetable.path == path):
            self._suspected.put(other)


def _key(question: Question) -> tuple[str | None, str]:
    """Whom a question is about: a DAG file, and the timetable in it with its data."""
    ref = question.timetable
    return question.file, "" if ref is None else f"{ref.path} {ref.data!r}"
