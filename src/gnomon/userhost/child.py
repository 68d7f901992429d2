"""`python -m gnomon.userhost.child`: a host process. Questions come by the socket, which is descriptor 3.

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
from gnomon.config import ambient, environment, set_ambient
from gnomon.config.environment import variable
from gnomon.errors.product import GnomonError
from gnomon.loading import plugins
from gnomon.model import questions
from gnomon.model.instants import Instant
from gnomon.processes import memory
from gnomon.processes.interpreters import given_socket
from gnomon.processes.settling import settle_in
from gnomon.processes.titles import set_title
from gnomon.sdk import channel
from gnomon.userhost.asked import Asked
from gnomon.userhost.interface import Answer, Question
from gnomon.userhost.messages import Alive, FromHost, Retired, ToHost
from gnomon.userhost.settings import ANSWERS, Limits, limits_told
from gnomon.userhost.stamps import ImportedFiles
from gnomon.userhost.watch import CallTooLong, Watch
from gnomon.wire import frames
from gnomon.wire import messages as wire

OUTPUT_MAX = 1024 * 1024
"""What author code prints is kept for a crash's explanation only; more than this is dropped."""
_NS_PER_US = 1000


class _Host:
    """The loop of a host process."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._splitter: frames.Splitter[ToHost] = frames.Splitter(ToHost)
        self._waiting: deque[Question] = deque()
        """Questions that came while author code waited for an answer of its own."""
        self._clock = SystemClock()
        self._watch = Watch(self._clock, self._tell)
        options = ambient()
        self._files = ImportedFiles([str(options.dags_folder), str(options.plugins_folder)])
        self._alive = Alive(number=0, patience_s=0.0)
        self._is_sending = False

    def serve(self) -> None:
        """Returns when nobody asks any more, or when a process of its own age is wanted."""
        while (question := self._next()) is not None:
            if not self._files.are_current():
                self._send(Retired())
                return
            given = self._answer(question)
            self._send(given)
            if given.ended:
                return
            if os.fstat(2).st_size > OUTPUT_MAX:
                os.ftruncate(2, os.lseek(2, 0, os.SEEK_SET))

    def ask(self, question: questions.Question) -> object:
        """What author code asked, answered (`sdk.channel.Channel`); GnomonError when it was refused."""
        self._send(wire.Ask(number=0, question=question))  # type: ignore[arg-type]
        while (heard := frames.receive(self._sock, self._splitter)) is not None:
            if isinstance(heard, Question):
                self._waiting.append(heard)
            elif heard.error is not None:
                raise GnomonError(heard.error)
            else:
                value: object = heard.value
                return value
        raise GnomonError("whoever asked this timetable is gone")

    def _next(self) -> Question | None:
        if self._waiting:
            return self._waiting.popleft()
        heard = frames.receive(self._sock, self._splitter)
        assert not isinstance(heard, wire.Answer), "one answer for each question of author code"
        return heard

    def _answer(self, question: Question) -> Answer:
        began: Instant = self._clock.now()
        try:
            asked = Asked(question)
            self._begin(question.number, self._limits.load_s)
            asked.prepare()
            self._begin(question.number, self._limits.load_s if question.imports else self._limits.call_s)
            return asked.answer()
        except CallTooLong as error:
            return Answer(number=question.number, error=str(error), ended=True)
        except BaseException as error:  # author code may raise anything
            what = f"raised {type(error).__name__}{f': {error}' if str(error) else ''}"
            return Answer(number=question.number, error=f"{question.named()} {what}; see to its timetable", ended=True)
        finally:
            self._watch.end()
            self._files.note(began * _NS_PER_US, self._clock.now() * _NS_PER_US)

    def _begin(self, number: int, most_s: float) -> None:
        self._alive = Alive(number=number, patience_s=most_s)
        self._send(self._alive)
        self._watch.begin(most_s)

    def _tell(self) -> None:
        if not self._is_sending:  # else this interrupts the sending of a message
            self._send(self._alive)

    def _send(self, message: FromHost) -> None:
        self._is_sending = True
        try:
            self._sock.sendall(frames.encode(message))
        finally:
            self._is_sending = False


def main() -> NoReturn:
    """Never returns: the process ends when nobody asks any more."""
    settle_in([signal.SIGINT])
    limits = limits_told(environment())
    set_ambient(ambient().for_author_code())
    set_title("timetable host", ambient().home)
    plugins.enable()
    if limits.memory_bytes is not None:
        memory.limit(limits.memory_bytes)
    host = _Host(given_socket(), limits)
    if variable(ANSWERS) is not None:
        channel.install(host)
    try:
        host.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
