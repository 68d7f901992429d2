"""What became of the runs of a projection: one record for each run that ended, and for those that had not at the end."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.entry.projection.undisturbed_runs import UndisturbedRun
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, TaskInstanceState
from gnomon.rules.engine.conditions.run_conditions import list_waits
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepResult

DONE = (TaskInstanceState.SUCCESS, TaskInstanceState.SKIPPED)
"""States of a task that is done, for a promise."""


class TaskOutcome(msgspec.Struct, frozen=True, gc=False):
    """One task instance of a run."""

    task_id: str
    map_index: int
    state: TaskInstanceState | None
    try_number: int
    started_at: Instant | None
    ended_at: Instant | None

    @property
    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task_id if self.map_index == UNMAPPED else f"{self.task_id}[{self.map_index}]"


class RunOutcome(msgspec.Struct, frozen=True):
    """One run. A run that has not ended has no `ended_at`."""

    dag_id: str
    run_pk: int
    run_id: str
    run_type: str
    run_after: Instant
    state: DagRunState
    queued_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    tasks: tuple[TaskOutcome, ...] = ()
    """In the order of the DAG; empty if tasks are not collected."""
    waits: tuple[Sentence, ...] = ()
    """Why a run has not ended, as `gnomon explain` would say it."""


def find_done_at(run: RunOutcome, task_id: str | None) -> Instant | None:
    """When the run, or its task, is done; None: it is not, or failed."""
    if task_id is None:
        return run.ended_at if run.state is DagRunState.SUCCESS else None
    tasks = [task for task in run.tasks if task.task_id == task_id]
    if not tasks or any(task.state not in DONE or task.ended_at is None for task in tasks):
        return None
    return max(task.ended_at or 0 for task in tasks)


class OutcomeCollector:
    """Observes the steps of a projector. Ended runs are in `runs`, in the order of their ends."""

    def __init__(self, engine_state: EngineState, *, with_tasks: bool = False) -> None:
        self._engine_state = engine_state
        self._with_tasks = with_tasks
        self.runs: list[RunOutcome] = []

    def observe(self, result: StepResult, _now: Instant) -> None:
        """Keep the runs that ended in this step."""
        for run in result.ended_runs:
            self.runs.append(self._describe(run))

    def list_unfinished(self, now: Instant, *, with_waits: bool = True) -> list[RunOutcome]:
        """The runs that have not ended, by DAG and slot; `with_waits`: and why."""
        runs = sorted(self._engine_state.runs.values(), key=lambda run: (run.dag.record.dag_id, run.sort_key))
        return [self._describe(run, list_waits(self._engine_state, run.pk, now) if with_waits else ()) for run in runs]

    def _describe(self, run: DagRun, waits: Iterable[Sentence] = ()) -> RunOutcome:
        record = run.record
        return RunOutcome(
            run.dag.record.dag_id,
            record.run_pk,
            record.run_id,
            record.run_type.value,
            record.run_after,
            record.state,
            record.queued_at,
            record.started_at,
            record.ended_at if record.state in FINISHED_RUN_STATES else None,
            tuple(_list_tasks(run)) if self._with_tasks else (),
            tuple(waits),
        )


def _list_tasks(run: DagRun) -> list[TaskOutcome]:
    """What a store would have rows of, in the order of the numbers of the tasks."""
    if isinstance(run.follower, UndisturbedRun):
        return [
            TaskOutcome(task.task_id, UNMAPPED, TaskInstanceState.SUCCESS, 1, start, end)
            for _, task, start, end in sorted(run.follower.list_tasks(), key=lambda task: run.graph.numbers[task[0]])
        ]
    outcomes = [
        (
            run.graph.numbers[ti.index],
            ti.map_index,
            TaskOutcome(ti.task.task_id, ti.map_index, ti.state, ti.try_number, ti.started_at, ti.ended_at),
        )
        for instances in run.task_instances
        for ti in instances.values()
        if ti.is_stored
    ]
    if run.removed_task_rows:
        names = {number: task_id for task_id, number in run.dag.record.task_numbers.items()}
        outcomes += [
            (
                number,
                row.map_index,
                TaskOutcome(names[number], row.map_index, row.state, row.try_number, row.started_at, row.ended_at),
            )
            for number, rows in run.removed_task_rows.items()
            for row in rows
        ]
    outcomes.sort(key=lambda outcome: outcome[:2])
    return [outcome for _, _, outcome in outcomes]
