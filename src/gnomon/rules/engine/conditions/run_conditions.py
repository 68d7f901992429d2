"""Why a run or a task instance waits. `explain` tells the conditions that are not met: there is no second explanation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gnomon.model.ids import format_map_indices
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.states import FINISHED_TASK_STATES, DagRunState
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition, list_unmet
from gnomon.rules.decide.outcomes import parse_run_stop
from gnomon.rules.engine.conditions.admission_conditions import PoolObstacles, check_hold, name_task
from gnomon.rules.engine.conditions.attempt_conditions import WITH_WORKER_STATES
from gnomon.rules.engine.conditions.instance_conditions import (
    CHILDREN_MAX,
    START,
    find_since,
    find_wait,
    list_instance_conditions,
)
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.state.edge_waits import describe_upstream_waits
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance

DEPTH_MAX = 3
"""How many upstream tasks behind one another are explained."""


def list_run_conditions(
    engine_state: EngineState, run_pk: int, now: Instant, most: int | None = CHILDREN_MAX
) -> list[WaitCondition]:
    """The conditions of an unfinished run; those of its tasks are at most `most`. [] when it is not in memory."""
    run = engine_state.runs.get(run_pk)
    if run is None:
        return []
    if run.record.state is DagRunState.QUEUED:
        return _list_queued_run_conditions(run, now)
    stop = _describe_stop(run)
    stopped = [] if stop is None else [WaitCondition("torn_down", False, stop)]
    tasks = _iterate_task_conditions(engine_state, run, now, _is_any)
    return [check_hold(run.dag), *stopped, *itertools.islice(tasks, most)]


def _is_any(_: TaskInstance) -> bool:
    return True


def list_task_conditions(
    engine_state: EngineState, run_pk: int, task_id: str, map_index: int, now: Instant
) -> list[WaitCondition]:
    """The conditions of an unfinished task instance; [] when it is finished, does not exist or its run is not in memory."""
    run = engine_state.runs.get(run_pk)
    index = None if run is None else run.graph.index_of.get(task_id)
    ti = None if run is None or index is None else run.find_task_instance(index, map_index)
    if run is None or ti is None:
        return []
    if run.record.state is DagRunState.QUEUED and ti.state is None:
        conditions = _list_queued_run_conditions(run, now)
        why = say("its_run_is_queued", why=_find_first(conditions))
        return [WaitCondition("run_started", False, why, run.record.queued_at, children=tuple(conditions))]
    return list_instance_conditions(engine_state, ti, now, {}, DEPTH_MAX)


def list_waits(engine_state: EngineState, run_pk: int, now: Instant) -> list[Sentence]:
    """Why the run waits: why it is queued, or one sentence for each task that waits. [] when it is not in memory.

    Without the task instances that are with a worker, and without those that wait for others of the run that go on.
    """
    run = engine_state.runs.get(run_pk)
    if run is None:
        return []
    if run.record.state is DagRunState.QUEUED:
        return [say("run_is_queued", why=_find_first(_list_queued_run_conditions(run, now)))]
    goes_on = any(_goes_on(ti) for instances in run.task_instances for ti in instances.values())

    def is_told(ti: TaskInstance) -> bool:
        return ti.state not in WITH_WORKER_STATES and not (goes_on and ti.state is None)

    return [condition.told for condition in _iterate_task_conditions(engine_state, run, now, is_told)]


def _goes_on(ti: TaskInstance) -> bool:
    return ti.state is not None and ti.state not in FINISHED_TASK_STATES


def _find_first(conditions: Sequence[WaitCondition]) -> Sentence:
    """The first condition of a queued run that is not met."""
    return list_unmet(conditions)[0].sentence


def _iterate_task_conditions(
    engine_state: EngineState, run: DagRun, now: Instant, is_told: Callable[[TaskInstance], bool]
) -> Iterator[WaitCondition]:
    """A condition for each unfinished task of a running run and each reason; with those of its instances for which `is_told` is true."""
    obstacles: PoolObstacles = {}
    for instances in run.task_instances:
        yield from _check_task(engine_state, list(filter(is_told, instances.values())), now, obstacles)


def _describe_stop(run: DagRun) -> Sentence | None:
    """How the run ends that was ended from outside and is still torn down; None for any other run."""
    stop = parse_run_stop(run.record.reason)
    return None if stop is None else say("run_is_torn_down", reason=stop.reason, state=stop.state.value)


def _list_queued_run_conditions(run: DagRun, now: Instant) -> list[WaitCondition]:
    """With the text `queued: ...` for each that is not met."""
    checked = [check_hold(run.dag), *_check_upstream_dags(run), _check_time(run, now), _check_place(run)]
    conditions = checked if list_unmet(checked) else [*checked, START]
    return [replace(condition, longer=say("run_is_queued", why=condition.sentence)) for condition in conditions]


def _check_upstream_dags(run: DagRun) -> list[WaitCondition]:
    """The other DAGs that the run waits for, in short; the store knows them slot by slot."""
    if run.pk not in run.dag.runs_waiting_upstream:
        return []
    waits = describe_upstream_waits(run.edges.values())
    sentence = say("slots_are_looked_up") if waits is None else say("it_waits", why=waits)
    return [WaitCondition("upstream_dags", False, sentence, run.record.queued_at)]


def _check_time(run: DagRun, now: Instant) -> WaitCondition:
    at = run.record.run_after
    if at <= now:
        return WaitCondition("run_due", True, say("run_may_start_since", since=at), at)
    return WaitCondition("run_due", False, say("run_may_start_at", at=at))


def _check_place(run: DagRun) -> WaitCondition:
    """Whether the DAG, or the backfill of the run, has a place for another running run."""
    if run.backfill is not None:
        turn = say("backfill_starts_run_later", backfill=run.backfill.record.backfill_pk)
        return WaitCondition("backfill_turn", False, describe_backfill_wait(run.backfill) or turn)
    dag = run.dag
    limit, runs = active_runs_limit(dag), say("running_runs", count=dag.running_count)
    if dag.running_count < limit:
        return WaitCondition("max_active_runs", True, say("max_active_runs_has_room", runs_limit=limit, runs=runs))
    return check_run_limit(dag, runs, run.record.queued_at)


def check_run_limit(dag: Dag, runs: Sentence, since: Instant | None = None) -> WaitCondition:
    """The limit of the DAG's unfinished runs, which these runs have reached."""
    release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, dag.record.dag_id, option="max_active_runs")
    reached = say("max_active_runs_is_reached", runs_limit=active_runs_limit(dag), runs=runs)
    return WaitCondition("max_active_runs", False, reached, since, release)


def describe_backfill_wait(queue: BackfillQueue) -> Sentence | None:
    """Why the next run of the backfill does not start; None when it may start."""
    record = queue.record
    if record.hold_reason is not None:
        return record.hold_reason
    if queue.running_count < record.max_active_runs:
        return None
    runs = say("running_runs", count=queue.running_count)
    return say("backfill_limit_is_reached", runs_limit=record.max_active_runs, backfill=record.backfill_pk, runs=runs)


def _check_task(
    engine_state: EngineState, instances: Sequence[TaskInstance], now: Instant, obstacles: PoolObstacles
) -> Iterator[WaitCondition]:
    """A condition for the unfinished instances of one task that wait for the same. What is met, and what upstream tasks wait for, is not repeated:
    these tasks are conditions of the run themselves."""
    by_reason: dict[Sentence, list[tuple[TaskInstance, WaitCondition]]] = {}
    for ti in instances:
        wait = find_wait(engine_state, ti, now, obstacles)
        if wait is not None:
            by_reason.setdefault(wait.told, []).append((ti, wait))
    for waiting in by_reason.values():
        (first, wait), is_alone = waiting[0], len(waiting) == 1
        subject = _name_instances([ti for ti, _ in waiting])
        unmet = list_unmet(list_instance_conditions(engine_state, first, now, obstacles, 0))
        release = unmet[0].release if len(unmet) == 1 else None
        if release is not None and release.task_id is not None and not is_alone:
            release = None  # an act on the first instance alone
        yield WaitCondition(
            "task",
            False,
            say("task_has_wait", subject=subject, why=wait.sentence),
            find_since(first),
            release,
            tuple(unmet) if len(unmet) > 1 else (),
            None if wait.longer is None else say("task_has_wait", subject=subject, why=wait.longer),
        )


def _name_instances(instances: Sequence[TaskInstance]) -> Sentence:
    """The name of one instance, or the map indices of several of one task, which may be thousands."""
    if len(instances) == 1:
        return say("task", task=name_task(instances[0]))
    indices = format_map_indices([ti.map_index for ti in instances])
    task_id = instances[0].task.task_id
    return say("mapped_instances", task_id=task_id, indices=indices, count=len(instances))
