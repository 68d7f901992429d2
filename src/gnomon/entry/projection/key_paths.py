"""The key path of a run in one future: the chain of tasks, over DAGs, of which each began when the one before had ended."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec

STEPS_MAX = 500
_NEAR = SECOND
"""A run that starts within this time after another one has ended waited for it."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """A task instance of the path. `waited_s`: between what came before it and its start."""

    run: RunOutcome
    task: TaskOutcome
    start: Instant
    end: Instant
    waited_s: float


class FutureRuns:
    """The runs of one future, to be asked for what decided an end. Tasks must be collected."""

    def __init__(self, runs: Iterable[RunOutcome], specs: Mapping[str, DagSpec]) -> None:
        self._specs = specs
        self._runs: dict[str, list[RunOutcome]] = defaultdict(list)
        for run in runs:
            self._runs[run.dag_id].append(run)
        self._ends: dict[tuple[str, str | None], list[tuple[Instant, RunOutcome, TaskOutcome | None]]] = {}
        """By DAG and task, or by DAG alone: what ended, by end; made when it is asked for."""
        self._tasks_by_end: dict[Instant, tuple[RunOutcome, TaskOutcome]] | None = None

    def list_runs(self, dag_id: str) -> Sequence[RunOutcome]:
        """The runs of a DAG."""
        return self._runs.get(dag_id, ())

    def find_path(self, run: RunOutcome, task_id: str | None) -> list[PathStep]:
        """The key path to the end of the run, or of a task of it, first step first."""
        steps: list[PathStep] = []
        current = (run, _find_last(run.tasks, None if task_id is None else {task_id}))
        seen: set[tuple[int, str]] = set()
        while len(steps) < STEPS_MAX:
            of, task = current
            if task is None or task.ended_at is None or (of.run_pk, task.name) in seen:
                break
            seen.add((of.run_pk, task.name))
            start = task.ended_at if task.started_at is None else task.started_at
            before, came_at = self._find_before(of, task, start)
            steps.append(PathStep(of, task, start, task.ended_at, max(0.0, (start - came_at) / SECOND)))
            if before is None:
                break
            current = before
        steps.reverse()
        return steps

    def measure_wait(self, run: RunOutcome, task: TaskOutcome) -> float:
        """The seconds between what came before a task instance that ended and its start."""
        start = task.ended_at if task.started_at is None else task.started_at
        assert start is not None
        return max(0.0, (start - self._find_before(run, task, start)[1]) / SECOND)

    def _find_before(
        self, run: RunOutcome, task: TaskOutcome, start: Instant
    ) -> tuple[tuple[RunOutcome, TaskOutcome | None] | None, Instant]:
        """What ended last before the task began, and when it could begin for all that is known."""
        spec = self._specs.get(run.dag_id)
        upstream: set[str] = set()
        awaited: list[tuple[str, str | None]] = []
        for each in () if spec is None else spec.tasks:
            if each.task_id == task.task_id:
                upstream = set(each.upstream)
                awaited = [(after.dag_id, after.task_id) for after in each.depends_on]
        inside = _find_last(run.tasks, upstream, start) if upstream else None
        outside = self._find_awaited(awaited, run.run_after, start)
        if outside is not None and (inside is None or (inside.ended_at or 0) < outside[1]):
            return outside
        if inside is not None:
            assert inside.ended_at is not None
            return (run, inside), inside.ended_at
        begun = start if run.started_at is None else run.started_at
        return self._find_before_run(run, begun)

    def _find_before_run(
        self, run: RunOutcome, begun: Instant
    ) -> tuple[tuple[RunOutcome, TaskOutcome | None] | None, Instant]:
        spec = self._specs.get(run.dag_id)
        if spec is not None and begun > run.run_after:
            awaited = [(after.dag_id, after.task_id) for after in spec.depends_on]
            upstream = self._find_awaited([*awaited, (run.dag_id, None)], run.run_after, begun)
            if upstream is not None and begun - upstream[1] <= _NEAR:
                return upstream
        if run.run_type == "asset_triggered":
            made_by = self._index_tasks().get(run.run_after)
            if made_by is not None:
                return made_by, begun
        return None, begun

    def _index_tasks(self) -> Mapping[Instant, tuple[RunOutcome, TaskOutcome]]:
        if self._tasks_by_end is None:
            self._tasks_by_end = {}
            for runs in self._runs.values():
                for run in runs:
                    for task in run.tasks:
                        if task.ended_at is not None:
                            self._tasks_by_end.setdefault(task.ended_at, (run, task))
        return self._tasks_by_end

    def _find_awaited(
        self, awaited: Iterable[tuple[str, str | None]], since: Instant, until: Instant
    ) -> tuple[tuple[RunOutcome, TaskOutcome | None], Instant] | None:
        """Of these DAGs and tasks the one that ended last, after `since` and not after `until`."""
        best: tuple[tuple[RunOutcome, TaskOutcome | None], Instant] | None = None
        for dag_id, task_id in awaited:
            ends = self._list_ends(dag_id, task_id)
            place = bisect_right(ends, until, key=lambda end: end[0])
            if place == 0 or ends[place - 1][0] <= since:
                continue
            ended_at = ends[place - 1][0]
            if best is None or ended_at > best[1]:
                _, other, task = ends[bisect_left(ends, ended_at, key=lambda end: end[0])]
                last = _find_last(other.tasks, None, until) if task_id is None else task
                best = ((other, last), ended_at)
        return best

    def _list_ends(self, dag_id: str, task_id: str | None) -> Sequence[tuple[Instant, RunOutcome, TaskOutcome | None]]:
        ends = self._ends.get((dag_id, task_id))
        if ends is None:
            ends = []
            for run in self._runs.get(dag_id, ()):
                last = _find_last(run.tasks, None if task_id is None else {task_id})
                ended_at = run.ended_at if task_id is None else (None if last is None else last.ended_at)
                if ended_at is not None:
                    ends.append((ended_at, run, last))
            ends.sort(key=lambda end: end[0])
            self._ends[dag_id, task_id] = ends
        return ends


def _find_last(
    tasks: Iterable[TaskOutcome], task_ids: set[str] | None, until: Instant | None = None
) -> TaskOutcome | None:
    """The task instance that ended last; `task_ids`: among these tasks, `until`: and not after that instant."""
    ended = [
        task
        for task in tasks
        if task.ended_at is not None
        and (task_ids is None or task.task_id in task_ids)
        and (until is None or task.ended_at <= until)
    ]
    return max(ended, key=lambda task: (task.ended_at or 0, task.name), default=None)
