"""What drawn futures say of the due times of baselines: probability of a breach, quantiles of the end, key path, slack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.forecast import LATE, MEDIAN, find_quantile
from gnomon.entry.projection.key_paths import FutureRuns, PathStep
from gnomon.entry.projection.recorded_models import WITHOUT_SLOT
from gnomon.entry.projection.run_outcomes import DONE, RunOutcome, find_done_at
from gnomon.entry.projection.slot_use import SlotObstacle, SlotUses
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import (
    BaselineForecast,
    BaselineRecord,
    KeyStep,
    split_subject,
)
from gnomon.model.instants import SECOND, Instant, round_up_to_second
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.rules.baselines.due_times import DueTime, describe_clock_change, iterate_due_times
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.dag_records import dag_runs

HORIZON_S = 86_400
"""How far ahead due times are predicted."""
PAST_S = 2 * 86_400
"""A due time that was broken is followed so long until it is done."""
LATEST_SHARE = 0.2
"""The share of the futures, those with the latest ends, whose key path is shown."""
_MILLISECOND = SECOND // 1_000
UNKNOWN_SLOTS = 1_000_000
"""Without a worker none of its slots is waited for."""
_LONG_WAIT_S = 60.0
"""What a shorter wait was for is not looked for."""


class _EndPath(NamedTuple):
    """How one future ends."""

    end: Instant
    steps: list[PathStep]
    obstacles: dict[int, SlotObstacle]
    """By place in `steps`: the slots that a step waited for."""


@dataclass(slots=True)
class DueSubject:
    """One due time of a baseline, with what has ended of it already."""

    spec: BaselineSpec
    due: DueTime
    of: list[tuple[str, str | None]]
    """DAG and task."""
    ended_at: Instant | None = None
    """When the last of its runs that have ended was done."""
    failed: list[str] = field(default_factory=list)
    ends: list[Instant | None] = field(default_factory=list)
    """By future."""
    paths: list[_EndPath] = field(default_factory=list)
    unfinished: int = 0

    def is_asked_like(self, other: DueSubject) -> bool:
        """Whether the same is asked, of the same runs that have ended."""
        return (self.spec, self.due, self.of, self.ended_at, self.failed) == (
            other.spec,
            other.due,
            other.of,
            other.ended_at,
            other.failed,
        )


def list_subjects(
    tx: Transaction,
    specs: Iterable[BaselineSpec],
    known: Iterable[BaselineRecord],
    snapshot: Snapshot,
    calendars: BaselineCalendars,
    horizon_s: float = HORIZON_S,
) -> tuple[list[DueSubject], list[Sentence]]:
    """The due times to be judged now, until so many seconds from now, and sentences about baselines that name nothing or whose calendar is wrong."""
    dags = {dag.dag_id: dag for dag in snapshot.state.dags}
    followed = {(record.baseline, record.due_at) for record in known if not record.is_final}
    over = {(record.baseline, record.due_at) for record in known if record.is_final}
    subjects: list[DueSubject] = []
    faults: list[Sentence] = []
    for spec in specs:
        of = [split_subject(text, dags) for text in spec.of]
        missing = [text for text, each in zip(spec.of, of, strict=True) if not _exists(each, dags)]
        if missing:
            faults.append(say("baseline_names_nothing", baseline=spec.name, text=missing[0], place=spec.place))
            continue
        begin, end = snapshot.at - PAST_S * SECOND, snapshot.at + int(horizon_s * SECOND)
        calendar, calendar_fault = calendars.find(spec, end)
        faults += [] if calendar_fault is None else [calendar_fault]
        for due in iterate_due_times(spec, begin, end, calendar):
            key = (spec.name, due.due_at)
            if key in over or (due.due_at < snapshot.at and key not in followed):
                continue
            subject = DueSubject(spec, due, of)
            for dag_id, task_id in of:
                _add_ended(tx, subject, dags[dag_id], task_id)
            subjects.append(subject)
    return subjects, faults


def _exists(subject: tuple[str, str | None], dags: Mapping[str, DagRecord]) -> bool:
    dag = dags.get(subject[0])
    return dag is not None and (subject[1] is None or subject[1] in dag.task_numbers)


def _add_ended(tx: Transaction, subject: DueSubject, dag: DagRecord, task_id: str | None) -> None:
    dag_pk, dag_id = dag.dag_pk, dag.dag_id
    for run in baseline_states.list_ended_runs(tx, dag_pk, subject.due.begin, subject.due.end):
        done_at: Instant | None = run.ended_at if run.state is DagRunState.SUCCESS else None
        if task_id is not None:
            number = dag.task_numbers[task_id]
            rows = dag_runs.list_task_states(tx, run.run_pk, number)
            ends = [row.ended_at for row in rows if row.state in DONE]
            done_at = (
                max((end for end in ends if end is not None), default=None if not ends else run.ended_at)
                if len(ends) == len(rows)
                else None
            )
        if done_at is None:
            subject.failed.append(f"{dag_id}/{run.run_id}")
        else:
            subject.ended_at = max(done_at, subject.ended_at or done_at)


class BaselineCollector:
    """Sees each future, and says what all of them say."""

    def __init__(self, subjects: Sequence[DueSubject], snapshot: Snapshot) -> None:
        self._subjects = subjects
        self._snapshot = snapshot
        self._specs: dict[str, DagSpec] = {dag.dag_id: dag.spec for dag in snapshot.state.dags}
        numbers = {
            dag.dag_pk: {number: task_id for task_id, number in dag.task_numbers.items()} for dag in snapshot.state.dags
        }
        self._pool_slots = {pool.name: pool.slots for pool in snapshot.pools}
        self._worker_slots = sum(worker.slots for worker in snapshot.workers) or UNKNOWN_SLOTS
        dag_of_run = {run.run_pk: run.dag_pk for run in snapshot.state.runs}
        self._now = {
            (task.run_pk, numbers[dag_of_run[task.run_pk]].get(task.task_no, ""), task.map_index): task
            for task in snapshot.state.tasks
            if task.run_pk in dag_of_run
        }

    def add(self, runs: Sequence[RunOutcome]) -> None:
        """One future, with its tasks."""
        future, uses = FutureRuns(runs, self._specs), cache(lambda: SlotUses(runs, self._specs))
        for subject in self._subjects:
            self._add(subject, future, uses)

    def _add(self, subject: DueSubject, future: FutureRuns, uses: Callable[[], SlotUses]) -> None:
        end = subject.ended_at
        is_done, count = not subject.failed, 0
        deciding: tuple[RunOutcome, str | None] | None = None
        for dag_id, task_id in subject.of:
            for run in future.list_runs(dag_id):
                if run.run_type in WITHOUT_SLOT or not subject.due.begin <= run.run_after < subject.due.end:
                    continue
                count += 1
                done_at = find_done_at(run, task_id)
                if done_at is None:
                    is_done = False
                elif end is None or done_at > end:
                    end, deciding = done_at, (run, task_id)
        subject.unfinished = max(subject.unfinished, count)
        if not count:
            return
        subject.ends.append(end if is_done else None)
        if deciding is not None and end is not None:
            steps = future.find_path(*deciding)
            subject.paths.append(_EndPath(end, steps, self._find_obstacles(steps, uses)))

    def _find_obstacles(self, steps: Sequence[PathStep], uses: Callable[[], SlotUses]) -> dict[int, SlotObstacle]:
        obstacles: dict[int, SlotObstacle] = {}
        for place, step in enumerate(steps):
            if step.waited_s < _LONG_WAIT_S:
                continue
            task = uses().tasks.get((step.run.dag_id, step.task.task_id))
            since = step.start - int(step.waited_s * SECOND)
            if task is not None:
                obstacle = uses().find_obstacle(task, since, step.start, self._pool_slots, self._worker_slots)
                if obstacle is not None:
                    obstacles[place] = obstacle
        return obstacles

    def build(self, subject: DueSubject, assumptions: Sequence[str]) -> BaselineForecast | None:
        """What is known of the due time; None when no run belongs to it."""
        due_at, at = subject.due.due_at, self._snapshot.at
        if not subject.unfinished:
            if subject.ended_at is None and not subject.failed:
                return None
            return BaselineForecast(
                due_at=due_at,
                at=at,
                ended_at=None if subject.failed else subject.ended_at,
                failed=tuple(subject.failed),
                breach=float(bool(subject.failed)),
            )
        ends = sorted(end for end in subject.ends if end is not None)
        count = len(subject.ends)
        late = sum(end is None or end > due_at for end in subject.ends)
        p90 = _find_end_quantile(ends, count, LATE)
        path = self._choose_path(subject)
        clock_change = describe_clock_change(subject.spec, due_at)
        return BaselineForecast(
            due_at=due_at,
            at=at,
            samples=count,
            breach=late / count,
            end_p50=_find_end_quantile(ends, count, MEDIAN),
            end_p90=p90,
            failed=tuple(subject.failed),
            unfinished=subject.unfinished,
            key_path=path,
            costly=_find_costly(path),
            slack_s=None if p90 is None else (due_at - p90) / SECOND,
            assumptions=(*([] if clock_change is None else [render(clock_change)]), *assumptions),
        )

    def _choose_path(self, subject: DueSubject) -> tuple[KeyStep, ...]:
        """Of the futures with the latest ends, the path that decides most often, as it is in the middle one of those."""
        latest = sorted(subject.paths, key=lambda path: path.end)[-max(1, int(len(subject.paths) * LATEST_SHARE)) :]
        if not latest:
            return ()
        shapes = [tuple((step.run.dag_id, step.task.task_id) for step in path.steps) for path in latest]
        shape = Counter(shapes).most_common(1)[0][0]
        same = [path for path, each in zip(latest, shapes, strict=True) if each == shape]
        end, steps, obstacles = same[len(same) // 2]
        room = subject.due.due_at - end
        return tuple(self._build_step(step, room, obstacles.get(place)) for place, step in enumerate(steps))

    def _build_step(self, step: PathStep, room: int, obstacle: SlotObstacle | None) -> KeyStep:
        durations = self._list_durations(step)
        model = self._snapshot.models.get((step.run.dag_id, step.task.task_id))
        has_arrivals = model is None or model.arrivals is not None
        return KeyStep(
            dag_id=step.run.dag_id,
            run_id=step.run.run_id,
            task=step.task.name,
            start=step.start - step.start % _MILLISECOND,
            end=step.end - step.end % _MILLISECOND,
            waited_s=step.waited_s,
            usual_s=durations[len(durations) // 2] if durations else None,
            version_factor=1.0 if model is None or has_arrivals else model.version_factor,
            pool="" if obstacle is None or obstacle.pool is None else obstacle.pool,
            pool_slots=0 if obstacle is None else obstacle.slots,
            held_by="" if obstacle is None or obstacle.holder is None else obstacle.holder,
            latest_start=step.start + room - (step.start + room) % SECOND,
            trouble=self._find_trouble(step, durations),
        )

    def _list_durations(self, step: PathStep) -> Sequence[float]:
        model: DurationModel | None = self._snapshot.models.get((step.run.dag_id, step.task.task_id))
        return model.list_durations() if model is not None and model.is_known else ()

    def _find_trouble(self, step: PathStep, durations: Sequence[float]) -> str:
        now = self._now.get((step.run.run_pk, step.task.task_id, step.task.map_index))
        if now is None:
            return ""
        if now.state in (TaskInstanceState.UP_FOR_RETRY, TaskInstanceState.FAILED):
            return "failed"
        is_running = now.state is TaskInstanceState.RUNNING and now.started_at is not None
        if not is_running or not durations or now.started_at is None:
            return ""
        began = now.started_at
        model = self._snapshot.models[step.run.dag_id, step.task.task_id]
        if model.arrivals is not None and step.run.run_type not in WITHOUT_SLOT:
            durations, began = model.arrivals.list_durations(), step.run.run_after
        p90 = durations[min(int(LATE * len(durations)), len(durations) - 1)]
        return "slow" if (self._snapshot.at - began) / SECOND > p90 else ""


def _find_end_quantile(ordered: Sequence[Instant], count: int, quantile: float) -> Instant | None:
    """Up to the whole second: a prediction knows no more. None: less than this share of `count` has ended."""
    end = find_quantile(ordered, count, quantile)
    return None if end is None else round_up_to_second(end)


def _find_costly(path: Sequence[KeyStep]) -> int | None:
    """The step that takes the most time beyond what it usually takes, its wait included; without such, the longest."""
    if not path:
        return None
    times = [(step.end - step.start) / SECOND + step.waited_s for step in path]
    excess = [
        time - step.usual_s / step.version_factor if step.usual_s is not None else 0.0
        for time, step in zip(times, path, strict=True)
    ]
    worst = max(range(len(path)), key=lambda place: excess[place])
    if excess[worst] > 0.1 * sum(times):
        return worst
    return max(range(len(path)), key=lambda place: times[place])
