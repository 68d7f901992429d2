"""The newest run of each DAG, the last in the order of `run_after` and key, with its state and times. Lists of DAGs show, sort and filter by it.

Each transaction that inserts, changes or deletes runs records it, after `run_tally`: PostgreSQL locks the rows of both tables, and with one order of locks there is no deadlock.
The lock on `run_tally` also orders `refresh` and `record_created`. The newest run of a DAG is deleted by the owner of the DAG alone, who also changes its state; the retention leaves the newest ended run, and unfinished ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import RUN_STATE_CODES
from gnomon.storage.store.transaction import Transaction


def record_created(tx: Transaction, dag_pk: int, runs: Iterable[tuple[Instant, int]]) -> None:
    """Record the newest of these runs, given by `run_after` and key, if the DAG has no newer one."""
    run_after, run_pk = max(runs)
    tx.send_many("newest_runs.put", [(dag_pk, run_pk, run_after)])


def record_changed(tx: Transaction, runs: Iterable[RunRecord]) -> None:
    """Record the state and times of those of these runs that are the newest of their DAGs."""
    ordered = sorted(runs, key=lambda run: (run.dag_pk, run.run_pk))
    tx.send_many(
        "newest_runs.change",
        [(run.dag_pk, run.run_pk, RUN_STATE_CODES[run.state], run.started_at, run.ended_at) for run in ordered],
    )


def refresh(tx: Transaction, dag_pk: int) -> None:
    """Read the state and times of the newest run of the DAG anew: a statement has ended runs."""
    tx.send("newest_runs.refresh", dag_pk=dag_pk)


def find_lost(tx: Transaction, run_pks: Sequence[int]) -> list[int]:
    """The DAGs whose newest run is one of these, which will be deleted."""
    deleted = set(run_pks)
    return [dag_pk for dag_pk, run_pk in tx.all("newest_runs.of_runs", run_pks=list(run_pks)) if run_pk in deleted]


def find_anew(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """Record the newest runs that these DAGs have now."""
    for dag_pk in dag_pks:
        tx.send("newest_runs.remove", dag_pk=dag_pk)
        tx.send("newest_runs.find", dag_pk=dag_pk)
