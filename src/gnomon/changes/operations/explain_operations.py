"""Why a DAG, a run or a task is not running, or how it ended."""

from __future__ import annotations

from gnomon.changes.actions.author_queries import ask_partition_mappers
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.sentences import render
from gnomon.queries.report.explanations.dag_explanation import explain_dag as explain_stored_dag
from gnomon.queries.report.explanations.run_explanation import explain_run as explain_stored_run
from gnomon.queries.report.explanations.schedule_switch import describe_schedule_switch
from gnomon.queries.report.explanations.skipped_slots import explain_slot, parse_instant
from gnomon.queries.report.explanations.task_explanation import explain_task
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store.dag_records import dag_runs


@operation("explain.dag", "read", "DAG")
def explain_dag(scope: OperationScope, dag_id: str) -> list[str]:
    """Sentences on why the DAG has no run, or why its unfinished runs wait; none when nothing prevents it from running."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
    answers = ask_partition_mappers(
        scope.actor.cfg, scope.db, dag
    )  # author code is called without a transaction: it may take its time
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        explanation = explain_stored_dag(tx, dag, scope.limits, scope.actor.clock.now(), answers)
        sentences = [*map(render, describe_schedule_switch(scope.actor.cfg, dag)), *explanation.texts]
        return list(map(scope.dags.build_name_filter(tx), sentences))


@operation("explain.run", "read", "run")
def explain_run(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str | None = None, map_index: int = -1
) -> list[str]:
    """Sentences on why the run, or the task instance of it, has not ended, or how it ended.

    With the logical date or the due time of a slot as `run_id`: why the slot has no run.
    """
    with scope.db.read() as tx:
        dag, now = find_dag(tx, dag_id), scope.actor.clock.now()
        at = parse_instant(run_id)
        run = find_run(tx, dag, run_id) if at is None else dag_runs.find_stored_run(tx, dag.dag_id, run_id)
        if run is None:
            assert at is not None
            sentences = list(map(render, explain_slot(tx, dag, at, now)))
        elif task_id is None:
            sentences = explain_stored_run(tx, dag, run, scope.limits, now).texts
        else:
            sentences = explain_task(tx, dag, run, task_id, map_index, scope.limits, now).texts
        return list(map(scope.dags.build_name_filter(tx), sentences))
