"""Deleting runs and DAGs with all that belongs to them: by their owner."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.store.transaction import Transaction

RUNS_AT_ONCE = 500


def delete_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """These runs are gone with their task instances, attempts, XComs, triggers and waits. The event log stays."""
    for run_pk in run_pks:
        tx.run("removal.tally", run_pk=run_pk)
        for part in ("tasks", "attempts", "xcoms", "triggers", "waits", "run"):
            tx.run(f"removal.{part}", run_pk=run_pk)


def delete_dags(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """These DAGs are gone with all runs and versions. The file is parsed again: if it still defines one, that comes back."""
    for dag_pk in dag_pks:
        while run_pks := [row[0] for row in tx.all("removal.runs_of_dag", dag_pk=dag_pk, most=RUNS_AT_ONCE)]:
            delete_runs(tx, run_pks)
        tx.run("removal.parse_again", dag_pk=dag_pk)
        for part in ("tallies", "names", "unversion", "versions", "dag"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
