"""One queue of requests, and the one process at a time that answers them in order.

Several requests are in flight at once. The process reports which request it is answering; when it ends, that request is to
blame, and the others are sent again to a new process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from gnomon.author_code.processes.author_frames import list_author_frames
from gnomon.author_code.processes.exit_reasons import describe_crash
from gnomon.author_code.processes.host_process import HostProcess, ProcessExit
from gnomon.author_code.processes.spawn_backoff import describe_refusal
from gnomon.author_code.processes.task_api_messages import (
    TaskApiHandler,
    TaskApiRequestMessage,
    TaskApiResponse,
    answer_request,
)
from gnomon.author_code.timetable_host.protocol import (
    CallProgress,
    FromTimetableHost,
    HostRetired,
    TimetableRequest,
    TimetableResponse,
)
from gnomon.author_code.timetable_host.settings import ANSWERS_VARIABLE, TimetableHostSettings
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.sentences import Sentence, render, say

HOST_MODULE = "gnomon.author_code.timetable_host.host_main"
IN_FLIGHT_MAX = 16
"""Maximum number of requests in flight to one process."""
PATIENCE_MAX_S = 3600.0
"""The longest silence of one call that a process can ask for."""
START_S = 60.0
"""A new process must send its first message within this time; the machine may be busy."""
SILENCE_GRACE_S = 2.0
"""The process limits its calls itself; it is ended from outside when it is silent for this much longer."""
DUMP_TIMEOUT_S = 1.0
"""Time between the request for a stack dump and SIGKILL."""
HOLD_UP_S = 1.0
"""When a request has been answered for this time, the requests behind it go to another process. An import may take the time of one call."""
IDLE_S = 60.0
"""A process without requests for this time ends."""
_log = log.get_logger("timetable_host")


class RequestQueue:
    """Times are seconds of the monotonic clock."""

    def __init__(
        self,
        settings: TimetableHostSettings,
        clock: Clock,
        on_blame: Callable[[TimetableRequest], None],
        answers: TaskApiHandler | None = None,
    ) -> None:
        """`on_blame` is called with a request that ended a process. `answers`: see SubprocessTimetableHost."""
        self._call_s = settings.limits.call_s
        self._environ = settings.environ if answers is None else {**settings.environ, ANSWERS_VARIABLE: "1"}
        self._handle_task_api = answers
        self._clock = clock
        self._on_suspect = on_blame
        self._waiting: deque[TimetableRequest] = deque()
        self._in_flight: dict[int, TimetableRequest] = {}
        self._process: HostProcess[FromTimetableHost] | None = None
        self._unreaped: list[HostProcess[FromTimetableHost]] = []
        """Processes that were killed and are not reaped yet."""
        self._current_number: int | None = None
        """Number of the request that the process is answering."""
        self._current_since = 0.0
        """When the process began with it or, later, when it had imported what the request needs."""
        self._slow_numbers: set[int] = set()
        self._call_timeout_s = START_S
        self._last_message_at = 0.0
        self._dump_requested_at: float | None = None
        """When the process was asked for a stack dump."""
        self._has_answered = False
        self._last_failed: TimetableRequest | None = None
        """The request whose response ended the process."""
        self._inputs: dict[str, str] = {}
        """DAG file to the input_hash that the process has seen."""

    def put(self, question: TimetableRequest) -> None:
        """Queue a request; a later `run_once` returns its response."""
        self._waiting.append(question)

    def withdraw(self, accepts: Callable[[TimetableRequest], bool]) -> list[TimetableRequest]:
        """Remove and return the waiting requests that `accepts` accepts; requests in flight stay."""
        taken = [question for question in self._waiting if accepts(question)]
        self._waiting = deque(question for question in self._waiting if not accepts(question))
        return taken

    def withdraw_others(self) -> list[TimetableRequest]:
        """Remove and return all requests but the one that the process is answering; its answers to those in flight are ignored."""
        current = None if self._current_number is None else self._in_flight.pop(self._current_number, None)
        others = [*self._in_flight.values(), *self._waiting]
        self._waiting.clear()
        self._in_flight = {} if current is None else {current.number: current}
        return others

    @property
    def current(self) -> TimetableRequest | None:
        """The request that the process is answering."""
        return None if self._current_number is None else self._in_flight.get(self._current_number)

    @property
    def is_empty(self) -> bool:
        """No request waits for a response."""
        return not self._waiting and not self._in_flight

    @property
    def is_at_rest(self) -> bool:
        """There is no process, and nothing to do: most deployments never ask."""
        return self._process is None and not self._waiting and not self._in_flight

    @property
    def is_importing(self) -> bool:
        """The process imports what the current request needs, or the request consists of an import."""
        return self._call_timeout_s > self._call_s

    def relief_due_in_s(self) -> float | None:
        """Seconds until the current request holds up others too long; None when no other request waits behind it."""
        if self.current is None or len(self._in_flight) + len(self._waiting) < 2:
            return None
        limit_s = self._call_s if self.is_importing else min(HOLD_UP_S, self._call_s)
        return max(0.0, self._current_since + limit_s - self._clock.monotonic())

    def take_slow_numbers(self) -> set[int]:
        """The numbers of the requests that were answered since the last call, and took longer than HOLD_UP_S."""
        slow, self._slow_numbers = self._slow_numbers, set()
        return slow

    def run_once(self) -> list[TimetableResponse]:
        """Read messages, check limits, send requests; returns new responses. Blocks only while a killed process ends."""
        answers = [*self._read_messages()]
        answers += self._check_deadline()
        answers += self._send()
        return answers

    def wake_in_s(self) -> float | None:
        """Seconds after which to call `run_once` although no descriptor is readable; None: not needed."""
        if self._process is None:
            return 0.0 if self._waiting else None
        if not self._in_flight:
            return max(0.0, self._last_message_at + IDLE_S - self._clock.monotonic())
        return max(0.0, self._deadline() - self._clock.monotonic())

    def filenos(self) -> list[int]:
        """Descriptors that become readable when the process sends a message."""
        return [self._process.fileno()] if self._process is not None else []

    def close(self) -> None:
        """End the process and drop all requests."""
        self._waiting.clear()
        self._in_flight.clear()
        self._end_process()

    # ---- messages of the process -------------------------------------------------------------------------------------
    def _read_messages(self) -> Iterator[TimetableResponse]:
        process = self._process
        if process is None:
            return
        for message in process.stream.receive():
            self._last_message_at = self._clock.monotonic()
            match message:
                case CallProgress(number=number, timeout_s=patience_s):
                    patience_s = (
                        patience_s if 0 <= patience_s <= PATIENCE_MAX_S else PATIENCE_MAX_S
                    )  # author code shares the process
                    if (number, patience_s) != (self._current_number, self._call_timeout_s):
                        self._current_since = self._last_message_at
                    self._current_number, self._call_timeout_s = number, patience_s
                case TimetableResponse(number=number):
                    self._has_answered = True
                    question = self._in_flight.pop(number, None)
                    self._current_number = None
                    if question is not None:
                        if message.is_process_ended:
                            self._last_failed = question
                        elif not self.is_importing and self._last_message_at - self._current_since > HOLD_UP_S:
                            self._slow_numbers.add(number)
                        yield message
                case HostRetired():
                    self._has_answered = True
                case TaskApiRequestMessage():
                    process.send(self._answer_request(message))
        process.stream.flush()
        if process.stream.ended:
            yield from self._on_exit()

    def _answer_request(self, ask: TaskApiRequestMessage) -> TaskApiResponse:
        """Answer a Task API request of author code."""
        if self._handle_task_api is None:
            return TaskApiResponse(number=ask.number, error="requests of author code are not answered here")
        return answer_request(self._handle_task_api, ask, log=_log)

    def _on_exit(self) -> Iterator[TimetableResponse]:
        """The process has ended: blame the request that it was answering, and queue the others again."""
        dump_requested_at, at, knew, patience_s, answered = (
            self._dump_requested_at,
            self._current_number,
            self._has_answered,
            self._call_timeout_s,
            self._last_failed,
        )
        code, output = self._end_process()
        blamed = self._in_flight.pop(at, None) if at is not None else None
        flying, self._in_flight = self._in_flight, {}
        self._waiting.extendleft(reversed(flying.values()))
        for suspect in filter(None, (blamed, answered)):
            self._on_suspect(suspect)
        if blamed is not None:
            message = (
                _describe_host_exit(blamed, code, output)
                if dump_requested_at is None
                else _describe_timeout(blamed, patience_s, output)
            )
            yield TimetableResponse(number=blamed.number, error=message, is_process_ended=True)
        elif not knew:
            waiting, self._waiting = self._waiting, deque()
            yield from (
                TimetableResponse(number=request.number, error=_describe_failed_start(code, output))
                for request in waiting
            )

    def _end_process(self) -> ProcessExit:
        process, self._process = self._process, None
        self._current_number, self._dump_requested_at, self._has_answered, self._last_failed, self._inputs = (
            None,
            None,
            False,
            None,
            {},
        )
        if process is None:
            return ProcessExit(0, "")
        ending = process.kill_and_collect()
        self._unreaped = [ended for ended in (*self._unreaped, process) if not ended.is_reaped()]
        return ending

    # ---- limits -----------------------------------------------------------------------------------------------------
    def _deadline(self) -> float:
        if self._dump_requested_at is not None:
            return self._dump_requested_at + DUMP_TIMEOUT_S
        return self._last_message_at + self._call_timeout_s + SILENCE_GRACE_S

    def _check_deadline(self) -> Iterator[TimetableResponse]:
        """End a process that is silent for too long, and a process without requests."""
        process, now = self._process, self._clock.monotonic()
        if process is None:
            return
        if not self._in_flight:
            if not self._waiting and now >= self._last_message_at + IDLE_S:
                self._end_process()
            return
        if now < self._deadline():
            return
        if self._dump_requested_at is None:
            self._dump_requested_at = now
            process.request_stack_dump()
        else:
            yield from self._on_exit()

    def _send(self) -> Iterator[TimetableResponse]:
        while self._waiting and len(self._in_flight) < IN_FLIGHT_MAX and self._dump_requested_at is None:
            question = self._waiting[0]
            if self._process is not None and self._has_other_inputs(question):
                if self._in_flight:
                    return  # the process answers its requests first, then a new process replaces it
                self._end_process()
            if self._process is None:
                try:
                    self._process = HostProcess(HOST_MODULE, self._environ, FromTimetableHost, captures_output=True)
                except OSError as error:
                    waiting, self._waiting = self._waiting, deque()
                    yield from (
                        TimetableResponse(number=request.number, error=_describe_refused_start(error))
                        for request in waiting
                    )
                    return
                self._call_timeout_s, self._last_message_at = START_S, self._clock.monotonic()
            if not self._in_flight:
                self._last_message_at = self._clock.monotonic()
            self._waiting.popleft()
            if question.file is not None:
                self._inputs[question.file] = question.input_hash
            self._in_flight[question.number] = question
            self._process.send(question)

    def _has_other_inputs(self, question: TimetableRequest) -> bool:
        """Whether the process has seen another input_hash of the request's file."""
        return question.file is not None and self._inputs.get(question.file, question.input_hash) != question.input_hash


# ---- why a host process ended, for the author of the timetable -------------------------------------------------------
def _describe_timeout(request: TimetableRequest, timeout_s: float, output: str) -> str:
    """The process was killed because it sent no message for longer than one call may take."""
    called, where = _find_author_line(request, output)
    advice = request.advice()
    return render(say("author_call_took_too_long", name=called, duration=timeout_s, where=where, advice=advice))


def _describe_host_exit(request: TimetableRequest, exit_code: int, output: str) -> str:
    """The process ended by itself while it worked on this request."""
    called, place = _find_author_line(request, output)
    crash = describe_crash(exit_code)
    where = place if crash.kind == "crash" else None
    ended = say("author_call_ended_process", name=called, why=crash.sentence, where=where, advice=request.advice())
    return render(ended)


def _describe_failed_start(exit_code: int, output: str) -> str:
    """The process ended before its first response."""
    last_line = output.strip().rpartition("\n")[2]
    return render(say("host_ended_at_start", number=str(exit_code), text=last_line or "it printed nothing"))


def _describe_refused_start(error: OSError) -> str:
    """The machine refused the process."""
    return render(say("host_cannot_be_started", error=describe_refusal(error)))


def _find_author_line(request: TimetableRequest, output: str) -> tuple[str, Sentence | None]:
    """`Class.method` or the hook that Gnomon called, and ` (it was at FILE, line N)` of the innermost author frame, if there is a stack dump."""
    name, frames = request.author_name(), list_author_frames(output)
    if not frames:
        return name, None
    method = frames[-1].function
    called = f"{name}.{method}" if method.isidentifier() and method != name else name
    return called, say("author_code_was_at", file=frames[0].file, at_number=str(frames[0].line))
