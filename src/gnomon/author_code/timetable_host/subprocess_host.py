"""The TimetableHost of services: one queue for all timetables, and one for those that held up others or ended their process.

The requests behind a slow one go to another process after HOLD_UP_S, and the slow timetable gets the queue of suspects until it answers fast.
So a timetable that hangs delays the others once, and for less than the time limit of a call.
"""

from __future__ import annotations

from functools import partial

from gnomon.author_code.processes.task_api_messages import TaskApiHandler
from gnomon.author_code.timetable_host.protocol import MUTATE_INSTANCES, TimetableRequest, TimetableResponse
from gnomon.author_code.timetable_host.request_queue import RequestQueue
from gnomon.author_code.timetable_host.settings import TimetableHostSettings
from gnomon.ground.clock import Clock

SUSPECTS_MAX = 1000
HELD_QUEUES_MAX = 4
"""Queues that only wait for one slow request; while there are so many, the requests behind a further slow one wait."""


class SubprocessTimetableHost:
    """Sends requests to processes that start with the first request and end when idle."""

    def __init__(self, settings: TimetableHostSettings, clock: Clock, answers: TaskApiHandler | None = None) -> None:
        """`answers` answers Task API requests of author code; without it author code runs as outside of Gnomon."""
        self._create_queue = partial(RequestQueue, settings, clock, self._suspect, answers)
        self._main_queue = self._create_queue()
        self._suspect_queue = self._create_queue()
        self._held_queues: list[RequestQueue] = []
        """Each with one slow request; it ends with the answer."""
        self._suspects: set[tuple[str | None, str]] = set()
        self._keys_by_number: dict[int, tuple[str | None, str]] = {}

    def ask(self, question: TimetableRequest) -> None:
        key = _suspect_key(question)
        self._keys_by_number[question.number] = key
        (self._suspect_queue if key in self._suspects else self._main_queue).put(question)

    @property
    def _is_at_rest(self) -> bool:
        """No queue has anything to do: the scheduler asks several times in each round."""
        return self._main_queue.is_at_rest and self._suspect_queue.is_at_rest and not self._held_queues

    def collect(self) -> list[TimetableResponse]:
        if self._is_at_rest:
            return []
        answers = [answer for queue in self._queues for answer in queue.run_once()]
        slow = {number for queue in self._queues for number in queue.take_slow_numbers()}
        for answer in answers:
            key = self._keys_by_number.pop(answer.number, None)
            if key is not None and answer.number in slow:
                self._add_suspect(key)
            elif key is not None and not answer.is_process_ended:
                self._suspects.discard(key)
        self._relieve_queues()
        return answers

    def wake_in_s(self) -> float | None:
        if self._is_at_rest:
            return None
        times = [queue.wake_in_s() for queue in self._queues]
        if len(self._held_queues) < HELD_QUEUES_MAX:
            times += [self._main_queue.relief_due_in_s(), self._suspect_queue.relief_due_in_s()]
        return min((seconds for seconds in times if seconds is not None), default=None)

    def filenos(self) -> list[int]:
        return [number for queue in self._queues for number in queue.filenos()]

    def close(self) -> None:
        for queue in self._queues:
            queue.close()

    @property
    def _queues(self) -> tuple[RequestQueue, ...]:
        return (self._main_queue, self._suspect_queue, *self._held_queues)

    def _relieve_queues(self) -> None:
        """Give the requests behind a slow one another queue, and end queues whose slow request was answered."""
        for queue in [queue for queue in self._held_queues if queue.is_empty]:
            queue.close()
            self._held_queues.remove(queue)
        if self._is_relief_due(self._main_queue):
            slow, main_queue = self._main_queue.current, self._main_queue
            self._main_queue = self._relieve(main_queue)
            if slow is not None and not main_queue.is_importing:
                self._suspect(slow)
        if self._is_relief_due(self._suspect_queue):
            self._suspect_queue = self._relieve(self._suspect_queue)

    def _is_relief_due(self, queue: RequestQueue) -> bool:
        return len(self._held_queues) < HELD_QUEUES_MAX and queue.relief_due_in_s() == 0

    def _relieve(self, queue: RequestQueue) -> RequestQueue:
        """A new queue with all requests of `queue` but its current one."""
        self._held_queues.append(queue)
        relief = self._create_queue()
        for question in queue.withdraw_others():
            relief.put(question)
        return relief

    def _suspect(self, question: TimetableRequest) -> None:
        """Send requests of this timetable to the queue of suspects, and those of its class that still wait."""
        self._add_suspect(_suspect_key(question))
        path = question.author_path()
        for other in self._main_queue.withdraw(
            lambda waiting_request: path is not None and waiting_request.author_path() == path
        ):
            self._suspect_queue.put(other)

    def _add_suspect(self, key: tuple[str | None, str]) -> None:
        if len(self._suspects) >= SUSPECTS_MAX:
            self._suspects.clear()  # most of them are of files that were edited since
        self._suspects.add(key)


def _suspect_key(question: TimetableRequest) -> tuple[str | None, str]:
    """Identifies what a request is about: the DAG file, and the class with its data."""
    ref = question.timetable
    if question.function == MUTATE_INSTANCES:
        return None, question.function  # the cluster policies are the same for all files
    if question.author_classes:
        return question.file, " ".join(question.author_classes)
    return question.file, "" if ref is None else f"{ref.path} {ref.data!r}"
