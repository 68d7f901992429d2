"""Runs in which nothing is to be decided: each task succeeds at its first try, and begins when those before it have ended.

Most runs of a projection are such runs, and most of its time would go into decisions that are known. The engine creates, starts and ends them; between the start and the end, this module
follows their tasks, as long as every task of theirs and of the engine finds a free slot. When one does not, when a try fails, or when something from outside happens, the run goes back to the
engine as a scheduler takes runs over: the decision is the engine's. `tests/simulation/test_projection.py` proves that both make the same runs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from msgspec.structs import replace

from gnomon.entry.projection.projected_worker import ProjectedWorker, Script
from gnomon.entry.projection.undisturbed_graphs import GraphPlan, build_plan
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import TaskRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunType
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine import events as e
from gnomon.rules.engine.admission.admission_pass import build_attempt, find_free_worker, find_template
from gnomon.rules.engine.lifecycle.followed_runs import return_to_engine
from gnomon.rules.engine.lifecycle.run_lifecycle import enqueue_run_evaluation
from gnomon.rules.engine.state.engine_state import EngineState, WorkerCapacity
from gnomon.rules.engine.state.task_graph import TaskGraph
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


class DrawnRun(Protocol):
    """What a drawing reads of a run."""

    @property
    def run_type(self) -> DagRunType:
        """What has created it."""

    @property
    def run_after(self) -> Instant:
        """When it is due."""


DrawTry = Callable[[str, DrawnRun, str, int, Instant, float], tuple[float, bool]]
"""DAG id, run, task id, number of a try, an instant, and the seconds that the try has run then, to the seconds of it, and whether it succeeds; otherwise it fails."""
MOST_QUEUED = 256
"""With more ready task instances than that, the engine decides about all."""
NOTHING = -1
"""In place of a task index: nothing of the run can start, the engine is to take it."""


class Host(Protocol):
    """The projection that the runs belong to."""

    now: Instant

    def end_quietly(self, run: DagRun, attempts: int) -> bool:
        """End a run whose tasks have all ended, if nothing follows from it. False: the engine is to be asked."""


class UndisturbedRun:
    """The tasks of one run. By task index: how many it waits for, and when it started and ended."""

    __slots__ = ("ends", "live", "plan", "run", "starts", "unfinished", "waiting", "watched")

    def __init__(self, run: DagRun, plan: GraphPlan, watched: Collection[int] = ()) -> None:
        """`watched`: the tasks for which other DAGs may wait."""
        count = len(plan.tasks)
        self.run = run
        self.plan = plan
        self.watched = watched
        self.waiting = plan.upstream_counts.copy()
        self.starts: list[Instant | None] = [None] * count
        self.ends: list[Instant | None] = [None] * count
        """Also of a task that has not ended yet."""
        self.unfinished = count
        self.live: dict[int, tuple[WorkerCapacity, Play | None]] = {}
        """Of the tasks that run: where, and their play if the script gave one."""

    def get_state(self, index: int) -> S | None:
        """The state of a task; None: it has not started."""
        if self.starts[index] is None:
            return None
        return S.RUNNING if index in self.live else S.SUCCESS

    def list_tasks(self) -> Iterator[tuple[int, TaskSpec, Instant, Instant | None]]:
        """The tasks that have started: index, task, start and end."""
        for index, task in enumerate(self.plan.tasks):
            start = self.starts[index]
            if start is not None:
                yield index, task, start, None if index in self.live else self.ends[index]


class UndisturbedRuns:
    """Follows the undisturbed runs of one projection."""

    def __init__(
        self,
        engine_state: EngineState,
        worker: ProjectedWorker,
        script: Script,
        list_watched_tasks: Callable[[int], Collection[str]],
        draw: DrawTry | None,
        host: Host,
    ) -> None:
        """`draw`: what the script would say of a try, without an attempt; None: the script is always asked.

        `list_watched_tasks`: the ids of the tasks of the DAG with that dag_pk for which other DAGs wait."""
        self._host = host
        self._engine_state = engine_state
        self._worker = worker
        self._script = script
        self._draw = draw
        self._list_watched_tasks = list_watched_tasks
        self._plans: dict[TaskGraph, GraphPlan | None] = {}
        self._runs: dict[int, UndisturbedRun] = {}
        """By run_pk."""
        self._heap: list[tuple[Instant, int, UndisturbedRun, int]] = []
        """(end, number, run, task index). The entry of a run that went back to the engine is void."""
        self._last_number = 0
        self._ready: list[tuple[UndisturbedRun, int]] = []
        """Tasks that may start at this instant."""
        self._ended: list[UndisturbedRun] = []
        """Runs whose tasks have all ended; the engine does not know it yet."""
        self._watched_ends: list[e.FollowedTaskEnded] = []
        """Tasks for which other DAGs may wait and that have ended; the engine does not know it yet."""
        self._returned_attempts = 0
        """Attempts that have ended in runs that went back since the last step."""
        self._has_released = False
        """A task has ended since the last step: tasks that wait for its slots may start."""
        engine_state.follower = self

    # ---- asked by the engine ---------------------------------------------------------------------------------------------
    def take(self, run: DagRun) -> UndisturbedRun | None:
        """Who follows the tasks of a new run; None: the engine."""
        graph = run.graph
        if graph not in self._plans:
            self._plans[graph] = build_plan(self._engine_state, graph)
        plan = self._plans[graph]
        if plan is None:
            return None
        watched = [
            index
            for task_id in self._list_watched_tasks(run.record.dag_pk)
            if (index := graph.index_of.get(task_id)) is not None
        ]
        if not all(plan.tasks[index].runs_code for index in watched):
            return None  # it ends within a step, which has to tell others at once
        tasks = self._runs[run.pk] = UndisturbedRun(run, plan, watched)
        return tasks

    def settle(self, context: StepContext) -> bool:
        """Start the tasks that may start now, if these and all that the engine has ready have room; else the engine takes their runs.

        Returns whether the engine has something to evaluate, or a run to end, then.
        """
        started, context.result.followed_runs = context.result.followed_runs, []
        for run in started:
            tasks: UndisturbedRun = run.follower  # type: ignore[assignment]
            self._ready += [(tasks, index) for index in tasks.plan.roots]
        disturbed = self._start_ready(context.now)
        for tasks in disturbed:
            self._give_back(tasks, context.now)
            enqueue_run_evaluation(context, tasks.run)
        self._has_released = False
        context.result.followed_attempts += self._returned_attempts
        self._returned_attempts = 0
        ended, self._ended = self._ended, []
        for tasks in ended:  # their last tasks run no code
            context.result.followed_attempts += len(tasks.plan.tasks)
            context.possibly_done_runs[tasks.run] = None
        return bool(disturbed or ended)

    # ---- the passing of time -----------------------------------------------------------------------------------------------
    def next_at(self) -> Instant | None:
        """When the next task ends; None if none runs."""
        heap = self._heap
        while heap and heap[0][2].run.follower is not heap[0][2]:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def is_due(self, now: Instant) -> bool:
        """Whether something is to be done at this instant."""
        at = self.next_at()
        return self.has_work or (at is not None and at <= now)

    @property
    def has_work(self) -> bool:
        """Whether a step is needed for what has ended."""
        return bool(self._ready or self._ended or self._has_released)

    def run_alone(self, end: Instant) -> Instant:
        """Follow the tasks before `end`, until the engine is to be asked; returns the instant that is reached."""
        queues = [pool.ready_queue for pool in self._engine_state.pools.values()]
        while (at := self.next_at()) is not None and at < end:
            self._end_tasks(at)
            if self._watched_ends or any(queues):
                return at
            self._host.now = at
            if self._ended:
                self._ended = [
                    tasks for tasks in self._ended if not self._host.end_quietly(tasks.run, len(tasks.plan.tasks))
                ]
                if self._ended:
                    return at
            disturbed = self._start_ready(at)
            self._ready += [(tasks, NOTHING) for tasks in disturbed]
            if self._ready or self._ended:
                return at
            self._has_released = False
        return end

    def collect(self, now: Instant) -> list[e.EngineEvent]:
        """The tasks that others may wait for, and the runs of which all tasks, that have ended by now. The step starts the tasks that may start."""
        at = self.next_at()
        if at is not None and at <= now:
            self._end_tasks(now)
        ended, self._ended = self._ended, []
        watched, self._watched_ends = self._watched_ends, []
        return [*watched, *(e.FollowedRunEnded(tasks.run.pk, len(tasks.plan.tasks)) for tasks in ended)]

    def give_all_back(self, now: Instant) -> list[DagRun]:
        """Let the engine have all runs; its next step is to evaluate those that are returned."""
        returned = [tasks.run for tasks in self._runs.values() if tasks.unfinished]
        for run in returned:
            self._give_back(run.follower, now)  # type: ignore[arg-type]
        self._ready = []
        return returned

    def forget(self, run: DagRun) -> None:
        """The engine has ended the run."""
        self._runs.pop(run.pk, None)
        run.follower = None

    # ---- tasks -------------------------------------------------------------------------------------------------------------
    def _end_tasks(self, now: Instant) -> None:
        heap, state = self._heap, self._engine_state
        self._has_released = True
        while heap and heap[0][0] <= now:
            _, _, tasks, index = heapq.heappop(heap)
            if tasks.run.follower is not tasks:
                continue
            worker = self._release(tasks, index)
            if state.executor_limits:
                state.offer_slots(worker)
            self._finish(tasks, index, now)

    def _finish(self, tasks: UndisturbedRun, index: int, now: Instant) -> None:
        """A task has ended, and with it what follows without code: the run may end at once, as in the engine's step."""
        plan, waiting, ended = tasks.plan, tasks.waiting, [index]
        for each in ended:  # grows
            tasks.unfinished -= 1
            if each in tasks.watched:
                self._watched_ends.append(e.FollowedTaskEnded(tasks.run.pk, plan.tasks[each].task_id))
            for other in plan.downstream[each]:
                waiting[other] -= 1
                if waiting[other]:
                    continue
                if plan.tasks[other].runs_code or other in plan.waiting:
                    self._ready.append((tasks, other))
                else:
                    tasks.starts[other] = tasks.ends[other] = now
                    ended.append(other)
        if not tasks.unfinished:
            self._ended.append(tasks)

    def _start_ready(self, now: Instant) -> list[UndisturbedRun]:
        """Start what may start. Returns the runs that the engine is to take: all of these, where there is no room for all."""
        ready: list[tuple[UndisturbedRun, int]] = []
        for tasks, index in self._ready:  # grows: what follows on a task without code is ready too
            plan = tasks.plan
            if index == NOTHING or plan.tasks[index].runs_code or index in plan.waiting:
                ready.append((tasks, index))
            else:
                tasks.starts[index] = tasks.ends[index] = now
                self._finish(tasks, index, now)
        self._ready = []
        if not ready:
            return []
        if not self._has_room(ready):
            return list({tasks.run.pk: tasks for tasks, _ in ready}.values())
        disturbed = {tasks.run.pk: tasks for tasks, index in ready if index == NOTHING or index in tasks.plan.waiting}
        for tasks, index in ready:
            if index != NOTHING and (tasks.run.pk not in disturbed and not self._start(tasks, index, now)):
                disturbed[tasks.run.pk] = tasks
        return list(disturbed.values())

    def _start(self, tasks: UndisturbedRun, index: int, now: Instant) -> bool:
        """Start a task. Returns whether its run goes on undisturbed."""
        state, plan = self._engine_state, tasks.plan
        task = plan.tasks[index]
        run_s, succeeds = 0.0, False
        if self._draw is not None:
            run_s, succeeds = self._draw(tasks.run.dag.record.dag_id, tasks.run.record, task.task_id, 1, now, 0.0)
        play = None if succeeds else self._script(self._build_attempt(tasks, index))
        is_undisturbed = play is None or _is_success(play)
        enters_at = now
        if play is not None:
            run_s, enters_at = play.run_s, now + int(play.enter_after_s * SECOND)
        ends_at = enters_at + int(run_s * SECOND)
        tasks.starts[index], tasks.ends[index] = enters_at, ends_at
        worker = self._find_worker()
        tasks.live[index] = worker, play
        worker.used_slots += 1
        state.live_attempt_count += 1
        plan.pools[index].used += task.pool_slots
        if is_undisturbed:
            self._last_number += 1
            heapq.heappush(self._heap, (ends_at, self._last_number, tasks, index))
        return is_undisturbed

    def _find_worker(self) -> WorkerCapacity:
        workers = self._engine_state.workers
        if len(workers) == 1:
            return next(iter(workers.values()))
        worker = find_free_worker(self._engine_state)
        assert worker is not None  # `_has_room` has looked
        return worker

    def _build_attempt(self, tasks: UndisturbedRun, index: int) -> Attempt:
        run, task = tasks.run, tasks.plan.tasks[index]
        return replace(
            find_template(self._engine_state, run),
            task_id=task.task_id,
            task_no=run.graph.numbers[index],
            try_number=1,
            max_tries=task.retries,
            seq=1,
            timeout_s=task.execution_timeout_s,
            queue=task.queue,
        )

    def _release(self, tasks: UndisturbedRun, index: int) -> WorkerCapacity:
        worker, _ = tasks.live.pop(index)
        worker.used_slots -= 1
        self._engine_state.live_attempt_count -= 1
        plan = tasks.plan
        plan.pools[index].used -= plan.tasks[index].pool_slots
        return worker

    # ---- to the engine -------------------------------------------------------------------------------------------------------
    def _give_back(self, tasks: UndisturbedRun, now: Instant) -> None:
        """Let the engine have the run as a store would have it, and the worker its attempts."""
        run, state = tasks.run, self._engine_state
        self._runs.pop(run.pk, None)
        live = dict(tasks.live)
        rows = {index: self._build_row(tasks, index) for index, *_ in tasks.list_tasks()}
        self._returned_attempts += sum(tasks.plan.tasks[index].runs_code for index in rows.keys() - live.keys())
        for index, (worker, _) in live.items():
            self._release(tasks, index)
            row = rows[index]
            has_entered = (tasks.starts[index] or 0) < now
            self._last_number += 1
            row.state = S.RUNNING if has_entered else S.QUEUED
            row.ended_at = None
            row.started_at = row.started_at if has_entered else None
            row.attempt, row.worker = f"undisturbed-{self._last_number}", worker.worker_id
        return_to_engine(state, run, rows.values())
        for index, (_, play) in live.items():
            ti = run.task_instances[index][UNMAPPED]
            enters_at, ends_at = tasks.starts[index] or 0, tasks.ends[index] or 0
            if play is None:
                play = Play((ends_at - enters_at) / SECOND, return_length=1)
            attempt = build_attempt(state, ti, with_log=False)
            self._worker.take_over(attempt, play, enters_at, ends_at, has_entered=ti.entered, now=now)

    def _build_row(self, tasks: UndisturbedRun, index: int) -> TaskRecord:
        task = tasks.plan.tasks[index]
        return TaskRecord(
            run_pk=tasks.run.pk,
            task_no=tasks.run.graph.numbers[index],
            map_index=UNMAPPED,
            state=S.SUCCESS,
            try_number=1,
            max_tries=task.retries,
            seq=1 if task.runs_code else 0,
            pool=task.pool,
            pool_slots=task.pool_slots,
            priority=task.effective_priority,
            started_at=tasks.starts[index],
            ended_at=tasks.ends[index],
        )

    # ---- room ------------------------------------------------------------------------------------------------------------
    def _has_room(self, ready: list[tuple[UndisturbedRun, int]]) -> bool:
        """Whether these tasks, and all that the engine has ready, can start at once."""
        state, needed, running = self._engine_state, dict[str, int](), dict[int, int]()
        count = 0
        for tasks, index in ready:
            if index != NOTHING:
                task, run_pk = tasks.plan.tasks[index], tasks.run.pk
                count += 1
                needed[task.pool] = needed.get(task.pool, 0) + task.pool_slots
                running[run_pk] = running.get(run_pk, len(tasks.live)) + 1
                if running[run_pk] > tasks.plan.max_active:
                    return False
        queued = self._count_queued(needed)
        if queued is None:
            return False
        count += queued
        limits = state.limits
        if count > limits.max_admissions_per_step:
            return False  # the engine admits them in turns, between which tasks may end
        if limits.parallelism is not None and state.live_attempt_count + count > limits.parallelism:
            return False
        free = 0
        for worker in state.workers.values():
            if worker.is_reachable:
                free += worker.slots - worker.used_slots
        return count <= free and all(state.pools[name].has_room(slots) for name, slots in needed.items())

    def _count_queued(self, needed: dict[str, int]) -> int | None:
        """The task instances that the engine has ready, whose slots are added to `needed`; None: what it will do with them is not known.

        Of tasks in two pools, which is first may decide about a limit that they share.
        """
        count = 0
        for pool in self._engine_state.pools.values():
            if not pool.ready_queue:
                continue
            if count or len(pool.ready_queue) > MOST_QUEUED:
                return None
            for item in pool.ready_queue:
                if not isinstance(item, TaskInstance):
                    return None  # any number of instances wait there
                count += 1
                needed[pool.name] = needed.get(pool.name, 0) + item.pool_slots
        return count


def _is_success(play: Play) -> bool:
    """Whether nothing follows from the play but that the task has succeeded."""
    return (
        play.outcome == "success"
        and play.entered
        and not play.enter_after_s
        and not play.skip_task_ids
        and play.asset_events is None
    )
