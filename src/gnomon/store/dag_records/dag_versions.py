"""The DAGs that one parse of a file defined: new rows, new versions, numbers for new tasks. In batches, ten thousand at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.model.ids import group_of
from gnomon.model.instants import Instant
from gnomon.model.spec import ParsedDag, ParsedFile, ParseFailure
from gnomon.store.cross_dag import dag_edges
from gnomon.store.ownership.group_state import load_task_numbers
from gnomon.store.record_codec import encode_spec, is_same_spec
from gnomon.store.transaction import Row, Transaction


@dataclass(slots=True)
class DefinitionResult:
    """What became of a file's DAGs."""

    new_versions: list[str] = field(default_factory=list)
    changed: list[tuple[int, int]] = field(default_factory=list)
    """(dag_pk, group_no) of those that their owners must read again."""
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
    """The spec of its version, as stored."""
    path: str
    is_deleted: bool

    def is_reworded_by(self, tx: Transaction, one: ParsedDag) -> bool:
        """Whether only what people read has changed: texts, tags, owners, params."""
        return self.spec_hash == one.spec_hash and not is_same_spec(tx, self.packed, one.spec)


@dataclass(frozen=True, slots=True)
class DefiningFile:
    """The file that defines DAGs, at these inputs."""

    file_pk: int
    path: str
    input_hash: str


def drop_duplicates(parsed: ParsedFile) -> tuple[list[ParsedDag], list[ParseFailure]]:
    """The file's DAGs, each id once; and an error for each that stands in it again."""
    mine: dict[str, ParsedDag] = {}
    again = [one.spec.dag_id for one in parsed.dags if mine.setdefault(one.spec.dag_id, one) is not one]
    return list(mine.values()), [_duplicate_failure(dag_id, parsed.path, "twice in this file") for dag_id in again]


def define_dags(
    tx: Transaction, origin: DefiningFile, dags: Sequence[ParsedDag], at: Instant, paused_by_default: bool
) -> DefinitionResult:
    """These DAGs of the file are active, at the version that it defines; only what differs is written."""
    result = DefinitionResult()
    known = _load_known(tx, dags)
    mine = _drop_defined_elsewhere(dags, origin, known, result)
    new = [one for one in mine if one.spec.dag_id not in known]
    if new:
        tx.many("dags.add", [_encode_new_dag(one, origin, at, paused_by_default) for one in new])
        known = _load_known(tx, dags)
    fresh = [one for one in mine if known[one.spec.dag_id].spec_hash != one.spec_hash]
    _add_versions(tx, origin, fresh, known, at)
    _add_names(tx, fresh, known)
    dag_edges.replace_edges(tx, [(known[one.spec.dag_id].dag_pk, one.spec) for one in fresh])
    result.new_versions = [one.spec.dag_id for one in fresh]
    _write_current_versions(tx, origin, mine, known, at, result)
    return result


def _load_known(tx: Transaction, dags: Sequence[ParsedDag]) -> dict[str, _KnownVersion]:
    rows = tx.all("dags.by_ids", dag_ids=[one.spec.dag_id for one in dags]) if dags else []
    return {
        dag_id: _KnownVersion(dag_pk, file_pk, bool(active), input_hash, number or 0, spec_hash, bytes(spec or b""), path,
                       gone_at is not None)
        for dag_id, dag_pk, file_pk, active, input_hash, number, spec_hash, spec, path, gone_at in rows
    }


def _drop_defined_elsewhere(
    dags: Sequence[ParsedDag], origin: DefiningFile, known: dict[str, _KnownVersion], result: DefinitionResult
) -> list[ParsedDag]:
    mine = []
    for one in dags:
        other = known.get(one.spec.dag_id)
        if other is not None and other.file_pk != origin.file_pk and other.active and not other.is_deleted:
            result.duplicates.append(_duplicate_failure(one.spec.dag_id, origin.path, f"in {other.path} already"))
        else:
            mine.append(one)
    return mine


def _duplicate_failure(dag_id: str, here: str, where: str) -> ParseFailure:
    return ParseFailure(
        kind="duplicate", message=f"DAG id {dag_id!r} in {here} is defined {where}, and that one stands: rename one of them"
    )


def _encode_new_dag(one: ParsedDag, origin: DefiningFile, at: Instant, paused_by_default: bool) -> Row:
    dag_id, paused = one.spec.dag_id, one.spec.paused_upon_creation
    if paused is None:
        paused = paused_by_default
    return dag_id, group_of(dag_id), origin.file_pk, origin.input_hash, paused, None if paused else at


def _add_versions(
    tx: Transaction, origin: DefiningFile, fresh: list[ParsedDag], known: dict[str, _KnownVersion], at: Instant
) -> None:
    rows: list[Row] = []
    for one in fresh:
        dag = known[one.spec.dag_id]
        rows.append((dag.dag_pk, dag.number + 1, one.spec_hash, encode_spec(tx, one.spec), origin.input_hash, at))
    tx.many("dags.add_version", rows)


def _add_names(tx: Transaction, fresh: list[ParsedDag], known: dict[str, _KnownVersion]) -> None:
    """Numbers are append-only: a task that comes back has its old one."""
    names = load_task_numbers(tx, [known[one.spec.dag_id].dag_pk for one in fresh])
    rows: list[Row] = []
    for one in fresh:
        dag_pk = known[one.spec.dag_id].dag_pk
        taken = names.get(dag_pk, {})
        following = max(taken.values(), default=-1) + 1
        for task in one.spec.tasks:
            if task.task_id not in taken:
                rows.append((dag_pk, following, task.task_id))
                following += 1
    tx.many("dags.add_name", rows)


def _write_current_versions(
    tx: Transaction, origin: DefiningFile, mine: list[ParsedDag], known: dict[str, _KnownVersion], at: Instant, result: DefinitionResult
) -> None:
    rows: list[Row] = []
    reworded = {one.spec.dag_id for one in mine if known[one.spec.dag_id].is_reworded_by(tx, one)}
    tx.many("dags.reword", [(known[one.spec.dag_id].dag_pk, known[one.spec.dag_id].number, encode_spec(tx, one.spec))
                            for one in mine if one.spec.dag_id in reworded])
    for one in mine:
        dag = known[one.spec.dag_id]
        is_new = dag.spec_hash != one.spec_hash
        moved = not dag.active or (dag.file_pk, dag.input_hash) != (origin.file_pk, origin.input_hash)
        if is_new or moved or one.spec.dag_id in reworded:
            rows.append((dag.dag_pk, dag.number + is_new, origin.file_pk, origin.input_hash, at))
            result.changed.append((dag.dag_pk, group_of(one.spec.dag_id)))
    tx.many("dags.settle", rows)
