"""The newest run of each DAG: the last in the order of `run_after` and key, which lists of DAGs show, are ordered and filtered by.

Each transaction that inserts or deletes runs records it, after `run_tally`: PostgreSQL locks the rows of both tables, and with one order of locks there is no deadlock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.model.instants import Instant
from gnomon.store.transaction import Transaction


def record_created(tx: Transaction, dag_pk: int, runs: Iterable[tuple[Instant, int]]) -> None:
    """Record the newest of these runs, given by `run_after` and key, if the DAG has no newer one."""
    run_after, run_pk = max(runs)
    tx.send_many("newest_runs.put", [(dag_pk, run_pk, run_after)])


def find_lost(tx: Transaction, run_pks: Sequence[int]) -> list[int]:
    """The DAGs whose newest run is one of these, which will be deleted."""
    deleted = set(run_pks)
    return [dag_pk for dag_pk, run_pk in tx.all("newest_runs.of_runs", run_pks=list(run_pks)) if run_pk in deleted]


def find_anew(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """Record the newest runs that these DAGs have now."""
    for dag_pk in dag_pks:
        tx.send("newest_runs.remove", dag_pk=dag_pk)
        tx.send("newest_runs.find", dag_pk=dag_pk)
