"""Callbacks of a run: queued by the step that ends the run, sent to a worker, kept until a worker reports their end.

The transaction that stores the end of the run stores the callback too, and nothing about the run waits for it. It uses a slot of a
worker, at most a quarter of the slots of each, and no pool; it is submitted before task instances. A callback whose worker is lost
while it runs is called again, at most `CALLBACK_TRIES` times. One that raises or exceeds its timeout is not called again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, build_callback_log_path
from gnomon.model.instants import add_seconds
from gnomon.model.records import EventRecord
from gnomon.model.result_checks import is_entry_instant
from gnomon.model.run_callbacks import CALLBACK_TASK_NO, CallbackKind, CallbackRecord, CallbackRequest, CallbackState
from gnomon.model.sentences import render, say
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.decide.outcomes import UNENTERED_LIMIT
from gnomon.rules.engine.events import AuthorCodeEntered, InventoryRead
from gnomon.rules.engine.state.engine_state import EngineState, WorkerCapacity, find_executor_of_worker
from gnomon.rules.engine.state.pending_callback import PendingCallback
from gnomon.rules.engine.state.run_facts import VOLATILE_IMPORT_MAX_AGE_S, describe_run
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.rules.engine.step_context import CancelOrder, StepContext

CALLBACK_TRIES = 3
"""How often a callback is called whose process is lost with its worker."""
END_GRACE_S = 10.0
"""The process ends a callback after its timeout itself; after so many seconds more, its worker is told to end the process."""
_RUN_ENDS = (CallbackKind.RUN_SUCCEEDED, CallbackKind.RUN_FAILED)


def enqueue_run_end_callbacks(context: StepContext, run: DagRun, reason: str | None) -> None:
    """Queue the callbacks and listeners of the end of this run, if there are any.

    `reason`: as the context shows it (success, task_failure, timed_out, ...); None: a user marked the run, which calls listeners only.
    """
    kind = CallbackKind.RUN_SUCCEEDED if run.record.state is DagRunState.SUCCESS else CallbackKind.RUN_FAILED
    spec = run.graph.spec
    calls_dag = reason is not None and kind in spec.run_callbacks
    if not calls_dag and kind not in spec.run_listeners:
        return
    request = CallbackRequest(kind=kind, reason=reason or f"marked {run.record.state.value}", calls_dag=calls_dag)
    ti = _find_relevant_instance(run, reason)
    enqueue_callback(context, run, request if ti is None else _with_task(request, ti))


def enqueue_run_start_callbacks(context: StepContext, run: DagRun) -> None:
    """Queue the listeners of the start of this run, if there are any."""
    if CallbackKind.RUN_STARTED in run.graph.spec.run_listeners:
        enqueue_callback(context, run, CallbackRequest(kind=CallbackKind.RUN_STARTED, reason="running"))


def enqueue_task_end_callbacks(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    """The try has failed: queue the callbacks of the task if its process ended without calling them."""
    calls_code = ti.task.has_failure_callbacks or ti.run.graph.spec.calls_task_listeners
    if calls_code and result.entered and not result.callbacks_called:
        request = CallbackRequest(
            kind=CallbackKind.TASK_ENDED, reason=result.reason or result.outcome, executor=ti.executor
        )
        enqueue_callback(context, ti.run, _with_task(request, ti))


def _find_relevant_instance(run: DagRun, reason: str | None) -> TaskInstance | None:
    """The instance that the context describes: the last that succeeded or failed; for a run that was stopped, the last that this stopped."""
    relevant_state = {"success": S.SUCCESS, "task_failure": S.FAILED}.get(reason or "")
    instances = [ti for of_task in run.task_instances for ti in of_task.values()]
    if relevant_state is not None:
        chosen = [ti for ti in instances if ti.state is relevant_state]
    else:
        chosen = [ti for ti in instances if run.record.reason is not None and ti.reason == run.record.reason]
    return max(chosen, key=lambda ti: (ti.ended_at or 0, ti.index, ti.map_index), default=None)


def _with_task(request: CallbackRequest, ti: TaskInstance) -> CallbackRequest:
    return replace(
        request,
        task_id=ti.task.task_id,
        map_index=ti.map_index,
        try_number=ti.try_number,
        max_tries=ti.max_tries,
        task_state=None if ti.state is None else ti.state.value,
        task_started_at=ti.started_at,
        task_ended_at=ti.ended_at,
    )


def enqueue_callback(context: StepContext, run: DagRun, request: CallbackRequest) -> PendingCallback:
    """Queue a callback of this run; its row is written with this step."""
    record = run.record
    request = replace(
        request, run_state=record.state.value, run_started_at=record.started_at, run_ended_at=record.ended_at
    )
    callback_id = context.new_id()
    dag_id = run.dag.record.dag_id
    pending = PendingCallback(
        CallbackRecord(
            callback_id,
            run.pk,
            record.dag_pk,
            request,
            context.now,
            log=build_callback_log_path(dag_id, record.run_id, request.kind, callback_id),
        ),
        run.dag,
        _restore_facts(describe_run(dag_id, record), request),
    )
    context.engine_state.callbacks[callback_id] = pending
    context.engine_state.queued_callbacks[callback_id] = pending
    _mark_changed(context, pending)
    return pending


def restore_callback(engine_state: EngineState, dag: Dag, record: CallbackRecord, facts: RunFacts) -> None:
    """Add a callback to memory as the store has it."""
    pending = PendingCallback(record, dag, _restore_facts(facts, record.request))
    engine_state.callbacks[record.callback_id] = pending
    if record.attempt is None:
        engine_state.queued_callbacks[record.callback_id] = pending
        return
    _count_attempt(engine_state, pending)
    if record.state is CallbackState.RUNNING:
        _set_end_timer(engine_state, pending)


def _restore_facts(facts: RunFacts, request: CallbackRequest) -> RunFacts:
    """The facts of the run as they were when the callback was queued: the run may have been cleared since."""
    return replace(facts, state=request.run_state, started_at=request.run_started_at, ended_at=request.run_ended_at)


# ---- submit ----------------------------------------------------------------------------------------------------------
def submit_callbacks(context: StepContext) -> None:
    """Submit queued callbacks to workers, oldest first, while workers have room for them."""
    engine_state = context.engine_state
    full: set[str | None] = set()
    for pending in _list_submittable(engine_state):
        executor = _find_executor(engine_state, pending)
        worker = None if executor in full else _find_worker(engine_state, executor)
        if worker is None:
            full.add(executor)
            if engine_state.limits.executors is None or len(full) == len(engine_state.limits.executors.executors):
                return
            continue
        record = pending.record
        record.attempt, record.worker = context.new_id(), worker.worker_id
        del engine_state.queued_callbacks[record.callback_id]
        _count_attempt(engine_state, pending)
        _mark_changed(context, pending)
        context.result.submits.setdefault(worker.worker_id, []).append(_build_attempt(engine_state, pending))


def _list_submittable(engine_state: EngineState) -> list[PendingCallback]:
    """The queued callbacks, without those of the end of a run of which listeners of the start are not yet called to their end.

    So a listener gets the start first; it is bounded, and delays the end by a bounded time.
    """
    starting: set[int] = set()
    submittable = []
    for pending in engine_state.callbacks.values() if engine_state.queued_callbacks else ():
        record = pending.record
        if record.request.kind == CallbackKind.RUN_STARTED:
            starting.add(record.run_pk)
        if record.callback_id in engine_state.queued_callbacks and not (
            record.request.kind in _RUN_ENDS and record.run_pk in starting
        ):
            submittable.append(pending)
    return submittable


def _find_executor(engine_state: EngineState, pending: PendingCallback) -> str | None:
    """The short name of its executor, the default one if the one that it names is no longer configured; None: every worker takes it."""
    executors = engine_state.limits.executors
    return None if executors is None else executors.find(pending.record.request.executor) or executors.default


def _find_worker(engine_state: EngineState, executor: str | None) -> WorkerCapacity | None:
    """The reachable worker of the executor with the most free slots that has room for another callback; None when there is none."""
    live: dict[str, int] = {}
    for pending in engine_state.callback_attempts.values():
        live[pending.record.worker or ""] = live.get(pending.record.worker or "", 0) + 1
    free = [
        worker
        for worker in engine_state.workers.values()
        if worker.has_free_slot
        and live.get(worker.worker_id, 0) < max(1, worker.slots // 4)
        and (executor is None or find_executor_of_worker(worker.worker_id) == executor)
    ]
    return max(free, key=lambda worker: (worker.slots - worker.used_slots, worker.worker_id), default=None)


def _build_attempt(engine_state: EngineState, pending: PendingCallback) -> Attempt:
    dag, record = pending.dag.record, pending.record
    assert record.attempt is not None
    return Attempt(
        attempt_id=record.attempt,
        group_no=dag.group_no,
        epoch=engine_state.epochs.get(dag.group_no, 0),
        run=pending.facts,
        task_id=record.request.task_id or "",
        task_no=CALLBACK_TASK_NO,
        map_index=record.request.map_index,
        kind="callback",
        callback=record.request,
        try_number=record.request.try_number,
        max_tries=record.request.max_tries,
        file=dag.file,
        bundle_name=dag.bundle_name,
        input_hash=dag.input_hash,
        fresh=dag.fresh is not None or pending.dag.graph.spec.fresh_import,
        calls_listeners=pending.dag.graph.spec.calls_task_listeners,
        timeout_s=engine_state.limits.callback_timeout_s,
        zygote_max_age_s=VOLATILE_IMPORT_MAX_AGE_S if dag.has_volatile_import else None,
        log=record.log or "",
    )


def _count_attempt(engine_state: EngineState, pending: PendingCallback) -> None:
    record = pending.record
    assert record.attempt is not None
    pending.generation += 1
    engine_state.callback_attempts[record.attempt] = pending
    worker = engine_state.workers.get(record.worker or "")
    if worker is not None:
        worker.used_slots += 1


def _release_attempt(engine_state: EngineState, pending: PendingCallback) -> None:
    record = pending.record
    pending.generation += 1
    if record.attempt is not None and engine_state.callback_attempts.pop(record.attempt, None) is not None:
        worker = engine_state.workers.get(record.worker or "")
        if worker is not None:
            worker.used_slots -= 1
            engine_state.offer_slots(worker)
    record.attempt = record.worker = None


# ---- what workers report ---------------------------------------------------------------------------------------------
def on_callback_entered(context: StepContext, event: AuthorCodeEntered) -> None:
    """Set the callback to running; no effect for another attempt."""
    pending = context.engine_state.callback_attempts.get(event.attempt_id)
    if pending is None or pending.record.state is CallbackState.RUNNING:
        return
    pending.unentered_attempts = 0
    record = pending.record
    pending.record.state, record.started_at = (
        CallbackState.RUNNING,
        event.at if is_entry_instant(event.at) else context.now,
    )
    record.tries += 1
    _set_end_timer(context.engine_state, pending)
    _mark_changed(context, pending)


def on_callback_result(context: StepContext, result: AttemptResult) -> PendingCallback | None:
    """End the callback, or queue it again when its process is lost. Returns it when it ended; None for another attempt."""
    pending = context.engine_state.callback_attempts.get(result.attempt_id)
    if pending is None:
        return None
    context.current_dag = pending.dag
    record = pending.record
    if result.entered and record.state is CallbackState.QUEUED and result.outcome != "lost":
        record.tries += 1
    record.started_at = result.started_at or record.started_at
    _release_attempt(context.engine_state, pending)
    if result.outcome == "lost" and _may_run_again(pending, entered=result.entered):
        pending.record.state, record.reason = CallbackState.QUEUED, result.reason
        context.engine_state.queued_callbacks[record.callback_id] = pending
        _mark_changed(context, pending)
        return None
    pending.record.state = CallbackState.SUCCESS if result.outcome == "success" else CallbackState.FAILED
    record.ended_at = result.ended_at or context.now
    record.reason = None if result.reason is None else escape_unstorable(result.reason)
    _forget(context.engine_state, pending)
    _mark_changed(context, pending)
    if record.state is CallbackState.FAILED:
        add_run_event(context, pending, "callback_failed", f"{record.request.kind}: {record.reason or result.outcome}")
    return pending


def _may_run_again(pending: PendingCallback, *, entered: bool) -> bool:
    pending.unentered_attempts += not entered
    return pending.record.tries < CALLBACK_TRIES and pending.unentered_attempts < UNENTERED_LIMIT


def on_callback_timer(context: StepContext, pending: PendingCallback) -> None:
    """The process has not ended the callback after its timeout: its worker ends the process."""
    record = pending.record
    if record.attempt is None or record.worker is None:
        return
    timeout_s = context.engine_state.limits.callback_timeout_s
    reason = render(say("callback_took_too_long", duration=timeout_s))
    context.result.cancels.append(CancelOrder(record.worker, record.attempt, reason))


def _set_end_timer(engine_state: EngineState, pending: PendingCallback) -> None:
    started_at = pending.record.started_at
    if started_at is not None:
        pending.generation += 1
        engine_state.set_timer(add_seconds(started_at, engine_state.limits.callback_timeout_s + END_GRACE_S), pending)


def on_callback_inventory(context: StepContext, event: InventoryRead) -> None:
    """Compare the callbacks on this worker with its inventory, as `attempt_results.on_inventory` does for task instances."""
    for pending in _callbacks_on_worker(context.engine_state, event.worker_id):
        record = pending.record
        attempt_id = record.attempt or ""
        if attempt_id in event.results or pending.dag.record.group_no not in event.groups:
            continue
        entered = event.running.get(attempt_id)
        if entered is None and record.state is CallbackState.RUNNING:
            loss = render(say("worker_no_longer_has_it", worker=event.worker_id))
            on_callback_result(context, _build_lost_result(pending, loss))
        elif entered is None:
            context.result.submits.setdefault(event.worker_id, []).append(_build_attempt(context.engine_state, pending))
        elif entered:
            on_callback_entered(context, AuthorCodeEntered(attempt_id, context.now))


def lose_callbacks(context: StepContext, worker_id: str) -> list[PendingCallback]:
    """The worker is lost: queue its callbacks again, or end them. Returns those that ended."""
    loss = render(say("worker_stopped_answering", worker=worker_id))
    lost = [_build_lost_result(pending, loss) for pending in _callbacks_on_worker(context.engine_state, worker_id)]
    return [pending for result in lost if (pending := on_callback_result(context, result)) is not None]


def _callbacks_on_worker(engine_state: EngineState, worker_id: str) -> Iterator[PendingCallback]:
    for pending in list(engine_state.callback_attempts.values()):
        if pending.record.worker == worker_id:
            yield pending


def _build_lost_result(pending: PendingCallback, reason: str) -> AttemptResult:
    return AttemptResult(
        attempt_id=pending.record.attempt or "",
        group_no=pending.dag.record.group_no,
        run_pk=pending.record.run_pk,
        task_no=CALLBACK_TASK_NO,
        outcome="lost",
        entered=pending.record.state is CallbackState.RUNNING,
        reason=reason,
    )


# ---- end -------------------------------------------------------------------------------------------------------------
def discard_callbacks(context: StepContext, is_discarded: Callable[[PendingCallback], bool], reason: str) -> None:
    """Forget callbacks whose run is deleted with this step, and end their processes."""
    for pending in [pending for pending in context.engine_state.callbacks.values() if is_discarded(pending)]:
        record = pending.record
        if record.attempt is not None and record.worker is not None:
            context.result.cancels.append(CancelOrder(record.worker, record.attempt, reason))
        context.changes.callbacks.pop(record.callback_id, None)
        _release_attempt(context.engine_state, pending)
        _forget(context.engine_state, pending)


def detach_callbacks(engine_state: EngineState, dag: Dag) -> None:
    """Remove the callbacks of the DAG from memory without a change to the store."""
    for pending in [pending for pending in engine_state.callbacks.values() if pending.dag is dag]:
        _release_attempt(engine_state, pending)
        _forget(engine_state, pending)


def _forget(engine_state: EngineState, pending: PendingCallback) -> None:
    engine_state.callbacks.pop(pending.record.callback_id, None)
    engine_state.queued_callbacks.pop(pending.record.callback_id, None)


def _mark_changed(context: StepContext, pending: PendingCallback) -> None:
    context.changes.callbacks[pending.record.callback_id] = pending.record
    context.result.touched_groups.add(pending.dag.record.group_no)


def add_run_event(context: StepContext, pending: PendingCallback, kind: str, body: str) -> None:
    """Add a line about the callback's run to the audit log; the run need not be in memory."""
    record = pending.record
    context.changes.events.append(
        EventRecord(at=context.now, kind=kind, dag_pk=record.dag_pk, run_pk=record.run_pk, body=body)
    )
