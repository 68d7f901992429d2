"""Deleting runs and DAGs with all that belongs to them: by their owner."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.store.transaction import Transaction

RUNS_MAX = 100
"""Runs that one transaction deletes, so that nobody waits for long who wants to write."""


def delete_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """These runs are gone with their task instances, attempts, XComs, triggers and waits. The event log stays."""
    rows = [(run_pk,) for run_pk in run_pks]
    for part in ("tally", "tasks", "attempts", "xcoms", "trigger_notes", "triggers", "waits", "runs"):
        tx.send_many(f"removal.{part}", rows)


def delete_history(tx: Transaction, dag_pk: int) -> bool:
    """At most RUNS_MAX ended runs of the DAG are gone; False when it has no more."""
    ended = [run_pk for (run_pk,) in tx.all("removal.ended_runs", dag_pk=dag_pk, most=RUNS_MAX)]
    delete_runs(tx, ended)
    return len(ended) == RUNS_MAX


def delete_dags(tx: Transaction, dag_pks: Iterable[int]) -> None:
    """These DAGs are gone with all runs and versions. The file is parsed again: if it still defines one, that comes back.

    A long history is deleted before, in transactions of its own: `delete_history`.
    """
    for dag_pk in dag_pks:
        for part in ("all_tasks", "all_attempts", "all_xcoms", "all_trigger_notes", "all_triggers", "all_waits", "all_runs", "parse_again"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
        for part in ("tallies", "names", "edges", "unversion", "versions", "dag"):
            tx.run(f"removal.{part}", dag_pk=dag_pk)
