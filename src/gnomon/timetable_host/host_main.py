"""`python -m gnomon.timetable_host.host_main`: a host process. Questions come by the socket, which is descriptor 3.

It is an interpreter of its own, with an environment that names no database: author code that is asked for times can
reach no store, and whatever it does ends this process at most.
"""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from typing import NoReturn

import pendulum  # noqa: F401 - else the first call into a timetable waits for it, and is told to be slow

import gnomon.planning  # noqa: F401 - what most questions call
from gnomon.clock import SystemClock
from gnomon.config import current_config, environment
from gnomon.config.environment import get_variable
from gnomon.errors.product import GnomonError
from gnomon.loading import plugins
from gnomon.model import task_api_requests
from gnomon.model.instants import Instant
from gnomon.processes import memory, message_stream
from gnomon.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.processes.process_title import set_title
from gnomon.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.sdk.runtime import channel
from gnomon.timetable_host.call_watchdog import CallTimeout, CallWatchdog
from gnomon.timetable_host.imported_files import ImportedFiles
from gnomon.timetable_host.in_process import TimetableCall
from gnomon.timetable_host.protocol import (
    CallProgress,
    FromTimetableHost,
    HostRetired,
    TimetableRequest,
    TimetableResponse,
    ToTimetableHost,
)
from gnomon.timetable_host.settings import ANSWERS_VARIABLE, CallLimits, limits_from_environment

OUTPUT_MAX = 1024 * 1024
"""What author code prints is kept for a crash's explanation only; more than this is dropped."""
_NS_PER_US = 1000


class _TimetableHostLoop:
    """The loop of a host process."""

    def __init__(self, sock: socket.socket, limits: CallLimits) -> None:
        self._sock = sock
        self._limits = limits
        self._splitter: message_stream.FrameDecoder[ToTimetableHost] = message_stream.FrameDecoder(ToTimetableHost)
        self._waiting: deque[TimetableRequest] = deque()
        """Questions that came while author code waited for an answer of its own."""
        self._clock = SystemClock()
        self._watchdog = CallWatchdog(self._clock, self._send_progress)
        options = current_config()
        self._imported_files = ImportedFiles([str(options.dags_folder), str(options.plugins_folder)])
        self._progress = CallProgress(number=0, timeout_s=0.0)
        self._is_sending = False

    def serve(self) -> None:
        """Returns when nobody asks any more, or when a process of its own age is wanted."""
        while (question := self._next_request()) is not None:
            if not self._imported_files.are_current():
                self._send(HostRetired())
                return
            given = self._answer(question)
            self._send(given)
            if given.is_process_ended:
                return
            if os.fstat(2).st_size > OUTPUT_MAX:
                os.ftruncate(2, os.lseek(2, 0, os.SEEK_SET))

    def ask(self, question: task_api_requests.TaskApiRequest) -> object:
        """What author code asked, answered (`sdk.channel.Channel`); GnomonError when it was refused."""
        self._send(TaskApiRequestMessage(number=0, request=question))  # type: ignore[arg-type]
        while (heard := message_stream.receive_message(self._sock, self._splitter)) is not None:
            if isinstance(heard, TimetableRequest):
                self._waiting.append(heard)
            else:
                return heard.unwrap(GnomonError)
        raise GnomonError("whoever asked this timetable is gone")

    def _next_request(self) -> TimetableRequest | None:
        if self._waiting:
            return self._waiting.popleft()
        heard = message_stream.receive_message(self._sock, self._splitter)
        assert not isinstance(heard, TaskApiResponse), "one answer for each question of author code"
        return heard

    def _answer(self, question: TimetableRequest) -> TimetableResponse:
        began: Instant = self._clock.now()
        try:
            asked = TimetableCall(question)
            self._start_call(question.number, self._limits.load_s)
            asked.prepare()
            self._start_call(question.number, self._limits.load_s if question.imports_author_files else self._limits.call_s)
            return asked.answer()
        except CallTimeout as error:
            return TimetableResponse(number=question.number, error=str(error), is_process_ended=True)
        except BaseException as error:  # author code may raise anything
            what = f"raised {type(error).__name__}{f': {error}' if str(error) else ''}"
            return TimetableResponse(number=question.number, error=f"{question.timetable_name()} {what}; see to its timetable", is_process_ended=True)
        finally:
            self._watchdog.stop()
            self._imported_files.record_imports(began * _NS_PER_US, self._clock.now() * _NS_PER_US)

    def _start_call(self, number: int, most_s: float) -> None:
        self._progress = CallProgress(number=number, timeout_s=most_s)
        self._send(self._progress)
        self._watchdog.start(most_s)

    def _send_progress(self) -> None:
        if not self._is_sending:  # else this interrupts the sending of a message
            self._send(self._progress)

    def _send(self, message: FromTimetableHost) -> None:
        self._is_sending = True
        try:
            self._sock.sendall(message_stream.encode_frame(message))
        finally:
            self._is_sending = False


def main() -> NoReturn:
    """Never returns: the process ends when nobody asks any more."""
    set_up_host_process([signal.SIGINT])
    limits = limits_from_environment(environment())
    set_title("timetable host", hide_secrets().home)
    plugins.enable_imports()
    if limits.memory_bytes is not None:
        memory.limit_memory(limits.memory_bytes)
    host = _TimetableHostLoop(inherited_socket(), limits)
    if get_variable(ANSWERS_VARIABLE) is not None:
        channel.install_channel(host)
    try:
        host.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
