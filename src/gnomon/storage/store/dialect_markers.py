"""The markers of a statement's text, `{marker arguments}`: what each becomes on SQLite and on PostgreSQL.

They are described where the statements are, in `store/statements.py`. They are expanded once, when the statements are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gnomon.storage.store.address import SQLITE

_MARKER = re.compile(r"\{(using rows|from rows|rows,|\w+)(?: ([^{}]+))?\}( ?)")
_PLACEHOLDERS = frozenset({"conditions", "order", "keys", "joins", "order_joins", "in"})
"""Stay in the text of a listing: `store.pages` replaces them for each page."""
_ROWS_MARKERS = {"using rows": "USING {rows}", "from rows": "FROM {rows}", "rows,": "{rows},", "rows": "{rows}"}
_LIST = re.compile(r":(\w+) (\w+)")
_TYPED = re.compile(r":(\w+) (\w+(?:\[\])?)")
_TUPLES = re.compile(r":(\w+) (\w+ \w+(?:, \w+ \w+)*)")
_JSON = re.compile(r"([\w.]+) (\w+(?:\.\w+)*)")


def expand_markers(text: str, dialect: str, rows: Sequence[tuple[str, str]] = ()) -> str:
    """The text for the dialect; `rows` are the columns (name, type) of a batch.

    Raises ValueError for a marker that does not exist, and for one whose arguments do not have its form.
    """

    def expand(match: re.Match[str]) -> str:
        marker, arguments, space = match[1], match[2] or "", match[3]
        if marker in _PLACEHOLDERS and not arguments:
            return match[0]
        expanded = _expand_marker(marker, arguments, dialect, rows)
        return expanded + space if expanded else ""

    return _MARKER.sub(expand, text).rstrip() if "{" in text else text


def _expand_marker(marker: str, arguments: str, dialect: str, rows: Sequence[tuple[str, str]]) -> str:
    if marker in _ROWS_MARKERS and not arguments:
        return "" if dialect == SQLITE else _ROWS_MARKERS[marker].format(rows=_unnest(rows))
    if marker == "values" and arguments:
        return f"VALUES ({arguments})" if dialect == SQLITE else f"SELECT {arguments} FROM {_unnest(rows)}"
    if marker == "lock" and arguments:
        return "" if dialect == SQLITE else arguments
    if marker == "cross" and not arguments:
        return "CROSS" if dialect == SQLITE else ""
    match = _FORMS[marker][0].fullmatch(arguments) if marker in _FORMS else None
    if match is None:
        written = f"{marker} {arguments}".rstrip()
        raise ValueError(f"{{{written}}} is not a marker of statements, or not with these arguments")
    return _FORMS[marker][1](dialect, match[1], match[2])


def _unnest(rows: Sequence[tuple[str, str]]) -> str:
    """The rows of a batch as a table `r` on PostgreSQL."""
    if not rows:
        raise ValueError("a marker of rows needs a line `-- rows:`")
    arrays = ", ".join(f"%({column})s::{kind}[]" for column, kind in rows)
    return f"unnest({arrays}) AS r({', '.join(column for column, _ in rows)})"


def _in_list(dialect: str, parameter: str, kind: str) -> str:
    return f"IN (SELECT value FROM json_each(:{parameter}))" if dialect == SQLITE else f"= ANY(:{parameter}::{kind}[])"


def _typed(dialect: str, parameter: str, kind: str) -> str:
    return f":{parameter}" if dialect == SQLITE else f":{parameter}::{kind}"


def _tuples(dialect: str, parameter: str, columns: str) -> str:
    named = [column.split() for column in columns.split(", ")]
    if dialect == SQLITE:
        items = ", ".join(f"json_extract(value, '$[{n}]') AS {name}" for n, (name, _) in enumerate(named))
        return f"SELECT {items} FROM json_each(:{parameter})"
    items = ", ".join(
        f"value->>{n} AS {name}" if kind == "text" else f"(value->>{n})::{kind} AS {name}"
        for n, (name, kind) in enumerate(named)
    )
    return f"SELECT {items} FROM jsonb_array_elements(:{parameter}::jsonb)"


def _json_member(dialect: str, column: str, path: str) -> str:
    if dialect == SQLITE:
        return f"json_extract({column}, '$.{path}')"
    *objects, member = path.split(".")
    return f"({column}::json{''.join(f'->{name!r}' for name in objects)}->>'{member}')"


_FORMS: dict[str, tuple[re.Pattern[str], Callable[[str, str, str], str]]] = {
    "in": (_LIST, _in_list),
    "typed": (_TYPED, _typed),
    "tuples": (_TUPLES, _tuples),
    "json": (_JSON, _json_member),
}
