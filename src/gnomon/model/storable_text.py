"""Which text a database holds: PostgreSQL stores no null character, and neither database a lone surrogate.

Text that Gnomon writes for people (reasons, tracebacks, questions) is escaped. A key or a name is refused instead: nobody would find it under another one.
"""

from __future__ import annotations

POOL_NAME_MAX = 256
"""Characters of the name of a pool, as in Airflow: an index of PostgreSQL holds no long text."""


def escape_unstorable(text: str) -> str:
    """The text with null characters and lone surrogates as escapes."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def find_unstorable(text: str, *, stores_nul: bool = False) -> str | None:
    """What the text contains that no database holds, as the end of the sentence "it contains ..."; None: it can be stored.

    `stores_nul`: where it is stored, a null character does no harm: in JSON, encrypted, or in SQLite.
    """
    if not stores_nul and "\0" in text:
        return f"a null character (at position {text.index(chr(0))})"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"a lone surrogate, which is no character ({text[error.start]!r} at position {error.start})"
    return None
