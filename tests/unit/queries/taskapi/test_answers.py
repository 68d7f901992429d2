"""What author code may read and write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.conformance.storeworld import World
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.model.attempts import Attempt, RunFacts, TaskInstanceFacts
from gnomon.model.records import Changes, RunRecord, TaskRecord
from gnomon.model.states import TaskInstanceState
from gnomon.model.task_api_requests import (
    AnyTaskApiRequest,
    DeleteVariable,
    GetConnection,
    GetPreviousRun,
    GetRunRemarks,
    GetRunState,
    GetTaskInstances,
    GetTaskStates,
    GetVariable,
    GetXComBatch,
    GetXComCount,
    GetXComs,
    ListRuns,
    ListVariables,
    SetVariable,
)
from gnomon.queries import taskapi
from gnomon.queries.taskapi import run_queries, xcom_queries
from gnomon.storage.store import open_database
from gnomon.storage.store.admin import connections
from gnomon.storage.store.dag_records import notes, xcom_values

ATTEMPT = Attempt(
    attempt_id="x",
    group_no=1,
    epoch=1,
    task_id="a",
    task_no=0,
    file="/d.py",
    run=RunFacts(run_pk=1, dag_id="d", run_id="m", run_type="manual", run_after=0),
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url, synchronous="OFF", cipher=CIPHER)
    yield World(database)
    database.close()


def ask(world: World, question: AnyTaskApiRequest) -> object:
    return taskapi.answer_task(world.db, ATTEMPT, question)


def test_variables_are_read_and_written(world: World) -> None:
    assert ask(world, GetVariable(key="k")) is None
    ask(world, SetVariable(key="k", value="v"))
    ask(world, SetVariable(key="other", value="w"))
    assert ask(world, GetVariable(key="k")) == "v"
    assert ask(world, ListVariables(prefix="k")) == ["k"]
    assert ask(world, DeleteVariable(key="k")) is True
    assert ask(world, DeleteVariable(key="k")) is False


def test_a_connection_is_its_fields(world: World) -> None:
    with world.db.write() as tx:
        connections.set_connection(tx, connections.StoredConnection("c", "http", host="example.org", port=81))
    answer = ask(world, GetConnection(conn_id="c"))
    assert isinstance(answer, dict) and (answer["conn_type"], answer["host"], answer["port"]) == (
        "http",
        "example.org",
        81,
    )
    assert ask(world, GetConnection(conn_id="none")) is None


@pytest.mark.parametrize(
    "question",
    [
        GetXComs(dag_id="d", run_id="m"),
        GetPreviousRun(dag_id="d", run_id="m"),
        GetRunRemarks(dag_id="d", run_id="m"),
        GetRunState(dag_id="d", run_id="m"),
        GetTaskStates(dag_id="d"),
        GetTaskInstances(dag_id="d", run_id="m"),
        ListRuns(dag_id="d", limit=1),
    ],
)
def test_a_file_that_is_imported_may_not_ask_about_runs(world: World, question: AnyTaskApiRequest) -> None:
    assert taskapi.answer_task(world.db, None, GetVariable(key="k")) is None
    with pytest.raises(taskapi.TaskApiRefused, match="move the call into a task"):
        taskapi.answer_task(world.db, None, question)


def _two_runs(world: World) -> tuple[RunRecord, RunRecord]:
    dag = world.dag("d")
    first, second = world.run("d", "first", day=1), world.run("d", "second", day=2)
    for run in (first, second):
        row = TaskRecord(
            run.run_pk, dag.task_numbers["a"], -1, TaskInstanceState.SUCCESS, try_number=1, started_at=1, ended_at=2
        )
        world.apply(Changes(tasks=[row]))
        with world.db.write() as tx:
            xcom_values.write_xcom(tx, run.run_pk, dag.task_numbers["a"], -1, "return_value", f'"{run.run_id}"')
    return first, second


def test_a_dag_file_that_is_imported_reads_and_writes_variables(world: World) -> None:
    taskapi.answer_task(world.db, None, SetVariable(key="k", value="v"))
    assert taskapi.answer_task(world.db, None, GetVariable(key="k")) == "v"
    assert taskapi.answer_task(world.db, None, DeleteVariable(key="k")) is True
    assert taskapi.answer_task(world.db, None, GetVariable(key="k")) is None


def test_the_values_of_a_mapped_task_come_in_batches_that_end_with_a_large_value(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    dag = world.dag("d")
    run = world.run("d", "m", day=1)
    with world.db.write() as tx:
        for index, value in enumerate(["1", "22", "333", "4"]):
            xcom_values.write_xcom(tx, run.run_pk, dag.task_numbers["a"], index, "return_value", value)
    batch = GetXComBatch(dag_id="d", run_id="m", task_id="a")
    assert ask(world, batch) == ["1", "22", "333", "4"]
    assert ask(world, GetXComBatch(dag_id="d", run_id="m", task_id="a", start=3, limit=9)) == ["4"]
    assert ask(world, GetXComBatch(dag_id="d", run_id="m", task_id="a", start=-1)) == []
    monkeypatch.setattr(xcom_queries, "BATCH_BYTES", 3)
    assert ask(world, batch) == ["1", "22"]
    assert ask(world, GetXComCount(dag_id="d", run_id="m", task_id="a")) == 4
    assert (
        ask(world, GetXComCount(dag_id="d", run_id="none", task_id="a")) == 0
        and ask(world, GetXComBatch(dag_id="d", run_id="none", task_id="a")) == []
    )
    with pytest.raises(taskapi.TaskApiRefused, match="GetXComBatch is for tasks only"):
        taskapi.answer_task(world.db, None, batch)


def test_xcoms_are_of_the_run_of_the_tasks_and_of_the_map_indexes_asked_for(world: World) -> None:
    _two_runs(world)
    found = {"task_id": "a", "map_index": -1, "value": '"second"', "run_id": "second"}
    assert ask(world, GetXComs(dag_id="d", run_id="second", task_ids=("a",))) == [found]
    assert ask(world, GetXComs(dag_id="d", run_id="second")) == [found]
    assert ask(world, GetXComs(dag_id="d", run_id="second", task_ids=("b",))) == []
    assert ask(world, GetXComs(dag_id="d", run_id="second", task_ids=("a",), map_indexes=(0,))) == []
    assert ask(world, GetXComs(dag_id="d", run_id="no such run")) == []


@pytest.mark.parametrize(("day", "found"), [(0, []), (1, ["first"]), (2, ["second"]), (7, ["second"])])
def test_earlier_runs_of_another_dag_count_up_to_the_date_of_the_own_run(
    world: World, day: int, found: list[str]
) -> None:
    _two_runs(world)
    world.dag("mine")
    world.run("mine", "own", day=day)
    asker = replace(ATTEMPT, run=replace(ATTEMPT.run, dag_id="mine"))

    def pull(run_id: str, include_prior_dates: bool = True) -> list[str]:
        question = GetXComs(dag_id="d", run_id=run_id, task_ids=("a",), include_prior_dates=include_prior_dates)
        return [one["run_id"] for one in taskapi.answer_task(world.db, asker, question)]  # type: ignore[attr-defined]

    assert pull("own") == found
    assert pull("own", include_prior_dates=False) == [], "a run of the other DAG is meant"
    assert pull("of no DAG") == []
    assert pull("first") == ["first"], "the other DAG has the run"


def test_the_previous_run_is_the_newest_before_this_one_in_the_state_asked_for(world: World) -> None:
    _two_runs(world)
    answer = ask(world, GetPreviousRun(dag_id="d", run_id="second"))
    assert msgspec.convert(answer, RunFacts).run_id == "first"
    assert ask(world, GetPreviousRun(dag_id="d", run_id="first")) is None
    assert ask(world, GetPreviousRun(dag_id="d", run_id="second", state="success")) is None
    with pytest.raises(taskapi.TaskApiRefused, match="no run state 'done'"):
        ask(world, GetPreviousRun(dag_id="d", run_id="second", state="done"))


def test_the_note_of_a_run_and_who_triggered_it_are_told(world: World) -> None:
    first, _ = _two_runs(world)
    with world.db.write() as tx:
        notes.put_note(tx, notes.NotePlace(first.run_pk), "late again", "api:ann", 1)
        tx._connection.execute_raw(
            f"UPDATE event_log SET by = 'api:ann' WHERE run_pk = {first.run_pk} AND kind = 'run_created'"
        )
    assert ask(world, GetRunRemarks(dag_id="d", run_id="first")) == {
        "note": "late again",
        "triggering_user_name": "ann",
    }
    assert ask(world, GetRunRemarks(dag_id="d", run_id="second")) == {"note": None, "triggering_user_name": None}
    assert ask(world, GetRunRemarks(dag_id="d", run_id="none")) is None


def test_task_instances_of_a_run_are_told_with_their_times_also_those_without_a_state(world: World) -> None:
    _two_runs(world)
    answer = msgspec.convert(ask(world, GetTaskInstances(dag_id="d", run_id="first")), list[TaskInstanceFacts])
    assert [
        (one.task_id, one.map_index, one.state, one.try_number, one.started_at, one.ended_at) for one in answer
    ] == [
        ("a", -1, "success", 1, 1, 2),
        ("b", -1, None, 0, None, None),
    ]
    assert ask(world, GetTaskInstances(dag_id="d", run_id="none")) is None


def test_runs_are_listed_newest_first_in_the_state_asked_for(world: World) -> None:
    _two_runs(world)
    runs = msgspec.convert(ask(world, ListRuns(dag_id="d", limit=5)), list[RunFacts])
    assert [run.run_id for run in runs] == ["second", "first"]
    assert len(ask(world, ListRuns(dag_id="d", limit=1))) == 1  # type: ignore[arg-type]
    assert ask(world, ListRuns(dag_id="d", state="success", limit=5)) == []
    assert ask(world, ListRuns(dag_id="none", limit=5)) == []
    with pytest.raises(taskapi.TaskApiRefused, match="no run state 'done'"):
        ask(world, ListRuns(dag_id="d", state="done", limit=5))


def _list_ids(world: World, **fields: Any) -> list[str]:
    return [
        run.run_id
        for run in msgspec.convert(ask(world, ListRuns(dag_id="d", **{"limit": 5, **fields})), list[RunFacts])
    ]


def test_runs_are_found_by_id_by_date_and_by_type_however_many_are_newer(world: World) -> None:
    _two_runs(world)
    runs = {run.run_id: run for run in msgspec.convert(ask(world, ListRuns(dag_id="d", limit=5)), list[RunFacts])}
    first, second = runs["first"].logical_at, runs["second"].logical_at
    assert first is not None and second is not None and first < second
    assert _list_ids(world, run_id="first", limit=1) == ["first"] and _list_ids(world, run_id="none") == []
    assert _list_ids(world, by_logical_date=True, first_logical_at=first, last_logical_at=first, limit=1) == ["first"]
    assert _list_ids(world, by_logical_date=True, first_logical_at=first) == ["second", "first"]
    assert _list_ids(world, by_logical_date=True, last_logical_at=second - 1) == ["first"]
    assert _list_ids(world, run_types=("backfill",)) == [] and _list_ids(
        world, run_types=(runs["first"].run_type,)
    ) == ["second", "first"]


def test_a_request_that_needs_all_runs_is_refused_when_there_are_more(world: World) -> None:
    _two_runs(world)
    assert _list_ids(world, limit=2, needs_all=True) == ["second", "first"]
    with pytest.raises(taskapi.TaskApiRefused, match="more than 1 such runs"):
        ask(world, ListRuns(dag_id="d", limit=1, needs_all=True))


def test_states_of_tasks_in_more_runs_than_an_answer_has_are_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _two_runs(world)
    monkeypatch.setattr(run_queries, "RUNS_MAX", 1)
    with pytest.raises(taskapi.TaskApiRefused, match="name runs by run_ids or logical_dates"):
        ask(world, GetTaskStates(dag_id="d"))
    assert ask(world, GetTaskStates(dag_id="d", run_ids=("first", "second"))) != {}


def test_states_of_runs_and_tasks(world: World) -> None:
    first, _ = _two_runs(world)
    assert ask(world, GetRunState(dag_id="d", run_id="first")) == "queued"
    assert ask(world, GetRunState(dag_id="d", run_id="none")) is None
    assert ask(world, GetTaskStates(dag_id="d")) == {"first": {"a": "success"}, "second": {"a": "success"}}
    assert ask(world, GetTaskStates(dag_id="d", run_ids=("first", "none"), task_ids=("b",))) == {"first": {}}
    assert first.logical_at is not None
    assert ask(world, GetTaskStates(dag_id="d", logical_dates=(first.logical_at,))) == {"first": {"a": "success"}}
