"""Loads what an owner keeps in memory (LOAD in docs/contributing/ownership.md), and single parts of it again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from gnomon.model.records import DagRecord, GroupState, PoolRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.storage.store.admin import pools
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.dag_records import backfills, run_callbacks, upstream_dags
from gnomon.storage.store.ownership.damaged_rows import DamagedRows
from gnomon.storage.store.record_codec import decode_cursor, decode_planned_run, decode_run, decode_spec, decode_task
from gnomon.storage.store.spec_cache import SpecCache
from gnomon.storage.store.transaction import KEYS_PER_STATEMENT, Row, Transaction
from gnomon.storage.store.trigger_queue import deferrals


def load_groups(tx: Transaction, groups: Iterable[int]) -> GroupState:
    """The DAGs of these groups, their unfinished runs with all task instances, and the runs that `depends_on_past` looks at.

    Queued runs that wait for their turn in a backfill stay in the store, however many there are.

    Also the waits of the runs for other DAGs, and the subscriptions of other runs to DAGs of these groups with the facts of their slots.
    A DAG of which a row cannot be decoded is left out, and named in `undecodable`. Raises WrongKey if this host does not have the key of the database.
    """
    group_numbers = list(groups)
    damage = DamagedRows(tx)
    dags = _decode_dags_leniently(tx, tx.all("group_state.dags_of_groups", groups=group_numbers), damage)
    return _load_state(tx, group_numbers, dags, _load_unfinished(tx, group_numbers, damage), damage)


def load_busy_groups(tx: Transaction, groups: Iterable[int], dag_pks: Iterable[int] = ()) -> GroupState:
    """As `load_groups`, with the DAGs `dag_pks` and those that have unfinished runs only: of ten thousand DAGs, these are few."""
    group_numbers = list(groups)
    damage = DamagedRows(tx)
    runs = _load_unfinished(tx, group_numbers, damage)
    return _load_state(
        tx, group_numbers, load_dags(tx, sorted({*dag_pks, *(run.dag_pk for run in runs)})), runs, damage
    )


def _load_unfinished(tx: Transaction, groups: list[int], damage: DamagedRows) -> list[RunRecord]:
    runs = damage.decode_rows(tx.all("group_state.unfinished_runs", groups=groups), decode_run, lambda row: row[1])
    damage.run_pks.update((run.run_pk, run.dag_pk) for run in runs)
    try:
        return _attach_kept_specs(tx, runs)
    except Exception as error:
        damage.check(error)
        attached = (damage.try_part(run.dag_pk, partial(_attach_kept_specs, tx, [run])) for run in runs)
        return [run for part in attached for run in part or ()]


def _load_state(
    tx: Transaction, groups: list[int], dags: list[DagRecord], runs: list[RunRecord], damage: DamagedRows
) -> GroupState:
    run_pks = [run.run_pk for run in runs]
    tasks = _load_tasks_leniently(tx, run_pks, damage)
    waits = damage.load_by_run(run_pks, partial(run_waits.load_run_waits, tx))
    deadlines = damage.load_by_run(run_pks, partial(run_callbacks.load_deadlines, tx))
    previous = damage.load_by_dag(dags, lambda some: _load_previous_runs_by_dag(tx, some, runs))
    backfill_records = damage.decode_rows(
        backfills.list_rows_of_groups(tx, groups), backfills.decode_backfill, lambda row: row[1]
    )
    callbacks = damage.decode_rows(
        run_callbacks.list_rows_of_groups(tx, groups), run_callbacks.decode_callback, lambda row: row[2]
    )
    state = GroupState(
        dags,
        runs,
        tasks,
        previous,
        waits,
        upstream_dags.attach_slot_facts(tx, run_waits.list_open_subscriptions(tx, groups)),
        backfill_records,
        run_callbacks.attach_runs(tx, callbacks),
        deadlines,
        baseline_states.list_raised(tx),
    )
    if damage.errors:
        damage.remove_from(state)
    return state


def _attach_kept_specs(tx: Transaction, runs: list[RunRecord]) -> list[RunRecord]:
    """Give the runs that have a version of a DAG bundle the spec of that version, also a finished run: a clear may let it keep the version."""
    keeping = {run.version_pk for run in runs if run.bundle_version is not None and run.version_pk is not None}
    specs = load_specs(tx, sorted(keeping)) if keeping else {}
    for run in runs:
        if run.bundle_version is not None and run.version_pk is not None:
            run.kept_spec = specs.get(run.version_pk)
    return runs


def load_dags(tx: Transaction, dag_pks: Iterable[int]) -> list[DagRecord]:
    """These DAGs, in the order of their keys; a deleted DAG is left out."""
    dags: list[DagRecord] = []
    for keys in _split_keys(dag_pks):
        dags += _decode_dags(tx, tx.all("group_state.dags", dag_pks=keys))
    return dags


def load_run(tx: Transaction, run_pk: int) -> tuple[RunRecord, list[TaskRecord]] | None:
    """A run with its task instances; None when it was deleted."""
    row = tx.one("group_state.run", run_pk=run_pk)
    return None if row is None else (_attach_kept_specs(tx, [decode_run(row)])[0], load_tasks(tx, [run_pk]))


def load_run_before(tx: Transaction, run: RunRecord) -> tuple[RunRecord, list[TaskRecord]] | None:
    """The newest ended run of the same DAG before this one, with its task instances; None when there is none."""
    row = tx.one("group_state.ended_run_before", dag_pk=run.dag_pk, run_after=run.run_after, run_pk=run.run_pk)
    return None if row is None else (decode_run(row), load_tasks(tx, [row[0]]))


def load_previous_runs(
    tx: Transaction, dag: DagRecord, unfinished: list[RunRecord]
) -> list[tuple[RunRecord, list[TaskRecord]]]:
    """The runs that `depends_on_past` of this DAG looks at: the newest ended run, and the ended run before each unfinished run."""
    return _load_previous_runs_by_dag(tx, [dag], unfinished).get(dag.dag_pk, [])


def load_tasks(tx: Transaction, run_pks: Iterable[int]) -> list[TaskRecord]:
    """The task instances of these runs with their deferrals, in the order of their keys within each batch of runs."""
    tasks: list[TaskRecord] = []
    for keys in _split_keys(run_pks):
        tasks += [decode_task(row) for row in tx.all("group_state.task_instances", run_pks=keys)]
    deferrals.attach_deferrals(tx, tasks)
    return tasks


def load_pools(tx: Transaction) -> list[PoolRecord]:
    """All pools by name."""
    return pools.list_pools(tx)


def load_specs(tx: Transaction, version_pks: Iterable[int]) -> dict[int, DagSpec]:
    """The specs of these versions by key; a deleted version is left out."""
    specs: dict[int, DagSpec] = {}
    for keys in _split_keys(version_pks):
        specs.update((row[0], decode_spec(tx, row[1])) for row in tx.all("group_state.specs", version_pks=keys))
    return specs


def load_task_numbers(tx: Transaction, dag_pks: Iterable[int]) -> dict[int, dict[str, int]]:
    """Numbers by task id, by DAG; a DAG without tasks is left out."""
    numbers: dict[int, dict[str, int]] = {}
    for keys in _split_keys(dag_pks):
        for dag_pk, task_id, task_no in tx.all("group_state.task_numbers", dag_pks=keys):
            numbers.setdefault(dag_pk, {})[task_id] = task_no
    return numbers


def _decode_dags_leniently(tx: Transaction, rows: list[Row], damage: DamagedRows) -> list[DagRecord]:
    try:
        return _decode_dags(tx, rows)
    except Exception as error:
        damage.check(error)
    for row in rows:
        damage.names[row[0]] = (row[1], row[2])
    decoded = (damage.try_part(row[0], partial(_decode_dags, tx, [row])) for row in rows)
    return [dag for dags in decoded for dag in dags or ()]


def _load_tasks_leniently(tx: Transaction, run_pks: list[int], damage: DamagedRows) -> list[TaskRecord]:
    try:
        return load_tasks(tx, run_pks)
    except Exception as error:
        damage.check(error)
    loaded = (damage.try_part(damage.run_pks[run_pk], partial(load_tasks, tx, [run_pk])) for run_pk in run_pks)
    return [task for tasks in loaded for task in tasks or ()]


def _decode_dags(tx: Transaction, rows: list[Row]) -> list[DagRecord]:
    if tx.specs is None:
        numbers = load_task_numbers(tx, (row[0] for row in rows))
    else:
        numbers = _find_task_numbers(tx, tx.specs, {row[0]: (row[9], row[5]) for row in rows})
    return [_decode_dag(tx, row, numbers.get(row[0], {})) for row in rows]


def _find_task_numbers(
    tx: Transaction, cache: SpecCache, versions: dict[int, tuple[int, int]]
) -> dict[int, dict[str, int]]:
    """As `load_task_numbers`, of DAGs with these newest versions and `plan_seq`; reads only those that are not in memory."""
    cached = {
        dag_pk: numbers
        for dag_pk, version in versions.items()
        if (numbers := cache.find_numbers(dag_pk, *version)) is not None
    }
    read = load_task_numbers(tx, [dag_pk for dag_pk in versions if dag_pk not in cached])
    for dag_pk, numbers in read.items():
        cache.keep_numbers(dag_pk, *versions[dag_pk], numbers)
    return cached | read


def _decode_dag(tx: Transaction, row: Row, task_numbers: dict[str, int]) -> DagRecord:
    (
        dag_pk,
        dag_id,
        group_no,
        paused,
        active,
        plan_seq,
        cursor,
        next_body,
        fingerprint,
        version_pk,
        spec,
        path,
        input_hash,
        fresh,
        error,
        has_volatile_import,
        dependency_error,
        live_at,
        bundle_name,
        bundle_version,
    ) = row
    return DagRecord(
        dag_pk,
        dag_id,
        group_no,
        bool(paused),
        bool(active),
        plan_seq,
        decode_cursor(cursor),
        decode_planned_run(next_body),
        fingerprint,
        version_pk,
        decode_spec(tx, spec),
        task_numbers,
        path,
        input_hash,
        fresh,
        error,
        bool(has_volatile_import),
        dependency_error,
        live_at,
        bundle_name,
        bundle_version,
    )


def _load_previous_runs_by_dag(
    tx: Transaction, dags: list[DagRecord], runs: list[RunRecord]
) -> dict[int, list[tuple[RunRecord, list[TaskRecord]]]]:
    """As `load_previous_runs`, by DAG, for the DAGs in which a task depends on the past."""
    looking_back = {
        dag.dag_pk for dag in dags if any(t.depends_on_past or t.wait_for_downstream for t in dag.spec.tasks)
    }
    rows: dict[int, Row] = {}
    for dag_pk in sorted(looking_back):
        newest = tx.one("group_state.newest_ended_run", dag_pk=dag_pk)
        if newest is not None:
            rows[newest[0]] = newest
    for run in runs:
        if run.dag_pk in looking_back:
            before = tx.one(
                "group_state.ended_run_before", dag_pk=run.dag_pk, run_after=run.run_after, run_pk=run.run_pk
            )
            if before is not None:
                rows[before[0]] = before
    tasks: dict[int, list[TaskRecord]] = defaultdict(list)
    for task in load_tasks(tx, rows):
        tasks[task.run_pk].append(task)
    previous: dict[int, list[tuple[RunRecord, list[TaskRecord]]]] = {}
    for run_pk, row in rows.items():
        previous.setdefault(row[1], []).append((decode_run(row), tasks[run_pk]))
    return previous


def _split_keys(keys: Iterable[int]) -> list[list[int]]:
    ordered = list(keys)
    return [ordered[start : start + KEYS_PER_STATEMENT] for start in range(0, len(ordered), KEYS_PER_STATEMENT)]
