"""The service's side of the parse server: orders out, questions answered, outcomes in."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gnomon import log
from gnomon.dagfiles import failures, messages, server
from gnomon.dagfiles.child import Conditions
from gnomon.dagfiles.facts import mark
from gnomon.dagfiles.inputs import take
from gnomon.dagfiles.messages import ChildEnded, ParseOrder
from gnomon.errors.product import GnomonError
from gnomon.loading import zips
from gnomon.model.questions import AnyQuestion
from gnomon.model.spec import FileInputs, ParsedFile
from gnomon.wire import frames
from gnomon.wire.messages import Answer, Ask, ParseDone

READ_MAX = 1024 * 1024
ANSWER_S = 1.0
"""A child that does not take the answer to its question for so long goes without."""
_log = log.get("dagfiles")
Answers = Callable[[AnyQuestion], object]
"""Answers what author code asks while it is imported; raises GnomonError to refuse in words."""


class ServerGone(Exception):
    """The parse server ended by itself: the dag-processor ends too, and its supervisor starts both anew."""


@dataclass(slots=True)
class _Parse:
    number: int
    path: str
    line: socket.socket
    started_at: float
    splitter: frames.Splitter[Any] = field(default_factory=lambda: frames.Splitter(Ask | ParseDone))
    parsed: ParsedFile | None = None
    broken: str | None = None
    end: ChildEnded | None = None
    drained: bool = False


class ParsePool:
    """Parses that run in children of one parse server."""

    def __init__(self, under: Conditions, answers: Answers | None = None) -> None:
        self._under = under
        self.answers: Answers = answers or _nobody_answers
        self._control, self._server = server.start(under)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._control, selectors.EVENT_READ, None)
        self._parses: dict[int, _Parse] = {}
        self._orders = 0
        self._closed = False

    def fileno(self) -> int:
        """Readable whenever `poll` has something to do."""
        return self._selector.fileno()

    def start(self, path: str) -> None:
        """A child parses `path` now; its outcome comes from a later `poll`."""
        ours, theirs = socket.socketpair()
        self._orders += 1
        with theirs:
            try:
                messages.send_order(self._control, ParseOrder(number=self._orders, path=path), theirs)
            except OSError as error:
                ours.close()
                raise ServerGone(f"the parse server takes no orders: {error}") from None
        ours.setblocking(False)
        parse = _Parse(self._orders, path, ours, self._under.clock.monotonic())
        self._parses[parse.number] = parse
        self._selector.register(ours, selectors.EVENT_READ, parse)

    def running(self) -> dict[str, float]:
        """The paths that are being parsed, with the seconds since each was started."""
        now = self._under.clock.monotonic()
        return {parse.path: now - parse.started_at for parse in self._parses.values()}

    def poll(self) -> list[ParsedFile]:
        """Every outcome that has arrived. Never blocks. Raises ServerGone."""
        for key, _ in self._selector.select(0):
            if key.data is None:
                self._hear_server()
            else:
                self._hear_child(key.data)
        done = [parse for parse in self._parses.values() if parse.end is not None and parse.drained]
        for parse in done:
            del self._parses[parse.number]
        return [self._outcome(parse) for parse in done]

    def close(self) -> None:
        """Server and children are gone and reaped."""
        if self._closed:
            return
        self._closed = True
        for parse in self._parses.values():
            parse.line.close()
        self._selector.close()
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._server, signal.SIGTERM)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._server, 0)

    def _hear_server(self) -> None:
        while True:
            try:
                end = messages.receive_end(self._control)
            except BlockingIOError:
                return
            except OSError:
                end = None
            if end is None:
                raise ServerGone("the parse server ended")
            parse = self._parses.get(end.number)
            if parse is not None:
                parse.end = end
                self._hear_child(parse)
                if not parse.drained:  # a process that the child left behind still holds the line
                    self._hang_up(parse)

    def _hear_child(self, parse: _Parse) -> None:
        while not parse.drained:
            try:
                data = parse.line.recv(READ_MAX)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._hang_up(parse)
                return
            try:
                for message in parse.splitter.feed(data):
                    self._take(parse, message)
            except (msgspec.MsgspecError, frames.FrameTooLarge) as error:
                parse.broken = str(error)
                self._hang_up(parse)

    def _take(self, parse: _Parse, message: Ask | ParseDone) -> None:
        if isinstance(message, ParseDone):
            parse.parsed = message.parsed
            return
        frame = frames.encode(self._answered(message))
        parse.line.settimeout(ANSWER_S)
        try:
            parse.line.sendall(frame)
        except OSError:
            pass  # the child is gone or does not listen; its end says why
        finally:
            parse.line.setblocking(False)

    def _answered(self, ask: Ask) -> Answer:
        try:
            return Answer(number=ask.number, value=self.answers(ask.question))
        except GnomonError as error:
            return Answer(number=ask.number, error=str(error))
        except Exception:  # the edge of the service: a question must not end it
            _log.exception("question_not_answered", question=type(ask.question).__name__)
            return Answer(number=ask.number, error=f"{type(ask.question).__name__} could not be answered; the dag-processor's log says why")

    def _hang_up(self, parse: _Parse) -> None:
        parse.drained = True
        self._selector.unregister(parse.line)
        parse.line.close()

    def _outcome(self, parse: _Parse) -> ParsedFile:
        if parse.parsed is not None:
            return parse.parsed
        assert parse.end is not None, "an outcome is made once the child has ended"
        output = parse.end.output if parse.broken is None else f"{parse.broken}\n{parse.end.output}"
        failure = failures.of_end(parse.path, parse.end.exit_code, parse.end.killed_for, self._under.limits, output)
        lasted = self._under.clock.monotonic() - parse.started_at
        return ParsedFile(path=parse.path, inputs=self._inputs_of(parse.path), failures=(failure,), duration_s=lasted)

    def _inputs_of(self, path: str) -> FileInputs:
        """What is known of the inputs of a file whose child could not say: the file itself, and that there may be more."""
        facts = self._under.facts
        name, shape = mark(facts)
        file = zips.place_of(path).file
        before = {name: shape}
        return take(before | {file: ""}, facts, looked_further=True, fresh=None)


def _nobody_answers(question: AnyQuestion) -> object:
    raise GnomonError(f"nothing here answers {type(question).__name__}: the dag-processor has no database open")
