"""Requests of users: clear, mark, delete, and discard queued events of assets. Only the owner of the DAG carries a request out, and answers it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import iso
from gnomon.model.records import EventRecord
from gnomon.model.run_waits import SubscriptionMessage
from gnomon.model.sentences import render, say
from gnomon.model.states import FAILED_TASK_STATES, FINISHED_RUN_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.outcomes import build_mark, describe_mark, parse_run_stop
from gnomon.rules.decide.rerun_version import takes_newest_version
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.dependencies.run_dependencies import restart_waits
from gnomon.rules.engine.events import ClearTasks, DeleteDag, DeleteRun, DiscardQueuedEvents, MarkRun, MarkTasks
from gnomon.rules.engine.handlers.attempt_results import reset_task_instance
from gnomon.rules.engine.handlers.version_change import rebase_run, reset_removed_tasks, take_newest_version
from gnomon.rules.engine.lifecycle.deadlines import renew_deadlines
from gnomon.rules.engine.lifecycle.deferrals import drop_deferral
from gnomon.rules.engine.lifecycle.expansion_loading import undo_literal_expansions
from gnomon.rules.engine.lifecycle.expansions import is_beyond_expansion, reconcile_expansion
from gnomon.rules.engine.lifecycle.run_callbacks import discard_callbacks
from gnomon.rules.engine.lifecycle.run_lifecycle import (
    detach_run,
    end_run,
    enqueue_run_evaluation,
    keep_in_history,
)
from gnomon.rules.engine.lifecycle.run_stopping import stop_run
from gnomon.rules.engine.lifecycle.task_end import is_finished, mark_unfinished, stop_task_instance
from gnomon.rules.engine.lifecycle.upstream_subscriptions import (
    notify_dag_deleted,
    notify_run_cleared,
    notify_run_deleted,
    unsubscribe,
)
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.run_history import find_next_run
from gnomon.rules.engine.state.run_relations import list_instances_to_continue
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import CancelOrder, StepContext


def clear_tasks(context: StepContext, event: ClearTasks) -> None:
    """Clear the selected task instances; a finished run is queued again."""
    run = _find_run(context, event.run_pk, event.request_pk)
    if run is None:
        return
    selected = [
        ti for ti in _select_task_instances(run, event.tasks) if not event.only_failed or ti.state in FAILED_TASK_STATES
    ]
    is_whole = event.tasks is None and not event.only_failed
    takes_newest = takes_newest_version(event.is_newest_wanted, run.dag.graph.spec)
    names = _clear_selected(
        context,
        run,
        selected,
        event.by,
        event.waited_for,
        is_whole=is_whole,
        takes_newest=takes_newest,
        address=event.address,
    )
    if names and event.is_newest_wanted and run.record.keeps_version:
        take_newest_version(context, run)
    _answer_request(context, event.request_pk, {"cleared": names})


def clear_whole_run(context: StepContext, run: DagRun, by: str, waited_for: Iterable[SubscriptionMessage]) -> None:
    """Clear all task instances of a finished run for a backfill, and queue it again, even if none of them ever had a state."""
    takes_newest = takes_newest_version(None, run.dag.graph.spec, default=True)
    _requeue_run(context, run, takes_newest)
    if not _clear_selected(
        context, run, _select_task_instances(run, None), by, waited_for, is_whole=True, takes_newest=takes_newest
    ):
        notify_run_cleared(context, run, waited_for)


def _clear_selected(
    context: StepContext,
    run: DagRun,
    selected: Iterable[TaskInstance],
    by: str,
    waited_for: Iterable[SubscriptionMessage],
    *,
    is_whole: bool,
    takes_newest: bool,
    address: str | None = None,
) -> list[str]:
    """Clear these instances, and queue a finished run again; returns the names of those that had a state."""
    before = {ti: _name_with_state(ti) for ti in selected}
    cleared = [ti for ti in before if _clear_task_instance(context, ti, by)]
    names = [ti.name() for ti in cleared]
    for index in {ti.index for ti in cleared if ti.map_index >= 0}:
        reconcile_expansion(context, run, index)
    if is_whole:
        reset_removed_tasks(context, run)
    if names and run.record.state in FINISHED_RUN_STATES:
        _requeue_run(context, run, takes_newest)
    elif not all(ti.task.is_teardown for ti in cleared):
        _revoke_stop(context, run)
    restart_waits(context, run, {ti.task.task_id for ti in cleared})
    if names:
        notify_run_cleared(context, run, waited_for)
    context.add_audit_event("cleared", run=run, by=by, body=", ".join(before[ti] for ti in cleared), address=address)
    return names


def _revoke_stop(context: StepContext, run: DagRun) -> None:
    """A task of an unfinished run was cleared: the run that was only waiting for its teardowns goes on."""
    if parse_run_stop(run.record.reason) is not None:
        run.record.reason = None
        context.mark_run_dirty(run)


def _name_with_state(ti: TaskInstance) -> str:
    """The name and the state before a change, for the audit log: `load (before: failed)`."""
    return _say_before(ti.name(), ti.state)


def _say_before(name: str, state: str | None) -> str:
    return render(say("state_before", name=name, state=state or "no state"))


def _clear_task_instance(context: StepContext, ti: TaskInstance, by: str) -> bool:
    if ti.attempt is not None:
        lifecycle.transition(ti, Cause.CLEAR_LIVE)
        assert ti.worker is not None
        context.result.cancels.append(CancelOrder(ti.worker, ti.attempt, render(say("cleared_by", by=by))))
        context.mark_dirty(ti)
        return True
    if ti.state is None and not ti.is_queued:
        return False
    if is_finished(ti):
        mark_unfinished(context, ti)
    dequeue(ti)
    reset_task_instance(context, ti)
    return True


def _requeue_run(context: StepContext, run: DagRun, takes_newest: bool) -> None:
    record = run.record
    record.clear_number += 1
    record.queued_at = context.now
    record.started_at = record.ended_at = record.reason = None
    context.set_run_state(run, DagRunState.QUEUED)
    undo_literal_expansions(context, run)
    if (
        takes_newest or record.bundle_version is None or run.graph.version_pk != record.version_pk
    ):  # the last: the store no longer has its version
        record.bundle_version = record.kept_spec = None
        if run.graph is not run.dag.graph:
            rebase_run(context, run, run.dag.graph)
    renew_deadlines(context, run)
    keep_in_history(run)
    context.startable_dags[run.dag] = None


def mark_tasks(context: StepContext, event: MarkTasks) -> None:
    """Set the selected task instances to a final state; live attempts are cancelled, and what failed below them runs again.

    What has this state already stays as it is, and does not run again because of the others.
    """
    run = _find_run(context, event.run_pk, event.request_pk)
    if run is None:
        return
    cause, state = _MARK_CAUSES[event.state], S(event.state)
    selected = _select_task_instances(run, event.tasks)
    changed = [ti for ti in selected if ti.state is not state]
    before = [_name_with_state(ti) for ti in changed]
    reason = describe_mark(event.state, event.by)
    for ti in changed:
        stop_task_instance(context, ti, cause, reason)
    if changed:
        context.add_audit_event(
            "marked", run=run, by=event.by, body=f"{event.state}: {', '.join(before)}", address=event.address
        )
    cleared = _continue_below(context, run, changed, selected, event)
    _answer_request(context, event.request_pk, {"marked": [ti.name() for ti in changed], "cleared": cleared})


def _continue_below(
    context: StepContext,
    run: DagRun,
    changed: Iterable[TaskInstance],
    selected: Iterable[TaskInstance],
    event: MarkTasks,
) -> list[str]:
    """Clear what failed below the changed instances and is not selected itself, as Airflow does; returns the names. A finished run is queued again."""
    excluded = set(selected)
    failed = [
        ti for ti in list_instances_to_continue(run, changed) if ti.state in FAILED_TASK_STATES and ti not in excluded
    ]
    if not failed:
        return []
    return _clear_selected(
        context, run, failed, event.by, event.waited_for, is_whole=False, takes_newest=False, address=event.address
    )


def mark_run(context: StepContext, event: MarkRun) -> None:
    """End the run. Tasks that have begun end in its state, tasks that have not are skipped, and ended tasks keep theirs, as in Airflow.

    Teardowns that have something to tear down still run; the run ends when they have ended (`run_stopping.py`).
    """
    run = _find_run(context, event.run_pk, event.request_pk)
    if run is None:
        return
    stop, before = build_mark(event.state, event.by), run.record.state
    tears_down = not stop_run(context, run, stop, live=_MARK_CAUSES[event.state])
    if not tears_down:
        end_run(context, run, stop.state, stop.reason, callback_reason=stop.callback_reason)
    context.add_audit_event(
        "marked", run=run, by=event.by, body=_say_before(event.state, before), address=event.address
    )
    _answer_request(context, event.request_pk, {"marked": run.record.run_id, "tears_down": tears_down})


def delete_run(context: StepContext, event: DeleteRun) -> None:
    """Remove the run from memory, cancel its live attempts, and delete its rows with this step."""
    run = _find_run(context, event.run_pk, event.request_pk)
    if run is None:
        return
    notify_run_deleted(context, run)
    run_id, state, slot_at = run.record.run_id, run.record.state, run.record.slot_at
    body = (
        _say_before(run_id, state)
        if slot_at is None
        else render(say("state_and_slot_before", name=run_id, state=state, at=slot_at))
    )
    context.changes.events.append(
        EventRecord(context.now, "run_deleted", dag_pk=run.record.dag_pk, by=event.by, body=body, address=event.address)
    )
    _discard_run(context, run, event.by)
    discard_callbacks(context, lambda pending: pending.record.run_pk == run.pk, render(say("deleted_by", by=event.by)))
    context.result.deleted_runs.append(run.pk)
    context.startable_dags[run.dag] = None
    context.result.plannable_dags.add(run.record.dag_pk)
    _answer_request(context, event.request_pk, {"deleted": run.record.run_id})


def delete_dag(context: StepContext, event: DeleteDag) -> None:
    """Remove the DAG and its runs from memory, and delete its rows with this step."""
    dag = context.engine_state.dags.get(event.dag_pk)
    for run in list(dag.runs.values()) if dag is not None else ():
        _discard_run(context, run, event.by)
    if dag is not None:
        context.result.touched_groups.add(dag.record.group_no)
        notify_dag_deleted(context, dag.record.dag_id)
        discard_callbacks(context, lambda pending: pending.dag is dag, render(say("deleted_by", by=event.by)))
        del context.engine_state.dags[event.dag_pk]
    body = str(event.dag_pk) if dag is None else dag.record.dag_id
    context.changes.events.append(
        EventRecord(context.now, "dag_deleted", by=event.by, body=body, address=event.address)
    )
    context.result.deleted_dags.append(event.dag_pk)
    _answer_request(context, event.request_pk, {"deleted": dag.record.dag_id if dag is not None else event.dag_pk})


def discard_queued_events(context: StepContext, event: DiscardQueuedEvents) -> None:
    """Delete events from the queue of a DAG with this step. The DAG is planned again: it may have had an error because of them."""
    discard = event.discard
    context.changes.queue_discards.append(discard)
    about = "all assets" if discard.asset_pk is None else f"asset {discard.asset_pk}"
    before = "" if discard.before is None else f" before {iso(discard.before)}"
    context.changes.events.append(
        EventRecord(
            context.now,
            "queued_events_deleted",
            dag_pk=discard.dag_pk,
            by=event.by,
            body=about + before,
            address=event.address,
        )
    )
    context.result.plannable_dags.add(discard.dag_pk)
    _answer_request(context, event.request_pk, {"discarded": True})


def _discard_run(context: StepContext, run: DagRun, by: str) -> None:
    context.result.touched_groups.add(run.dag.record.group_no)
    for ti in _select_task_instances(run, None):
        context.dirty_instances.pop(ti, None)
        context.newly_ready.pop(ti, None)
        if ti.attempt is not None and ti.worker is not None and ti.pool is not None:
            context.result.cancels.append(CancelOrder(ti.worker, ti.attempt, render(say("deleted_by", by=by))))
            used = context.changes.pool_used
            used[ti.pool] = used.get(ti.pool, 0) - ti.pool_slots
        drop_deferral(context, ti, killed=True)
    context.drop_run(run)
    for key in [key for key in context.changes.deadlines if key[0] == run.pk]:
        del context.changes.deadlines[key]
    for edge in run.edges.values():
        unsubscribe(context, edge.waits.values())
    next_run = find_next_run(run)
    detach_run(context.engine_state, run.dag, run.pk)
    if next_run is not None:
        enqueue_run_evaluation(context, next_run)


_MARK_CAUSES = {"success": Cause.MARK_SUCCESS, "failed": Cause.MARK_FAILED, "skipped": Cause.MARK_SKIPPED}


def _select_task_instances(run: DagRun, keys: Iterable[TaskKey] | None) -> list[TaskInstance]:
    """The instances with these keys (None: all), without those whose map index the expansion does not have any more.

    A key without a map index selects all instances of a task that is expanded.
    """
    if keys is None:
        return [ti for instances in run.task_instances for ti in instances.values() if not is_beyond_expansion(ti)]
    selected: dict[TaskInstance, None] = {}
    for key in keys:
        index = run.graph.index_of_number.get(key.task_no)
        if index is None:
            continue
        instances = run.task_instances[index]
        ti = instances.get(key.map_index)
        named = [ti] if ti is not None else instances.values() if key.map_index == UNMAPPED else ()
        selected.update(dict.fromkeys(ti for ti in named if not is_beyond_expansion(ti)))
    return list(selected)


def _find_run(context: StepContext, run_pk: int, request_pk: int | None) -> DagRun | None:
    run = context.engine_state.runs.get(run_pk)
    if run is not None:
        context.current_dag = run.dag
    elif request_pk is not None:
        context.changes.answers.append((request_pk, "refused", json.dumps({"error": render(say("run_is_gone"))})))
    return run


def _answer_request(context: StepContext, request_pk: int | None, body: dict[str, object]) -> None:
    if request_pk is not None:
        context.changes.answers.append((request_pk, "done", json.dumps(body)))
