"""Stores what one step of the engine changed: in batches, all or nothing.

Every function here is called inside `Database.scheduler_write`, whose first statement proves that the writer is not fenced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from gnomon.model.attempts import AttemptResult, xcom_fault
from gnomon.model.change_entries import DagChange
from gnomon.model.records import AttemptRecord, Changes, TaskRecord
from gnomon.model.sentences import say
from gnomon.model.states import RUN_STATE_CODES, TaskInstanceState
from gnomon.storage.store import change_journal
from gnomon.storage.store.alert_records.alert_events import record_events
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.asset_records.asset_queue import discard_queued_events
from gnomon.storage.store.coordination import mailbox, quarantine
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.dag_records import event_log, hitl_details, newest_runs, run_callbacks
from gnomon.storage.store.errors import PoolExhausted, RowsMissing, XComTooLarge
from gnomon.storage.store.ownership import backfill_runs
from gnomon.storage.store.ownership.planned_runs import create_planned_runs, refuse_plan
from gnomon.storage.store.record_codec import encode_run_change, encode_task_change
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit
from gnomon.storage.store.trigger_queue import deferrals

__all__ = ["apply_changes", "create_planned_runs", "delete_dags", "delete_history", "delete_runs", "refuse_plan"]


def apply_changes(tx: Transaction, changes: Changes, *, clear_state_on_success: bool = False) -> None:
    """Write all of the changes, in the order of `Changes`. What a step does not have costs nothing: most steps have few of them.

    `clear_state_on_success`: delete what a task instance keeps in the task state store when it succeeds.

    Raises RowsMissing when a batch names a run, task instance, attempt, wait, message or request that is not as expected, PoolExhausted when a
    pool does not have the slots, and XComTooLarge. After an exception the transaction must be rolled back.
    """
    _write_instances(tx, changes, clear_state_on_success=clear_state_on_success)
    _write_waits(tx, changes)
    _write_facts(tx, changes)
    change_journal.record_step(tx, changes)
    tx.flush()


def _write_instances(tx: Transaction, changes: Changes, *, clear_state_on_success: bool) -> None:
    """Write runs and task instances, their attempts and what these left."""
    if changes.runs:
        _send_complete(tx, "commit.runs", [encode_run_change(run) for run in changes.runs], "runs")
    if changes.tasks_deleted:
        _send_complete(tx, "commit.delete_task_instances", changes.tasks_deleted, "task instances")
    if changes.reprocessed_runs:
        backfill_runs.write_reprocessed(tx, changes.reprocessed_runs)
    if changes.tasks:
        rows = [encode_task_change(task) for task in changes.tasks]
        _send_complete(tx, "commit.task_instances", rows, "task instances")
    if changes.attempts:
        _send_complete(tx, "commit.attempts", [_encode_attempt(attempt) for attempt in changes.attempts], "attempts")
    if changes.xcom_clears:
        tx.send_many("commit.delete_xcoms", changes.xcom_clears)
    if clear_state_on_success:
        _clear_states(tx, changes.tasks)
    if changes.results:
        tx.send_many("commit.xcoms", _encode_xcoms(changes.results))
    if changes.tasks_deleted:
        tx.send_many("commit.delete_rendered_fields", changes.tasks_deleted)
        tx.send_many("hitl_details.remove", changes.tasks_deleted)
    if changes.results:
        tx.send_many("commit.rendered_fields", _encode_rendered_fields(changes.results))


def _write_waits(tx: Transaction, changes: Changes) -> None:
    """Write what runs and task instances wait for or hold: triggers, people, other DAGs, callbacks, pool slots."""
    if changes.deferrals or changes.deferrals_ended or changes.deferrals_deleted:
        _write_deferrals(tx, changes)
    hitl_details.write_details(tx, changes.hitl_details, changes.hitl_responses, changes.tasks)
    if changes.edge_waits_deleted:
        tx.send_many("run_waits.remove_edge", changes.edge_waits_deleted)
    if changes.run_waits:
        rows = [run_waits.encode_run_wait(wait) for wait in changes.run_waits.values()]
        _send_complete(tx, "run_waits.put", rows, "waits between DAGs")
    if changes.callbacks or changes.callbacks_deleted or changes.deadlines or changes.deadlines_deleted:
        run_callbacks.write_changes(tx, changes)
    _acquire_pool_slots(tx, changes.pool_used)


def _write_facts(tx: Transaction, changes: Changes) -> None:
    """Write what follows: counts, events, mail and answers."""
    if changes.tallies:
        tx.send_many(
            "commit.tallies",
            [(dag_pk, RUN_STATE_CODES[state], n) for (dag_pk, state), n in sorted(changes.tallies.items()) if n],
        )
    if changes.runs:
        newest_runs.record_changed(tx, changes.runs)
    if changes.events:
        event_log.log_events(tx, changes.events)
    if changes.alert_events:
        record_events(tx, changes.alert_events)
    for dag_pk, reason in changes.dag_paused:
        tx.send("commit.pause_dag", dag_pk=dag_pk)
        tx.send("commit.set_dag_error", dag_pk=dag_pk, error=reason)
    for path, reason in changes.fresh_files:
        tx.send("commit.require_fresh_interpreter", path=path, reason=reason)
    if changes.mail_deleted:
        _send_complete(tx, "mailbox.remove", [(mail_pk,) for mail_pk in changes.mail_deleted], "messages")
    if changes.mail_sent:
        mailbox.send_messages(tx, changes.mail_sent)
    if changes.quarantined:
        quarantine.add_items(tx, changes.quarantined)
    if changes.queue_discards:
        discard_queued_events(tx, changes.queue_discards)
    if changes.asset_events:
        publish_events(tx, changes.asset_events)
    for request_pk, state, answer in changes.answers:
        tx.send("commit.answer_request", request_pk=request_pk, state=state, answer=answer)


def _clear_states(tx: Transaction, tasks: Iterable[TaskRecord]) -> None:
    """Delete what these task instances keep in the task state store, if they have succeeded."""
    succeeded = [
        (task.run_pk, task.task_no, task.map_index) for task in tasks if task.state is TaskInstanceState.SUCCESS
    ]
    tx.send_many("task_state_store.clear_all", succeeded)


def _write_deferrals(tx: Transaction, changes: Changes) -> None:
    """Write new, ended and deleted deferrals, and tell triggerers which triggers must end; triggerers of other hosts are notified."""
    if any(wait.due_at is None for wait in changes.deferrals.values()) or any(
        killed for _, killed in changes.deferrals_deleted
    ):
        notify_on_commit(tx)
    timed_out = [
        key
        for key, wait in changes.deferrals_ended.items()
        if wait.result is not None and wait.result.outcome == "timeout"
    ]
    if timed_out:
        notify_on_commit(tx)
    to_end = [(key, killed) for key, killed in changes.deferrals_deleted if killed is not None] + [
        (key, True) for key in timed_out
    ]
    tx.send_many(
        "deferrals.end_triggers", [deferrals.encode_trigger_end(key, killed) for key, killed in to_end]
    )  # one statement: one order of locks
    _send_complete(tx, "deferrals.remove", [key for key, _ in changes.deferrals_deleted], "deferrals")
    if changes.deferrals:
        tx.send_many("deferrals.add", deferrals.encode_deferrals(changes.deferrals.values(), tx.cipher))
    if changes.deferrals_ended:
        _send_complete(
            tx,
            "deferrals.set_result",
            [deferrals.encode_result_row(wait, tx.cipher) for wait in changes.deferrals_ended.values()],
            "deferrals",
        )


def _send_complete(tx: Transaction, name: str, rows: Sequence[Row], plural: str) -> None:
    """Send a batch that must change every row that it names, else RowsMissing; `plural` names the rows in the error."""

    def check(changed: int) -> None:
        if changed != len(rows):
            raise RowsMissing(say("rows_were_changed", number=len(rows) - changed, total=len(rows), things=plural))

    tx.send_many(name, rows, check)


def _acquire_pool_slots(tx: Transaction, used: dict[str, int]) -> None:
    """Take slots in the order of pool names, so that two schedulers never wait for each other (ADMIT in docs/contributing/ownership.md)."""
    for name, n in sorted(used.items()):
        if n:
            tx.send("commit.pool_slots", partial(_check_pool_slots, name), name=name, n=n)


def _check_pool_slots(pool: str, changed: int) -> None:
    if not changed:
        raise PoolExhausted(pool)


def _encode_attempt(a: AttemptRecord) -> Row:
    return (
        a.run_pk,
        a.task_no,
        a.map_index,
        a.seq,
        a.attempt,
        a.try_number,
        a.kind,
        a.state,
        a.reason,
        a.worker,
        a.started_at,
        a.ended_at,
        a.exit_code,
        a.log,
    )


def _encode_xcoms(results: Iterable[AttemptResult]) -> list[Row]:
    rows: dict[Row, Row] = {}
    for result in results:
        for item in result.xcoms:
            key = (result.run_pk, result.task_no, result.map_index, item.key)
            fault = xcom_fault(
                f"XCom {item.key!r} of task {result.task_no} in run {result.run_pk}", item.key, item.value
            )
            if fault is not None:
                raise XComTooLarge(say("xcom_is_wrong", fault=fault))
            rows[key] = (*key, item.value)
    return list(rows.values())


def _encode_rendered_fields(results: Iterable[AttemptResult]) -> list[Row]:
    rows = {
        (result.run_pk, result.task_no, result.map_index): result.rendered_fields
        for result in results
        if result.rendered_fields is not None
    }
    return [(*key, fields) for key, fields in rows.items()]


DELETED_RUNS_MAX = 100
"""The largest number of runs that one transaction deletes, so that other writers do not wait long."""


def delete_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """Delete these runs with their task instances, attempts, XComs, triggers and waits. The audit log stays."""
    rows = [(run_pk,) for run_pk in run_pks]
    if not rows:
        return
    change_journal.record_deleted_runs(tx, [run_pk for (run_pk,) in rows])
    tx.send_many("removal.count_runs_off", rows)
    lost = newest_runs.find_lost(tx, [run_pk for (run_pk,) in rows])
    for part in (
        "task_instances",
        "attempts",
        "xcoms",
        "task_states",
        "end_triggers",
        "triggers",
        "hitl_details",
        "run_waits",
        "run_callbacks",
        "run_deadlines",
        "consumed_asset_events",
        "runs",
    ):
        tx.send_many(f"removal.{part}", rows)
    newest_runs.find_anew(tx, lost)


def delete_history(tx: Transaction, dag_pk: int) -> bool:
    """Delete at most DELETED_RUNS_MAX ended runs of the DAG, newest first; False when no more are left."""
    ended = [run_pk for (run_pk,) in tx.all("removal.ended_runs", dag_pk=dag_pk, limit=DELETED_RUNS_MAX)]
    delete_runs(tx, ended)
    return len(ended) == DELETED_RUNS_MAX


def delete_dags(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """Delete these DAGs with all runs and versions. The file is parsed again, so a DAG that it still defines is created anew.

    Call `delete_history` in transactions of its own before, so that this one is short.
    """
    dag_pks = list(dag_pks)
    if not dag_pks:
        return
    names = change_journal.read_dag_names(tx, dag_pks)
    for dag_pk in dag_pks:
        change_journal.record_change(tx, DagChange(dag_pk, "deleted", names.get(dag_pk)))
        for part in (
            "all_task_instances",
            "all_attempts",
            "all_xcoms",
            "all_task_states",
            "end_all_triggers",
            "all_triggers",
            "all_hitl_details",
            "all_run_waits",
            "all_run_callbacks",
            "all_run_deadlines",
            "all_consumed_asset_events",
            "all_runs",
            "duration_summary",
            "run_predictions",
            "queued_asset_events",
            "asset_declarations",
            "asset_watchers",
            "quarantined_items",
            "mark_file_stale",
        ):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
        tx.run("asset_watchers.remove_unused_triggers")
        tx.run("newest_runs.remove", dag_pk=dag_pk)
        for part in (
            "backfill_slots",
            "backfills",
            "tallies",
            "task_numbers",
            "edges",
            "clear_version",
            "versions",
            "dag",
        ):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
