"""A task that makes a run of another DAG: what is there afterwards, and how the task ends."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.storeworld import AT, DAY, World, parsed, plan_change, slot, spec
from tests.databases import create_schema

from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.runner import run_attempt
from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator
from gnomon.authoring.operators.triggers.external_task import DagStateTrigger
from gnomon.authoring.sdk import DAG, BaseOperator
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.deferral import DeferralResult, Resumption
from gnomon.model.errors.authoring import AirflowException, AirflowRuntimeError, DagRunTriggerException
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.serde import dumps, loads
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ParamSpec
from gnomon.model.states import DagRunState
from gnomon.model.task_api_requests import GetRequest, GetRunState, TaskApiRequest
from gnomon.queries import taskapi
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import commit
from gnomon.timetables import CronDataIntervalTimetable, DeltaDataIntervalTimetable, NullTimetable

pytestmark = pytest.mark.ordinary


def _dag(world: World, timetable: TimetableRef | None = None, **options: object) -> None:
    """The DAG d."""
    made = spec("d", **options)  # type: ignore[arg-type]
    world.record(
        parsed("/dags/d.py", msgspec.structs.replace(made, timetable=timetable or build_timetable_ref(NullTimetable())))
    )


@dataclass
class Server:
    """The task API over a real store; what it is told to say, it says instead."""

    world: World
    attempt: Attempt
    says: dict[type[TaskApiRequest], list[object]] = field(default_factory=dict)
    asked: list[TaskApiRequest] = field(default_factory=list)

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        if self.says.get(type(question)):
            return self.says[type(question)].pop(0)
        try:
            return taskapi.answer_task(self.world.db, self.attempt, question)
        except taskapi.TaskApiRefused as error:
            raise AirflowRuntimeError(str(error)) from error


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    set_current_config(load_config({}, home=tmp_path))
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    yield World(database)
    database.close()
    set_current_config(None)
    install_channel(None)


Run = Callable[..., AttemptResult]


@pytest.fixture
def run(world: World) -> Run:
    """Runs a TriggerDagRunOperator with these arguments; `says` are answers that are not the store's."""

    def of(
        says: dict[type[TaskApiRequest], list[object]] | None = None, resume: Resumption | None = None, **arguments: Any
    ) -> AttemptResult:
        with DAG("mine", schedule=None) as dag:
            TriggerDagRunOperator(task_id="t", **{"trigger_dag_id": "d", "poke_interval": 0, **arguments})
        return _attempt(world, dag, says or {}, resume)

    return of


def _attempt(
    world: World, dag: DAG, says: dict[type[TaskApiRequest], list[object]], resume: Resumption | None = None
) -> AttemptResult:
    facts = RunFacts(
        run_pk=1, dag_id="mine", run_id="m", run_type="manual", run_after=AT, logical_at=AT, conf={"who": "me"}
    )
    attempt = Attempt(
        attempt_id="x", group_no=1, epoch=1, run=facts, task_id="t", task_no=0, file="/mine.py", resume=resume
    )
    return run_attempt(dag, attempt, Server(world, attempt, says))


def _made(world: World, run_id: str) -> Any:
    with world.db.read() as tx:
        return dag_runs.find_stored_run(tx, "d", run_id)


def test_the_run_has_its_id_its_conf_and_the_interval_of_its_timetable(world: World, run: Run) -> None:
    _dag(world, params={"k": ParamSpec(default=1, schema={"type": "integer"})})
    result = run(
        trigger_run_id="for_{{ dag_run.conf['who'] }}",
        logical_date="{{ logical_date }}",
        conf={"k": 2, "of": "{{ task.task_id }}"},
    )
    assert (result.outcome, result.reason) == ("success", None)
    assert {item.key: loads(item.value) for item in result.xcoms}["trigger_run_id"] == "for_me"
    made = _made(world, "for_me")
    assert (made.logical_at, made.state, made.conf) == (AT, DagRunState.QUEUED, {"k": 2, "of": "t"})
    assert (made.interval_start, made.interval_end) == (AT, AT)


@pytest.mark.parametrize(
    ("run_id", "said"), [("scheduled__2030-01-01", "reserved for scheduled runs"), ("~", "stands for all runs")]
)
def test_an_id_of_a_run_of_another_type_is_refused(world: World, run: Run, run_id: str, said: str) -> None:
    _dag(world)
    result = run(trigger_run_id=run_id, logical_date=None)
    assert result.outcome == "failed" and said in (result.reason or "")
    assert _made(world, run_id) is None


def test_the_interval_is_what_the_other_timetable_infers(world: World, run: Run) -> None:
    _dag(world, build_timetable_ref(CronDataIntervalTimetable("@daily", "UTC")))
    midnight = dt.datetime(2024, 3, 5, tzinfo=dt.UTC)
    assert run(trigger_run_id="r", logical_date=midnight).outcome == "success"
    assert (
        _made(world, "r").interval_end == to_instant(midnight)
        and _made(world, "r").interval_start == to_instant(midnight) - DAY
    )


@pytest.mark.parametrize(("hours", "slot"), [(0, 24), (12, None)])
def test_the_logical_date_of_a_slot_makes_a_run_that_stands_for_it(
    world: World, run: Run, hours: int, slot: int | None
) -> None:
    _dag(world, build_timetable_ref(CronDataIntervalTimetable("@daily", "UTC")))
    midnight = dt.datetime(2024, 3, 5, tzinfo=dt.UTC)
    assert run(trigger_run_id="r", logical_date=midnight + dt.timedelta(hours=hours)).outcome == "success"
    assert _made(world, "r").stands_for == (None if slot is None else to_instant(midnight + dt.timedelta(hours=slot)))


@pytest.mark.parametrize(("hours", "stands"), [(-48, True), (-47, False), (24, True)])
def test_steps_of_a_span_are_counted_from_the_last_planned_run(
    world: World, run: Run, hours: int, stands: bool
) -> None:
    _dag(world, build_timetable_ref(DeltaDataIntervalTimetable(dt.timedelta(days=1))))
    with world.db.scheduler_write(world.me) as tx:
        commit.create_planned_runs(tx, [plan_change(world.read_dag("d"), slot(3))], AT)
    assert (
        run(trigger_run_id="r", logical_date=to_datetime(AT + 3 * DAY) + dt.timedelta(hours=hours)).outcome == "success"
    )
    assert _made(world, "r").stands_for == (AT + 4 * DAY + hours * 3_600_000_000 if stands else None)


def test_a_timetable_that_does_not_say_its_slots_leaves_the_run_without_one_and_is_logged(
    world: World, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "house_without_days.py").write_text(
        "from gnomon.rules.timetables.base import DataInterval, Timetable\n"
        "class House(Timetable):\n"
        "    def infer_manual_data_interval(self, *, run_after):\n"
        "        return DataInterval(run_after, run_after)\n"
        "    def next_dagrun_info(self, **_):\n"
        "        raise ZeroDivisionError('no days')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    _dag(world, TimetableRef(path="house_without_days.House", builtin=False))
    result = run(trigger_run_id="r", logical_date=to_datetime(AT))
    sys.modules.pop("house_without_days", None)
    assert (result.outcome, _made(world, "r").stands_for) == ("success", None)
    assert "is not known: House.next_dagrun_info raised ZeroDivisionError: no days" in caplog.text


def test_an_authors_timetable_is_asked_where_the_task_runs(
    world: World, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "house_calendar.py").write_text(
        "from datetime import timedelta\n"
        "from gnomon.rules.timetables.base import DataInterval, Timetable\n"
        "class House(Timetable):\n"
        "    def infer_manual_data_interval(self, *, run_after):\n"
        "        return DataInterval(run_after - timedelta(hours=7), run_after)\n"
        "    def next_dagrun_info(self, **_):\n"
        "        return None\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    _dag(world, TimetableRef(path="house_calendar.House", builtin=False))
    result = run(trigger_run_id="r", logical_date=to_datetime(AT))
    sys.modules.pop("house_calendar", None)
    assert (result.outcome, result.reason) == ("success", None)
    assert _made(world, "r").interval_start == AT - 7 * 3_600_000_000


def test_without_a_run_id_the_timetable_names_the_run(world: World, run: Run) -> None:
    _dag(world)
    result = run(logical_date=None)
    run_id = {item.key: loads(item.value) for item in result.xcoms}["trigger_run_id"]
    made = _made(world, run_id)
    assert run_id.startswith("manual__") and made.logical_at is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"trigger_dag_id": "none"}, "there is no DAG 'none'; `gnomon dags list` shows what there is"),
        ({"trigger_run_id": "there"}, "DAG 'd' has a run 'there' with this run id or logical date already"),
        ({"logical_date": to_datetime(AT)}, "DAG 'd' has a run 'there'"),
        ({"conf": {"k": "no number"}}, "k"),
        ({"conf": "[1]"}, "conf of task 't' should be a mapping, not list"),
        ({"conf": lambda context, jinja_env: {"k": object()}}, "JSON serializable"),
        ({"conf": lambda context, jinja_env: {"k": float("nan")}}, "k is nan, which JSON does not have"),
        ({"conf": lambda context, jinja_env: {"k": "a\udce9b"}}, "k contains a lone surrogate"),
        ({"trigger_run_id": "a\nb"}, "run id"),
        ({"fail_when_dag_is_paused": True}, "DagIsPaused: Dag d is paused"),
    ],
)
def test_what_cannot_be_made_fails_the_task_in_words(
    world: World, run: Run, arguments: dict[str, Any], words: str
) -> None:
    _dag(world, params={"k": ParamSpec(default=1, schema={"type": "integer"})})
    with world.db.write() as tx:
        dags.set_paused(tx, "d", True, by="me", at=AT)
    world.run("d", "there", day=0)
    result = run(**arguments)
    assert result.outcome == "failed" and words in str(result.reason), result.reason


def test_a_run_that_exists_may_skip_the_task(world: World, run: Run) -> None:
    _dag(world)
    world.run("d", "there")
    assert run(trigger_run_id="there", skip_when_already_exists=True).outcome == "skipped"


def test_a_run_that_exists_may_be_cleared_before_it_is_waited_for(world: World, run: Run) -> None:
    _dag(world)
    world.run("d", "there")
    done = {
        GetRequest: [{"state": "pending", "answer": None}, {"state": "done", "answer": {}}],
        GetRunState: ["success"],
    }
    assert run(done, trigger_run_id="there", reset_dag_run=True, wait_for_completion=True).outcome == "success"
    refused = run(
        {GetRequest: [{"state": "refused", "answer": {"error": "it runs"}}]}, trigger_run_id="there", reset_dag_run=True
    )
    assert refused.outcome == "failed" and "was not cleared: it runs" in str(refused.reason)


@pytest.mark.parametrize(
    ("states", "outcome", "words"),
    [
        (["queued", "running", "success"], "success", "None"),
        (["running", "failed"], "failed", "failed state failed in run r"),
        (["running", None], "failed", "was deleted while it was waited for"),
    ],
)
def test_a_task_waits_for_its_run_on_a_worker(
    world: World, run: Run, states: list[object], outcome: str, words: str
) -> None:
    _dag(world)
    result = run({GetRunState: states}, trigger_run_id="r", wait_for_completion=True)
    assert result.outcome == outcome and words in str(result.reason)


def test_a_task_waits_for_its_run_deferred(world: World, run: Run) -> None:
    _dag(world)
    result = run(trigger_run_id="r", wait_for_completion=True, deferrable=True, poke_interval=3)
    assert result.outcome == "deferred" and result.wait is not None
    assert load_class(result.wait.classpath) is DagStateTrigger
    kwargs = loads(result.wait.kwargs)
    assert (kwargs["run_ids"], kwargs["states"], kwargs["poll_interval"]) == (["r"], ["success", "failed"], 3.0)
    assert {item.key: loads(item.value) for item in result.xcoms} == {"trigger_run_id": "r"}
    for state, outcome in (("success", "success"), ("failed", "failed"), ("queued", "failed")):
        payload = dumps((result.wait.classpath, {**kwargs, "r": state}))
        resume = Resumption(next_method="execute_complete", result=DeferralResult(outcome="event", payload=payload))
        assert run(resume=resume, wait_for_completion=True, deferrable=True).outcome == outcome


def test_a_task_that_waits_deferred_for_a_run_that_is_deleted_fails_in_words(world: World, run: Run) -> None:
    _dag(world)
    wait = run(trigger_run_id="r", wait_for_completion=True, deferrable=True).wait
    assert wait is not None and loads(wait.kwargs)["there"] is True
    resume = Resumption(
        next_method="execute_complete",
        result=DeferralResult(outcome="event", payload=dumps((wait.classpath, loads(wait.kwargs)))),
    )
    result = run(resume=resume, wait_for_completion=True, deferrable=True)
    assert (result.outcome, result.reason) == (
        "failed",
        "AirflowException: run 'r' of DAG 'd' was deleted while this task waited for it",
    )


def test_any_task_may_raise_for_a_run(world: World) -> None:
    class Raises(BaseOperator):
        def execute(self, context: Any) -> None:
            raise DagRunTriggerException(trigger_dag_id="d", dag_run_id="r", conf={}, logical_date=None)

    _dag(world)
    with DAG("mine", schedule=None) as dag:
        Raises(task_id="t")
    assert _attempt(world, dag, {}).outcome == "success"
    assert _made(world, "r") is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"logical_date": 7}, "Task 't'.*logical_date must be text or a datetime or None, not 7"),
        ({"allowed_states": ["skipped"]}, "'skipped' in allowed_states is not a state of a run"),
    ],
)
def test_arguments_that_cannot_hold_are_refused_by_name(arguments: dict[str, Any], words: str) -> None:
    with DAG("mine", schedule=None), pytest.raises((TypeError, ValueError), match=words):
        TriggerDagRunOperator(task_id="t", trigger_dag_id="d", **arguments)


def test_airflow_2s_name_of_the_logical_date_is_taken() -> None:
    with DAG("mine", schedule=None):
        task = TriggerDagRunOperator(task_id="t", trigger_dag_id="d", execution_date="{{ ds }}")
    assert task.logical_date == "{{ ds }}"
    assert issubclass(AirflowException, Exception)
