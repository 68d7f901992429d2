"""The deadlines of a run: created with it, checked by a timer of the owner, missed once, deleted when the run ends first.

A deadline whose instant needs the store (`average_runtime`) is resolved by an event; one whose instant needs author code (`author`) by
a callback on a worker.
"""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.attempts import AttemptResult
from gnomon.model.instants import Instant, add_seconds, iso
from gnomon.model.run_callbacks import (
    CallbackKind,
    CallbackRequest,
    CallbackState,
    DeadlineRecord,
    DeadlineSpec,
    DeadlineState,
)
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.rules.engine.events import DeadlineResolved
from gnomon.rules.engine.lifecycle.run_callbacks import add_run_event, enqueue_callback
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.pending_callback import PendingCallback
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepContext

_UNRESOLVED_REFERENCES = ("average_runtime", "author")


def refresh_deadlines(context: StepContext, run: DagRun) -> None:
    """Create the deadlines of a new run, request the instants that are still unknown, and set the timers."""
    if run.record.state in FINISHED_RUN_STATES:
        return
    if run.record.started_at is None and run.record.clear_number == 0:
        _create_deadlines(context, run, range(len(run.graph.spec.deadlines)))
    for deadline in run.deadlines.values():
        if deadline.state is DeadlineState.UNRESOLVED:
            _request_instant(context, run, deadline)
    set_deadline_timers(context.engine_state, run)


def renew_deadlines(context: StepContext, run: DagRun) -> None:
    """The run was cleared and is queued again: it gets its deadlines after `queued_at` anew, unless it has missed them."""
    specs = run.graph.spec.deadlines
    _create_deadlines(context, run, (no for no, spec in enumerate(specs) if spec.reference == "queued_at"))
    set_deadline_timers(context.engine_state, run)


def _create_deadlines(context: StepContext, run: DagRun, numbers: Iterable[int]) -> None:
    for no in numbers:
        if no not in run.deadlines:
            spec = run.graph.spec.deadlines[no]
            deadline = run.deadlines[no] = DeadlineRecord(run.pk, no, DeadlineState.UNRESOLVED, name=spec.name)
            if spec.reference not in _UNRESOLVED_REFERENCES:
                _set_instant(context, run, deadline, _compute_instant(run, spec))
            else:
                context.changes.deadlines[run.pk, no] = deadline


def _compute_instant(run: DagRun, spec: DeadlineSpec) -> Instant | None:
    bases = {"logical_date": run.record.logical_at, "queued_at": run.record.queued_at, "fixed": spec.at}
    base = bases.get(spec.reference)
    return None if base is None else add_seconds(base, spec.interval_s)


def _set_instant(context: StepContext, run: DagRun, deadline: DeadlineRecord, due_at: Instant | None) -> None:
    deadline.due_at = due_at
    deadline.state = DeadlineState.NONE if due_at is None else DeadlineState.PENDING
    context.changes.deadlines[run.pk, deadline.deadline_no] = deadline
    if due_at is not None:
        context.engine_state.set_timer(due_at, run)


def _request_instant(context: StepContext, run: DagRun, deadline: DeadlineRecord) -> None:
    specs = run.graph.spec.deadlines
    if deadline.deadline_no >= len(specs):
        _set_instant(context, run, deadline, None)  # the DAG has fewer deadlines now
        return
    spec = specs[deadline.deadline_no]
    if spec.reference == "average_runtime":
        context.result.unresolved_deadlines.append((run.pk, deadline.deadline_no))
        return
    place = (run.pk, deadline.deadline_no)
    requested = (
        (pending.record.run_pk, pending.record.request.deadline_no)
        for pending in context.engine_state.callbacks.values()
    )
    if place not in requested:
        enqueue_callback(
            context,
            run,
            CallbackRequest(kind=CallbackKind.DEADLINE_REFERENCE, reason="deadline", deadline_no=deadline.deadline_no),
        )


def on_deadline_resolved(context: StepContext, event: DeadlineResolved) -> None:
    """The store gave the average duration of the ended runs: the deadline is that long after now, plus its interval."""
    run = context.engine_state.runs.get(event.run_pk)
    deadline = None if run is None else run.deadlines.get(event.deadline_no)
    if run is None or deadline is None or deadline.state is not DeadlineState.UNRESOLVED:
        return
    context.current_dag = run.dag
    context.result.touched_groups.add(run.dag.record.group_no)
    specs = run.graph.spec.deadlines
    is_known = event.average_s is not None and event.deadline_no < len(specs)
    span_s = (event.average_s or 0.0) + specs[event.deadline_no].interval_s if is_known else 0.0
    _set_instant(context, run, deadline, add_seconds(context.now, span_s) if is_known else None)


def on_reference_ended(context: StepContext, pending: PendingCallback, result: AttemptResult | None) -> None:
    """Author code has computed the instant of a deadline, or failed; a callback that succeeded is not kept.

    `result` None: its process was lost too often.
    """
    if pending.record.request.kind != CallbackKind.DEADLINE_REFERENCE:
        return
    number = pending.record.request.deadline_no
    if pending.record.state is CallbackState.SUCCESS:
        context.changes.callbacks.pop(pending.record.callback_id, None)
        context.changes.callbacks_deleted.append(pending.record.callback_id)
    else:
        told = say("deadline_has_no_instant", deadline=str(number), reason=str(pending.record.reason))
        add_run_event(context, pending, "deadline_unknown", render(told))
    run = context.engine_state.runs.get(pending.record.run_pk)
    deadline = None if run is None or number is None else run.deadlines.get(number)
    if run is not None and deadline is not None and deadline.state is DeadlineState.UNRESOLVED:
        _set_instant(
            context, run, deadline, None if result is None or result.outcome != "success" else result.resume_at
        )


def set_deadline_timers(engine_state: EngineState, run: DagRun) -> None:
    """Set a timer for each deadline that is neither missed nor unknown; call it after each change of the run's state."""
    for deadline in run.deadlines.values():
        if deadline.state is DeadlineState.PENDING and deadline.due_at is not None:
            engine_state.set_timer(deadline.due_at, run)


def miss_due_deadlines(context: StepContext, run: DagRun) -> None:
    """Queue the callbacks of the deadlines that are due."""
    specs = run.graph.spec.deadlines
    for deadline in run.deadlines.values():
        if deadline.state is not DeadlineState.PENDING or deadline.due_at is None or deadline.due_at > context.now:
            continue
        deadline.state, deadline.missed_at = DeadlineState.MISSED, context.now
        context.changes.deadlines[run.pk, deadline.deadline_no] = deadline
        named = f"deadline {deadline.name!r}" if deadline.name else f"deadline {deadline.deadline_no}"
        context.add_audit_event("deadline_missed", run=run, body=f"{named} was {iso(deadline.due_at)}")
        enqueue_callback(
            context,
            run,
            CallbackRequest(
                kind=CallbackKind.DEADLINE_MISSED,
                reason="deadline_missed",
                deadline_no=deadline.deadline_no,
                deadline_at=deadline.due_at,
                executor=specs[deadline.deadline_no].executor if deadline.deadline_no < len(specs) else None,
            ),
        )


def prune_deadlines(context: StepContext, run: DagRun) -> None:
    """The run ends: deadlines that were due before are missed, the others are deleted."""
    if not run.deadlines:
        return
    miss_due_deadlines(context, run)
    missed = {no: deadline for no, deadline in run.deadlines.items() if deadline.state is DeadlineState.MISSED}
    if len(missed) < len(run.deadlines):
        context.changes.deadlines_deleted.append(run.pk)
        for no in run.deadlines.keys() - missed.keys():
            context.changes.deadlines.pop((run.pk, no), None)
    run.deadlines = missed
