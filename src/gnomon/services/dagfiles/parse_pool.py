"""The dag-processor's side of the parse server: sends orders, answers Task API requests, collects outcomes."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gnomon.author_code.loading import archives
from gnomon.author_code.processes import message_stream
from gnomon.author_code.processes.task_api_messages import TaskApiHandler, TaskApiRequestMessage, answer_request
from gnomon.ground import log
from gnomon.model.errors.product import GnomonError
from gnomon.model.message_bounds import find_number_fault
from gnomon.model.sentences import say
from gnomon.model.spec import FileInputs, ParsedFile
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.services.dagfiles import parse_failures, parse_protocol, parse_server
from gnomon.services.dagfiles.inputs import collect_inputs, installation_input
from gnomon.services.dagfiles.parse_child import ParseConditions
from gnomon.services.dagfiles.parse_protocol import ChildEnded, ParseDone, ParseOrder

READ_MAX = 1024 * 1024
FAULT_SHOWN = 200
"""Characters of a wrong path that an import error shows."""
ANSWER_TIMEOUT_S = 1.0
"""A child that does not read its answer within this time gets no answer."""
_log = log.get_logger("dagfiles")


class ParseServerExited(Exception):
    """The parse server ended unexpectedly: the dag-processor ends too, and its supervisor restarts both."""


@dataclass(slots=True)
class _RunningParse:
    """One parse from its order until its child has ended and all its messages are read."""

    number: int
    path: str
    sock: socket.socket
    started_at: float
    splitter: message_stream.FrameDecoder[Any] = field(
        default_factory=lambda: message_stream.FrameDecoder(TaskApiRequestMessage | ParseDone)
    )
    parsed: ParsedFile | None = None
    protocol_error: str | None = None
    exit_report: ChildEnded | None = None
    is_drained: bool = False


class ParsePool:
    """Runs parses in children of one parse server."""

    def __init__(self, under: ParseConditions, answers: TaskApiHandler | None = None) -> None:
        self._conditions = under
        self.handle_task_api: TaskApiHandler = answers or _refuse_request
        self._control, self._server = parse_server.start_parse_server(under)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._control, selectors.EVENT_READ, None)
        self._parses: dict[int, _RunningParse] = {}
        self._orders = 0
        self._closed = False

    def fileno(self) -> int:
        """Readable whenever `poll` has something to do."""
        return self._selector.fileno()

    def start(self, path: str) -> None:
        """Have a child parse `path`; a later `poll` returns the outcome. Raises ParseServerExited."""
        own_end, child_end = socket.socketpair()
        self._orders += 1
        with child_end:
            try:
                parse_protocol.send_order(self._control, ParseOrder(number=self._orders, path=path), child_end)
            except OSError as error:
                own_end.close()
                raise ParseServerExited(f"the parse server does not accept orders: {error}") from None
        own_end.setblocking(False)
        parse = _RunningParse(self._orders, path, own_end, self._conditions.clock.monotonic())
        self._parses[parse.number] = parse
        self._selector.register(own_end, selectors.EVENT_READ, parse)

    def running(self) -> dict[str, float]:
        """The paths that are being parsed, with the seconds since the start of each parse."""
        now = self._conditions.clock.monotonic()
        return {parse.path: now - parse.started_at for parse in self._parses.values()}

    def poll(self) -> list[ParsedFile]:
        """Every outcome that has arrived. Never blocks. Raises ParseServerExited."""
        for key, _ in self._selector.select(0):
            if key.data is None:
                self._read_server()
            else:
                self._read_child(key.data)
        finished = [parse for parse in self._parses.values() if parse.exit_report is not None and parse.is_drained]
        for parse in finished:
            del self._parses[parse.number]
        return [self._outcome(parse) for parse in finished]

    def close(self) -> None:
        """End the server and its children."""
        if self._closed:
            return
        self._closed = True
        for parse in self._parses.values():
            parse.sock.close()
        self._selector.close()
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._server, signal.SIGTERM)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._server, 0)

    def _read_server(self) -> None:
        while True:
            try:
                end = parse_protocol.receive_end(self._control)
            except BlockingIOError:
                return
            except OSError:
                end = None
            if end is None:
                raise ParseServerExited("the parse server ended")
            parse = self._parses.get(end.number)
            if parse is not None:
                parse.exit_report = end
                self._read_child(parse)
                if not parse.is_drained:  # a process that the child left behind still holds the socket
                    self._close_parse(parse)

    def _read_child(self, parse: _RunningParse) -> None:
        while not parse.is_drained:
            try:
                data = parse.sock.recv(READ_MAX)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._close_parse(parse)
                return
            try:
                for message in parse.splitter.feed(data):
                    self._on_message(parse, message)
            except (msgspec.MsgspecError, message_stream.FrameTooLarge) as error:
                parse.protocol_error = str(error)
                self._close_parse(parse)

    def _on_message(self, parse: _RunningParse, message: TaskApiRequestMessage | ParseDone) -> None:
        if isinstance(message, ParseDone):
            parse.protocol_error = _find_fault(parse.path, message.parsed)
            parse.parsed = message.parsed if parse.protocol_error is None else None
            return
        frame = message_stream.encode_frame(answer_request(self.handle_task_api, message, log=_log))
        parse.sock.settimeout(ANSWER_TIMEOUT_S)
        try:
            parse.sock.sendall(frame)
        except OSError:
            pass  # the child has ended or does not read; its exit code says why
        finally:
            parse.sock.setblocking(False)

    def _close_parse(self, parse: _RunningParse) -> None:
        parse.is_drained = True
        self._selector.unregister(parse.sock)
        parse.sock.close()

    def _outcome(self, parse: _RunningParse) -> ParsedFile:
        if parse.parsed is not None:
            return parse.parsed
        assert parse.exit_report is not None, "the child has ended"
        output = (
            parse.exit_report.output
            if parse.protocol_error is None
            else f"{parse.protocol_error}\n{parse.exit_report.output}"
        )
        failure = parse_failures.failure_of_exit(
            parse.path, parse.exit_report.exit_code, parse.exit_report.kill_reason, self._conditions.limits, output
        )
        lasted = self._conditions.clock.monotonic() - parse.started_at
        return ParsedFile(path=parse.path, inputs=self._inputs_of(parse.path), failures=(failure,), duration_s=lasted)

    def _inputs_of(self, path: str) -> FileInputs:
        """The inputs of a file whose child reported none: the file itself, and a mark that there may be more."""
        facts = self._conditions.stamp_of
        name, shape = installation_input(facts)
        file = archives.locate_source(path).file
        before = {name: shape}
        return collect_inputs(before | {file: ""}, facts, has_volatile_import=True, fresh=None)


def _find_fault(path: str, parsed: ParsedFile) -> str | None:
    """Why the outcome cannot be that of the file: code of the file shares the process, and can write another one."""
    if parsed.path != path:
        return f"the process of the file reported another file, {parsed.path[:FAULT_SHOWN]!r}"
    for dag in parsed.dags:
        for part in (dag.spec, *dag.spec.tasks):
            if (fault := find_number_fault(part)) is not None:
                return f"the process of the file reported DAG {dag.spec.dag_id[:FAULT_SHOWN]!r}, in which {fault}"
    return None


def _refuse_request(request: AnyTaskApiRequest) -> object:
    raise GnomonError(say("request_lacks_database", name=type(request).__name__))
