"""The log of an attempt: the output of this process and its descendants, and the records of `logging`, in one file.

The runner's own lines do not depend on descriptors 1 and 2, which author code may redirect or close: they are written to a descriptor of
their own, or to the file itself when author code has closed that one too.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any

from gnomon.author_code.runner import runner_log
from gnomon.author_code.runner.output_pipe import OutputPipe
from gnomon.ground.clock import SystemClock
from gnomon.ground.log.confined_files import open_to_append
from gnomon.ground.log.secret_masks import call_at_first_secret, hide
from gnomon.model.errors.error_text import format_error
from gnomon.model.instants import to_datetime

LINE_BUFFER_MAX = 8_192
"""So many characters without the end of a line are written at once."""
_CLOCK = SystemClock()
_STDOUT, _STDERR = 1, 2
_PARTS = 3
"""The path of a log below the folder of logs: DAG, run and file (`gnomon.model.attempts`). Authors can write into these folders, so no link in them is followed."""
_pipe: OutputPipe | None = None
"""The pipe of the attempt that this process runs, once the process knows a secret."""
_file: tuple[int, str] | None = None
"""The descriptor of the runner's own lines, and the path of the log, while this process runs an attempt."""


class LineHandler(logging.Handler):
    """Writes each record to descriptor 2, so that a fork redirects its log by redirecting its output."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = hide(self.format(record)) + "\n"
            if _file is not None and runner_log.is_runner_record(record):
                _write_to_log(line, *_file)
            elif _pipe is not None and _pipe.owns(_STDERR):
                _pipe.write_record(line)
            else:
                os.write(_STDERR, line.encode(errors="backslashreplace"))
            runner_log.mark_written(record)
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


class TimedOutput(MaskedOutput):
    """As MaskedOutput; each line that is not empty begins with the time at which its first piece was printed, as a record of `logging` does."""

    _is_begun = False
    """A line was begun and not ended."""

    def write(self, text: str, /) -> int:
        if text == "\n":  # the end of most calls of print
            self._is_begun = False
            super().write(text)
            return 1
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line and not (number == 0 and self._is_begun):
                lines[number] = _line(to_datetime(_CLOCK.now()), "INFO", line)
        self._is_begun = bool(lines[-1]) or (len(lines) == 1 and self._is_begun)
        super().write("\n".join(lines))
        return len(text)


class LineFormatter(logging.Formatter):
    """`2026-03-01T12:00:00.123456Z INFO     message`, tracebacks below."""

    def format(self, record: logging.LogRecord) -> str:
        line = _line(datetime.fromtimestamp(record.created, UTC), record.levelname, record.getMessage())
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        if record.stack_info:
            line += "\n" + self.formatStack(record.stack_info)
        return line

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name of logging
        kind, error, trace = ei
        return "NoneType: None" if error is None else format_error(kind, error, trace).rstrip("\n")


def _line(moment: datetime, level: str, message: str) -> str:
    return f"{moment.isoformat(timespec='microseconds')[:-6]}Z {level:<8} {message}"


def configure_task_logging(level: str = "INFO", *, print_times: bool = False) -> None:
    """Have the root logger write lines to descriptor 2; flush stdout and stderr after each line. All of them hide secrets.

    `print_times`: what is printed begins with its time.
    """
    handler = LineHandler()
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    runner_log.set_handler(handler, root.level)
    kind = TimedOutput if print_times else MaskedOutput
    sys.stdout = sys.__stdout__ = _mask_stream(sys.stdout, kind)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _mask_stream(sys.stderr, kind)  # type: ignore[misc]


def _mask_stream(stream: Any, kind: type[MaskedOutput]) -> Any:
    """The stream with hidden secrets, flushed after each line; a stream that is no plain text stream (None, a test's) as it is."""
    if type(stream) is not io.TextIOWrapper:
        return stream
    encoding = stream.encoding
    return kind(stream.detach(), encoding=encoding, errors="backslashreplace", line_buffering=True)


def redirect_output(path: str) -> None:
    """Redirect descriptors 1 and 2 to the end of the log at `path`, creating its folders. Raises OSError.

    An earlier attempt may have put a link or a pipe there: it is removed.
    """
    global _file
    descriptor = _open_log(path)
    os.dup2(descriptor, _STDOUT)
    os.dup2(descriptor, _STDERR)
    _file = descriptor, path if path.startswith("/") else os.path.abspath(path)
    call_at_first_secret(_open_pipe)


def restore_output() -> None:
    """Write what is still on its way to the log, and end the output pipe of the attempt, if it has one."""
    global _pipe, _file
    flush_output()
    pipe, _pipe = _pipe, None
    file, _file = _file, None
    call_at_first_secret(lambda: None)
    if pipe is not None:
        pipe.close()
    if file is not None and _is_log(*file):
        os.close(file[0])


def _is_log(descriptor: int, path: str) -> bool:
    """Whether the descriptor is that of the log: author code may have closed it, and its number may be that of another file by now."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _write_to_log(line: str, descriptor: int, path: str) -> None:
    """Write a line without secrets, after all that is on its way to the log."""
    if _pipe is not None:
        _pipe.write_record(line)
        return
    data = line.encode(errors="backslashreplace")
    if _is_log(descriptor, path):
        os.write(descriptor, data)
        return
    try:
        reopened = _reopen(path)
    except FileNotFoundError:
        return
    try:
        os.write(reopened, data)
    finally:
        os.close(reopened)


def _open_pipe() -> None:
    global _pipe
    if _pipe is None:
        flush_output()
        try:
            _pipe = OutputPipe(_reopen_log)
        except OSError as error:
            logging.getLogger("gnomon.task").warning(
                "the output of programs is not searched for secrets: there is no pipe for it (%s)", error.strerror
            )


def _reopen_log() -> int:
    if _file is None:
        raise OSError(errno.EBADF, "this process runs no attempt")
    return _reopen(_file[1])


def _reopen(path: str) -> int:
    """The descriptor of the log, whose file author code may have renamed. Raises FileNotFoundError when its folder is gone: with the home of `dags test`, which has ended."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    return _open_log(path)


def _write_before_fork() -> None:
    """Write what is on its way to the log, so that it is not written by the fork too, nor after what the fork writes."""
    if _file is not None:
        _flush_streams()
    if _pipe is not None:
        _pipe.drain_before_fork()


def _renew_in_fork() -> None:
    """In a fork of an attempt: use locks of its own, and leave the log of the runner."""
    global _file
    if _pipe is not None:
        _pipe.renew_in_fork()
    if _file is not None:
        if _is_log(*_file):
            os.close(_file[0])
        _file = -1, _file[1]


os.register_at_fork(before=_write_before_fork, after_in_child=_renew_in_fork)


def append_error(path: str, moment: datetime, message: str) -> None:
    """Append an ERROR line to the log file at `path`, creating its folders. Raises OSError.

    The worker calls this after the exit of a process without a result. `moment` is in UTC.
    """
    descriptor = _open_log(path, readable=True)
    try:
        size = os.fstat(descriptor).st_size
        begun = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        line = _line(moment, "ERROR", hide(message)) + "\n"
        os.write(descriptor, (("\n" if begun else "") + line).encode(errors="backslashreplace"))
    finally:
        os.close(descriptor)


def flush_output() -> None:
    """Write what Python code and programs have printed to the log; a stream that author code closed is skipped."""
    _flush_streams()
    if _pipe is not None:
        _pipe.flush()


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue


def _open_log(path: str, *, readable: bool = False) -> int:
    """The descriptor of the log, opened for appending; its folders are created. Raises OSError."""
    folder, *names = path.rsplit("/", _PARTS)
    return open_to_append(folder or "/", "/".join(names), readable=readable, replaces_foreign=True)
