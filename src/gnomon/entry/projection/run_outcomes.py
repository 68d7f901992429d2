"""What became of the runs of a projection: one record for each run that ended, and for those that had not at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, RunRecord, TaskRecord
from gnomon.model.sentences import Sentence
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, TaskInstanceState
from gnomon.rules.engine.conditions.run_conditions import list_waits
from gnomon.rules.engine.state.engine_state import EngineState


@dataclass(frozen=True, slots=True)
class TaskOutcome:
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


@dataclass(frozen=True, slots=True)
class RunOutcome:
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


class OutcomeCollector:
    """Observes the steps of a projector. Ended runs are in `runs`, in the order of their ends."""

    def __init__(self, engine_state: EngineState, *, with_tasks: bool = False) -> None:
        self._engine_state = engine_state
        self._with_tasks = with_tasks
        self._tasks: dict[int, dict[tuple[int, int], TaskRecord]] = {}
        """By run: the rows of its task instances, as a store would have them."""
        self.runs: list[RunOutcome] = []

    def put_tasks(self, tasks: Iterable[TaskRecord]) -> None:
        """The task instances of unfinished runs that a snapshot begins with."""
        if self._with_tasks:
            for task in tasks:
                self._tasks.setdefault(task.run_pk, {})[task.task_no, task.map_index] = task

    def observe(self, changes: Changes, _now: Instant) -> None:
        """Keep what ended in this step."""
        if self._with_tasks:
            for run_pk, task_no, map_index in changes.tasks_deleted:
                self._tasks.get(run_pk, {}).pop((task_no, map_index), None)
            for task in changes.tasks:
                self._tasks.setdefault(task.run_pk, {})[task.task_no, task.map_index] = task
        for record in changes.runs:
            if record.state in FINISHED_RUN_STATES:
                self.runs.append(self._describe(record))
                self._tasks.pop(record.run_pk, None)

    def list_unfinished(self, now: Instant, *, with_waits: bool = True) -> list[RunOutcome]:
        """The runs that have not ended, by DAG and slot; `with_waits`: and why."""
        runs = sorted(self._engine_state.runs.values(), key=lambda run: (run.dag.record.dag_id, run.sort_key))
        return [
            self._describe(run.record, list_waits(self._engine_state, run.pk, now) if with_waits else ())
            for run in runs
        ]

    def _describe(self, record: RunRecord, waits: Iterable[Sentence] = ()) -> RunOutcome:
        dag = self._engine_state.dags[record.dag_pk].record
        names = {number: task_id for task_id, number in dag.task_numbers.items()}
        return RunOutcome(
            dag.dag_id,
            record.run_pk,
            record.run_id,
            record.run_type.value,
            record.run_after,
            record.state,
            record.queued_at,
            record.started_at,
            record.ended_at if record.state in FINISHED_RUN_STATES else None,
            tuple(_list_tasks(self._tasks.get(record.run_pk, {}), names)),
            tuple(waits),
        )


def _list_tasks(rows: Mapping[tuple[int, int], TaskRecord], names: Mapping[int, str]) -> Iterator[TaskOutcome]:
    for (task_no, map_index), row in sorted(rows.items()):
        yield TaskOutcome(names[task_no], map_index, row.state, row.try_number, row.started_at, row.ended_at)
