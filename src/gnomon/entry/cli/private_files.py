"""Writes files that hold secrets."""

from __future__ import annotations

import os
import stat

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

OWNER_ONLY = 0o600


def write_private_file(path: str, text: str) -> None:
    """Write the file, which only its owner can read afterwards. Raises UserError when it cannot be written.

    An existing file loses the permissions of others before a secret is in it; a device or pipe, such as /dev/stdout, keeps its own.
    """
    try:
        with open(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, OWNER_ONLY), "w", encoding="utf-8"
        ) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                os.fchmod(file.fileno(), OWNER_ONLY)
            file.write(text)
    except OSError as error:
        raise UserError(say("file_cannot_be_written", file=str(path), error=error.strerror)) from None
