"""What a task may know of another DAG, and the run of it that it may make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.conformance.storeworld import AT, DAY, World, slot
from tests.databases import create_schema

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.records import AttemptRecord, Changes, TaskRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState
from gnomon.model.task_api_requests import (
    AnyTaskApiRequest,
    GetDag,
    GetFirstReschedule,
    GetRequest,
    GetRunStates,
    GetTaskStates,
    GetVariable,
    SetVariable,
    TriggerRun,
)
from gnomon.queries import taskapi
from gnomon.queries.taskapi.run_queries import TaskApiRefused, list_group_tasks
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, dags

ATTEMPT = Attempt(
    attempt_id="x",
    group_no=1,
    epoch=1,
    task_id="a",
    task_no=0,
    file="/d.py",
    run=RunFacts(run_pk=1, dag_id="mine", run_id="m", run_type="manual", run_after=0),
)
WANTED = TriggerRun(
    dag_id="d", run_id="r", run_after=AT, logical_at=AT, interval_start=AT, interval_end=AT + DAY, conf={"k": 1}
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    yield World(database)
    database.close()


def ask(world: World, question: AnyTaskApiRequest) -> object:
    return taskapi.answer_task(world.db, ATTEMPT, question)


def test_run_states_are_told_by_id_and_by_logical_date(world: World) -> None:
    world.dag("d")
    for number in (1, 2):
        world.run("d", f"r{number}", day=number)
    assert ask(world, GetRunStates(dag_id="d", run_ids=("r1", "none"))) == {"r1": "queued"}
    assert ask(world, GetRunStates(dag_id="d", logical_dates=(AT + 2 * DAY, AT + 3 * DAY))) == {"r2": "queued"}
    assert ask(world, GetRunStates(dag_id="none", run_ids=("r1",), logical_dates=(AT,))) == {}
    assert slot(2).slot_key == str(AT + 2 * DAY)


def test_states_of_a_group_name_all_its_tasks(world: World) -> None:
    tasks = (TaskSpec(task_id="a"), TaskSpec(task_id="g.b", group="g"), TaskSpec(task_id="g.i.c", group="g.i"))
    dag = world.dag("d", tasks=tasks, groups={"g": None, "g.i": "g"})
    run = world.run("d", "r")
    done = TaskRecord(
        run.run_pk, dag.task_numbers["g.i.c"], -1, TaskInstanceState.SUCCESS, try_number=1, started_at=1, ended_at=2
    )
    world.apply(Changes(tasks=[done]))
    assert ask(world, GetTaskStates(dag_id="d", run_ids=("r",), group="g")) == {"r": {"g.b": None, "g.i.c": "success"}}
    assert ask(world, GetTaskStates(dag_id="d", run_ids=("r",), group="g.i")) == {"r": {"g.i.c": "success"}}
    assert ask(world, GetTaskStates(dag_id="d", run_ids=("r",), group="none")) == {"r": {}}
    assert list_group_tasks(dag.spec, "g") == ("g.b", "g.i.c")


def test_a_dag_is_its_spec_its_file_and_whether_it_runs(world: World) -> None:
    world.dag("d")
    with world.db.write() as tx:
        dags.set_paused(tx, "d", True, by="me", at=AT)
    answer = ask(world, GetDag(dag_id="d"))
    assert isinstance(answer, dict)
    assert (answer["active"], answer["paused"], answer["file"]) == (True, True, "/dags/d.py")
    assert msgspec.convert(answer["spec"], DagSpec).dag_id == "d"
    assert ask(world, GetDag(dag_id="none")) is None


def test_a_task_makes_a_run_and_its_owner_is_told(world: World) -> None:
    dag = world.dag("d")
    assert ask(world, WANTED) == {"outcome": "created", "run_id": "r", "request": None}
    with world.db.read() as tx:
        run = dag_runs.find_stored_run(tx, "d", "r")
        letters = mailbox.read_messages(tx, [dag.group_no], 10)
    assert run is not None
    assert (run.state, run.run_type) == (DagRunState.QUEUED, DagRunType.OPERATOR_TRIGGERED)
    assert (run.logical_at, run.interval_start, run.interval_end, run.conf) == (AT, AT, AT + DAY, {"k": 1})
    assert [letter.kind for letter in letters][-1] == "run_created"


def test_a_run_that_exists_is_left_alone_or_cleared(world: World) -> None:
    dag = world.dag("d")
    ask(world, WANTED)
    assert ask(world, WANTED) == {"outcome": "exists", "run_id": "r", "request": None}
    other = msgspec.structs.replace(WANTED, run_id="other")
    assert ask(world, other) == {"outcome": "exists", "run_id": "r", "request": None}, "it has the logical date"
    answer = ask(world, msgspec.structs.replace(WANTED, reset=True))
    assert isinstance(answer, dict) and (answer["outcome"], answer["run_id"]) == ("clearing", "r")
    assert ask(world, GetRequest(request_pk=answer["request"])) == {"state": "pending", "answer": None}
    with world.db.read() as tx:
        letters = mailbox.read_messages(tx, [dag.group_no], 10)
    assert letters[-1].kind == "action" and '"by": "task mine.a of run m"' in letters[-1].body


def test_a_dag_that_is_not_there_gets_no_run(world: World) -> None:
    with pytest.raises(taskapi.TaskApiRefused, match="no DAG 'none'; `gnomon dags list` shows"):
        ask(world, msgspec.structs.replace(WANTED, dag_id="none"))


def test_a_dag_that_allows_no_runs_of_operators_gets_none(world: World) -> None:
    world.dag("d", allowed_run_types=("manual",))
    with pytest.raises(
        TaskApiRefused,
        match=r"DAG 'd' \(.*\) allows no operator_triggered runs: its allowed_run_types are manual; add DagRunType",
    ):
        ask(world, WANTED)
    assert world.count("SELECT count(*) FROM dag_run") == 0


@pytest.mark.parametrize("question", [WANTED, GetDag(dag_id="d"), GetRunStates(dag_id="d"), GetRequest(request_pk=1)])
def test_a_file_that_is_imported_is_told_nothing_of_runs(world: World, question: AnyTaskApiRequest) -> None:
    with pytest.raises(taskapi.TaskApiRefused, match="move the call into a task"):
        taskapi.answer_task(world.db, None, question)


def test_a_trigger_reads_and_does_not_write(world: World) -> None:
    assert taskapi.answer_trigger(world.db, GetRunStates(dag_id="d", run_ids=("r",))) == {}
    assert taskapi.answer_trigger(world.db, GetVariable(key="k")) is None
    for question in (WANTED, SetVariable(key="k", value="v")):
        with pytest.raises(
            taskapi.TaskApiRefused, match="a trigger made the request; move the call into a method of the task"
        ):
            taskapi.answer_trigger(world.db, question)


def test_a_rescheduled_task_knows_when_it_was_poked_first(world: World) -> None:
    run = world.dag("d") and world.run("d", "r")
    attempt = msgspec.structs.replace(ATTEMPT, run=msgspec.structs.replace(ATTEMPT.run, run_pk=run.run_pk))
    question = GetFirstReschedule(first_try=2)
    assert taskapi.answer_task(world.db, attempt, question) is None
    poked = [
        AttemptRecord(
            run.run_pk, 0, -1, seq, f"a{seq}", try_number, "task", state, None, None, AT + seq, AT + seq + 1, None, None
        )
        for seq, (try_number, state) in enumerate(
            [(1, "up_for_reschedule"), (2, "failed"), (2, "up_for_reschedule"), (3, "up_for_reschedule")]
        )
    ]
    world.apply(Changes(attempts=poked))
    assert taskapi.answer_task(world.db, attempt, question) == AT + 2
    assert taskapi.answer_task(world.db, attempt, GetFirstReschedule()) == AT
