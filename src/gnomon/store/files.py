"""DAG files: what a parse found becomes DAGs, versions and errors. Nothing is removed for lack of news."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.spec import DagParsed, FileInputs, ParsedFile, ParseFailure
from gnomon.store import dags, mail
from gnomon.store.database import Database
from gnomon.store.defined import Defined, Origin, define_dags, first_of_each
from gnomon.store.transaction import Transaction, wake

DAGS_AT_ONCE = 500
"""DAGs that one transaction of `record_file` writes: a fraction of a second."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What recording a parse changed."""

    new_versions: tuple[str, ...]
    """DAG ids that are new or have a new version."""
    errors: tuple[ParseFailure, ...]
    """All errors that stand beside the file now, duplicates included."""
    deactivated: tuple[str, ...]
    """DAG ids that are in no file any more."""
    parse_again: tuple[str, ...] = ()
    """Other files whose duplicate DAG ids may be free now."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as its last parse left it."""

    path: str
    inputs: FileInputs
    parsed_at: Instant
    duration_s: float
    failed: bool
    stale: bool
    """It is to be parsed again though nothing in it has changed."""


@dataclass(frozen=True, slots=True)
class ImportErrorRow:
    """One error beside a file."""

    path: str
    kind: str
    message: str
    line: int | None
    traceback: str
    at: Instant


def record_parsed(tx: Transaction, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileOutcome:
    """The file's DAGs are as it defines them, its errors stand beside it, and the owners of changed DAGs are told.

    A DAG id belongs to the first file that defined it while that file exists; elsewhere it is an error. A DAG that the
    file no longer defines is deactivated, but only by a parse without failures.
    """
    file_pk = _put_file(tx, parsed, at, whole=True)
    mine, twice = first_of_each(parsed)
    return _finish(tx, parsed, file_pk, [_define(tx, parsed, file_pk, mine, at, paused_by_default)], twice, at)


def record_file(db: Database, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileOutcome:
    """`record_parsed` in transactions of its own: for a file of any size, no writer waits for longer than DAGS_AT_ONCE take.

    Each DAG is written whole. A process that ends in between leaves a file that is to be parsed again.
    """
    mine, twice = first_of_each(parsed)
    parts = [mine[start : start + DAGS_AT_ONCE] for start in range(0, len(mine), DAGS_AT_ONCE)] or [mine]
    defined: list[Defined] = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        with db.write() as tx:
            file_pk = _put_file(tx, parsed, at, whole=is_last)
            defined.append(_define(tx, parsed, file_pk, part, at, paused_by_default))
            if is_last:
                return _finish(tx, parsed, file_pk, defined, twice, at)
    raise AssertionError("there is a last part")


def record_many(
    tx: Transaction, parsed: Iterable[ParsedFile], *, at: Instant, paused_by_default: bool
) -> list[FileOutcome]:
    """`record_parsed` of several files, in order, in one transaction."""
    return [record_parsed(tx, one, at=at, paused_by_default=paused_by_default) for one in parsed]


def record_gone(tx: Transaction, paths: Iterable[str], at: Instant) -> FileOutcome:
    """These files were really deleted: their DAGs are deactivated, their errors forgotten."""
    deactivated: list[str] = []
    again: dict[str, None] = {}
    for path in paths:
        for (file_pk,) in tx.all("files.gone", path=path, at=at):
            tx.run("files.clear_errors", file_pk=file_pk)
            missing = _dags_of(tx, file_pk)
            again.update(dict.fromkeys(_deactivate(tx, file_pk, missing, at)))
            deactivated += [row[1] for row in missing]
    return FileOutcome((), (), tuple(deactivated), tuple(again))


def known(tx: Transaction) -> list[FileRow]:
    """Every file that is not gone, as its last parse left it."""
    return [
        FileRow(
            path, FileInputs(input_hash=input_hash, paths=tuple((p, s) for p, s in json.loads(inputs)),
                             looked_further=bool(looked_further), fresh=fresh),
            parsed_at, duration_s, bool(failed), bool(stale),
        )
        for path, input_hash, inputs, looked_further, fresh, parsed_at, duration_s, failed, stale in tx.all("files.known")
    ]


def stale(tx: Transaction) -> list[str]:
    """Files to parse again though nothing in them has changed: a DAG of theirs was deleted, or a duplicate id is free."""
    return [row[0] for row in tx.all("files.stale")]


def set_fresh(tx: Transaction, path: str, reason: str) -> None:
    """Tasks of the file need a fresh interpreter until its inputs change."""
    tx.run("files.set_fresh", path=path, reason=reason)


def import_errors(tx: Transaction) -> list[ImportErrorRow]:
    """All errors that stand, by file."""
    return [ImportErrorRow(*row) for row in tx.all("files.errors")]


def warnings(tx: Transaction) -> dict[str, list[str]]:
    """What was noticed about files that are there, by path; files without a warning are left out."""
    return {path: json.loads(told) for path, told in tx.all("files.warnings")}


def _put_file(tx: Transaction, parsed: ParsedFile, at: Instant, *, whole: bool) -> int:
    row = tx.one(
        "files.put", path=parsed.path, input_hash=parsed.inputs.input_hash, inputs=json.dumps(parsed.inputs.paths),
        looked_further=parsed.inputs.looked_further, fresh=parsed.inputs.fresh, at=at, duration_s=parsed.duration_s,
        failed=bool(parsed.failures), warnings=json.dumps(parsed.warnings), stale=not whole,
    )
    assert row is not None
    return int(row[0])


def _define(
    tx: Transaction, parsed: ParsedFile, file_pk: int, part: list[DagParsed], at: Instant, paused_by_default: bool
) -> Defined:
    defined = define_dags(tx, Origin(file_pk, parsed.path, parsed.inputs.input_hash), part, at, paused_by_default)
    if defined.changed:
        mail.send(tx, [dags.changed(group_no, dag_pk, at) for dag_pk, group_no in defined.changed])
        wake(tx)
    return defined


def _finish(
    tx: Transaction, parsed: ParsedFile, file_pk: int, defined: list[Defined], twice: list[ParseFailure], at: Instant
) -> FileOutcome:
    errors = (*parsed.failures, *twice, *(failure for one in defined for failure in one.duplicates))
    tx.run("files.clear_errors", file_pk=file_pk)
    tx.many(
        "files.add_error",
        [(file_pk, n, e.kind, e.message, e.line, e.traceback, at) for n, e in enumerate(errors)],
    )
    here = {one.spec.dag_id for one in parsed.dags}
    missing = [] if parsed.failures else [row for row in _dags_of(tx, file_pk) if row[1] not in here]
    again = _deactivate(tx, file_pk, missing, at)
    new_versions = tuple(dag_id for one in defined for dag_id in one.new_versions)
    return FileOutcome(new_versions, errors, tuple(row[1] for row in missing), again)


def _dags_of(tx: Transaction, file_pk: int) -> list[tuple[int, str, int]]:
    return [(row[0], row[1], row[2]) for row in tx.all("dags.of_file", file_pk=file_pk)]


def _deactivate(tx: Transaction, file_pk: int, missing: list[tuple[int, str, int]], at: Instant) -> tuple[str, ...]:
    """These DAGs are in no file any more; returns the files in which one of them may be a refused duplicate."""
    if not missing:
        return ()
    tx.many("dags.deactivate", [(dag_pk,) for dag_pk, _, _ in missing])
    mail.send(tx, [dags.changed(group_no, dag_pk, at) for dag_pk, _, group_no in missing])
    wake(tx)
    return tuple(row[0] for row in tx.all("files.recheck_duplicates", file_pk=file_pk))
