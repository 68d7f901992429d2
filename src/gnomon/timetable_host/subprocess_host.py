"""The TimetableHost of services: one queue for all timetables, and one for those whose last request ended its process.

A timetable that hangs thus delays the others only once, by the time limit of a call. Its next good response brings it back
to the main queue.
"""

from __future__ import annotations

from gnomon.clock import Clock
from gnomon.processes.task_api_messages import TaskApiHandler
from gnomon.timetable_host.protocol import MUTATE_INSTANCES, TimetableRequest, TimetableResponse
from gnomon.timetable_host.request_queue import RequestQueue
from gnomon.timetable_host.settings import TimetableHostSettings

SUSPECTS_MAX = 1000


class SubprocessTimetableHost:
    """Sends requests to processes that start with the first request and end when idle."""

    def __init__(self, settings: TimetableHostSettings, clock: Clock, answers: TaskApiHandler | None = None) -> None:
        """`answers` answers Task API requests of author code; without it author code runs as outside of Gnomon."""
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
        answers = [answer for queue in self._queues for answer in queue.run_once()]
        for answer in answers:
            key = self._keys_by_number.pop(answer.number, None)
            if key is not None and not answer.is_process_ended:
                self._suspects.discard(key)
        return answers

    def wake_in_s(self) -> float | None:
        times = [seconds for queue in self._queues if (seconds := queue.wake_in_s()) is not None]
        return min(times, default=None)

    def filenos(self) -> list[int]:
        return [number for queue in self._queues for number in queue.filenos()]

    def close(self) -> None:
        for queue in self._queues:
            queue.close()

    def _suspect(self, question: TimetableRequest) -> None:
        """Send requests of this timetable to the queue of suspects, and those of its class that still wait."""
        if len(self._suspects) >= SUSPECTS_MAX:
            self._suspects.clear()  # most of them are of files that were edited since
        self._suspects.add(_suspect_key(question))
        path = question.author_path()
        for other in self._main_queue.withdraw(lambda one: path is not None and one.author_path() == path):
            self._suspect_queue.put(other)


def _suspect_key(question: TimetableRequest) -> tuple[str | None, str]:
    """Identifies what a request is about: the DAG file, and the class with its data."""
    ref = question.timetable
    if question.function == MUTATE_INSTANCES:
        return None, question.function  # the cluster policies are the same for all files
    if question.author_classes:
        return question.file, " ".join(question.author_classes)
    return question.file, "" if ref is None else f"{ref.path} {ref.data!r}"
