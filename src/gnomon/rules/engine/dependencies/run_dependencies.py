"""Runs that wait for runs of other DAGs: the side of their own owner (CROSS_DAG in docs/contributing/ownership.md).

An edge of a run is resolved (`SlotsResolved`), subscribed at the owner of the upstream DAG, and updated (`UpstreamUpdate`)
until its verdict lets the run start or cancels it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.run_waits import NO_SLOT, RunWait, SlotFact, SubscriptionMessage, UpstreamUpdate, WaitState
from gnomon.model.sentences import Sentence, quote, render, say
from gnomon.model.states import DagRunState
from gnomon.rules.decide.edges import EdgeVerdict, decide_wait_state, replaces_absent_slot, subscription_flags
from gnomon.rules.decide.outcomes import parse_run_stop
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine.events import ReleaseRun, SlotsResolved
from gnomon.rules.engine.lifecycle.run_lifecycle import end_run, set_edge_timers
from gnomon.rules.engine.lifecycle.task_end import stop_tasks
from gnomon.rules.engine.lifecycle.upstream_subscriptions import send_subscription, subscribe, unsubscribe
from gnomon.rules.engine.state.edge_waits import (
    EdgeWaits,
    build_edge_waits,
    describe_upstream_waits,
    waits_for_upstreams,
)
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepContext

UPDATE_GRACE_S = 5.0
"""A run or task that is cleared after its `max_wait` waits at least this long for updates of finished upstream slots."""


def refresh_edges(context: StepContext, run: DagRun) -> None:
    """Give the run the edges of its DAG's present version: waits of former edges are deleted, new edges are to be resolved."""
    previous = run.edges
    if not previous and not run.graph.edges and not run.stale_waits:
        return
    run.edges = build_edge_waits(
        run.graph.edges, run.record, (wait for edge in previous.values() for wait in edge.waits.values())
    )
    for number in sorted(previous.keys() - run.edges.keys()):
        _delete_waits(context, run, number, previous[number].waits.values())
    for number in sorted({wait.edge_no for wait in run.stale_waits}):
        _delete_waits(context, run, number, [wait for wait in run.stale_waits if wait.edge_no == number])
    run.stale_waits = ()
    for number, edge in run.edges.items():
        if not edge.waits and _accepts_updates(run, edge):
            context.result.unresolved_edges[run.pk, number] = None
    set_edge_timers(context.engine_state, run)
    evaluate(context, run)


def _accepts_updates(run: DagRun, edge: EdgeWaits) -> bool:
    """True while updates of the edge are applied: the run is queued, or it is running and the edge is of a task."""
    return run.record.state is DagRunState.QUEUED or (edge.edge.task_id is not None and run.is_running)


def request_slots(context: StepContext, run: DagRun, edge: EdgeWaits) -> None:
    """Have the slots of the edge resolved, again if they were resolved before."""
    if edge.waits:
        _delete_waits(context, run, edge.edge.number, edge.waits.values())
    edge.waits, edge.resolution_error, edge.is_expired = {}, None, False
    context.result.unresolved_edges[run.pk, edge.edge.number] = None


def _delete_waits(context: StepContext, run: DagRun, edge_no: int, waits: Collection[RunWait]) -> None:
    unsubscribe(context, waits)
    changes = context.changes
    changes.edge_waits_deleted.append((run.pk, edge_no))
    for key in [key for key in changes.run_waits if key[:2] == (run.pk, edge_no)]:
        del changes.run_waits[key]
    context.result.touched_groups.add(run.dag.record.group_no)


def restart_waits(context: StepContext, run: DagRun, cleared: Collection[str]) -> None:
    """Resolve the edges of cleared tasks again, and the run's own edges if it is queued again. `cleared`: task ids."""
    queued = run.record.state is DagRunState.QUEUED
    for edge in run.edges.values():
        if (edge.edge.task_id is None and queued and cleared) or edge.edge.task_id in cleared:
            request_slots(context, run, edge)
    set_edge_timers(context.engine_state, run)
    if queued and run.pk not in run.dag.runs_waiting_upstream and not waits_for_upstreams(run.edges.values()):
        run.dag.enqueue_run(run)
        context.startable_dags[run.dag] = None
    evaluate(context, run)


def on_slots_resolved(context: StepContext, event: SlotsResolved) -> None:
    """Store the waits for the slots of the edge, and subscribe to them at the owner of the upstream DAG."""
    run = context.engine_state.runs.get(event.run_pk)
    edge = run.edges.get(event.edge_no) if run is not None else None
    if run is None or edge is None or edge.waits or not _accepts_updates(run, edge):
        return
    context.current_dag = run.dag
    edge.resolution_error = event.error
    if event.error is None:
        _record_slots(context, run, edge, event)
    set_edge_timers(context.engine_state, run, context.now + int(UPDATE_GRACE_S * SECOND))
    evaluate(context, run)


def _record_slots(context: StepContext, run: DagRun, edge: EdgeWaits, event: SlotsResolved) -> None:
    after = edge.edge.dependency
    facts = event.facts
    if event.unknown:
        facts = (SlotFact(NO_SLOT, "open"),)
    group = group_of(after.dag_id)
    for fact in event.absent:
        _add_wait(context, run, edge, event.rule, fact, decide_wait_state(after, "absent"))
    for fact in facts:
        _add_wait(context, run, edge, event.rule, SlotFact(fact.at, "open"), WaitState.OPEN)
    if not edge.waits:
        _add_wait(context, run, edge, event.rule, SlotFact(NO_SLOT, "ok"), WaitState.MET)
    if not facts:
        return
    message = _build_subscription(run, edge, (fact.at for fact in facts), event.version)
    if group in context.engine_state.epochs:
        subscribe(context, message, facts)
    else:
        send_subscription(context, group, message)


def _build_subscription(
    run: DagRun, edge: EdgeWaits, slots: Iterable[Instant], version: int = 0
) -> SubscriptionMessage:
    after = edge.edge.dependency
    return SubscriptionMessage(
        up_dag=after.dag_id,
        slots=tuple(slots),
        down_run=run.pk,
        down_group=run.dag.record.group_no,
        edge_no=edge.edge.number,
        task_id=after.task_id,
        keeps=subscription_flags(after),
        version=version,
    )


def _add_wait(context: StepContext, run: DagRun, edge: EdgeWaits, rule: str, fact: SlotFact, state: WaitState) -> None:
    after = edge.edge.dependency
    wait = edge.waits[fact.at] = RunWait(
        down_run=run.pk,
        edge_no=edge.edge.number,
        up_dag=after.dag_id,
        up_at=fact.at,
        down_group=run.dag.record.group_no,
        up_group=group_of(after.dag_id),
        task_id=after.task_id,
        state=state,
        keeps=subscription_flags(after),
        rule=rule,
        since=context.now,
        clear_number=fact.clear_number,
        note=fact.note,
    )
    _store_wait(context, run, wait)


def _store_wait(context: StepContext, run: DagRun, wait: RunWait) -> None:
    context.changes.run_waits[wait.down_run, wait.edge_no, wait.up_dag, wait.up_at] = wait
    context.result.touched_groups.add(run.dag.record.group_no)


def on_upstream_update(context: StepContext, update: UpstreamUpdate) -> None:
    """Apply an update of one slot, unless the edge takes no updates any more or the update is older than the stored wait."""
    run = context.engine_state.runs.get(update.down_run)
    edge = run.edges.get(update.edge_no) if run is not None else None
    if run is None or edge is None or not edge.waits:
        return
    wait = edge.waits.get(update.fact.at)
    if not _accepts_updates(run, edge) or wait is None or wait.state in (WaitState.RELEASED, WaitState.CLOSED):
        return
    context.current_dag = run.dag
    fact, after = update.fact, edge.edge.dependency
    if fact.outcome == "changed" or (fact.outcome == "absent" and replaces_absent_slot(after)):
        if wait.state.is_open:
            request_slots(context, run, edge)
            evaluate(context, run)
        return
    if 0 <= fact.clear_number < wait.clear_number:
        return
    state = decide_wait_state(after, fact.outcome)
    if (state, fact.note, fact.clear_number) == (wait.state, wait.note, wait.clear_number):
        return
    if state is not wait.state:
        wait.since = context.now
    if state.is_open and not wait.state.is_open and wait.up_group not in context.engine_state.epochs:
        # The upstream may have a new owner since it was cleared, which found no open wait in the store.
        send_subscription(context, wait.up_group, _build_subscription(run, edge, [wait.up_at]))
    wait.state, wait.note, wait.clear_number = state, fact.note, fact.clear_number
    _store_wait(context, run, wait)
    evaluate(context, run, edge)


def evaluate(context: StepContext, run: DagRun, changed: EdgeWaits | None = None) -> None:
    """Apply the verdicts of the edges: the run waits, may start, or is cancelled; tasks of a running run are evaluated.

    `changed`: the edge that changed; None: all of them. A task of a followed run is evaluated when its follower gives the run back, which it does when the task is the next.
    """
    if run.is_running and run.follower is not None:
        return
    if run.is_running:
        for edge in run.edges.values() if changed is None else (changed,):
            index = run.graph.index_of.get(edge.edge.task_id) if edge.edge.task_id is not None else None
            if index is not None:
                context.enqueue_evaluation(run, index)
        return
    if run.record.state is not DagRunState.QUEUED:
        return
    cancelling = next(
        (edge for edge in run.edges.values() if edge.edge.task_id is None and edge.verdict is EdgeVerdict.CANCEL), None
    )
    if cancelling is not None:
        cancel_run(context, run, cancelling.cancel_reason)
    elif waits_for_upstreams(run.edges.values()):
        run.dag.runs_waiting_upstream[run.pk] = None
        _update_reason(context, run)
    elif run.pk in run.dag.runs_waiting_upstream:
        del run.dag.runs_waiting_upstream[run.pk]
        _update_reason(context, run)
        run.dag.enqueue_run(run)
        context.startable_dags[run.dag] = None


def _update_reason(context: StepContext, run: DagRun) -> None:
    """Store the reason that the run waits for, or none."""
    waits = describe_upstream_waits(run.edges.values())
    reason = None if waits is None else render(waits)
    if run.record.reason != reason and parse_run_stop(run.record.reason) is None:
        run.record.reason = reason
        context.mark_run_dirty(run)


def cancel_run(context: StepContext, run: DagRun, reason: str) -> None:
    """End a waiting run as failed; its tasks are skipped."""
    run.dag.runs_waiting_upstream.pop(run.pk, None)
    stop_tasks(context, run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=reason)
    end_run(context, run, DagRunState.FAILED, reason, callback_reason="upstream_failed")


def expire_edges(context: StepContext, run: DagRun) -> None:
    """A timer of the run fired: expire the edges that have waited for their `max_wait`, and apply their verdicts."""
    has_expired = False
    for edge in run.edges.values():
        at = edge.expires_at(run.record)
        is_resolved = bool(edge.waits) or edge.resolution_error is not None
        if at is not None and at <= context.now and is_resolved and edge.verdict is EdgeVerdict.WAIT:
            edge.is_expired = has_expired = True
    if has_expired:
        evaluate(context, run)


def release_run(context: StepContext, event: ReleaseRun) -> None:
    """End the waits of the run and its tasks for that DAG; the audit log records the user and the reason."""
    run = context.engine_state.runs.get(event.run_pk)
    if run is None:
        _reject_request(context, event, say("run_has_ended_or_is_gone"))
        return
    context.current_dag = run.dag
    edges = [edge for edge in run.edges.values() if event.up_dag in (None, edge.edge.dependency.dag_id)]
    waiting = [
        edge
        for edge in edges
        if edge.verdict is not EdgeVerdict.PASS and (edge.edge.task_id is not None or not run.is_running)
    ]
    if not waiting:
        is_named = event.up_dag and not edges
        refusal = _describe_other_waits(run, event.up_dag) if is_named else say("nothing_can_be_released")
        _reject_request(context, event, refusal)
        return
    reason = say("because", why=quote(event.reason)) if event.reason else None
    note = render(say("released_by", by=event.by, stored=reason))
    for edge in waiting:
        _release_edge(context, run, edge, note)
    names = sorted({edge.edge.label for edge in waiting})
    body = ", ".join(names) + (f": {event.reason}" if event.reason else "")
    context.add_audit_event("released", run=run, by=event.by, body=body, address=event.address)
    evaluate(context, run)
    if event.request_pk is not None:
        context.changes.answers.append((event.request_pk, "done", json.dumps({"released": names})))


def _describe_other_waits(run: DagRun, up_dag: str | None) -> Sentence:
    """That the run does not wait for this DAG, and for which it does."""
    names = ", ".join(sorted({edge.edge.dependency.dag_id for edge in run.edges.values()}))
    why = say("it_waits_for_dags", names=names) if names else say("it_waits_for_no_dag")
    return say("run_does_not_wait_for_dag", dag=up_dag, why=why)


def _release_edge(context: StepContext, run: DagRun, edge: EdgeWaits, note: str) -> None:
    context.result.unresolved_edges.pop((run.pk, edge.edge.number), None)
    edge.resolution_error, edge.is_expired = None, False
    if not edge.waits:
        _add_wait(context, run, edge, "none", SlotFact(NO_SLOT, "ok", note=note), WaitState.RELEASED)
    unsubscribe(context, edge.waits.values())
    for wait in edge.open_waits():
        wait.state, wait.since, wait.note = WaitState.RELEASED, context.now, note
        _store_wait(context, run, wait)


def _reject_request(context: StepContext, event: ReleaseRun, error: Sentence) -> None:
    if event.request_pk is not None:
        context.changes.answers.append((event.request_pk, "refused", json.dumps({"error": render(error)})))
