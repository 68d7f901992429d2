"""DAG files: the result of a parse becomes DAGs, versions and errors. A file that was not parsed keeps its rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from gnomon.model.change_entries import DagChange, ImportErrorsChange
from gnomon.model.instants import Instant
from gnomon.model.sentences.stored_sentences import StoredText
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile, ParseFailure
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.database import Database
from gnomon.storage.store.parsed_files.dag_versions import DefiningFile, DefinitionResult, define_dags, drop_duplicates
from gnomon.storage.store.transaction import Transaction, notify_on_commit

DAGS_PER_TRANSACTION = 500
"""The number of DAGs that one transaction of `record_file_in_parts` writes, in a fraction of a second."""


@dataclass(frozen=True, slots=True)
class FileRecordResult:
    """What recording a parse changed."""

    new_versions: tuple[str, ...]
    """DAG ids that are new or have a new version."""
    errors: tuple[ParseFailure, ...]
    """All errors of the file, duplicate DAG ids included."""
    deactivated: tuple[str, ...]
    """DAG ids that no file defines any more."""
    parse_again: tuple[str, ...] = ()
    """Other files that must be parsed again, because a duplicate DAG id in them may be free now."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with the result of its last parse."""

    path: str
    inputs: FileInputs
    parsed_at: Instant
    duration_s: float
    failed: bool
    stale: bool
    """True when the file must be parsed again although no input has changed."""


@dataclass(frozen=True, slots=True)
class StoredImportError:
    """One error of a file."""

    path: str
    kind: str
    message: str
    line: int | None
    traceback: str
    at: Instant
    bundle_name: str | None = None
    """The DAG bundle of the file; None: the DAG folder, or the examples."""


def record_parsed(tx: Transaction, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileRecordResult:
    """Store the DAGs and the errors of a parsed file, and send mail to the owners of changed DAGs.

    A DAG id belongs to the first file that defined it as long as that file exists; in another file it is an error. A DAG that the
    file does not define any more is deactivated, but only by a parse without failures.
    """
    file_pk = _write_file(tx, parsed, at, whole=True)
    unique, duplicates = drop_duplicates(parsed)
    return _write_errors(
        tx, parsed, file_pk, [_define(tx, parsed, file_pk, unique, at, paused_by_default)], duplicates, at
    )


def record_file_in_parts(db: Database, parsed: ParsedFile, *, at: Instant, paused_by_default: bool) -> FileRecordResult:
    """`record_parsed` in several transactions, so that other writers wait only for DAGS_PER_TRANSACTION DAGs.

    Each DAG is written in one transaction. If the process ends between two of them, the file is marked to be parsed again.
    """
    unique, duplicates = drop_duplicates(parsed)
    parts = [unique[start : start + DAGS_PER_TRANSACTION] for start in range(0, len(unique), DAGS_PER_TRANSACTION)] or [
        unique
    ]
    defined: list[DefinitionResult] = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        with db.write() as tx:
            file_pk = _write_file(tx, parsed, at, whole=is_last)
            defined.append(_define(tx, parsed, file_pk, part, at, paused_by_default))
            if is_last:
                return _write_errors(tx, parsed, file_pk, defined, duplicates, at)
    raise AssertionError("parts is never empty")


def record_parsed_files(
    tx: Transaction, parsed: Iterable[ParsedFile], *, at: Instant, paused_by_default: bool
) -> list[FileRecordResult]:
    """`record_parsed` of several files, in order, in one transaction."""
    return [record_parsed(tx, file, at=at, paused_by_default=paused_by_default) for file in parsed]


def record_deleted_files(tx: Transaction, paths: Iterable[str], at: Instant) -> FileRecordResult:
    """Record that these files were deleted: deactivates their DAGs and deletes their errors."""
    deactivated: list[str] = []
    again: dict[str, None] = {}
    for path in paths:
        for (file_pk,) in tx.all("dag_files.mark_deleted", path=path, at=at):
            had_errors = tx.run("dag_files.remove_errors", file_pk=file_pk)
            missing = _list_dags_of_file(tx, file_pk)
            if had_errors:
                record_change(tx, ImportErrorsChange(path, 0, tuple(row[1] for row in missing)))
            again.update(dict.fromkeys(_deactivate(tx, file_pk, missing, at)))
            deactivated += [row[1] for row in missing]
    return FileRecordResult((), (), tuple(deactivated), tuple(again))


def list_files(tx: Transaction) -> list[StoredFile]:
    """Every file that is not deleted, with the result of its last parse."""
    return [
        StoredFile(
            path,
            FileInputs(
                input_hash=input_hash,
                paths=tuple((p, s) for p, s in json.loads(inputs)),
                has_volatile_import=bool(has_volatile_import),
                fresh=fresh,
            ),
            parsed_at,
            duration_s,
            bool(failed),
            bool(stale),
        )
        for path, input_hash, inputs, has_volatile_import, fresh, parsed_at, duration_s, failed, stale in tx.all(
            "dag_files.list"
        )
    ]


def mark_stale(tx: Transaction, dag_id: str | None = None) -> int:
    """Have all files, or the file of one DAG, parsed again although no input has changed; returns the number of files."""
    return tx.run("dag_files.mark_all_stale") if dag_id is None else tx.run("dag_files.mark_dag_stale", dag_id=dag_id)


def list_stale_files(tx: Transaction) -> list[str]:
    """Paths of files to parse again although no input has changed: a DAG was deleted, or a duplicate id may be free."""
    return [row[0] for row in tx.all("dag_files.stale")]


def require_fresh_interpreter(tx: Transaction, path: str, reason: str) -> None:
    """Run the tasks of the file in fresh interpreters until its inputs change; `reason` says why."""
    tx.run("dag_files.require_fresh_interpreter", path=path, reason=reason)


def list_import_errors(tx: Transaction) -> list[StoredImportError]:
    """All errors, by file."""
    return [StoredImportError(*row) for row in tx.all("dag_files.errors")]


ERRORS_OF_FILE_MAX = 2**16
"""The numbers of the errors of a file are below this."""


def list_numbered_import_errors(tx: Transaction) -> dict[int, StoredImportError]:
    """All errors by a number that stays while the file keeps the error, in the order of the numbers."""
    return {
        row[0] * ERRORS_OF_FILE_MAX + row[1]: StoredImportError(*row[2:]) for row in tx.all("dag_files.listed_errors")
    }


def list_files_of_errors(tx: Transaction) -> list[tuple[int, str]]:
    """(DAG, path) of the DAGs whose files have errors, also of those that no file defines any more."""
    return [(dag_pk, path) for dag_pk, path in tx.all("dag_files.files_of_errors")]


def list_warnings(tx: Transaction) -> dict[str, list[StoredText]]:
    """Warnings of files that are not deleted, by path; a file without warnings is left out."""
    return {path: decode_warnings(warnings) for path, warnings in tx.all("dag_files.warnings")}


def decode_warnings(warnings: str) -> list[StoredText]:
    """The warnings of a row of a file."""
    return _warnings_decoder.decode(warnings)


_warnings_decoder = msgspec.json.Decoder(list[StoredText])


def move_to_bundle_version(tx: Transaction, bundle_name: str, version: str, at: Instant) -> int:
    """Record that the files of a bundle are those of this version, and send mail to the owners of their DAGs; returns the number of changed files."""
    moved = [row[0] for row in tx.all("dag_files.move_to_bundle_version", bundle_name=bundle_name, version=version)]
    files = frozenset(moved)
    moved_dags = [
        (dag_pk, group_no)
        for dag_pk, group_no, file_pk in tx.all("dags.of_bundle", bundle_name=bundle_name)
        if file_pk in files
    ]
    if moved_dags:
        mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for dag_pk, group_no in moved_dags])
        notify_on_commit(tx)
    return len(moved)


def _write_file(tx: Transaction, parsed: ParsedFile, at: Instant, *, whole: bool) -> int:
    row = tx.one(
        "dag_files.put",
        path=parsed.path,
        input_hash=parsed.inputs.input_hash,
        inputs=json.dumps(parsed.inputs.paths),
        has_volatile_import=parsed.inputs.has_volatile_import,
        fresh=parsed.inputs.fresh,
        at=at,
        duration_s=parsed.duration_s,
        failed=bool(parsed.failures),
        warnings=msgspec.json.encode(parsed.warnings).decode(),
        stale=not whole,
        bundle_name=parsed.bundle_name,
        bundle_version=parsed.bundle_version,
    )
    assert row is not None
    return int(row[0])


def _define(
    tx: Transaction, parsed: ParsedFile, file_pk: int, part: list[ParsedDag], at: Instant, paused_by_default: bool
) -> DefinitionResult:
    defined = define_dags(
        tx,
        DefiningFile(
            file_pk, parsed.path, parsed.inputs.input_hash, parsed.source, parsed.bundle_name, parsed.bundle_version
        ),
        part,
        at,
        paused_by_default,
    )
    if defined.changed:
        mailbox.send_messages(
            tx, [dags.dag_changed_message(group_no, dag_pk, at) for dag_pk, group_no in defined.changed]
        )
        notify_on_commit(tx)
    return defined


def _write_errors(
    tx: Transaction,
    parsed: ParsedFile,
    file_pk: int,
    defined: list[DefinitionResult],
    duplicates: list[ParseFailure],
    at: Instant,
) -> FileRecordResult:
    errors = (*parsed.failures, *duplicates, *(failure for result in defined for failure in result.duplicates))
    had_errors = tx.run("dag_files.remove_errors", file_pk=file_pk)
    tx.many(
        "dag_files.add_errors",
        [(file_pk, n, e.kind, e.message, e.line, e.traceback, at) for n, e in enumerate(errors)],
    )
    if errors or had_errors:
        record_change(
            tx, ImportErrorsChange(parsed.path, len(errors), tuple(row[1] for row in _list_dags_of_file(tx, file_pk)))
        )
    defined_ids = {parsed_dag.spec.dag_id for parsed_dag in parsed.dags}
    missing = [] if parsed.failures else [row for row in _list_dags_of_file(tx, file_pk) if row[1] not in defined_ids]
    again = _deactivate(tx, file_pk, missing, at)
    new_versions = tuple(dag_id for result in defined for dag_id in result.new_versions)
    return FileRecordResult(new_versions, errors, tuple(row[1] for row in missing), again)


def _list_dags_of_file(tx: Transaction, file_pk: int) -> list[tuple[int, str, int]]:
    return [(row[0], row[1], row[2]) for row in tx.all("dags.of_file", file_pk=file_pk)]


def _deactivate(tx: Transaction, file_pk: int, missing: list[tuple[int, str, int]], at: Instant) -> tuple[str, ...]:
    """Deactivate these DAGs; returns the paths of files in which one of them may have been refused as a duplicate."""
    if not missing:
        return ()
    tx.many("dags.deactivate", [(dag_pk,) for dag_pk, _, _ in missing])
    record_change(tx, *(DagChange(dag_pk, "deactivated", dag_id) for dag_pk, dag_id, _ in missing))
    mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for dag_pk, _, group_no in missing])
    notify_on_commit(tx)
    return tuple(row[0] for row in tx.all("dag_files.recheck_duplicates", file_pk=file_pk))
