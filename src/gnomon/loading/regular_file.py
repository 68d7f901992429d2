"""Opens files whose paths authors choose: a pipe is not waited for, and a device, which may have no end, is not read."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular_file(path: str) -> BinaryIO:
    """Open a regular file, or what a link to one leads to, for reading. Raises OSError, also for what is no regular file."""
    return open(path, "rb", opener=_open)


def _open(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    return descriptor
