"""The models of a DAG's tasks from its newest recorded tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo

from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.records import DagRecord
from gnomon.model.states import TaskInstanceState
from gnomon.rules.durations.arrivals import is_arrival
from gnomon.rules.durations.day_class import classify
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.durations.present_level import Observation, find_present_level
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import task_durations
from gnomon.storage.store.dag_records.task_durations import RecordedTask

WITHOUT_SLOT = frozenset({"manual", "backfill"})
"""Types of runs for whose slot the world does nothing: what they wait for is judged by how long they wait."""


def build_models(tx: Transaction, dag: DagRecord) -> dict[int, DurationModel]:
    """The models by task number."""
    by_task: dict[int, list[RecordedTask]] = {}
    for task in task_durations.list_recent_tasks(tx, dag.dag_pk):
        by_task.setdefault(task.task_no, []).append(task)
    sensors = {dag.task_numbers.get(task.task_id) for task in dag.spec.tasks if task.is_sensor}
    zone = named_zone(dag.spec.local_timezone)
    return {number: build_model(tasks, zone, is_sensor=number in sensors) for number, tasks in by_task.items()}


def build_model(tasks: Sequence[RecordedTask], zone: tzinfo, *, is_sensor: bool) -> DurationModel:
    """From the tries of one task, newest first."""
    done = [task for task in tasks if task.state is TaskInstanceState.SUCCESS]
    model = DurationModel(
        tries=sum(task.try_number for task in tasks),
        failed_tries=sum(task.try_number for task in tasks) - len(done),
        lengths=[task.return_length for task in done if task.return_length is not None and task.return_length >= 0],
    )
    observations = [_observe(task, zone, (task.ended_at - task.started_at) / SECOND) for task in done]
    level = find_present_level(observations)
    model.version_factor = level.version_factor
    for observation, duration_s in zip(observations, level.durations_s, strict=True):
        model.add(observation.day_class, duration_s)
    if is_sensor or 2 * sum(task.defer_seq > 0 for task in done) > len(done):
        model.arrivals = _build_arrivals(done, zone, is_sensor=is_sensor)
    return model


def _build_arrivals(done: Iterable[RecordedTask], zone: tzinfo, *, is_sensor: bool) -> DurationModel | None:
    waits = [task for task in done if task.run_type not in WITHOUT_SLOT and task.ended_at >= task.run_after]
    ends_s = [(task.ended_at - task.run_after) / SECOND for task in waits]
    if not is_arrival([(task.ended_at - task.started_at) / SECOND for task in waits], ends_s, is_sensor=is_sensor):
        return None
    arrivals = DurationModel()
    for task, end_s in zip(waits, ends_s, strict=True):
        arrivals.add(_observe(task, zone, end_s).day_class, end_s)
    return arrivals


def _observe(task: RecordedTask, zone: tzinfo, duration_s: float) -> Observation:
    day = to_datetime(task.run_after).astimezone(zone).date()
    return Observation(day.toordinal(), classify(day, task.run_type), task.version_pk, duration_s)
