"""Runs, task instances and attempts as every process may read them, and the creation of manual runs (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gnomon.model.change_entries import RunChange
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant, iso
from gnomon.model.records import AttemptRecord, EventRecord, NewMail, RunRecord, TaskRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.model.spec import DagSpec
from gnomon.model.states import RUN_STATE_CODES, RUN_STATES_BY_CODE, DagRunState, DagRunType
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags, event_log, newest_runs, upstream_dags
from gnomon.storage.store.dag_records.dags import StoredDag
from gnomon.storage.store.errors import NotFound, RunExists, RunIdReserved, RunTypeNotAllowed
from gnomon.storage.store.record_codec import decode_run, decode_spec_without_tasks, decode_task, encode_json
from gnomon.storage.store.transaction import Transaction, notify_on_commit

NO_LIMIT = 2**62
"""The LIMIT of a statement that returns all rows."""


def find_stored_run(tx: Transaction, dag_id: str, run_id: str) -> RunRecord | None:
    """The run; None when it does not exist."""
    row = tx.one("dag_runs.find", dag_id=dag_id, run_id=run_id)
    return None if row is None else decode_run(row)


def list_runs(
    tx: Transaction, dag_id: str, state: DagRunState | None = None, limit: int | None = None
) -> list[RunRecord]:
    """The runs of a DAG, newest first; `state` selects one state, None all states."""
    rows_max = NO_LIMIT if limit is None else limit
    if state is None:
        rows = tx.all("dag_runs.list", dag_id=dag_id, limit=rows_max)
    else:
        rows = tx.all("dag_runs.list_in_state", dag_id=dag_id, state=RUN_STATE_CODES[state], limit=rows_max)
    return [decode_run(row) for row in rows]


def find_previous_run(tx: Transaction, run: RunRecord, state: DagRunState | None = None) -> RunRecord | None:
    """The newest run of the same DAG before this one, with `state` the newest in that state; None when there is none."""
    at = {"dag_pk": run.dag_pk, "run_after": run.run_after, "run_pk": run.run_pk}
    if state is None:
        row = tx.one("dag_runs.before", **at)
    else:
        row = tx.one("dag_runs.before_in_state", **at, state=RUN_STATE_CODES[state])
    return None if row is None else decode_run(row)


def list_unfinished_runs(tx: Transaction, dag_pk: int) -> list[RunRecord]:
    """The runs of the DAG that have not ended, newest first."""
    return [decode_run(row) for row in tx.all("dag_runs.unfinished", dag_pk=dag_pk)]


def find_slot_holder(tx: Transaction, dag_pk: int, slot_key: str) -> str | None:
    """The run id of the run that has this slot of the DAG; None when the slot is free."""
    row = tx.one("dag_runs.slot_holder", dag_pk=dag_pk, slot_key=slot_key)
    return None if row is None else str(row[1])


def find_newest_ended_run(tx: Transaction, dag_pk: int) -> RunRecord | None:
    """The newest ended run of the DAG; None when there is none."""
    row = tx.one("group_state.newest_ended_run", dag_pk=dag_pk)
    return None if row is None else decode_run(row)


def list_newest_ended_runs(tx: Transaction, dag_pk: int, limit: int) -> list[RunRecord]:
    """The newest `limit` ended runs of the DAG, newest first."""
    return [decode_run(row) for row in tx.all("dag_runs.newest_ended", dag_pk=dag_pk, limit=limit)]


def list_newest_run_states(tx: Transaction) -> dict[int, tuple[str, DagRunState]]:
    """Run id and state of the newest run of every DAG that has runs, by DAG."""
    return {dag_pk: (run_id, RUN_STATES_BY_CODE[state]) for dag_pk, run_id, state in tx.all("dag_runs.newest")}


def read_total_run_counts(tx: Transaction) -> dict[DagRunState, int]:
    """The number of runs of all DAGs in each state; a state without runs is left out."""
    (counts,) = tx.all("dag_runs.totals")
    return {state: int(count) for state, count in zip(RUN_STATE_CODES, counts, strict=True) if count}


def create_manual_run(
    tx: Transaction,
    *,
    dag_id: str,
    run_id: str | None,
    logical_at: Instant | None,
    run_after: Instant,
    interval: tuple[Instant | None, Instant | None] | None,
    conf: dict[str, object],
    by: str,
    at: Instant,
    run_type: DagRunType = DagRunType.MANUAL,
    stands_for: Instant | None = None,
    partition_key: str | None = None,
    partition_date: Instant | None = None,
    of_any_type: bool = False,
    address: str | None = None,
) -> RunRecord:
    """Insert a queued run and mail to its owner; returns the run.

    `by` and `address`: the user and the address of the request, for the audit log. `of_any_type`: the `allowed_run_types` of the DAG do not matter
    (for a trial of the DAG), nor does the prefix of the run id.

    A run without a logical date has no slot. `stands_for` is the planned time of the slot that has the same logical date; the run
    stands for this slot unless another run does. `run_id` of None is generated.

    Raises NotFound for an unknown DAG, RunTypeNotAllowed for a type that the DAG does not allow, RunIdReserved for the id of a run of another type,
    and RunExists when another run has the run id or the slot.
    """
    dag = dags.find_dag_row(tx, dag_id)
    if dag is None:
        raise NotFound(say("dag_of_name_does_not_exist", dag=dag_id, command=Command("dags list")))
    if not of_any_type:
        for _version_pk, packed in tx.all("group_state.specs", version_pks=[dag.version_pk]):
            check_run_type(dag.dag_id, dag.file, decode_spec_without_tasks(packed), run_type)
    if run_id is not None and not of_any_type:  # an id that is generated has the prefix of its type
        check_reserved_run_id(tx, dag.dag_pk, run_id, run_type)
    start, end = interval or (None, None)
    run = RunRecord(
        0,
        dag.dag_pk,
        run_id or run_type.generate_run_id(iso(logical_at if logical_at is not None else run_after) or ""),
        run_type,
        DagRunState.QUEUED,
        run_after,
        logical_at,
        start,
        end,
        dag.version_pk,
        conf,
        at,
        partition_key=partition_key,
        partition_date=partition_date,
    )
    if stands_for is not None and not upstream_dags.list_runs_of_slots(tx, dag.dag_pk, [stands_for]):
        run.stands_for = stands_for
    run.run_pk = _insert_run(tx, dag, run)
    tx.send_many("commit.tallies", [(dag.dag_pk, RUN_STATE_CODES[DagRunState.QUEUED], 1)])
    newest_runs.record_created(tx, dag.dag_pk, [(run.run_after, run.run_pk)])
    record_change(tx, RunChange(dag.dag_pk, run.run_pk, RUN_STATE_CODES[DagRunState.QUEUED], run.run_id))
    event_log.log_event(
        tx,
        EventRecord(at, "run_created", dag_pk=dag.dag_pk, run_pk=run.run_pk, by=by, body=run.run_id, address=address),
    )
    mailbox.send_messages(tx, [NewMail(dag.group_no, "run_created", json.dumps({"run_pk": run.run_pk}), at=at)])
    notify_on_commit(tx)
    return run


def check_reserved_run_id(tx: Transaction, dag_pk: int, run_id: str, run_type: DagRunType) -> None:
    """Raise RunIdReserved when a new run of the type would have a run id that a run of another type is to have, for example of a slot to come."""
    reserved = run_type.find_reserved_type(run_id)
    if reserved is not None and tx.one("dag_runs.run_id_holder", dag_pk=dag_pk, run_id=run_id) is None:
        raise RunIdReserved(say("run_id_is_reserved", name=run_id, run_type=reserved.value))


def check_run_type(dag_id: str, file: str, spec: DagSpec, run_type: DagRunType) -> None:
    """Raise RunTypeNotAllowed for a type of run that the DAG does not allow."""
    if spec.allowed_run_types and run_type.value not in spec.allowed_run_types:
        raise RunTypeNotAllowed(
            say(
                "run_type_is_not_allowed",
                dag=dag_id,
                file=file,
                run_type=run_type.value,
                names=", ".join(spec.allowed_run_types),
                name=run_type.name,
            )
        )


def _insert_run(tx: Transaction, dag: StoredDag, run: RunRecord) -> int:
    slot_key = None if run.logical_at is None else str(run.logical_at)
    row = tx.one(
        "dag_runs.add",
        dag_pk=run.dag_pk,
        group_no=dag.group_no,
        run_id=run.run_id,
        slot_key=slot_key,
        run_type=run.run_type.value,
        logical_at=run.logical_at,
        interval_start=run.interval_start,
        interval_end=run.interval_end,
        run_after=run.run_after,
        version_pk=run.version_pk,
        conf=encode_json(run.conf),
        queued_at=run.queued_at,
        stands_for=run.stands_for,
        partition_key=run.partition_key,
        partition_date=run.partition_date,
    )
    if row is not None:
        return int(row[0])
    if tx.one("dag_runs.run_id_holder", dag_pk=run.dag_pk, run_id=run.run_id) is not None:
        raise RunExists(say("run_exists", dag=dag.dag_id, run=RunName(dag.dag_id, run.run_id)), run.run_id)
    holder = tx.one("dag_runs.slot_holder", dag_pk=run.dag_pk, slot_key=slot_key)
    name = "another run" if holder is None else holder[1]
    raise RunExists(
        say("logical_date_has_another_run", dag=dag.dag_id, at=run.logical_at, name=name),
        name,
    )


def list_task_states(tx: Transaction, run_pk: int, task_no: int | None = None) -> list[TaskRecord]:
    """The stored task instances of a run, or of one task of it, by task number and map index."""
    if task_no is None:
        return [decode_task(row) for row in tx.all("dag_runs.task_instances", run_pk=run_pk)]
    return [decode_task(row) for row in tx.all("dag_runs.task_instances_of_task", run_pk=run_pk, task_no=task_no)]


def read_workers_of_attempts(tx: Transaction, attempts: Sequence[tuple[TaskKey, int]]) -> dict[TaskKey, str]:
    """The workers of ended attempts, each given by its task instance and its number, by task instance; an attempt without a worker is left out."""
    if not attempts:
        return {}
    keys = json.dumps([(*key, seq) for key, seq in attempts])
    return {
        TaskKey(run_pk, task_no, map_index): worker
        for run_pk, task_no, map_index, worker in tx.all("dag_runs.workers_of_attempts", keys=keys)
    }


def list_attempts(
    tx: Transaction, run_pk: int, task_no: int | None = None, map_index: int | None = None
) -> list[AttemptRecord]:
    """The ended attempts of a run, of one task of it, or of one task instance, in the order in which they started."""
    if task_no is None:
        rows = tx.all("dag_runs.attempts", run_pk=run_pk)
    elif map_index is None:
        rows = tx.all("dag_runs.attempts_of_task", run_pk=run_pk, task_no=task_no)
    else:
        rows = tx.all("dag_runs.attempts_of_task_instance", run_pk=run_pk, task_no=task_no, map_index=map_index)
    return [AttemptRecord(*row) for row in rows]


def find_first_reschedule(tx: Transaction, run_pk: int, task_no: int, map_index: int, first_try: int) -> int | None:
    """When the first rescheduled attempt of a task instance started, from `first_try` on; None when there is none."""
    row = tx.one("dag_runs.first_reschedule", run_pk=run_pk, task_no=task_no, map_index=map_index, first_try=first_try)
    return None if row is None else int(row[0])
