"""The script of one future in a changed world: what the history draws, and on top of it what the scenario says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from gnomon.changes.scenarios.task_times import TaskTime
from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.random_shares import describe_try, draw_share
from gnomon.entry.projection.snapshot import Snapshot, TaskPath
from gnomon.entry.projection.undisturbed_runs import DrawnRun
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant

SAME = TaskTime(None)


@dataclass(frozen=True)
class TimeChanges:
    """What a scenario says about times. A key is `dag.task`, or `dag` for all tasks of a DAG."""

    durations: Mapping[str, TaskTime] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    failing: Collection[str] = frozenset()
    delays_s: Mapping[str, float] = field(default_factory=dict)

    def find_time(self, dag_id: str, task_id: str) -> TaskTime:
        """The time of the task; a factor of it counts on top of that of its DAG."""
        own, of_dag = self.durations.get(f"{dag_id}.{task_id}", SAME), self.durations.get(dag_id, SAME)
        named = own if own.seconds is not None else of_dag
        return TaskTime(named.seconds, own.factor * of_dag.factor, named.spread_s)

    def is_failing(self, dag_id: str, task_id: str) -> bool:
        """Whether each try of the task fails."""
        return dag_id in self.failing or f"{dag_id}.{task_id}" in self.failing


class ChangedTimes(DrawnTimes):
    """Draws as `DrawnTimes` does, by the same numbers, so that what the scenario does not touch is as without it."""

    def __init__(
        self,
        snapshot: Snapshot,
        zones: Mapping[str, str],
        changes: TimeChanges,
        assumed_s: float,
        seed: int,
        sample: int,
    ) -> None:
        """`zones`: the time zone of each DAG. `assumed_s`: the duration of tasks with too few runs."""
        super().__init__(snapshot.models, snapshot.expected_s, zones, assumed_s, seed, sample)
        self._changes = changes
        self._changed: dict[TaskPath, bool] = {}
        self._number = (seed, sample)
        self._roots = {
            (dag.dag_id, task.task_id) for dag in snapshot.state.dags for task in dag.spec.tasks if not task.upstream
        }

    def draw_try(
        self, dag_id: str, run: DrawnRun, task_id: str, try_number: int, at: Instant, age_s: float
    ) -> tuple[float, bool]:
        """As the history draws it, and what the scenario says on top."""
        run_s, succeeds = super().draw_try(dag_id, run, task_id, try_number, at, age_s)
        if not self._is_changed(dag_id, task_id):
            return run_s, succeeds
        number = ("named", dag_id, run.run_after, run.run_type.value, task_id, UNMAPPED, try_number)
        changed_s = max(age_s, self._change(dag_id, task_id, run_s, number))
        return changed_s, succeeds and not self._changes.is_failing(dag_id, task_id)

    def _is_changed(self, dag_id: str, task_id: str) -> bool:
        task, changes = (dag_id, task_id), self._changes
        if task not in self._changed:
            self._changed[task] = (
                changes.find_time(dag_id, task_id) != SAME
                or changes.is_failing(dag_id, task_id)
                or dag_id in changes.delays_s
                or f"{dag_id}.{task_id}" in changes.delays_s
            )
        return self._changed[task]

    def resume(self, attempt: Attempt, age_s: float) -> Play:
        """What an attempt does that has run for so many seconds."""
        play = super().resume(attempt, age_s)
        dag_id, task_id, changes = attempt.run.dag_id, attempt.task_id, self._changes
        if attempt.kind == "callback":
            return play
        if attempt.resume is None:
            run_s = max(age_s, self._change(dag_id, task_id, play.run_s, ("named", *describe_try(attempt))))
            length = changes.lengths.get(f"{dag_id}.{task_id}", play.return_length)
            play = replace(play, run_s=run_s, return_length=length)
        if changes.is_failing(dag_id, task_id):
            return replace(play, outcome="failed", reason="the scenario lets it fail", return_length=None)
        return play

    def draw_rest(self, run: RunFacts, task_id: str, map_index: int, try_number: int, age_s: float) -> float:
        """The seconds that a deferred task still waits."""
        rest_s = super().draw_rest(run, task_id, map_index, try_number, age_s)
        number = ("named", run.dag_id, run.run_after, run.run_type, task_id, map_index, try_number)
        return max(0.0, self._change(run.dag_id, task_id, age_s + rest_s, number) - age_s)

    def _change(self, dag_id: str, task_id: str, run_s: float, number: tuple[object, ...]) -> float:
        """The seconds from the start of a try that would take `run_s`. `number`: what the try is in each world."""
        time = self._changes.find_time(dag_id, task_id)
        if time.seconds is not None:
            run_s = time.seconds
            if time.spread_s:
                run_s += draw_share((*self._number, *number)) * time.spread_s
        delays_s = self._changes.delays_s
        of_dag = delays_s.get(dag_id, 0.0) if (dag_id, task_id) in self._roots else 0.0
        return run_s * time.factor + delays_s.get(f"{dag_id}.{task_id}", of_dag)
