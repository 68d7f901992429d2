"""A log file that several processes append to and that is rotated by size: no line is lost or split."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
import sys

_FILE_MODE = 0o640


class SharedRotatingFileHandler(logging.Handler):
    """As logging.handlers.RotatingFileHandler, `FILE`, `FILE.1`, ... `FILE.N`, for a file that several processes write.

    Each line opens the file and is one write at its end, so that a fork inherits no descriptor, lines of processes do not mix, and a file
    that a user moves or deletes is created again. A process rotates only while it holds the lock of the file; one that does not get
    the lock at once appends, so a process that stands still in a rotation holds up nobody. A line that is written to a file that was renamed
    meanwhile is in the renamed file.
    """

    def __init__(self, path: str, max_bytes: int, backup_count: int) -> None:
        """`max_bytes`: the size at which the file is rotated. `backup_count`: how many rotated files are kept. The file grows without limit if one is 0."""
        super().__init__()
        self._path = os.path.abspath(path)
        self._max_bytes = max_bytes
        self._backup_count = backup_count
        self._is_failing = False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        except Exception:  # a wrong message of author code; as in every handler of the standard library
            self.handleError(record)
            return
        try:
            if not self._append(line):
                self._append(line, rotates=False)
            self._is_failing = False
        except OSError as error:
            self._report(error)

    def _append(self, line: bytes, *, rotates: bool = True) -> bool:
        """Append the line; False if the file was rotated instead."""
        descriptor = self._open_file()
        try:
            if rotates and self._is_full(descriptor, len(line)) and self._rotate(descriptor, len(line)):
                return False
            _write_all(descriptor, line)
            return True
        finally:
            os.close(descriptor)  # this also unlocks

    def _open_file(self) -> int:
        """The file; OSError for a link, a pipe or a device, which a task can put there: the folder may be below that of the logs of tasks."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self._path, flags, _FILE_MODE)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            descriptor = os.open(self._path, flags, _FILE_MODE)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "it is no regular file")
        return descriptor

    def _is_full(self, descriptor: int, added: int) -> bool:
        if not self._max_bytes or not self._backup_count:
            return False
        size = os.fstat(descriptor).st_size
        return size > 0 and size + added > self._max_bytes

    def _rotate(self, descriptor: int, added: int) -> bool:
        """Rotate the files; False if another process rotates or has rotated them. The lock is a POSIX one: a fork does not share it."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            opened, present = os.fstat(descriptor), os.stat(self._path)
        except OSError:
            return False
        if (opened.st_dev, opened.st_ino) != (present.st_dev, present.st_ino) or not self._is_full(descriptor, added):
            return False
        free = 1
        while free < self._backup_count and os.path.exists(f"{self._path}.{free}"):
            free += 1
        for number in range(free, 1, -1):
            os.replace(f"{self._path}.{number - 1}", f"{self._path}.{number}")
        os.replace(
            self._path, f"{self._path}.1"
        )  # last: while the file has its name, its lock keeps other rotations away
        return True

    def _report(self, error: OSError) -> None:
        """Say it once on stderr, which has the lines too; the service goes on."""
        if not self._is_failing and sys.stderr is not None:
            sys.stderr.write(
                f"the log file {self._path} cannot be written: {error.strerror}; its lines are only on stderr\n"
            )
            sys.stderr.flush()
        self._is_failing = True


def _write_all(descriptor: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
