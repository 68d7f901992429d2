"""DAG files: what a parse found becomes DAGs, versions and errors. Nothing is removed for lack of news."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile, ParseFailure
from gnomon.store.dag_records import dags
from gnomon.store.dag_records.dag_versions import DefiningFile, DefinitionResult, define_dags, drop_duplicates
from gnomon.store.database import Database
from gnomon.store.ownership import mailbox
from gnomon.store.transaction import Transaction, notify_on_commit

DAGS_PER_TRANSACTION = 500
"""DAGs that one transaction of `record_file_in_parts` writes: a fraction of a second."""


@dataclass(frozen=True, slots=True)
class FileRecordResult:
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
class StoredFile:
    """A file as its last parse left it."""

    path: str
    inputs: FileInputs
    parsed_at: Instant
    duration_s: float
    failed: bool
    stale: bool
    """It is to be parsed again though nothing in it has changed."""


@dataclass(frozen=True, slots=True)
class StoredImportError:
    """One error beside a file."""

    path: str
    kind: str
    message: str
    line: int | None
    traceback: str
    at: Instant


def record_parsed(tx: Transaction, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileRecordResult:
    """The file's DAGs are as it defines them, its errors stand beside it, and the owners of changed DAGs are told.

    A DAG id belongs to the first file that defined it while that file exists; elsewhere it is an error. A DAG that the
    file no longer defines is deactivated, but only by a parse without failures.
    """
    file_pk = _write_file(tx, parsed, at, whole=True)
    mine, twice = drop_duplicates(parsed)
    return _write_errors(tx, parsed, file_pk, [_define(tx, parsed, file_pk, mine, at, paused_by_default)], twice, at)


def record_file_in_parts(db: Database, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileRecordResult:
    """`record_parsed` in transactions of its own: for a file of any size, no writer waits for longer than DAGS_AT_ONCE take.

    Each DAG is written whole. A process that ends in between leaves a file that is to be parsed again.
    """
    mine, twice = drop_duplicates(parsed)
    parts = [mine[start : start + DAGS_PER_TRANSACTION] for start in range(0, len(mine), DAGS_PER_TRANSACTION)] or [mine]
    defined: list[DefinitionResult] = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        with db.write() as tx:
            file_pk = _write_file(tx, parsed, at, whole=is_last)
            defined.append(_define(tx, parsed, file_pk, part, at, paused_by_default))
            if is_last:
                return _write_errors(tx, parsed, file_pk, defined, twice, at)
    raise AssertionError("there is a last part")


def record_parsed_files(
    tx: Transaction, parsed: Iterable[ParsedFile], *, at: Instant, paused_by_default: bool
) -> list[FileRecordResult]:
    """`record_parsed` of several files, in order, in one transaction."""
    return [record_parsed(tx, one, at=at, paused_by_default=paused_by_default) for one in parsed]


def record_deleted_files(tx: Transaction, paths: Iterable[str], at: Instant) -> FileRecordResult:
    """These files were really deleted: their DAGs are deactivated, their errors forgotten."""
    deactivated: list[str] = []
    again: dict[str, None] = {}
    for path in paths:
        for (file_pk,) in tx.all("files.gone", path=path, at=at):
            tx.run("files.clear_errors", file_pk=file_pk)
            missing = _list_dags_of_file(tx, file_pk)
            again.update(dict.fromkeys(_deactivate(tx, file_pk, missing, at)))
            deactivated += [row[1] for row in missing]
    return FileRecordResult((), (), tuple(deactivated), tuple(again))


def list_files(tx: Transaction) -> list[StoredFile]:
    """Every file that is not gone, as its last parse left it."""
    return [
        StoredFile(
            path, FileInputs(input_hash=input_hash, paths=tuple((p, s) for p, s in json.loads(inputs)),
                             looked_further=bool(looked_further), fresh=fresh),
            parsed_at, duration_s, bool(failed), bool(stale),
        )
        for path, input_hash, inputs, looked_further, fresh, parsed_at, duration_s, failed, stale in tx.all("files.known")
    ]


def list_stale_files(tx: Transaction) -> list[str]:
    """Files to parse again though nothing in them has changed: a DAG of theirs was deleted, or a duplicate id is free."""
    return [row[0] for row in tx.all("files.stale")]


def require_fresh_interpreter(tx: Transaction, path: str, reason: str) -> None:
    """Tasks of the file need a fresh interpreter until its inputs change."""
    tx.run("files.set_fresh", path=path, reason=reason)


def list_import_errors(tx: Transaction) -> list[StoredImportError]:
    """All errors that stand, by file."""
    return [StoredImportError(*row) for row in tx.all("files.errors")]


def list_warnings(tx: Transaction) -> dict[str, list[str]]:
    """What was noticed about files that are there, by path; files without a warning are left out."""
    return {path: json.loads(told) for path, told in tx.all("files.warnings")}


def _write_file(tx: Transaction, parsed: ParsedFile, at: Instant, *, whole: bool) -> int:
    row = tx.one(
        "files.put", path=parsed.path, input_hash=parsed.inputs.input_hash, inputs=json.dumps(parsed.inputs.paths),
        looked_further=parsed.inputs.looked_further, fresh=parsed.inputs.fresh, at=at, duration_s=parsed.duration_s,
        failed=bool(parsed.failures), warnings=json.dumps(parsed.warnings), stale=not whole,
    )
    assert row is not None
    return int(row[0])


def _define(
    tx: Transaction, parsed: ParsedFile, file_pk: int, part: list[ParsedDag], at: Instant, paused_by_default: bool
) -> DefinitionResult:
    defined = define_dags(tx, DefiningFile(file_pk, parsed.path, parsed.inputs.input_hash), part, at, paused_by_default)
    if defined.changed:
        mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for dag_pk, group_no in defined.changed])
        notify_on_commit(tx)
    return defined


def _write_errors(
    tx: Transaction, parsed: ParsedFile, file_pk: int, defined: list[DefinitionResult], twice: list[ParseFailure], at: Instant
) -> FileRecordResult:
    errors = (*parsed.failures, *twice, *(failure for one in defined for failure in one.duplicates))
    tx.run("files.clear_errors", file_pk=file_pk)
    tx.many(
        "files.add_error",
        [(file_pk, n, e.kind, e.message, e.line, e.traceback, at) for n, e in enumerate(errors)],
    )
    here = {one.spec.dag_id for one in parsed.dags}
    missing = [] if parsed.failures else [row for row in _list_dags_of_file(tx, file_pk) if row[1] not in here]
    again = _deactivate(tx, file_pk, missing, at)
    new_versions = tuple(dag_id for one in defined for dag_id in one.new_versions)
    return FileRecordResult(new_versions, errors, tuple(row[1] for row in missing), again)


def _list_dags_of_file(tx: Transaction, file_pk: int) -> list[tuple[int, str, int]]:
    return [(row[0], row[1], row[2]) for row in tx.all("dags.of_file", file_pk=file_pk)]


def _deactivate(tx: Transaction, file_pk: int, missing: list[tuple[int, str, int]], at: Instant) -> tuple[str, ...]:
    """These DAGs are in no file any more; returns the files in which one of them may be a refused duplicate."""
    if not missing:
        return ()
    tx.many("dags.deactivate", [(dag_pk,) for dag_pk, _, _ in missing])
    mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for dag_pk, _, group_no in missing])
    notify_on_commit(tx)
    return tuple(row[0] for row in tx.all("files.recheck_duplicates", file_pk=file_pk))
