"""Writing what one step of the engine changed: in batches, all of it or nothing.

Every function here runs inside `Database.owner`, whose first statement proved that the writer still owns what it writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from gnomon.model.attempts import AttemptResult, xcom_excess
from gnomon.model.records import AttemptRecord, Changes, EventRecord
from gnomon.model.states import RUN_STATE_CODES
from gnomon.store.cross_dag import run_waits
from gnomon.store.errors import PoolExhausted, RowsMissing, XComTooLarge
from gnomon.store.ownership import mailbox
from gnomon.store.ownership.planned_runs import create_planned_runs
from gnomon.store.record_codec import encode_run_change, encode_task_change
from gnomon.store.transaction import Row, Transaction, notify_on_commit
from gnomon.store.trigger_queue import deferrals

__all__ = ["apply_changes", "create_planned_runs", "delete_dags", "delete_history", "delete_runs"]


def apply_changes(tx: Transaction, changes: Changes) -> None:
    """All of the changes are written, in the order of `Changes`.

    RowsMissing: a batch named a run, task instance, attempt, wait, letter or request that is not there as expected.
    PoolExhausted: a pool has not the slots. XComTooLarge. After any of them the transaction must be rolled back.
    """
    _send_complete(tx, "commit.run", [encode_run_change(run) for run in changes.runs], "runs")
    _send_complete(tx, "commit.task", [encode_task_change(task) for task in changes.tasks], "task instances")
    _send_complete(tx, "commit.attempt", [_encode_attempt(attempt) for attempt in changes.attempts], "attempts")
    tx.send_many("commit.xcom_clear", changes.xcom_clears)
    tx.send_many("commit.xcom", _encode_xcoms(changes.results))
    _write_deferrals(tx, changes)
    tx.send_many("run_waits.remove_edge", changes.edge_waits_deleted)
    _send_complete(tx, "run_waits.put", [run_waits.encode_run_wait(wait) for wait in changes.run_waits.values()], "waits between DAGs")
    _acquire_pool_slots(tx, changes.pool_used)
    tx.send_many(
        "commit.tally",
        [(dag_pk, RUN_STATE_CODES[state], n) for (dag_pk, state), n in sorted(changes.tallies.items()) if n],
    )
    tx.send_many("commit.event", [_encode_event(event) for event in changes.events])
    for dag_pk, reason in changes.dag_paused:
        tx.send("commit.pause", dag_pk=dag_pk)
        tx.send("commit.plan_error", dag_pk=dag_pk, error=reason)
    for path, reason in changes.fresh_files:
        tx.send("commit.fresh", path=path, reason=reason)
    _send_complete(tx, "mail.remove", [(mail_pk,) for mail_pk in changes.mail_deleted], "letters")
    mailbox.send_messages(tx, changes.mail_sent)
    for request_pk, state, answer in changes.answers:
        tx.send("commit.answer", request_pk=request_pk, state=state, answer=answer)
    tx.flush()


def _write_deferrals(tx: Transaction, changes: Changes) -> None:
    """Who runs the trigger of a wait that is over is told in the same breath; triggerers of other hosts are woken."""
    if any(wait.due_at is None for wait in changes.deferrals.values()) or any(killed for _, killed in changes.deferrals_deleted):
        notify_on_commit(tx)
    timed_out = [key for key, wait in changes.deferrals_ended.items() if wait.result is not None and wait.result.outcome == "timeout"]
    if timed_out:
        notify_on_commit(tx)
    heard = [(key, killed) for key, killed in changes.deferrals_deleted if killed is not None] + [(key, True) for key in timed_out]
    tx.send_many("waits.note", [deferrals.encode_end_note(key, killed) for key, killed in heard])  # all at once: one order of locks
    _send_complete(tx, "waits.remove", [key for key, _ in changes.deferrals_deleted], "waits")
    if changes.deferrals:
        tx.send_many("waits.add", deferrals.encode_deferrals(changes.deferrals.values(), tx.cipher))
    if changes.deferrals_ended:
        _send_complete(tx, "waits.fire", [deferrals.encode_result_row(wait, tx.cipher) for wait in changes.deferrals_ended.values()], "waits")


def _send_complete(tx: Transaction, name: str, rows: Sequence[Row], what: str) -> None:
    """The whole batch is written; RowsMissing when it changed fewer rows than it names."""

    def check(changed: int) -> None:
        if changed != len(rows):
            raise RowsMissing(
                f"{len(rows) - changed} of {len(rows)} {what} are not as this scheduler believed: nothing was stored"
            )

    tx.send_many(name, rows, check)


def _acquire_pool_slots(tx: Transaction, used: dict[str, int]) -> None:
    """In the order of names, so that two schedulers never wait for each other (OWNERSHIP.md line 24)."""
    for name, n in sorted(used.items()):
        if n:
            tx.send("commit.pool", partial(_check_pool_slots, name), name=name, n=n)


def _check_pool_slots(pool: str, changed: int) -> None:
    if not changed:
        raise PoolExhausted(pool)


def _encode_attempt(a: AttemptRecord) -> Row:
    return (
        a.run_pk, a.task_no, a.map_index, a.seq, a.attempt, a.try_number, a.kind, a.state, a.reason, a.worker, a.started_at,
        a.ended_at, a.exit_code, a.log,
    )


def _encode_xcoms(results: Iterable[AttemptResult]) -> list[Row]:
    rows: dict[Row, Row] = {}
    for result in results:
        for item in result.xcoms:
            key = (result.run_pk, result.task_no, result.map_index, item.key)
            excess = xcom_excess(f"XCom {item.key!r} of task {result.task_no} in run {result.run_pk}", item.value)
            if excess is not None:
                raise XComTooLarge(excess)
            rows[key] = (*key, item.value)
    return list(rows.values())


def _encode_event(event: EventRecord) -> Row:
    return (
        event.at, event.kind, event.dag_pk, event.run_pk, event.task_no, event.map_index, event.by, event.body
    )


DELETED_RUNS_MAX = 100
"""Runs that one transaction deletes, so that nobody waits for long who wants to write."""


def delete_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """These runs are gone with their task instances, attempts, XComs, triggers and waits. The event log stays."""
    rows = [(run_pk,) for run_pk in run_pks]
    for part in ("tally", "tasks", "attempts", "xcoms", "trigger_notes", "triggers", "waits", "runs"):
        tx.send_many(f"removal.{part}", rows)


def delete_history(tx: Transaction, dag_pk: int) -> bool:
    """At most RUNS_MAX ended runs of the DAG are gone; False when it has no more."""
    ended = [run_pk for (run_pk,) in tx.all("removal.ended_runs", dag_pk=dag_pk, most=DELETED_RUNS_MAX)]
    delete_runs(tx, ended)
    return len(ended) == DELETED_RUNS_MAX


def delete_dags(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """These DAGs are gone with all runs and versions. The file is parsed again: if it still defines one, that comes back.

    A long history is deleted before, in transactions of its own: `delete_history`.
    """
    for dag_pk in dag_pks:
        for part in ("all_tasks", "all_attempts", "all_xcoms", "all_trigger_notes", "all_triggers", "all_waits", "all_runs", "parse_again"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
        for part in ("tallies", "names", "edges", "unversion", "versions", "dag"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
