"""What tasks ask about runs under Airflow's names: members of `dag`, `dag_run` and `ti`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from gnomon.author_code.context import RuntimeDagRun
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.attempts import RunFacts, TaskInstanceFacts
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.instants import to_instant
from gnomon.model.task_api_requests import GetDag, GetPreviousRun, GetRunRemarks, GetTaskInstances, ListRuns

from .conftest import MONDAY, TUESDAY

WEDNESDAY = TUESDAY + timedelta(days=1)
SECOND_US = 1_000_000


def _facts(run_id: str, at: Any, run_type: str = "scheduled", state: str = "success") -> RunFacts:
    return RunFacts(
        run_pk=1,
        dag_id="d",
        run_id=run_id,
        run_type=run_type,
        run_after=to_instant(at),
        logical_at=to_instant(at),
        state=state,
    )


RUNS = [_facts("w", WEDNESDAY, "manual", "running"), _facts("t", TUESDAY, state="running"), _facts("m", MONDAY)]
INSTANCES = [
    TaskInstanceFacts(
        task_id="a",
        state="success",
        try_number=2,
        max_tries=3,
        started_at=SECOND_US,
        ended_at=3 * SECOND_US,
        operator="PythonOperator",
    ),
    TaskInstanceFacts(task_id="b", map_index=0, state="failed"),
    TaskInstanceFacts(task_id="c"),
]


class Runs:
    """A channel that knows three runs, each with the same task instances."""

    def ask(self, question: Any) -> object:
        if isinstance(question, ListRuns):
            first, last = question.first_logical_at, question.last_logical_at
            found = [
                run
                for run in RUNS
                if question.state in (None, run.state)
                and question.run_id in (None, run.run_id)
                and run.run_type in (question.run_types or [run.run_type])
            ]
            return msgspec.to_builtins(
                [
                    run
                    for run in found
                    if (first is None or run.logical_at >= first) and (last is None or run.logical_at <= last)
                ][: question.limit]
            )  # type: ignore[operator]
        if isinstance(question, GetTaskInstances):
            return msgspec.to_builtins(INSTANCES) if question.run_id != "gone" else None
        if isinstance(question, GetPreviousRun):
            later = [run.run_id for run in RUNS].index(question.run_id) + 1
            return next((msgspec.to_builtins(run) for run in RUNS[later:] if question.state in (None, run.state)), None)
        if isinstance(question, GetRunRemarks):
            return {"note": "again", "triggering_user_name": "ann"} if question.run_id == "w" else None
        assert isinstance(question, GetDag)
        return {"active": True, "paused": True}


@pytest.fixture
def dag() -> Any:
    previous = sdk_channel.install_channel(Runs())
    with DAG("d", schedule="@daily", start_date=MONDAY) as made:
        BaseOperator(task_id="a")
    with authoring_state.set_current_context({"dag": made}):
        yield made
    sdk_channel.install_channel(previous)


def test_task_instances_of_a_run_have_the_names_of_airflow(dag: DAG) -> None:
    run = RuntimeDagRun(RUNS[1], dag)
    first, second, third = run.get_task_instances()
    assert (first.task_id, first.state, first.try_number, first.max_tries, first.duration, first.operator) == (
        "a",
        "success",
        2,
        3,
        2.0,
        "PythonOperator",
    )
    assert first.task is dag.get_task("a") and second.task is None
    assert (first.dag_id, first.run_id, first.execution_date, first.key.primary) == (
        "d",
        "t",
        TUESDAY,
        ("d", "a", "t", -1),
    )
    assert (second.map_index, str(second)) == (0, "<TaskInstance: d.b t [0] [failed]>")
    assert (third.state, third.start_date, third.duration, third.current_state()) == (None, None, None, None)
    assert [ti.task_id for ti in run.get_task_instances(state=["failed", None])] == ["b", "c"]
    assert [ti.task_id for ti in run.get_task_instances(state="failed")] == ["b"]
    assert run.get_task_instance("b", map_index=0).state == "failed"
    assert run.get_task_instance("b") is None
    assert RuntimeDagRun(_facts("gone", MONDAY)).get_task_instances() == []


def test_a_run_knows_its_dag_and_the_runs_before_it(dag: DAG) -> None:
    run = RuntimeDagRun(RUNS[0], dag)
    assert run.get_dag() is dag
    before = run.get_previous_dagrun()
    assert before is not None and before.run_id == "t" and before.get_dag() is dag
    assert run.get_previous_dagrun(state="success").run_id == "m"  # type: ignore[union-attr]
    assert run.get_previous_scheduled_dagrun().run_id == "t"  # type: ignore[union-attr]
    assert RuntimeDagRun(RUNS[2]).get_previous_dagrun() is None
    with pytest.raises(AirflowException, match="is not in this process"):
        RuntimeDagRun(RUNS[0]).get_dag()


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda dag: dag.get_last_dagrun().run_id, "t"),
        (lambda dag: dag.get_last_dagrun(include_externally_triggered=True).run_id, "w"),
        (lambda dag: dag.get_dagrun(execution_date=MONDAY, session=None).run_id, "m"),
        (lambda dag: dag.get_dagrun(run_id="w").run_id, "w"),
        (lambda dag: dag.get_dagrun(run_id="none"), None),
        (lambda dag: [run.run_id for run in dag.get_dagruns_between(MONDAY, TUESDAY)], ["m", "t"]),
        (lambda dag: dag.get_active_runs(), [TUESDAY, WEDNESDAY]),
        (lambda dag: (dag.get_num_active_runs(), dag.get_num_active_runs(external_trigger=True)), (2, 1)),
        (lambda dag: (dag.latest_execution_date, dag.get_latest_execution_date()), (WEDNESDAY, WEDNESDAY)),
        (lambda dag: dag.has_dag_runs(), True),
        (
            lambda dag: [(ti.run_id, ti.task_id) for ti in dag.get_task_instances(start_date=TUESDAY, state="failed")],
            [("t", "b"), ("w", "b")],
        ),
        (lambda dag: dag.get_num_task_instances(task_ids=["a"], states=["success"]), 3),
        (lambda dag: (dag.is_paused, dag.get_is_paused(), dag.is_active), (True, True, True)),
    ],
)
def test_a_dag_answers_about_its_runs_in_a_task(ask: Callable[[Any], object], answer: object, dag: DAG) -> None:
    assert ask(dag) == answer


def test_outside_a_task_the_same_members_say_what_they_need() -> None:
    with pytest.raises(AttributeError, match="dag.get_last_dagrun of DAG 'd' needs .* in a task it can be read"):
        DAG("d").get_last_dagrun()
    assert getattr(DAG("d"), "is_paused", "absent") == "absent"


def test_the_schedule_before_and_after_a_moment() -> None:
    found = DAG("d", schedule_interval="@daily", start_date=MONDAY)
    assert (found.following_schedule(MONDAY), found.previous_schedule(TUESDAY)) == (TUESDAY, MONDAY)
    assert found.following_schedule(MONDAY + timedelta(hours=5)) == TUESDAY
    assert found.get_run_dates(MONDAY, WEDNESDAY) == [MONDAY, TUESDAY, WEDNESDAY]
    assert DAG("d", schedule=None).following_schedule(MONDAY) is None
    assert DAG("d", schedule=None).previous_schedule(MONDAY) is None


def test_a_run_tells_its_note_and_who_triggered_it_and_nothing_where_no_server_is(dag: Any) -> None:
    mine, deleted = RuntimeDagRun(RUNS[0]), RuntimeDagRun(RUNS[1])
    assert (mine.note, mine.triggering_user_name) == ("again", "ann")
    assert (deleted.note, deleted.triggering_user_name) == (None, None)
    sdk_channel.install_channel(None)
    assert RuntimeDagRun(RUNS[0]).note is None
