"""Text that comes from authors' code, as every wire and every database can hold it."""

from __future__ import annotations


def writable(text: str) -> str:
    """The same text; a null character, which PostgreSQL cannot hold, and half a character, which UTF-8 cannot, is shown as its escape."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
