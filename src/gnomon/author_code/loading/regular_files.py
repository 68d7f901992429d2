"""Opens files that authors may have replaced by a pipe, a device or a link, and reads no more of them than a bound."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader


class FileTooLarge(OSError):
    """The file has more bytes than its reader takes."""


def open_regular_file(path: str, *, flags: int = 0) -> BufferedReader:
    """The file, opened for reading; never waits, as opening a named pipe does. `flags`: further ones of os.open. Raises OSError for what is no regular file."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "is no regular file", path)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_bounded(path: str, bytes_max: int, *, flags: int = 0) -> bytes:
    """The content of a regular file. Raises FileTooLarge beyond `bytes_max`, and OSError."""
    with open_regular_file(path, flags=flags) as opened:
        content = opened.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise FileTooLarge(errno.EFBIG, f"has more than {bytes_max:,} bytes", path)
    return content
