"""Writing what one step of the engine changed: in batches, all of it or nothing.

Every function here runs inside `Database.owner`, whose first statement proved that the writer still owns what it writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from gnomon.model.facts import AttemptResult, xcom_excess
from gnomon.model.records import AttemptRecord, Changes, EventRecord
from gnomon.model.states import RUN_STATE_CODES
from gnomon.store import mail, run_waits, waits
from gnomon.store.errors import PoolExhausted, RowsMissing, XComTooLarge
from gnomon.store.planned import plan
from gnomon.store.removal import delete_dags, delete_history, delete_runs
from gnomon.store.rows import run_change, task_change
from gnomon.store.transaction import Row, Transaction, wake

__all__ = ["apply", "delete_dags", "delete_history", "delete_runs", "plan"]


def apply(tx: Transaction, changes: Changes) -> None:
    """All of the changes are written, in the order of `Changes`.

    RowsMissing: a batch named a run, task instance, attempt, wait, letter or request that is not there as expected.
    PoolExhausted: a pool has not the slots. XComTooLarge. After any of them the transaction must be rolled back.
    """
    _whole(tx, "commit.run", [run_change(run) for run in changes.runs], "runs")
    _whole(tx, "commit.task", [task_change(task) for task in changes.tasks], "task instances")
    _whole(tx, "commit.attempt", [_attempt(attempt) for attempt in changes.attempts], "attempts")
    tx.send_many("commit.xcom_clear", changes.xcom_clears)
    tx.send_many("commit.xcom", _xcoms(changes.results))
    _write_waits(tx, changes)
    tx.send_many("run_waits.remove_edge", changes.edges_gone)
    _whole(tx, "run_waits.put", [run_waits.row_of(wait) for wait in changes.run_waits.values()], "waits between DAGs")
    _take_slots(tx, changes.pool_used)
    tx.send_many(
        "commit.tally",
        [(dag_pk, RUN_STATE_CODES[state], n) for (dag_pk, state), n in sorted(changes.tallies.items()) if n],
    )
    tx.send_many("commit.event", [_event(event) for event in changes.events])
    for dag_pk, reason in changes.dag_paused:
        tx.send("commit.pause", dag_pk=dag_pk)
        tx.send("commit.plan_error", dag_pk=dag_pk, error=reason)
    for path, reason in changes.fresh_files:
        tx.send("commit.fresh", path=path, reason=reason)
    _whole(tx, "mail.remove", [(mail_pk,) for mail_pk in changes.mail_deleted], "letters")
    mail.send(tx, changes.mail_sent)
    for request_pk, state, answer in changes.answers:
        tx.send("commit.answer", request_pk=request_pk, state=state, answer=answer)
    tx.settle()


def _write_waits(tx: Transaction, changes: Changes) -> None:
    """Who runs the trigger of a wait that is over is told in the same breath; triggerers of other hosts are woken."""
    if any(wait.due_at is None for wait in changes.waits.values()) or any(killed for _, killed in changes.waits_gone):
        wake(tx)
    timed_out = [key for key, wait in changes.waits_fired.items() if wait.fired is not None and wait.fired.outcome == "timeout"]
    if timed_out:
        wake(tx)
    heard = [(key, killed) for key, killed in changes.waits_gone if killed is not None] + [(key, True) for key in timed_out]
    tx.send_many("waits.note", [waits.gone_row(key, killed) for key, killed in heard])  # all at once: one order of locks
    _whole(tx, "waits.remove", [key for key, _ in changes.waits_gone], "waits")
    if changes.waits:
        tx.send_many("waits.add", waits.rows_of(changes.waits.values(), tx.cipher))
    if changes.waits_fired:
        _whole(tx, "waits.fire", [waits.fired_row(wait, tx.cipher) for wait in changes.waits_fired.values()], "waits")


def _whole(tx: Transaction, name: str, rows: Sequence[Row], what: str) -> None:
    """The whole batch is written; RowsMissing when it changed fewer rows than it names."""

    def check(changed: int) -> None:
        if changed != len(rows):
            raise RowsMissing(
                f"{len(rows) - changed} of {len(rows)} {what} are not as this scheduler believed: nothing was stored"
            )

    tx.send_many(name, rows, check)


def _take_slots(tx: Transaction, used: dict[str, int]) -> None:
    """In the order of names, so that two schedulers never wait for each other (OWNERSHIP.md line 24)."""
    for name, n in sorted(used.items()):
        if n:
            tx.send("commit.pool", partial(_taken, name), name=name, n=n)


def _taken(pool: str, changed: int) -> None:
    if not changed:
        raise PoolExhausted(pool)


def _attempt(a: AttemptRecord) -> Row:
    return (
        a.run_pk, a.task_no, a.map_index, a.seq, a.attempt, a.try_number, a.kind, a.state, a.reason, a.worker, a.started_at,
        a.ended_at, a.exit_code, a.log,
    )


def _xcoms(results: Iterable[AttemptResult]) -> list[Row]:
    rows: dict[Row, Row] = {}
    for result in results:
        for item in result.xcoms:
            key = (result.run_pk, result.task_no, result.map_index, item.key)
            excess = xcom_excess(f"XCom {item.key!r} of task {result.task_no} in run {result.run_pk}", item.value)
            if excess is not None:
                raise XComTooLarge(excess)
            rows[key] = (*key, item.value)
    return list(rows.values())


def _event(event: EventRecord) -> Row:
    return (
        event.at, event.kind, event.dag_pk, event.run_pk, event.task_no, event.map_index, event.by, event.body
    )
