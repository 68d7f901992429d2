"""Writes files that hold secrets."""

from __future__ import annotations

import os

from gnomon.errors.product import UserError


def write_private_file(path: str, text: str) -> None:
    """Write the file; a new one can be read by its owner only. Raises UserError when it cannot be written."""
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None
