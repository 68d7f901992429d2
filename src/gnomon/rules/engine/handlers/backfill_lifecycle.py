"""Backfills in memory: their queued runs start under their own limit, run again, and fail when the backfill is cancelled."""

from __future__ import annotations

from gnomon.model.backfills import BackfillRecord
from gnomon.model.sentences import render
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, DagRunType
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine.events import BackfillRead, ReprocessRun
from gnomon.rules.engine.handlers.requests import clear_whole_run
from gnomon.rules.engine.lifecycle.run_lifecycle import end_run
from gnomon.rules.engine.lifecycle.task_end import stop_tasks
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.step_context import StepContext


def on_backfill_read(context: StepContext, event: BackfillRead) -> None:
    """A backfill is new, was paused, continued or cancelled, or has come further. The queued runs of a cancelled one fail."""
    record = event.backfill
    dag = context.current_dag = context.engine_state.dags.get(record.dag_pk)
    if dag is None:
        return
    context.result.touched_groups.add(dag.record.group_no)
    queue = dag.backfills.get(record.backfill_pk)
    if (
        record.is_ended
        and not event.is_for_run
        and not any(run.record.backfill_pk == record.backfill_pk for run in dag.runs.values())
    ):
        dag.backfills.pop(record.backfill_pk, None)
        return
    if queue is None:
        dag.backfills[record.backfill_pk] = BackfillQueue(record)
    else:
        queue.record = record
    if record.cancelled_by is not None and not record.is_ended:
        _fail_queued_runs(context, record)
    context.startable_dags[dag] = None
    context.result.plannable_dags.add(record.dag_pk)


def _fail_queued_runs(context: StepContext, record: BackfillRecord) -> None:
    reason = "" if record.hold_reason is None else render(record.hold_reason)
    failing_dags = context.result.failing_dags
    had_failed = record.dag_pk in failing_dags
    runs = [
        run
        for run in context.engine_state.dags[record.dag_pk].runs.values()
        if run.record.backfill_pk == record.backfill_pk
    ]
    for run in sorted(runs, key=lambda run: run.sort_key):
        if run.record.state is DagRunState.QUEUED:
            stop_tasks(context, run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=reason)
            end_run(context, run, DagRunState.FAILED, reason)
    if not had_failed:
        failing_dags.discard(record.dag_pk)  # a cancelled run is no failure; one that failed in this step before is


def reprocess_run(context: StepContext, event: ReprocessRun) -> None:
    """Clear the finished run of a slot and give it to the backfill, with the conf of the backfill if that is not empty."""
    run = context.engine_state.runs.get(event.run_pk)
    queue = None if run is None else run.dag.backfills.get(event.backfill_pk)
    if run is None or queue is None or run.record.state not in FINISHED_RUN_STATES:
        return
    context.current_dag = run.dag
    record = run.record
    record.backfill_pk = event.backfill_pk
    run.backfill = queue
    if record.run_type in (DagRunType.SCHEDULED, DagRunType.BACKFILL):
        record.run_type = DagRunType.BACKFILL
    if queue.record.conf:
        record.conf = dict(queue.record.conf)
    context.changes.reprocessed_runs.append(record)
    clear_whole_run(context, run, f"backfill {event.backfill_pk}", event.waited_for)
