"""The log of an attempt: the output of this process and its descendants, and the records of `logging`, in one file."""

from __future__ import annotations

import io
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any

from gnomon.log.confined_files import open_to_append
from gnomon.log.secret_masks import call_at_first_secret, hide
from gnomon.runner.output_pipe import OutputPipe

LINE_BUFFER_MAX = 8_192
"""So many characters without the end of a line are written at once."""
_STDOUT, _STDERR = 1, 2
_PARTS = 3
"""The path of a log below the folder of logs: DAG, run and file (`gnomon.model.attempts`). Authors can write into these folders, so no link in them is followed."""
_pipe: OutputPipe | None = None
"""The pipe of the attempt that this process runs, once the process knows a secret."""


class LineHandler(logging.Handler):
    """Writes each record to descriptor 2, so that a fork redirects its log by redirecting its output."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = hide(self.format(record)) + "\n"
            if _pipe is not None and _pipe.owns(_STDERR):
                _pipe.write_record(line)
            else:
                os.write(_STDERR, line.encode(errors="backslashreplace"))
        except Exception:
            self.handleError(record)


class MaskedOutput(io.TextIOWrapper):
    """stdout or stderr of a task: hides the secrets in what Python code prints, also those that it prints in pieces.

    Bytes written to its `buffer` go to the descriptor, as the output of programs does.
    """

    _line = ""
    """What was printed since the last end of a line, while the process has an output pipe."""

    def write(self, text: str, /) -> int:
        if _pipe is None or not _pipe.owns(self.fileno()):
            super().write(hide(text))
            return len(text)
        self._line += text
        if "\n" in text or len(self._line) > LINE_BUFFER_MAX:
            self._print_line(_pipe)
        return len(text)

    def flush(self) -> None:
        super().flush()
        if _pipe is not None and self._line:
            self._print_line(_pipe)

    def _print_line(self, pipe: OutputPipe) -> None:
        line, self._line = self._line, ""
        super().flush()
        pipe.print(self.fileno(), line)


class LineFormatter(logging.Formatter):
    """`2026-03-01T12:00:00.123456Z INFO     message`, tracebacks below."""

    def format(self, record: logging.LogRecord) -> str:
        line = _line(datetime.fromtimestamp(record.created, UTC), record.levelname, record.getMessage())
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        if record.stack_info:
            line += "\n" + self.formatStack(record.stack_info)
        return line


def _line(moment: datetime, level: str, message: str) -> str:
    return f"{moment.isoformat(timespec='microseconds')[:-6]}Z {level:<8} {message}"


def configure_task_logging(level: str = "INFO") -> None:
    """Have the root logger write lines to descriptor 2; flush stdout and stderr after each line. All of them hide secrets."""
    handler = LineHandler()
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    sys.stdout = sys.__stdout__ = _mask_stream(sys.stdout)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _mask_stream(sys.stderr)  # type: ignore[misc]


def _mask_stream(stream: Any) -> Any:
    """The stream with hidden secrets, flushed after each line; a stream that is no plain text stream (None, a test's) as it is."""
    if type(stream) is not io.TextIOWrapper:
        return stream
    encoding = stream.encoding
    return MaskedOutput(stream.detach(), encoding=encoding, errors="backslashreplace", line_buffering=True)


def redirect_output(path: str) -> None:
    """Redirect descriptors 1 and 2 to the end of the log at `path`, creating its folders. Raises OSError.

    An earlier attempt may have put a link or a pipe there: it is removed.
    """
    descriptor = _open(path)
    os.dup2(descriptor, _STDOUT)
    os.dup2(descriptor, _STDERR)
    os.close(descriptor)
    call_at_first_secret(_open_pipe)


def restore_output() -> None:
    """Write what is still on its way to the log, and end the output pipe of the attempt, if it has one."""
    global _pipe
    flush_output()
    pipe, _pipe = _pipe, None
    call_at_first_secret(lambda: None)
    if pipe is not None:
        pipe.close()


def _open_pipe() -> None:
    global _pipe
    if _pipe is None:
        flush_output()
        try:
            _pipe = OutputPipe()
        except OSError as error:
            logging.getLogger("gnomon.task").warning("the output of programs is not searched for secrets: there is no pipe for it (%s)", error.strerror)


def _drain_pipe_before_fork() -> None:
    if _pipe is not None:
        _pipe.drain_before_fork()


def _renew_pipe_in_fork() -> None:
    if _pipe is not None:
        _pipe.renew_in_fork()


os.register_at_fork(before=_drain_pipe_before_fork, after_in_child=_renew_pipe_in_fork)


def append_error(path: str, moment: datetime, message: str) -> None:
    """Append an ERROR line to the log file at `path`, creating its folders. Raises OSError.

    The worker calls this after the exit of a process without a result. `moment` is in UTC.
    """
    descriptor = _open(path, readable=True)
    try:
        size = os.fstat(descriptor).st_size
        begun = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        line = _line(moment, "ERROR", hide(message)) + "\n"
        os.write(descriptor, (("\n" if begun else "") + line).encode(errors="backslashreplace"))
    finally:
        os.close(descriptor)


def flush_output() -> None:
    """Write what Python code and programs have printed to the log; a stream that author code closed is skipped."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    if _pipe is not None:
        _pipe.flush()


def _open(path: str, *, readable: bool = False) -> int:
    folder, *names = path.rsplit("/", _PARTS)
    return open_to_append(folder or "/", "/".join(names), readable=readable, replaces_foreign=True)
