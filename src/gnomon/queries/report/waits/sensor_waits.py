"""The waits between DAGs that tasks express: those of sensors (ExternalTaskSensor), and the tasks that markers (ExternalTaskMarker) name.

Each gets the `After` that could take its place: a person decides, because a run that waits by `After` waits for the slots that belong
together, and a sensor for one logical date.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.model.after import MAX_PERIODS_BACK
from gnomon.model.sensor_waits import SensorWait
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ClearedTask, DagSpec, TaskSpec
from gnomon.model.upstream_edges import DependencySpec

AFTER, SENSOR, MARKER = "after", "sensor", "marker"
"""How a wait between DAGs is written."""
OPERATORS = {SENSOR: "ExternalTaskSensor", MARKER: "ExternalTaskMarker"}
_HOUR_S, _DAY_S = 3600.0, 86400.0
_PERIODS_S = {"minute": _HOUR_S, "hour": _HOUR_S}
"""The period back that `previous=1` means, by the coarser granularity of both DAGs; a day for the others."""


class TaskWait(NamedTuple):
    """A sensor with one of its waits, or a marker."""

    task_id: str
    wait: SensorWait | ClearedTask
    place: str
    """Where `depends_on=` would stand instead of a sensor: `DAG`, or `task x`."""


def list_task_waits(spec: DagSpec) -> tuple[TaskWait, ...]:
    """The waits of the sensors of a DAG, and its markers."""
    places = _find_places(spec) if any(task.waits_for for task in spec.tasks) else {}
    waits = [TaskWait(task.task_id, wait, places[task.task_id]) for task in spec.tasks for wait in task.waits_for]
    return (*waits, *(TaskWait(task.task_id, task.clears, "") for task in spec.tasks if task.clears is not None))


def _find_places(spec: DagSpec) -> dict[str, str]:
    """By sensor, where `depends_on=` has the same effect: the DAG, if all its first tasks are such sensors; else the tasks after the sensor.

    Empty for a sensor that nothing in the DAG needs: no task would wait.
    """
    sensors = {task.task_id for task in spec.tasks if task.waits_for}
    is_first = {task.task_id for task in spec.tasks if not task.upstream}
    return {
        sensor: "DAG" if is_first <= sensors and sensor in is_first else _name_tasks(sensor, spec.tasks)
        for sensor in sensors
    }


def _name_tasks(sensor: str, tasks: tuple[TaskSpec, ...]) -> str:
    after = [task.task_id for task in tasks if sensor in task.upstream]
    return f"task{'s' if len(after) > 1 else ''} {', '.join(after)}" if after else ""


class SensorEdge(NamedTuple):
    """One wait of a sensor or of a marker as an arrow between two DAGs."""

    kind: str
    dag_id: str | None
    """The DAG that waits; None: a template names it."""
    task_id: str | None
    upstream_dag_id: str | None
    upstream_task_id: str | None
    phrases: list[str]
    dependency: DependencySpec | None
    could_be: str | None
    """The argument that would say the same without a task, and where it stands."""
    template: str
    """What stands in the file instead of an id that is not known."""
    delta_s: float | None
    """How much earlier the logical date of the upstream run is; None: it is known only when the task runs."""

    @property
    def waiting(self) -> str:
        """The DAG or task that waits, for people."""
        dag_id = self.dag_id or self.template
        return dag_id if self.task_id is None else f"{dag_id}.{self.task_id}"

    @property
    def label(self) -> str:
        """The DAG or task that it waits for, for people."""
        dag_id = self.upstream_dag_id or self.template
        return dag_id if self.upstream_task_id is None else f"{dag_id}.{self.upstream_task_id}"


def build_sensor_edges(dag_id: str, timetable: TimetableRef, of: TaskWait) -> Iterator[SensorEdge]:
    """The arrows of a sensor, one for each task that it waits for; or that of a marker."""
    wait = of.wait
    if isinstance(wait, ClearedTask):
        yield _build_marker_edge(dag_id, of.task_id, wait)
        return
    template = wait.template or ("" if wait.dag_id is not None else "(from other tasks)")
    for task_id in wait.task_ids or (None,):
        after = None if wait.dag_id is None else suggest_after(wait, dag_id, task_id, timetable)
        could_be = None if after is None or not of.place else f"depends_on={write_after(after)} of {of.place}"
        yield SensorEdge(
            SENSOR,
            dag_id,
            of.task_id,
            wait.dag_id,
            task_id,
            describe_sensor(wait),
            after,
            could_be,
            template,
            None if wait.has_date_function else wait.delta_s,
        )


def list_sensor_edges(spec: DagSpec) -> list[SensorEdge]:
    """The waits of the sensors of a DAG, and the tasks of other DAGs that its markers name."""
    return [edge for wait in list_task_waits(spec) for edge in build_sensor_edges(spec.dag_id, spec.timetable, wait)]


def _build_marker_edge(dag_id: str, task_id: str, cleared: ClearedTask) -> SensorEdge:
    is_template = "{{" in cleared.template or "{%" in cleared.template
    waiting = cleared.dag_id if cleared.dag_id is not None or is_template else cleared.template or None
    after = None if cleared.dag_id is None else DependencySpec(dag_id=dag_id, task_id=task_id)
    could_be = None if after is None else f"depends_on={write_after(after)} of task {cleared.task_id} of DAG {waiting}"
    unknown = (
        []
        if cleared.dag_id is not None
        else [_NOT_KNOWN]
        if waiting is None
        else ["the task or the date is known only when the task runs"]
    )
    template = "" if waiting is not None else cleared.template or "(differs between map indexes)"
    delta_s = 0.0 if cleared.dag_id is not None and cleared.logical_date is None else None
    phrases = [f"by {OPERATORS[MARKER]}: a clear of {task_id} clears it too", *unknown]
    return SensorEdge(
        MARKER, waiting, cleared.task_id or None, dag_id, task_id, phrases, after, could_be, template, delta_s
    )


_NOT_KNOWN = "the DAG is known only when the task runs"


def describe_sensor(wait: SensorWait) -> list[str]:
    """Phrases for a sensor: how it chooses the run, and what its author chose."""
    phrases = [f"by {OPERATORS[SENSOR]}"]
    if wait.has_date_function:
        phrases.append("at the dates of a function")
    elif wait.delta_s:
        phrases.append(f"{_format_span(abs(wait.delta_s))} {'earlier' if wait.delta_s > 0 else 'later'}")
    if wait.group_id is not None:
        phrases.append(f"task group {wait.group_id}")
    return phrases + ([_NOT_KNOWN] if wait.dag_id is None else [])


def suggest_after(wait: SensorWait, dag_id: str, task_id: str | None, timetable: TimetableRef) -> DependencySpec:
    """The dependency that is nearest to a sensor of DAG `dag_id` whose DAG is known. The periods back follow from its span and this timetable."""
    assert wait.dag_id is not None
    back = min(round(wait.delta_s / _find_period_s(timetable)), MAX_PERIODS_BACK) if wait.delta_s >= _HOUR_S else 0
    return DependencySpec(
        dag_id=wait.dag_id,
        task_id=task_id,
        previous=max(back, 1) if wait.dag_id == dag_id else back,
        on_failure="proceed" if wait.accepts_failure else "cancel" if wait.fails_with_upstream else "wait",
        max_wait_s=wait.timeout_s or None,
    )


def _find_period_s(timetable: TimetableRef) -> float:
    granularity = rebuild_timetable(timetable, None).granularity if timetable.builtin else timetable.granularity
    return _PERIODS_S.get(granularity or "", _DAY_S)


def write_after(after: DependencySpec) -> str:
    """The dependency as an author writes it."""
    arguments = [repr(after.dag_id)]
    arguments += [f"task_id={after.task_id!r}"] if after.task_id is not None else []
    arguments += [f"previous={after.previous}"] if after.previous else []
    arguments += [f"on_failure={after.on_failure!r}"] if after.on_failure != "wait" else []
    arguments += [f"max_wait=timedelta(seconds={after.max_wait_s:g})"] if after.max_wait_s is not None else []
    return f"After({', '.join(arguments)})".replace("'", '"')


def _format_span(seconds: float) -> str:
    for length, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (60.0, "min")):
        if seconds % length == 0:
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"
