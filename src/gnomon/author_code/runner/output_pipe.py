"""Hides secrets in what programs and libraries write to descriptors 1 and 2 of a task process, and in what Python code prints in pieces.

From the first secret of an attempt on, both descriptors are the end of a pipe whose other end a thread of this process reads. Python's own
streams and log records go to the log file directly, after what is in the pipe: so they are in the file when the process crashes, and in order.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import faulthandler
import fcntl
import os
import select
import threading
from collections.abc import Callable

from gnomon.ground.log.masked_stream import MaskedStream

PIPE_BYTES = 1 << 20
"""The size of the pipe: so much can be written while an extension holds the interpreter lock."""
PRIVATE_MIN = 700
"""The lowest number of the descriptors of this module: `os.closerange(3, 256)` is a common way to close what a parent left open."""
READ_BYTES = 65_536
READS_MAX = 64
"""The most reads in one call, so that a program that writes without pause does not hold up the thread that calls."""
_F_SETPIPE_SZ = 1031
_STDOUT, _STDERR = 1, 2


class OutputPipe:
    """The output of one attempt on its way into the log file."""

    def __init__(self, open_log: Callable[[], int]) -> None:
        """Put the pipe in place of descriptors 1 and 2. Raises OSError when there are no descriptors left.

        `open_log`: opens the log anew, if author code has closed its descriptor.
        """
        self._owner = os.getpid()
        self._open_log = open_log
        self._log = _move_up(fcntl.fcntl(_STDOUT, fcntl.F_DUPFD_CLOEXEC, 3))
        reader, writer = os.pipe2(os.O_CLOEXEC)
        self._reader = _move_up(reader)
        with contextlib.suppress(OSError):  # the system's limit may be lower
            fcntl.fcntl(writer, _F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self._reader, False)
        self._inode = os.fstat(writer).st_ino
        self._stop_reader, self._stop_writer = map(_move_up, os.pipe2(os.O_CLOEXEC))
        os.dup2(writer, _STDOUT)
        os.dup2(writer, _STDERR)
        os.close(writer)
        faulthandler.enable(file=self._log, all_threads=False)  # the thread cannot write on after a crash
        self._lock = threading.RLock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._programs = MaskedStream(self._write)
        self._streams = {number: MaskedStream(self._write) for number in (_STDOUT, _STDERR)}
        self._thread = threading.Thread(target=self._serve, name="gnomon-output", daemon=True)
        self._thread.start()

    def owns(self, number: int) -> bool:
        """True unless author code has redirected that descriptor, to capture output."""
        try:
            return os.fstat(number).st_ino == self._inode
        except OSError:
            return False

    def print(self, number: int, text: str) -> None:
        """Write what Python code printed to the stream with that descriptor."""
        with self._lock:
            self._drain()
            for other in (self._programs, *(stream for key, stream in self._streams.items() if key != number)):
                other.release()
            self._streams[number].feed(text)
            if os.getpid() != self._owner:
                self._streams[number].release()  # a fork has no thread that would do it later

    def write_record(self, line: str) -> None:
        """Write a line without secrets, after all that came before it."""
        with self._lock:
            self.flush()
            self._write(line)

    def flush(self) -> None:
        """Write what is in the pipe and what is held back."""
        with self._lock:
            self._drain()
            for stream in (self._programs, *self._streams.values()):
                stream.release()

    def close(self) -> None:
        """Give descriptors 1 and 2 the log file again."""
        with self._lock:
            self.flush()
            for number in (_STDOUT, _STDERR):
                if self.owns(number):
                    os.dup2(self._log, number)
        with contextlib.suppress(OSError):
            os.close(self._stop_writer)
        self._thread.join(1.0)
        faulthandler.enable(file=_STDERR, all_threads=False)
        self.flush()
        for descriptor in (self._reader, self._stop_reader, self._log):
            with contextlib.suppress(OSError):  # author code has closed it
                os.close(descriptor)

    def drain_before_fork(self) -> None:
        """Write what is in the pipe: a fork writes to the log directly and cannot read the pipe, so its lines would come before."""
        with self._lock:
            self._drain()

    def renew_in_fork(self) -> None:
        """In a fork of this process: use locks of its own. The thread of the parent reads the pipe."""
        self._lock = threading.RLock()
        for stream in (self._programs, *self._streams.values()):
            stream.renew()

    def _serve(self) -> None:
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        poll.register(self._stop_reader, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if self._stop_reader in ready:
                return
            with self._lock:
                if not self._drain():
                    return

    def _drain(self) -> bool:
        """Write what is in the pipe. False when no process can write to it any more."""
        if os.getpid() != self._owner:
            return True
        for _ in range(READS_MAX):
            try:
                data = os.read(self._reader, READ_BYTES)
            except BlockingIOError:
                return True
            except OSError:  # author code has closed it
                return False
            if not data:
                return False
            self._programs.feed(self._decoder.decode(data))
        return True

    def _write(self, text: str) -> None:
        data = memoryview(_encode(text))
        with self._lock:
            while data:
                try:
                    written = os.write(self._log, data)
                except OSError as error:
                    if error.errno != errno.EBADF:
                        raise
                    self._log = self._open_log()  # author code has closed it
                    written = os.write(self._log, data)
                data = data[written:]


def _move_up(descriptor: int) -> int:
    """The descriptor under a number that author code does not close by chance; the same one when such a number is not allowed."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, PRIVATE_MIN)
    except OSError:
        return descriptor
    os.close(descriptor)
    return moved


def _encode(text: str) -> bytes:
    """The bytes of programs as they were, and other text as UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
