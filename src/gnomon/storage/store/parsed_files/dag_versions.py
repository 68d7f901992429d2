"""Writes the DAGs that one parse of a file defined: new rows, new versions, numbers for new tasks. In batches, for files with many DAGs."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.model.change_entries import DagChange
from gnomon.model.ids import group_of
from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord
from gnomon.model.spec import DagSpec, ParsedDag, ParsedFile, ParseFailure
from gnomon.storage.store.asset_records.asset_declarations import replace_declarations
from gnomon.storage.store.asset_records.asset_watchers import replace_watchers
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records.event_log import log_event
from gnomon.storage.store.ownership.group_state import load_task_numbers
from gnomon.storage.store.record_codec import decode_spec, decode_spec_without_tasks, encode_spec, is_same_spec
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(slots=True)
class DefinitionResult:
    """What `define_dags` wrote."""

    new_versions: list[str] = field(default_factory=list)
    changed: list[tuple[int, int]] = field(default_factory=list)
    """(dag_pk, group_no) of the DAGs that their owners must read again."""
    duplicates: list[ParseFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _KnownVersion:
    dag_pk: int
    file_pk: int
    active: bool
    input_hash: str
    number: int
    spec_hash: str | None
    packed: bytes
    """The stored spec of the version."""
    path: str
    is_deleted: bool

    def is_reworded_by(self, tx: Transaction, parsed_dag: ParsedDag) -> bool:
        """Whether only parts changed that the scheduler does not use: texts, tags, owners, params."""
        return self.spec_hash == parsed_dag.spec_hash and not is_same_spec(tx, self.packed, parsed_dag.spec)


@dataclass(frozen=True, slots=True)
class DefiningFile:
    """The file that defines the DAGs, and the hash of its inputs."""

    file_pk: int
    path: str
    input_hash: str
    source: bytes = b""
    """Its compressed text; empty: it is not kept."""
    bundle_name: str | None = None
    bundle_version: str | None = None


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of a DAG."""

    number: int
    spec_hash: str
    spec: DagSpec
    input_hash: str
    """The hash of the inputs of the parse that made the version."""
    created_at: Instant
    is_newest: bool
    run_count: int
    """Runs whose last tasks were those of this version."""
    bundle_name: str | None = None
    """None: the DAG folder, or the examples."""
    bundle_version: str | None = None
    """The version of the bundle that made it; None: the bundle has no versions."""


def list_versions(tx: Transaction, dag_pk: int) -> list[StoredVersion]:
    """The versions of the DAG, newest first. Raises WrongKey for one with a start trigger, if the key is another."""
    return [
        StoredVersion(
            number,
            spec_hash,
            decode_spec(tx, bytes(spec)),
            input_hash,
            created_at,
            bool(is_newest),
            int(run_count),
            bundle_name,
            bundle_version,
        )
        for _, number, spec_hash, spec, input_hash, created_at, is_newest, run_count, bundle_name, bundle_version in tx.all(
            "dag_versions.list", dag_pk=dag_pk
        )
    ]


def read_version_source(tx: Transaction, dag_pk: int, number: int) -> bytes | None:
    """The source of the file of a version, as it was last parsed while the version was the newest; None when it is not kept."""
    row = tx.one("dag_versions.source", dag_pk=dag_pk, number=number)
    return None if row is None else zlib.decompress(bytes(row[0]))


def drop_duplicates(parsed: ParsedFile) -> tuple[list[ParsedDag], list[ParseFailure]]:
    """The DAGs of the file, each id once, and an error for each repetition of an id."""
    unique: dict[str, ParsedDag] = {}
    repeated = [dag.spec.dag_id for dag in parsed.dags if unique.setdefault(dag.spec.dag_id, dag) is not dag]
    return list(unique.values()), [_duplicate_failure(dag_id, parsed.path, "twice in this file") for dag_id in repeated]


def define_dags(
    tx: Transaction, origin: DefiningFile, dags: Sequence[ParsedDag], at: Instant, paused_by_default: bool
) -> DefinitionResult:
    """Activate these DAGs of the file with the specs that it defines; writes only what differs from the stored rows."""
    result = DefinitionResult()
    stored_versions = _load_known(tx, dags)
    own = _drop_defined_elsewhere(dags, origin, stored_versions, result)
    new = [dag for dag in own if dag.spec.dag_id not in stored_versions]
    if new:
        tx.many("dag_versions.add_dags", [_encode_new_dag(dag, origin, at, paused_by_default) for dag in new])
        stored_versions = _load_known(tx, dags)
    changed = [dag for dag in own if stored_versions[dag.spec.dag_id].spec_hash != dag.spec_hash]
    _log_dialect_changes(tx, changed, stored_versions, at)
    _add_versions(tx, origin, changed, stored_versions, at)
    _add_names(tx, changed, stored_versions)
    dag_edges.replace_edges(tx, [(stored_versions[dag.spec.dag_id].dag_pk, dag.spec) for dag in changed])
    result.new_versions = [dag.spec.dag_id for dag in changed]
    _write_current_versions(tx, origin, own, stored_versions, at, result)
    return result


def _load_known(tx: Transaction, dags: Sequence[ParsedDag]) -> dict[str, _KnownVersion]:
    rows = tx.all("dag_versions.find_dags", dag_ids=[dag.spec.dag_id for dag in dags]) if dags else []
    return {
        dag_id: _KnownVersion(
            dag_pk,
            file_pk,
            bool(active),
            input_hash,
            number or 0,
            spec_hash,
            bytes(spec or b""),
            path,
            gone_at is not None,
        )
        for dag_id, dag_pk, file_pk, active, input_hash, number, spec_hash, spec, path, gone_at in rows
    }


def _drop_defined_elsewhere(
    dags: Sequence[ParsedDag], origin: DefiningFile, stored_versions: dict[str, _KnownVersion], result: DefinitionResult
) -> list[ParsedDag]:
    own = []
    for dag in dags:
        other = stored_versions.get(dag.spec.dag_id)
        if other is not None and other.file_pk != origin.file_pk and other.active and not other.is_deleted:
            result.duplicates.append(_duplicate_failure(dag.spec.dag_id, origin.path, f"in {other.path} already"))
        else:
            own.append(dag)
    return own


def _duplicate_failure(dag_id: str, path: str, where: str) -> ParseFailure:
    return ParseFailure(
        kind="duplicate",
        message=f"DAG id {dag_id!r} in {path} is defined {where}, and that definition is used: rename one of the two DAGs",
    )


def _encode_new_dag(dag: ParsedDag, origin: DefiningFile, at: Instant, paused_by_default: bool) -> Row:
    dag_id, paused = dag.spec.dag_id, dag.spec.paused_upon_creation
    if paused is None:
        paused = paused_by_default
    return dag_id, group_of(dag_id), origin.file_pk, origin.input_hash, paused, None if paused else at


def _log_dialect_changes(
    tx: Transaction, changed: Sequence[ParsedDag], stored_versions: dict[str, _KnownVersion], at: Instant
) -> None:
    """Write a line of the audit log for each DAG that follows another version of Airflow than before: its runs mean something else from now on."""
    for dag in changed:
        stored = stored_versions[dag.spec.dag_id]
        before = decode_spec_without_tasks(stored.packed).airflow_dialect if stored.packed else dag.spec.airflow_dialect
        if before != dag.spec.airflow_dialect:
            body = (
                f"Airflow {before} -> Airflow {dag.spec.airflow_dialect}: the next run continues after the last one; its data interval and logical date "
                "are those of the new version (docs/how-to/move-from-airflow-2.md)"
            )
            log_event(tx, EventRecord(at, "dialect_changed", dag_pk=stored.dag_pk, by="dag-processor", body=body))


def _add_versions(
    tx: Transaction,
    origin: DefiningFile,
    changed: list[ParsedDag],
    stored_versions: dict[str, _KnownVersion],
    at: Instant,
) -> None:
    rows: list[Row] = []
    for dag in changed:
        stored = stored_versions[dag.spec.dag_id]
        rows.append(
            (
                stored.dag_pk,
                stored.number + 1,
                dag.spec_hash,
                encode_spec(tx, dag.spec),
                origin.input_hash,
                at,
                origin.bundle_name,
                origin.bundle_version,
            )
        )
    tx.many("dag_versions.add", rows)


def _add_names(tx: Transaction, changed: list[ParsedDag], stored_versions: dict[str, _KnownVersion]) -> None:
    """Add numbers for new tasks. Numbers are never deleted: a task that is defined again gets its old number."""
    names = load_task_numbers(tx, [stored_versions[dag.spec.dag_id].dag_pk for dag in changed])
    rows: list[Row] = []
    for dag in changed:
        dag_pk = stored_versions[dag.spec.dag_id].dag_pk
        taken = names.get(dag_pk, {})
        following = max(taken.values(), default=-1) + 1
        for task in dag.spec.tasks:
            if task.task_id not in taken:
                rows.append((dag_pk, following, task.task_id))
                following += 1
    tx.many("dag_versions.add_task_numbers", rows)


def _write_current_versions(
    tx: Transaction,
    origin: DefiningFile,
    own: list[ParsedDag],
    stored_versions: dict[str, _KnownVersion],
    at: Instant,
    result: DefinitionResult,
) -> None:
    rows: list[Row] = []
    reworded = {dag.spec.dag_id for dag in own if stored_versions[dag.spec.dag_id].is_reworded_by(tx, dag)}
    tx.many(
        "dag_versions.replace_spec",
        [
            (
                stored_versions[dag.spec.dag_id].dag_pk,
                stored_versions[dag.spec.dag_id].number,
                encode_spec(tx, dag.spec),
            )
            for dag in own
            if dag.spec.dag_id in reworded
        ],
    )
    declaring = [
        (stored_versions[dag.spec.dag_id].dag_pk, dag.spec)
        for dag in own
        if dag.spec.dag_id in reworded or stored_versions[dag.spec.dag_id].spec_hash != dag.spec_hash
    ]
    replace_declarations(tx, declaring, at)
    replace_watchers(tx, declaring, at)
    for dag in own:
        stored = stored_versions[dag.spec.dag_id]
        is_new = stored.spec_hash != dag.spec_hash
        moved = not stored.active or (stored.file_pk, stored.input_hash) != (origin.file_pk, origin.input_hash)
        if is_new or moved or dag.spec.dag_id in reworded:
            rows.append((stored.dag_pk, stored.number + is_new, origin.file_pk, origin.input_hash, at))
            result.changed.append((stored.dag_pk, group_of(dag.spec.dag_id)))
    tx.many("dag_versions.activate_dags", rows)
    if rows and origin.source:
        source_hash = hashlib.sha256(origin.source).hexdigest()
        tx.run("dag_versions.put_source", source_hash=source_hash, source=origin.source, at=at)
        tx.many("dag_versions.set_sources", [(dag_pk, number, source_hash) for dag_pk, number, *_ in rows])
    record_change(tx, *(DagChange(dag_pk, "updated") for dag_pk, _ in result.changed))
