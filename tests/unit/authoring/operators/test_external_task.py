"""Waiting for runs and tasks of another DAG."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.external_task_sensor import ExternalTaskMarker, ExternalTaskSensor
from gnomon.authoring.operators.triggers.external_task import DagStateTrigger, WorkflowTrigger
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.errors.authoring import AirflowSkipException, TaskDeferred
from gnomon.model.errors.external_tasks import (
    AirflowExternalTaskSensorException,
    ExternalDagFailedError,
    ExternalDagNotFoundError,
    ExternalTaskFailedError,
    ExternalTaskGroupNotFoundError,
    ExternalTaskNotFoundError,
)
from gnomon.model.instants import to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ClearedTask, DagSpec, TaskSpec
from gnomon.model.task_api_requests import GetDag, GetRunStates, GetTaskStates

MONDAY = dt.datetime(2024, 3, 4, tzinfo=dt.UTC)
SUNDAY = MONDAY - dt.timedelta(days=1)
SPEC = DagSpec(
    dag_id="other",
    timetable=TimetableRef(path="gnomon.timetables.Null"),
    tasks=(TaskSpec(task_id="a"), TaskSpec(task_id="g.b", group="g")),
    groups={"g": None},
)


@dataclass
class Server:
    """Has run states by logical date or id, and task states of every run."""

    runs: dict[object, str] = field(default_factory=dict)
    tasks: dict[str, str | None] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    then: list[Callable[[], object]] = field(default_factory=list)
    """What happens after each answer, in this order."""

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        answer = self._answer(question)
        if self.then:
            self.then.pop(0)()
        return answer

    def _answer(self, question: Any) -> object:
        if isinstance(question, GetDag):
            known = {"active": True, "paused": False, "file": "/d.py", "spec": msgspec.to_builtins(SPEC)}
            return known if question.dag_id == "other" else None
        wanted = (*(question.run_ids or ()), *(question.logical_dates or ()))
        found = {str(key): state for key, state in self.runs.items() if key in wanted}
        if isinstance(question, GetRunStates):
            return found
        assert isinstance(question, GetTaskStates)
        return {run: dict(self.tasks) for run in found}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    before = channel.install_channel(server)
    yield server
    channel.install_channel(before)


def _sensor(**kwargs: Any) -> ExternalTaskSensor:
    return ExternalTaskSensor(task_id="t", external_dag_id="other", **kwargs)


def _poke(context_of: Callable[..., Any], **kwargs: Any) -> bool:
    sensor = _sensor(**kwargs)
    return sensor.poke(context_of(sensor))


def test_a_run_is_waited_for_until_it_is_there_and_has_succeeded(
    dag: DAG, server: Server, context_of: Callable[..., Any]
) -> None:
    sensor = _sensor()
    context = context_of(sensor)
    assert sensor.poke(context) is False
    server.runs[to_instant(MONDAY)] = "running"
    assert sensor.poke(context) is False
    server.runs[to_instant(MONDAY)] = "success"
    assert sensor.poke(context) is True
    assert server.asked[-1] == GetRunStates(dag_id="other", logical_dates=(to_instant(MONDAY),))


def test_the_run_is_moved_by_a_delta_or_chosen_by_a_function(
    dag: DAG, server: Server, context_of: Callable[..., Any]
) -> None:
    server.runs[to_instant(SUNDAY)] = "success"
    assert _poke(context_of, execution_delta=dt.timedelta(days=1))
    with DAG("two", schedule=None):
        assert _poke(
            context_of, execution_date_fn=lambda logical_date, dag: logical_date - dt.timedelta(days=len(dag.tasks))
        )
    with DAG("three", schedule=None):
        assert not _poke(context_of, execution_date_fn=lambda date, ds: [date, date - dt.timedelta(days=len(ds) - 9)])
    assert server.asked[-1].logical_dates == (to_instant(MONDAY), to_instant(SUNDAY))


def test_a_run_without_a_logical_date_looks_for_its_run_after(
    dag: DAG, server: Server, context_of: Callable[..., Any]
) -> None:
    sensor = _sensor()
    sensor.poke(context_of(sensor, logical_date=None))
    assert server.asked[-1].logical_dates == (0,)


@pytest.mark.parametrize(
    ("states", "is_there"),
    [
        ({}, False),
        ({"a": "success"}, False),
        ({"a": "success", "b": None}, False),
        ({"a": "success", "b": "success"}, True),
        ({"a": "success", "b[0]": "success", "b[1]": "running"}, False),
        ({"a": "success", "b[0]": "success"}, True),
    ],
)
def test_all_the_tasks_have_to_be_there(
    dag: DAG, server: Server, context_of: Callable[..., Any], states: dict[str, str | None], is_there: bool
) -> None:
    server.runs[to_instant(MONDAY)] = "running"
    server.tasks = states
    assert _poke(context_of, external_task_ids=["a", "b"]) is is_there


@pytest.mark.parametrize(("states", "is_there"), [({}, False), ({"g.b": None}, False), ({"g.b": "success"}, True)])
def test_a_group_is_there_when_all_its_tasks_are(
    dag: DAG, server: Server, context_of: Callable[..., Any], states: dict[str, str | None], is_there: bool
) -> None:
    server.runs[to_instant(MONDAY)] = "running"
    server.tasks = states
    assert _poke(context_of, external_task_group_id="g") is is_there
    assert server.asked[-1].group == "g"


def test_a_failed_one_fails_the_task_and_a_skipped_one_skips_it(
    dag: DAG, server: Server, context_of: Callable[..., Any]
) -> None:
    server.runs[to_instant(MONDAY)] = "running"
    server.tasks = {"a": "failed"}
    ways: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"failed_states": ["failed"]}, ExternalTaskFailedError),
        ({"failed_states": ["failed"], "soft_fail": True}, AirflowSkipException),
        ({"skipped_states": ["failed"]}, AirflowSkipException),
    ]
    for number, (way, error) in enumerate(ways):
        with DAG(f"d{number}", schedule=None), pytest.raises(error, match="task a of DAG 'other'"):
            _poke(context_of, external_task_id="a", **way)


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        ({"external_task_id": "none"}, ExternalTaskNotFoundError, "external task none in DAG other does not exist"),
        (
            {"external_task_group_id": "none"},
            ExternalTaskGroupNotFoundError,
            "task group 'none' in DAG 'other' does not exist",
        ),
    ],
)
def test_what_does_not_exist_fails_the_task_if_it_is_asked_to(
    dag: DAG,
    server: Server,
    context_of: Callable[..., Any],
    wanted: dict[str, str],
    error: type[AirflowExternalTaskSensorException],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        _poke(context_of, check_existence=True, **wanted)
    with DAG("two", schedule=None):
        sensor = ExternalTaskSensor(task_id="t", external_dag_id="none", check_existence=True)
        with pytest.raises(ExternalDagNotFoundError, match="external DAG none does not exist"):
            sensor.poke(context_of(sensor))
    with DAG("three", schedule=None):
        assert not _poke(context_of, check_existence=True, external_task_id="a")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"external_task_id": "a", "external_task_ids": ["b"]}, "only one of external_task_id and external_task_ids"),
        (
            {"execution_delta": dt.timedelta(1), "execution_date_fn": lambda date: date},
            "execution_delta and execution_date_fn",
        ),
        ({"allowed_states": ["success"], "failed_states": ["success"]}, "duplicate values"),
        ({"allowed_states": ["skipped"]}, "'skipped' in allowed_states is not a state of a run"),
        ({"external_task_id": "a", "failed_states": ["no"]}, "'no' in failed_states is not a state of a task"),
        ({"external_task_ids": ["a", "a"]}, "names a task twice"),
    ],
)
def test_arguments_that_cannot_hold_are_refused_by_name(dag: DAG, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"Sensor 't'.*{words}"):
        _sensor(**arguments)


def test_a_deferred_sensor_hands_its_question_to_a_trigger(
    dag: DAG, server: Server, execute: Callable[..., Any]
) -> None:
    sensor = _sensor(
        external_task_id="a",
        deferrable=True,
        failed_states=["failed"],
        skipped_states=["skipped"],
        poll_interval=0,
        timeout=50,
    )
    with pytest.raises(TaskDeferred) as raised:
        execute(sensor)
    assert raised.value.timeout == dt.timedelta(seconds=50)
    for state, status in (("failed", "failed"), ("skipped", "skipped"), ("success", "success")):
        server.tasks = {}
        server.runs[to_instant(MONDAY)] = "running"
        server.then = [lambda: None, lambda state=state: server.tasks.update(a=state)]  # type: ignore[misc]
        assert _first_event(raised.value.trigger) == {"status": status}
    sensor.execute_complete({}, {"status": "success"})
    with pytest.raises(AirflowSkipException):
        sensor.execute_complete({}, {"status": "skipped"})
    with pytest.raises(ExternalDagFailedError):
        sensor.execute_complete({}, {"status": "failed"})
    with pytest.raises(ExternalTaskNotFoundError, match="ended without the states"):
        sensor.execute_complete({}, None)


def test_a_sensor_that_finds_its_run_needs_no_trigger(dag: DAG, server: Server, execute: Callable[..., Any]) -> None:
    server.runs[to_instant(MONDAY)] = "success"
    assert execute(_sensor(deferrable=True)) is None


def _first_event(trigger: Any) -> Any:
    """Of the trigger as it is made again from its arguments."""
    path, kwargs = trigger.serialize()
    assert path == f"gnomon.authoring.operators.triggers.external_task.{type(trigger).__name__}"

    async def first() -> Any:
        return (await anext(aiter(type(trigger)(**kwargs).run()))).payload

    return asyncio.run(first())


def test_a_workflow_trigger_takes_run_ids_and_airflow_2s_dates(server: Server) -> None:
    server.runs = {"r1": "success", to_instant(MONDAY): "success"}
    assert _first_event(WorkflowTrigger("other", run_ids=["r1"], poke_interval=0)) == {"status": "success"}
    assert _first_event(WorkflowTrigger("other", execution_dates=[MONDAY], poke_interval=0)) == {"status": "success"}


def test_a_dag_state_trigger_waits_for_all_runs_and_tells_their_states(server: Server) -> None:
    server.runs = {"r1": "success", "r2": "running"}
    server.then = [lambda: None, lambda: server.runs.update(r2="failed")]
    trigger = DagStateTrigger("other", ["success", "failed"], run_ids=["r1", "r2"], poll_interval=0)
    path, known = _first_event(trigger)
    assert path == trigger.serialize()[0] and len(server.asked) == 3
    assert (known["r1"], known["r2"], known["run_ids"]) == ("success", "failed", ["r1", "r2"])


def test_a_dag_state_trigger_of_runs_that_are_there_fires_when_one_is_deleted(server: Server) -> None:
    server.runs = {"r1": "running", "r2": "running"}
    server.then = [lambda: server.runs.pop("r1")]
    trigger = DagStateTrigger("other", ["success"], run_ids=["r1", "r2"], poll_interval=0, there=True)
    _, known = _first_event(trigger)
    assert ("r1" in known, known["r2"], len(server.asked)) == (False, "running", 2)


def test_a_channel_of_coroutines_is_awaited() -> None:
    class Awaited:
        def ask(self, question: object) -> object:
            raise AssertionError("asked in a thread")

        async def ask_async(self, question: object) -> object:
            return {"r": "success"}

    before = channel.install_channel(Awaited())
    try:
        assert asyncio.run(channel.ask_async(GetRunStates(dag_id="d"))) == {"r": "success"}  # type: ignore[arg-type]
    finally:
        channel.install_channel(before)


def test_a_marker_names_a_task_elsewhere_and_costs_no_process(dag: DAG) -> None:
    marker = ExternalTaskMarker(task_id="t", external_dag_id="other", external_task_id="a", logical_date=MONDAY)
    assert (marker.external_dag_id, marker.logical_date, marker.recursion_depth) == ("other", MONDAY.isoformat(), 10)
    assert not build_dag_spec(dag, __file__).spec.tasks[0].runs_code
    with pytest.raises(ValueError, match="'u'.*recursion_depth must be 1 or more"):
        ExternalTaskMarker(task_id="u", external_dag_id="other", external_task_id="a", recursion_depth=0)


@pytest.mark.parametrize(
    ("fields", "cleared"),
    [
        ({}, ClearedTask(dag_id="other", task_id="a")),
        ({"logical_date": "{{ ts }}"}, ClearedTask(dag_id="other", task_id="a")),
        ({"execution_date": "{{ execution_date.isoformat() }}"}, ClearedTask(dag_id="other", task_id="a")),
        (
            {"logical_date": MONDAY, "recursion_depth": 3},
            ClearedTask(dag_id="other", task_id="a", logical_date=MONDAY.isoformat(), depth=3),
        ),
        ({"logical_date": "{{ macros.ds_add(ds, -1) }}"}, ClearedTask(template="other")),
        ({"external_task_id": "{{ ds }}"}, ClearedTask(template="other")),
        ({"external_dag_id": "{{ var.value.d }}"}, ClearedTask(template="{{ var.value.d }}")),
    ],
)
def test_a_marker_says_what_a_clear_of_it_clears_and_runs_only_to_render_templates(
    fields: dict[str, Any], cleared: ClearedTask
) -> None:
    with DAG("d", schedule=None) as dag:
        ExternalTaskMarker(**{"task_id": "m", "external_dag_id": "other", "external_task_id": "a", **fields})
        EmptyOperator(task_id="e")
    marker, empty = build_dag_spec(dag, __file__).spec.tasks
    assert marker.clears == cleared and marker.runs_code is (cleared.dag_id is None)
    assert empty.clears is None


def test_a_mapped_marker_runs_to_render_what_each_instance_names() -> None:
    with DAG("d", schedule=None) as dag:
        ExternalTaskMarker.partial(task_id="m", external_dag_id="other", recursion_depth=2).expand(
            external_task_id=["a", "b"]
        )
    (marker,) = build_dag_spec(dag, __file__).spec.tasks
    assert marker.clears == ClearedTask(depth=2) and marker.runs_code
