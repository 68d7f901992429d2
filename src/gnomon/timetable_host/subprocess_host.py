"""Where author timetables are asked: one lane for all, another for those whose last question ended a process.

So a timetable that hangs delays the others once, by as long as one call may take. It is back among them with its first
good answer.
"""

from __future__ import annotations

from gnomon.clock import Clock
from gnomon.processes.task_api_messages import TaskApiHandler
from gnomon.timetable_host.protocol import TimetableRequest, TimetableResponse
from gnomon.timetable_host.request_queue import RequestQueue
from gnomon.timetable_host.settings import TimetableHostSettings

SUSPECTS_MAX = 1000


class SubprocessTimetableHost:
    """The TimetableHost of a service: processes that are started when something is asked, and end when nothing is."""

    def __init__(self, settings: TimetableHostSettings, clock: Clock, answers: TaskApiHandler | None = None) -> None:
        """`answers`: who answers what author code asks; without, it finds itself where no Gnomon runs."""
        self._main_queue = RequestQueue(settings, clock, self._suspect, answers)
        self._suspect_queue = RequestQueue(settings, clock, self._suspect, answers)
        self._queues = (self._main_queue, self._suspect_queue)
        self._suspects: set[tuple[str | None, str]] = set()
        self._keys_by_number: dict[int, tuple[str | None, str]] = {}

    def ask(self, question: TimetableRequest) -> None:
        key = _suspect_key(question)
        self._keys_by_number[question.number] = key
        (self._suspect_queue if key in self._suspects else self._main_queue).put(question)

    def collect(self) -> list[TimetableResponse]:
        answers = [answer for lane in self._queues for answer in lane.run_once()]
        for answer in answers:
            key = self._keys_by_number.pop(answer.number, None)
            if key is not None and not answer.is_process_ended:
                self._suspects.discard(key)
        return answers

    def wake_in_s(self) -> float | None:
        times = [seconds for lane in self._queues if (seconds := lane.wake_in_s()) is not None]
        return min(times, default=None)

    def filenos(self) -> list[int]:
        return [number for lane in self._queues for number in lane.filenos()]

    def close(self) -> None:
        for lane in self._queues:
            lane.close()

    def _suspect(self, question: TimetableRequest) -> None:
        """This question ended a process: it is asked apart from now on, and so are, for now, those of its class."""
        if len(self._suspects) >= SUSPECTS_MAX:
            self._suspects.clear()  # mostly of files that were edited since
        self._suspects.add(_suspect_key(question))
        path = None if question.timetable is None else question.timetable.path
        for other in self._main_queue.withdraw(lambda one: one.timetable is not None and one.timetable.path == path):
            self._suspect_queue.put(other)


def _suspect_key(question: TimetableRequest) -> tuple[str | None, str]:
    """Whom a question is about: a DAG file, and the timetable in it with its data."""
    ref = question.timetable
    return question.file, "" if ref is None else f"{ref.path} {ref.data!r}"
