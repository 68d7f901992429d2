"""Named statements: the `.sql` files of `store/sql`, parsed once per dialect.

A file is named after the module that uses it. A statement begins with `-- name: verb` and is called `module.verb`; a comment says what it does. It is
written once for both dialects: parameters are `:name`, and these markers become what each database needs (`dialect_markers.py`):

| marker | SQLite | PostgreSQL |
|---|---|---|
| `x {in :pks bigint}`, a list | `x IN (SELECT value FROM json_each(:pks))` | `x = ANY(:pks::bigint[])` |
| `{typed :ids text[]}`, where PostgreSQL cannot see the type | `:ids` | `:ids::text[]` |
| `{tuples :keys dag_pk bigint, leaf text}`, a list of tuples, as JSON, which a SELECT reads | `json_each`, `json_extract` | `jsonb_array_elements`, `->>` |
| `{json h.request user.name}`, a member of a column with JSON | `json_extract(h.request, '$.user.name')` | `(h.request::json->'user'->>'name')` |
| `{lock FOR SHARE}`, the locks of rows and the order in which they are taken | nothing: it has one writer at a time | `FOR SHARE` |
| `{cross} JOIN`, tables in the order in which they are to be read | `CROSS JOIN` | `JOIN` |
| `{using rows}`, `{from rows}`, `{rows,}`, `{values :a, :b}`, the rows of a batch | nothing, or `VALUES (:a, :b)`: executed once for each row | a table `r` made of arrays |

A line `-- rows: column type, ...` makes a statement a batch, in which `:column` is a column of the row. SQLite executes it once for each row;
PostgreSQL executes it once, with a table `r` of those columns, which is made of arrays. The markers say where that table stands:

    INSERT INTO t (a, b) {values :a, :b};                                   VALUES (:a, :b)        SELECT r.a, r.b FROM rows
    INSERT INTO t (a, b) SELECT :a, u.b FROM {rows,} u WHERE u.a = :a;      FROM u                 FROM rows, u
    UPDATE t SET b = :b {from rows} WHERE t.a = :a;                         nothing                FROM rows
    DELETE FROM t {using rows} WHERE t.a = :a;                              nothing                USING rows

A statement that differs in more than this stands twice, as `-- name: verb (sqlite)` and `-- name: verb (postgresql)`. The first has a line
`-- differs: reason`. In the form for PostgreSQL of a batch, `{rows}` is the table `r`.

Lines `-- field: name expression` and, for an expression that can be NULL, `-- nullable field: name expression` (or `-- fields: verb`: those of an earlier statement) make
a statement a listing: `store.pages.page_query` replaces `{conditions}`, `{order}` and `{keys}` in its text by conditions on these fields, by the order of the rows, and by the
columns that the order compares. More lines of a listing: `-- equal: name expression`, an expression with an index that equals the field where the field is not NULL;
`-- members: name condition`, for which see `ListingField`; `-- part: name value condition`, the rows in which the field has that number (`few condition` where these are few);
`-- join: alias JOIN ...`, which `{joins}` stands for where a condition or the order uses the alias, and `{order_joins}` where only the columns or the order of the page do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from gnomon.storage.store.address import POSTGRESQL, SQLITE
from gnomon.storage.store.dialect_markers import expand_markers

_NAME = re.compile(r"^-- name: (\w+)(?: \((sqlite|postgresql)\))?$")
_ROWS = "-- rows: "
_FIELDS_OF = re.compile(r"^-- fields: (\w+)$")
_FIELD = re.compile(r"^-- (nullable )?field: (\w+) (.+)$")
_EQUAL = re.compile(r"^-- equal: (\w+) (.+)$")
_MEMBERS = re.compile(r"^-- members: (\w+) (.+)$")
_PART = re.compile(r"^-- part: (\w+) (\d+) (.+)$")
_JOIN = re.compile(r"^-- join: (\w+) (.+)$")
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z_0-9]*)")


@dataclass(frozen=True, slots=True)
class ListingField:
    """What a listing may filter and order by."""

    expression: str
    is_nullable: bool = False
    equal: str | None = None
    """An expression with an index, which equals `expression` where that is not NULL."""
    parts: tuple[tuple[int, str], ...] = ()
    """Each number that the field can have, with the condition that it has it; empty when the numbers are not known."""
    members: str | None = None
    """The condition that the field is one of some values, as a comparison with the rows that have them, which are found first; `{in}` stands for the comparison with the values."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement in the form that its driver takes."""

    name: str
    text: str
    columns: tuple[str, ...] = ()
    """The columns of a row of a batch, in order; empty when it is not a batch."""
    fields: Mapping[str, ListingField] = field(default_factory=dict)
    """The fields of a listing, by name; empty when it is not a listing."""
    joins: tuple[tuple[str, str], ...] = ()
    """(alias, JOIN clause) of the tables that a listing needs only for some of its fields, in order."""
    is_prepared: bool = True
    """False: PostgreSQL plans it for its values each time. The texts of listings differ, and the best plan depends on the values."""


@dataclass(slots=True)
class _StatementDraft:
    verb: str
    dialect: str | None
    rows: str = ""
    fields: dict[str, ListingField] = field(default_factory=dict)
    joins: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()


@cache
def load_statements(dialect: str) -> dict[str, Statement]:
    """Every statement of the dialect, by name. Raises ValueError when a name occurs twice."""
    statements: dict[str, Statement] = {}
    for entry in sorted(resources.files("gnomon.storage.store").joinpath("sql").iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".sql"):
            module = entry.name.removesuffix(".sql")
            for statement in parse_statements(entry.read_text(encoding="utf-8"), module, dialect):
                if statement.name in statements:
                    raise ValueError(f"statement {statement.name} occurs twice for {dialect}")
                statements[statement.name] = statement
    return statements


def parse_statements(text: str, module: str, dialect: str) -> list[Statement]:
    """The statements of the text of one file that are for the dialect; `module` is the first part of their names."""
    return [
        _compile_statement(draft, module, dialect)
        for draft in _split_statements(text)
        if draft.dialect is None or draft.dialect == dialect
    ]


def _split_statements(text: str) -> list[_StatementDraft]:
    drafts: list[_StatementDraft] = []
    for line in text.splitlines():
        name = _NAME.match(line)
        if name:
            drafts.append(_StatementDraft(name[1], name[2]))
        elif line.startswith(_ROWS):
            drafts[-1].rows += line.removeprefix(_ROWS) + " "
        elif match := _FIELD.match(line):
            drafts[-1].fields[match[2]] = ListingField(match[3], bool(match[1]))
        elif match := _FIELDS_OF.match(line):
            drafts[-1].fields = dict(
                next(
                    draft.fields
                    for draft in reversed(drafts[:-1])
                    if draft.verb == match[1] and draft.dialect in (None, drafts[-1].dialect)
                )
            )
        elif match := _EQUAL.match(line):
            drafts[-1].fields[match[1]] = replace(drafts[-1].fields[match[1]], equal=match[2])
        elif match := _MEMBERS.match(line):
            drafts[-1].fields[match[1]] = replace(drafts[-1].fields[match[1]], members=match[2])
        elif match := _PART.match(line):
            known_field = drafts[-1].fields[match[1]]
            drafts[-1].fields[match[1]] = replace(known_field, parts=(*known_field.parts, (int(match[2]), match[3])))
        elif match := _JOIN.match(line):
            drafts[-1].joins += ((match[1], match[2]),)
        elif drafts and line.strip() and not line.lstrip().startswith("--"):
            drafts[-1].lines += (line.strip(),)
    return drafts


def _compile_statement(draft: _StatementDraft, module: str, dialect: str) -> Statement:
    name = f"{module}.{draft.verb}"
    rows = [(column, kind) for column, kind in (each.split() for each in draft.rows.split(",") if each.strip())]
    columns = tuple(column for column, _ in rows)
    fields = {
        key: _expand_field(each, dialect) if "{" in each.expression else each for key, each in draft.fields.items()
    }
    body = " ".join(draft.lines).rstrip(";")
    if dialect == SQLITE:
        body = expand_markers(body, dialect, rows)
        if columns:
            body = _PARAMETER.sub(lambda match: f"?{columns.index(match[1]) + 1}", body)
        return Statement(name, body, columns, fields, draft.joins)
    body = body.replace("%", "%%")
    if columns:
        body = _PARAMETER.sub(r"r.\1", body)
    body = _PARAMETER.sub(r"%(\1)s", expand_markers(body, dialect, rows))
    return Statement(name, body, columns, fields, draft.joins)


def _expand_field(listed: ListingField, dialect: str) -> ListingField:
    return replace(listed, expression=expand_markers(listed.expression, dialect))


__all__ = ["POSTGRESQL", "SQLITE", "ListingField", "Statement", "load_statements", "parse_statements"]
