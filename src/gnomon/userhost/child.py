"""`python -m gnomon.userhost.child`: a host process. Questions come by the socket, which is descriptor 3.

It is an interpreter of its own, with an environment that names no database: author code that is asked for times can
reach no store, and whatever it does ends this process at most.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import socket
import sys
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
from gnomon.sdk import channel
from gnomon.userhost.asked import Asked
from gnomon.userhost.interface import Answer, Question
from gnomon.userhost.messages import Alive, FromHost, Retired, ToHost
from gnomon.userhost.settings import ANSWERS, Limits, limits_told
from gnomon.userhost.stamps import ImportedFiles
from gnomon.userhost.watch import CallTooLong, Watch
from gnomon.wire import frames
from gnomon.wire import messages as wire

SOCKET_FD = 3
DESCRIPTORS_MAX = 65_536
"""Above it, nobody who starts this process has an inheritable one."""
OOM_SCORE = 600
"""When memory runs out, this process goes before the services do."""
OUTPUT_MAX = 1024 * 1024
"""What author code prints is kept for a crash's explanation only; more than this is dropped."""
FORBIDDEN = ("gnomon.store", "sqlalchemy", "psycopg", "sqlite3", "fastapi")
"""What must not be in a process that author code runs in."""
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
    settle_in()
    limits = limits_told(environment())
    set_ambient(ambient().for_author_code())
    plugins.enable()
    limit_memory(limits)
    host = _Host(socket.socket(fileno=SOCKET_FD), limits)
    if variable(ANSWERS) is not None:
        channel.install(host)
    try:
        host.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    os._exit(0)


def settle_in() -> None:
    """A process of its own: own session, no descriptor of who started it, crashes explained on its output."""
    for name in FORBIDDEN:
        if name in sys.modules:
            raise RuntimeError(f"a host process must not import {name}: author code runs in it")
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.closerange(SOCKET_FD + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], DESCRIPTORS_MAX))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(file=2, all_threads=False)
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write(str(OOM_SCORE))
    except OSError:
        pass  # not Linux


def limit_memory(limits: Limits) -> None:
    """This process may take that much more than it has; beyond it, Python raises MemoryError."""
    if limits.memory_bytes is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = limits.memory_bytes + mapped_bytes()
    soft = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, most))


def mapped_bytes() -> int:
    """The writable memory that this process has mapped; 0 when nobody can tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as opened:
            return int(opened.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


if __name__ == "__main__":
    main()
