"""Lists as PostgreSQL reads them: the text of an array, made in a few steps of C and not one by one.

The driver's own way asks Python for each element; of what a mass of tasks costs, that was the largest part.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.types.string import StrDumperUnknown


def literal(values: Sequence[object]) -> str:
    """The array of these numbers, flags, texts or bytes; None is NULL. All are of one type: the statement says which by its cast."""
    if isinstance(next((value for value in values if value is not None), None), str | bytes):
        return "{" + ",".join(map(_quoted, values)) + "}"
    return "{" + ",".join(map(str, values)).replace("None", "NULL") + "}"


def _quoted(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    assert isinstance(value, str)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class ListDumper(StrDumperUnknown):
    """A list travels as the text of an array; `::type[]` in the statement says what it is."""

    def dump(self, obj: Sequence[object]) -> bytes | bytearray | memoryview | None:
        return super().dump(literal(obj))
