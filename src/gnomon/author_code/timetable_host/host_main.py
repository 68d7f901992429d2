"""`python -m gnomon.author_code.timetable_host.host_main`: a host process. Descriptor 3 is the socket to the caller.

The host is a separate interpreter whose environment does not name the database: author code cannot reach the store, and can
end this process at most.
"""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from typing import NoReturn

import pendulum  # noqa: F401 - imported before the first call into a timetable, whose time is limited

import gnomon.rules.planning  # noqa: F401 - most requests call it
from gnomon.author_code.loading import plugins
from gnomon.author_code.processes import author_forks, memory, message_stream
from gnomon.author_code.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.author_code.processes.process_title import set_title
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.author_code.timetable_host.call_watchdog import CallTimeout, CallWatchdog, describe_timeout
from gnomon.author_code.timetable_host.imported_files import ImportedFiles
from gnomon.author_code.timetable_host.in_process import TimetableCall
from gnomon.author_code.timetable_host.protocol import (
    CallProgress,
    FromTimetableHost,
    HostRetired,
    TimetableRequest,
    TimetableResponse,
    ToTimetableHost,
)
from gnomon.author_code.timetable_host.settings import ANSWERS_VARIABLE, CallLimits, limits_from_environment
from gnomon.authoring.sdk.connections import channel
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config, environment
from gnomon.ground.config.environment import get_variable
from gnomon.model import task_api_requests
from gnomon.model.errors.error_text import describe_error
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say

OUTPUT_MAX = 1024 * 1024
"""Bytes of output kept to explain a crash; a longer output is dropped."""
_NS_PER_US = 1000


class _TimetableHostLoop:
    """The loop of a host process."""

    def __init__(self, sock: socket.socket, limits: CallLimits) -> None:
        self._sock = sock
        self._limits = limits
        self._splitter: message_stream.FrameDecoder[ToTimetableHost] = message_stream.FrameDecoder(ToTimetableHost)
        self._waiting: deque[TimetableRequest] = deque()
        """Requests received while author code waited for an answer of its own."""
        self._clock = SystemClock()
        self._watchdog = CallWatchdog(self._clock, self._send_progress)
        options = current_config()
        self._imported_files = ImportedFiles([str(options.dags_folder), str(options.plugins_folder)])
        self._progress = CallProgress(number=0, timeout_s=0.0)
        self._is_sending = False

    def serve(self) -> None:
        """Serve requests; returns when the caller has ended, or when a file that this process has imported has changed."""
        while (question := self._next_request()) is not None:
            if not self._imported_files.are_current():
                self._send(HostRetired())
                return
            response = self._answer(question)
            self._send(response)
            if response.is_process_ended:
                return
            if os.fstat(2).st_size > OUTPUT_MAX:
                os.ftruncate(2, os.lseek(2, 0, os.SEEK_SET))

    def ask(self, question: task_api_requests.TaskApiRequest) -> object:
        """Send a Task API request of author code (`sdk.runtime.channel.Channel`); raises GnomonError when it is refused, and in a fork."""
        if author_forks.is_fork():
            raise GnomonError(author_forks.FORK_REFUSAL)
        self._send(TaskApiRequestMessage(number=0, request=question))  # type: ignore[arg-type]
        while (message := message_stream.receive_message(self._sock, self._splitter)) is not None:
            if isinstance(message, TimetableRequest):
                self._waiting.append(message)
            else:
                return message.unwrap(GnomonError)
        raise GnomonError(say("caller_of_timetable_has_ended"))

    def _next_request(self) -> TimetableRequest | None:
        if self._waiting:
            return self._waiting.popleft()
        message = message_stream.receive_message(self._sock, self._splitter)
        assert not isinstance(message, TaskApiResponse), "one answer for each question of author code"
        return message

    def _answer(self, question: TimetableRequest) -> TimetableResponse:
        began: Instant = self._clock.now()
        try:
            call = TimetableCall(question)
            self._start_call(question, self._limits.load_s)
            call.prepare()
            self._start_call(question, self._limits.load_s if question.imports_author_files else self._limits.call_s)
            answer = call.answer()
            author_forks.end_fork()
            return answer
        except CallTimeout as error:
            author_forks.end_fork(error)
            message = describe_timeout(error, question.advice())
            return TimetableResponse(number=question.number, error=message, is_process_ended=True)
        except BaseException as error:  # author code may raise any exception
            author_forks.end_fork(error)
            what = say(
                "author_call_raised",
                name=question.author_name(),
                error=describe_error(error),
                advice=question.advice(),
            )
            return TimetableResponse(
                number=question.number,
                error=render(what),
                is_process_ended=True,
            )
        finally:
            self._watchdog.stop()
            self._imported_files.record_imports(began * _NS_PER_US, self._clock.now() * _NS_PER_US)

    def _start_call(self, question: TimetableRequest, limit_s: float) -> None:
        self._progress = CallProgress(number=question.number, timeout_s=limit_s)
        self._send(self._progress)
        self._watchdog.start(limit_s)

    def _send_progress(self) -> None:
        if not self._is_sending:  # otherwise this would interrupt the sending of a message
            self._send(self._progress)

    def _send(self, message: FromTimetableHost) -> None:
        author_forks.end_fork()
        self._is_sending = True
        try:
            self._sock.sendall(message_stream.encode_frame(message))
        finally:
            self._is_sending = False


def main() -> NoReturn:
    """Run the host; never returns. The process ends when the caller has ended."""
    set_up_host_process([signal.SIGINT])
    limits = limits_from_environment(environment())
    set_title("timetable host", hide_secrets().home)
    plugins.enable_imports()
    if limits.memory_bytes is not None:
        memory.limit_memory(limits.memory_bytes)
    sock = inherited_socket()
    author_forks.release_in_forks(sock.close)
    author_forks.claim_process()
    host = _TimetableHostLoop(sock, limits)
    if get_variable(ANSWERS_VARIABLE) is not None:
        channel.install_channel(host)
    try:
        host.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
