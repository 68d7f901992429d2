"""Deleting runs and DAGs with all that belongs to them: by their owner."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.store.transaction import Transaction


def delete_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """These runs are gone with their task instances, attempts, XComs, triggers and waits. The event log stays."""
    for run_pk in run_pks:
        tx.run("removal.tally", run_pk=run_pk)
        for part in ("tasks", "attempts", "xcoms", "triggers", "waits", "run"):
            tx.run(f"removal.{part}", run_pk=run_pk)


def delete_dags(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """These DAGs are gone with all runs and versions. The file is parsed again: if it still defines one, that comes back."""
    for dag_pk in dag_pks:
        for part in ("all_tasks", "all_attempts", "all_xcoms", "all_triggers", "all_waits", "all_runs", "parse_again"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
        for part in ("tallies", "names", "unversion", "versions", "dag"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
