"""Admission: ready task instances get an attempt while workers, pools and limits have room.

Fairness. The pools take turns, one task instance each, until no pool can admit another; a full pool costs one look. Within
a pool, `AdmissionKey` is the order. A pool whose first task instance is raised by a baseline comes before the others. Tasks of backfills come after all others, also those of other pools. A task instance that meets a reached limit moves to the queue of that limit and is
looked at again when the limit is released, so that admission does not read a queue that it cannot serve
(airflow-surface.md D.5 and section I, 15).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from gnomon.model.attempts import Attempt, AttemptResult, ElementSource, RunFacts, build_attempt_log_path
from gnomon.model.deferral import Resumption
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import Changes
from gnomon.model.spec import TaskSpec
from gnomon.model.states import WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.outcomes import parse_restarts
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.lifecycle.capacity import acquire, find_full_executor, find_reached_limit, release
from gnomon.rules.engine.lifecycle.deferrals import compute_deadline, undo_deferral
from gnomon.rules.engine.lifecycle.task_lifecycle import start_deferred
from gnomon.rules.engine.state.engine_state import EngineState, WorkerCapacity, find_executor_of_worker
from gnomon.rules.engine.state.limits import LimitQueue, Pool
from gnomon.rules.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.rules.engine.state.queue_state import QueueCause
from gnomon.rules.engine.state.run_facts import VOLATILE_IMPORT_MAX_AGE_S, describe_run
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_instance import AttemptTemplate, DagRun, TaskInstance
from gnomon.rules.engine.step_context import Admission, StepContext, StepResult


def admit_ready(context: StepContext) -> None:
    """Admit ready task instances, at most `max_admissions_per_step`; sets `has_more_work` when that bound is reached."""
    engine_state = context.engine_state
    if not any(pool.ready_queue for pool in engine_state.pools.values()):
        return
    budget = engine_state.limits.max_admissions_per_step
    pools = deque(pool for _, pool in sorted(engine_state.pools.items()) if pool.ready_queue)
    if engine_state.raised_dags:
        pools = deque(sorted(pools, key=lambda pool: not _is_raised(_find_first_queued(pool))))
    backfill_pools: deque[Pool] = deque()  # pools in which only tasks of backfills are ready
    blocked: list[Pool] = []  # pools whose first task instance needs more slots than are free
    while pools or backfill_pools:
        worker = find_free_worker(engine_state)
        if worker is None:
            return
        turns = pools or backfill_pools
        pool = turns.popleft()
        ti = _find_next_admissible(engine_state, pool)
        if ti is None:
            if pool.ready_queue:
                blocked.append(pool)
            continue
        if turns is pools and ti.run.backfill is not None and not ti.is_resumption:
            backfill_pools.append(pool)
            continue
        if budget == 0:
            context.has_more_work = True
            return
        budget -= 1
        _admit_one(context, ti, pool, worker)
        if blocked and any(limit.is_reached for limit in ti.limits):
            pools += blocked  # the first instance of one may wait at that limit now, and no longer for slots
            blocked = []
        if engine_state.raised_dags and _is_raised(_find_first_queued(pool)):
            turns.appendleft(pool)
        else:
            turns.append(pool)


def _is_raised(ti: TaskInstance | None) -> bool:
    """Whether a baseline has raised the priority of the instance: it goes first between pools as well."""
    return ti is not None and ti.raised is not None


def find_free_worker(engine_state: EngineState, executor: str | None = None) -> WorkerCapacity | None:
    """The reachable worker with the most free slots; None when `parallelism` is reached or every slot is used.

    `executor`: the short name of the executor that it must belong to; None: any.
    """
    parallelism = engine_state.limits.parallelism
    if parallelism is not None and engine_state.live_attempt_count >= parallelism:
        return None
    best: WorkerCapacity | None = None
    for worker in engine_state.workers.values():
        if (
            worker.has_free_slot
            and (executor is None or find_executor_of_worker(worker.worker_id) == executor)
            and (
                best is None
                or (worker.slots - worker.used_slots, worker.worker_id) > (best.slots - best.used_slots, best.worker_id)
            )
        ):
            best = worker
    return best


def _find_next_admissible(engine_state: EngineState, pool: Pool) -> TaskInstance | None:
    """The first instance that its DAG, its limits, its executor and the pool admit; instances that are not admitted leave the queue.

    None when the queue is empty, or the first instance has to wait for slots of the pool.
    """
    while (ti := _find_first_queued(pool)) is not None:
        if ti.run.dag.hold_reason is not None:
            move_in_queue(ti, QueueCause.DAG_HELD)
        elif pool.is_too_small(ti.pool_slots):
            move_in_queue(ti, QueueCause.POOL_TOO_SMALL, pool)
        elif (
            limit := find_reached_limit(ti)
            or (None if engine_state.limits.executors is None else find_full_executor(engine_state, ti))
        ) is not None:
            move_in_queue(ti, QueueCause.LIMIT_REACHED, pool, limit)
        else:
            return ti if pool.has_room(ti.pool_slots) else None
    return None


def _find_first_queued(pool: Pool) -> TaskInstance | None:
    """The first task instance of the pool's queue, or of the LimitQueue that is first there."""
    while (item := pool.ready_queue.peek()) is not None:
        if isinstance(item, TaskInstance):
            return item
        assert isinstance(item, LimitQueue)
        if item.task_instances.peek_key() == item.queued_key and not item.limit.is_reached:
            first = item.task_instances.peek()
            assert isinstance(first, TaskInstance)
            return first
        item.leave_pool_queue()
        if not item.limit.is_reached:
            item.join_pool_queue()
    return None


def _admit_one(context: StepContext, ti: TaskInstance, pool: Pool, worker: WorkerCapacity) -> None:
    """Submit an attempt to a worker of its executor, or start the deferral of a task that starts from its trigger.

    `worker`: the one with the most free slots, of any executor.
    """
    context.current_dag = ti.run.dag
    previous = (ti.state, ti.try_number, ti.reason, ti.resume_at, ti.started_at)
    deleted_results = (
        start_deferred(context, ti)
        if ti.starts_deferred
        else _begin_attempt(context, ti, pool, _choose_worker(context.engine_state, ti, worker))
    )
    if context.keeps_rows:
        context.result.admissions.append(Admission(ti, *previous, deleted_results))


def _choose_worker(engine_state: EngineState, ti: TaskInstance, freest: WorkerCapacity) -> WorkerCapacity:
    executors = engine_state.limits.executors
    if executors is None or not executors.is_a_choice(ti.executor):
        return freest
    worker = find_free_worker(engine_state, executors.find(ti.executor))
    assert worker is not None  # `_find_next_admissible` has looked
    return worker


def _begin_attempt(
    context: StepContext, ti: TaskInstance, pool: Pool, worker: WorkerCapacity
) -> list[AttemptResult] | None:
    """Create the attempt and count it. Returns the value of `delete_xcoms`; None for a first attempt or a resumption."""
    dequeue(ti)
    is_resumption = ti.is_resumption
    if ti.state is not S.UP_FOR_RESCHEDULE and not is_resumption:
        ti.try_number += 1
    lifecycle.transition(ti, Cause.ADMIT)
    ti.seq += 1
    ti.attempt = context.new_id()
    ti.worker = worker.worker_id
    ti.entered = False
    ti.resume_at = ti.ended_at = None
    if ti.reason is not None and not parse_restarts(ti.reason):
        ti.reason = None
    if not is_resumption:
        ti.started_at = None
    deleted_results = context.delete_xcoms(ti) if ti.seq > 1 and not is_resumption else None
    acquire(context.engine_state, ti)
    if context.keeps_rows:
        context.changes.pool_used[pool.name] = context.changes.pool_used.get(pool.name, 0) + ti.pool_slots
    context.newly_ready.pop(ti, None)
    context.mark_dirty(ti)
    attempt = build_attempt(context.engine_state, ti, with_log=context.keeps_rows)
    context.result.submits.setdefault(worker.worker_id, []).append(attempt)
    return deleted_results


def retract_admissions(engine_state: EngineState, result: StepResult, pool_name: str) -> bool:
    """Take back all admissions of this step to the pool; returns False when there are none.

    For a pool whose slots another scheduler has used in the meantime. Nothing else in a step depends on its admissions, so
    the remaining changes can be committed. The pool counts as full here until it is read again.
    """
    refused = [admission for admission in result.admissions if _uses_pool(pool_name, admission.task_instance)]
    if not refused:
        return False
    changes = result.changes
    result.admissions = [
        admission for admission in result.admissions if not _uses_pool(pool_name, admission.task_instance)
    ]
    retracted = {admission.task_instance.attempt for admission in refused}
    for worker_id, attempts in list(result.submits.items()):
        result.submits[worker_id] = [attempt for attempt in attempts if attempt.attempt_id not in retracted]
    changes.pool_used[pool_name] -= sum(admission.task_instance.pool_slots for admission in refused)
    for admission in refused:
        _undo_admission(engine_state, changes, admission)
    rows = {admission.task_instance.key(): admission.task_instance.to_record() for admission in refused}
    changes.tasks = [rows.get(row.key, row) for row in changes.tasks]
    pool = engine_state.get_pool(pool_name)
    if pool.slots is not None:
        pool.used = max(pool.used, pool.slots)
    return True


def _uses_pool(pool_name: str, ti: TaskInstance) -> bool:
    """True when the attempt of the instance, or its deferral, uses slots of that pool."""
    return ti.pool == pool_name and (ti.has_attempt or (ti.deferral is not None and ti.deferral.held_slots > 0))


def _undo_admission(engine_state: EngineState, changes: Changes, admission: Admission) -> None:
    ti = admission.task_instance
    if ti.has_attempt:
        release(engine_state, ti)
        ti.attempt = ti.worker = None
        ti.seq -= 1
    else:
        undo_deferral(engine_state, changes, ti)
    ti.try_number, ti.reason, ti.resume_at = admission.try_number, admission.reason, admission.resume_at
    ti.started_at = admission.started_at
    if admission.xcoms is not None:
        changes.xcom_clears.remove(ti.key())  # one entry only: a clear in the same step has its own
        changes.results += admission.xcoms
    lifecycle.undo_transition(ti, admission.state)
    if admission.state in (None, *WITHOUT_PROCESS_STATES):
        lifecycle.transition(ti, Cause.WAIT)
    move_in_queue(ti, QueueCause.BECOME_READY, engine_state.get_pool(ti.pool or ti.target_pool))


def build_attempt(engine_state: EngineState, ti: TaskInstance, *, with_log: bool = True) -> Attempt:
    """The message that tells a worker to run the live attempt of the instance. `with_log` False: nothing will write a log."""
    run, task = ti.run, ti.task
    assert ti.attempt is not None
    attempt = replace(
        find_template(engine_state, run),
        attempt_id=ti.attempt,
        task_id=task.task_id,
        task_no=run.graph.numbers[ti.index],
        map_index=ti.map_index,
        try_number=ti.try_number,
        max_tries=ti.max_tries,
        seq=ti.seq,
        timeout_s=task.execution_timeout_s,
        log=build_attempt_log_path(run.dag.record.dag_id, run.record.run_id, task.task_id, ti.map_index, ti.seq)
        if with_log
        else "",
        queue=ti.queue,
    )
    rare = _list_rare_fields(ti, task)
    return replace(attempt, **rare) if rare else attempt


def _list_rare_fields(ti: TaskInstance, task: TaskSpec) -> dict[str, Any]:
    """The fields that most attempts do not have."""
    rare: dict[str, Any] = {}
    if task.extra_links:
        rare["computes_links"] = any(link.static_url is None for link in task.extra_links)
    if task.executor_config is not None:
        rare["executor_config"] = task.executor_config
    if ti.overrides is not None:
        rare["overrides"] = ti.overrides
    if ti.is_resumption:
        rare |= {"resume": _build_resumption(ti), "started_at": ti.started_at}
        if ti.continues_in_operator:
            rare["deadline_at"] = compute_deadline(ti)
    expansion = ti.run.expansions.get(ti.index) if ti.map_index >= 0 else None
    if expansion is not None:
        rare["expanded_count"] = expansion.count
        rare["factor_lengths"] = expansion.lengths
        rare["elements"] = tuple(dict.fromkeys(_find_elements(ti, expansion)))
    return rare


def find_template(engine_state: EngineState, run: DagRun) -> Attempt:
    """What all attempts of the run have in common, in its present state and with the present file of its DAG."""
    dag, template = run.dag.record, run.attempt_template
    epoch = engine_state.epochs.get(dag.group_no, 0)
    if (
        template is None
        or template.facts is not run.facts
        or template.graph is not run.graph
        or template.dag is not dag
        or template.fresh != dag.fresh
        or template.epoch != epoch
    ):
        spec, facts = run.graph.spec, _build_run_facts(run)
        attempt = Attempt(
            attempt_id="",
            group_no=dag.group_no,
            epoch=epoch,
            run=facts,
            task_id="",
            task_no=0,
            file=dag.file,
            bundle_name=dag.bundle_name,
            input_hash=dag.input_hash,
            fresh=dag.fresh is not None or spec.fresh_import,
            attempts_per_child=spec.attempts_per_child,
            calls_listeners=spec.calls_task_listeners,
            zygote_max_age_s=VOLATILE_IMPORT_MAX_AGE_S if dag.has_volatile_import else None,
        )
        template = run.attempt_template = AttemptTemplate(facts, run.graph, dag, dag.fresh, epoch, attempt)
    return template.attempt


def _find_elements(ti: TaskInstance, expansion: TaskExpansion) -> Iterator[ElementSource]:
    run, mapping = ti.run, ti.run.graph.mapping
    for level, factor, source_index in mapping.element_places[ti.index] if mapping is not None else ():
        source = run.task_instances[source_index].get(UNMAPPED)
        if source is not None and source.state is S.SUCCESS:
            number = expansion.find_element(ti.map_index, level, factor)
            yield ElementSource(task_id=source.task.task_id, number=number, seq=source.seq, defer_seq=source.defer_seq)


def _build_resumption(ti: TaskInstance) -> Resumption | None:
    deferral = ti.deferral
    if deferral is None or deferral.result is None:
        return None
    return Resumption(
        next_method=deferral.request.next_method or "", next_kwargs=deferral.request.next_kwargs, result=deferral.result
    )


def _build_run_facts(run: DagRun) -> RunFacts:
    if run.facts is None:
        run.facts = describe_run(run.dag.record.dag_id, run.record)
    return run.facts
