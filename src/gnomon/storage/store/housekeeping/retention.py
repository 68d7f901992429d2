"""Deletes what is older than its retention, in small transactions beside running work. What the scheduler may still need stays.

A run is deleted only if it has ended, if it is not among the newest runs of its DAG that are kept by number (at least one, for
`depends_on_past` and the like), if it is before the ended run that precedes the oldest unfinished run of its DAG, if it has no pending
callback, if no other run waits for it, and if no downstream DAG is so far behind that it may yet need it. A DAG with a backfill that has not ended keeps all its runs.
The cursor of planning is not derived from runs, so a slot whose run was deleted gets no second run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.database import Database
from gnomon.storage.store.housekeeping.unused_rows import ROWS_PER_TRANSACTION, UnusedAssetEvents, UnusedDagVersions
from gnomon.storage.store.ownership.commit import delete_runs
from gnomon.storage.store.transaction import Transaction

RUNS_PER_TRANSACTION = 50
DOWNSTREAM_SLACK_S = 31 * 86400
"""A run of a downstream DAG may wait for upstream slots of the whole month before it."""
FAR_AHEAD = 2**62
_ROW_TABLES: dict[str, tuple[str, ...]] = {
    "events": ("events", "requests", "quarantine"),
    "xcoms": ("xcoms",),
    "alerts": ("alerts", "deliveries", "facts"),
}
"""What `--tables` names to the statements that count and delete its rows."""
_UNUSED_TABLES: dict[str, type[UnusedAssetEvents] | type[UnusedDagVersions]] = {
    "asset_events": UnusedAssetEvents,
    "dag_versions": UnusedDagVersions,
}
"""Tables whose rows must be unused, to what finds them. After runs, which use them."""
TABLES = ("runs", *_ROW_TABLES, *_UNUSED_TABLES)


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: everything that ended after `before`, and the newest `keep_last` ended runs of each DAG."""

    before: Instant
    keep_last: int


@dataclass(frozen=True, slots=True)
class DagHistory:
    """A DAG with ended runs."""

    dag_pk: int
    dag_id: str
    ended: int


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Runs of a DAG before this position and this slot may be deleted."""

    run_after: Instant
    run_pk: int
    floor: Instant


def list_histories(db: Database) -> list[DagHistory]:
    """The DAGs that have ended runs."""
    with db.read() as tx:
        return [DagHistory(row[0], row[1], int(row[2])) for row in tx.all("housekeeping.dags")]


def count_expired_runs(db: Database, history: DagHistory, retention: Retention) -> int:
    """How many runs of the DAG would be deleted."""
    with db.read() as tx:
        bounds = _find_bounds(tx, history, retention)
        if bounds is None:
            return 0
        row = tx.one(
            "housekeeping.count_expired_runs",
            dag_pk=history.dag_pk,
            dag_id=history.dag_id,
            run_after=bounds.run_after,
            run_pk=bounds.run_pk,
            before=retention.before,
            floor=bounds.floor,
        )
        return 0 if row is None else int(row[0])


def delete_expired_runs(db: Database, history: DagHistory, retention: Retention) -> int:
    """Delete at most RUNS_PER_TRANSACTION runs of the DAG in one transaction; returns how many."""
    with db.read() as tx:  # most DAGs have nothing to delete: do not take the write lock for them
        if _find_bounds(tx, history, retention) is None:
            return 0
    with db.write() as tx:
        bounds = _find_bounds(tx, history, retention)
        if bounds is None:
            return 0
        rows = tx.all(
            "housekeeping.expired_runs",
            dag_pk=history.dag_pk,
            dag_id=history.dag_id,
            run_after=bounds.run_after,
            run_pk=bounds.run_pk,
            before=retention.before,
            floor=bounds.floor,
            limit=RUNS_PER_TRANSACTION,
        )
        delete_runs(tx, [run_pk for (run_pk,) in rows])
        return len(rows)


def count_expired_rows(db: Database, table: str, retention: Retention) -> int:
    """How many rows of any table but runs would be deleted."""
    if table in _UNUSED_TABLES:
        return _UNUSED_TABLES[table](db, retention.before).count()
    with db.read() as tx:
        return sum(
            int((tx.one(f"housekeeping.count_expired_{part}", before=retention.before) or (0,))[0])
            for part in _ROW_TABLES[table]
        )


def prepare_deletion(db: Database, table: str, retention: Retention) -> Callable[[], int]:
    """A function that deletes rows of any table but runs: a bounded number in one transaction. It returns how many; 0: none is left."""
    if table in _UNUSED_TABLES:
        return _UNUSED_TABLES[table](db, retention.before).delete
    return partial(_delete_expired_rows, db, table, retention)


def _delete_expired_rows(db: Database, table: str, retention: Retention) -> int:
    """Delete at most ROWS_PER_TRANSACTION rows of each kind of events (with answered requests and messages in quarantine), xcoms or alerts in one transaction; returns how many."""
    with db.write() as tx:
        return sum(
            tx.run(f"housekeeping.remove_{part}", before=retention.before, limit=ROWS_PER_TRANSACTION)
            for part in _ROW_TABLES[table]
        )


def _find_bounds(tx: Transaction, history: DagHistory, retention: Retention) -> _Bounds | None:
    """Before which position runs of the DAG may be deleted; None: none."""
    if tx.one("housekeeping.active_backfill", dag_pk=history.dag_pk) is not None:
        return None
    newest_kept = tx.one("housekeeping.newest_kept", dag_pk=history.dag_pk, skipped=max(retention.keep_last, 1) - 1)
    if newest_kept is None:
        return None
    position = (newest_kept[0], newest_kept[1])
    unfinished = tx.one("housekeeping.oldest_unfinished", dag_pk=history.dag_pk)
    if unfinished is not None:
        previous = tx.one(
            "group_state.ended_run_before", dag_pk=history.dag_pk, run_after=unfinished[0], run_pk=unfinished[1]
        )
        if previous is None:
            return None
        position = min(position, (previous[5], previous[0]))
    needed = tx.one("housekeeping.downstream_floor", dag_id=history.dag_id)
    floor = FAR_AHEAD if needed is None or needed[0] is None else needed[0] - DOWNSTREAM_SLACK_S * SECOND
    return _Bounds(position[0], position[1], floor)
