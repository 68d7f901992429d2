"""One element of a stored list, tuple or dict, and what stays in memory for the next request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.storeworld import World
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.unit.queries.taskapi.test_answers import ask

from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import BACKEND_VALUE, Attempt, ElementSource, RunFacts, XComElement
from gnomon.model.records import Changes, RunRecord, TaskRecord
from gnomon.model.serde import dumps
from gnomon.model.serde.containers import SplitContainer
from gnomon.model.states import TaskInstanceState
from gnomon.model.task_api_requests import GetXComBatch, GetXComElement
from gnomon.queries import taskapi
from gnomon.queries.taskapi import xcom_elements
from gnomon.queries.taskapi.xcom_elements import TRUSTED_S, ContainerCache, ContainerKey
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import xcom_values


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url, synchronous="OFF", cipher=CIPHER)
    yield World(database)
    database.close()


def push(
    world: World, run: RunRecord, task_no: int, index: int, value: object, *, seq: int = 1, ended_at: int | None = 2
) -> None:
    state = TaskInstanceState.RUNNING if ended_at is None else TaskInstanceState.SUCCESS
    world.apply(
        Changes(
            tasks=[
                TaskRecord(run.run_pk, task_no, index, state, try_number=1, seq=seq, started_at=1, ended_at=ended_at)
            ]
        )
    )
    with world.db.write() as tx:
        xcom_values.write_xcom(tx, run.run_pk, task_no, index, "return_value", dumps(value))


def mapped_attempt(run: RunRecord, *elements: ElementSource) -> Attempt:
    facts = RunFacts(run_pk=run.run_pk, dag_id="d", run_id=run.run_id, run_type="manual", run_after=1)
    return Attempt(attempt_id="a", group_no=1, epoch=1, run=facts, task_id="b", task_no=1, file="f", elements=elements)


def element(world: World, number: int) -> object:
    return ask(world, GetXComElement(dag_id="d", run_id="m", task_id="a", number=number))


@pytest.mark.parametrize(
    ("stored", "number", "answer"),
    [
        ([1, {"a": [2]}], 1, ("list", 2, '{"a": [2]}')),
        ([1, 2], 2, ("list", 2, None)),
        ([1, 2], -1, ("list", 2, None)),
        ((3, 4), 0, ("tuple", 2, "3")),
        ({"k": 5}, 0, ("dict", 1, dumps(("k", 5)))),
        ({}, 0, ("dict", 0, None)),
        ("[1]", 0, None),
        (None, 0, None),
        ({1, 2}, 0, None),
        ({BACKEND_VALUE: [1]}, 0, None),
    ],
)
def test_an_element_is_answered_without_the_rest(
    world: World, stored: object, number: int, answer: tuple[object, ...] | None
) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    push(world, run, dag.task_numbers["a"], -1, stored)
    found = element(world, number)
    assert found == (None if answer is None else dict(zip(("container", "length", "value"), answer, strict=True)))
    assert element(world, number) == found


def test_there_is_no_element_of_a_task_that_pushed_nothing_or_has_several_instances(world: World) -> None:
    assert element(world, 0) is None
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    assert element(world, 0) is None
    for index in (0, 1):
        push(world, run, dag.task_numbers["a"], index, [1])
    assert element(world, 0) is None
    with pytest.raises(taskapi.TaskApiRefused, match="GetXComElement is for tasks only"):
        taskapi.answer_task(world.db, None, GetXComElement(dag_id="d", run_id="m", task_id="a", number=0))


def test_a_value_that_replaces_another_one_is_read_again(world: World) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    number = dag.task_numbers["a"]
    for seq, value in enumerate("xyz", start=1):
        push(world, run, number, -1, [value], seq=seq)
        assert element(world, 0) == {"container": "list", "length": 1, "value": f'"{value}"'}
    for value in "uv":  # of a task that still runs, by one attempt
        push(world, run, number, -1, [value], seq=4, ended_at=None)
        assert element(world, 0) == {"container": "list", "length": 1, "value": f'"{value}"'}


def test_a_value_that_was_asked_for_before_is_not_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    push(world, run, dag.task_numbers["a"], -1, [1, 2])
    element(world, 0)
    monkeypatch.setattr(xcom_values, "read_xcoms", None)
    assert element(world, 1) == {"container": "list", "length": 2, "value": "2"}


def test_a_value_that_was_set_by_hand_is_read_after_a_second(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = VirtualClock(0)
    monkeypatch.setattr(xcom_elements, "_clock", clock)
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    number = dag.task_numbers["a"]
    push(world, run, number, -1, [1, 2])
    attempt = mapped_attempt(run, ElementSource(task_id="a", number=1, seq=1))
    assert [found.value for found in taskapi.read_elements(world.db, attempt)] == ["2"]
    with world.db.write() as tx:
        xcom_values.write_xcom(tx, run.run_pk, number, -1, "return_value", "[3,4]")
    clock.advance(TRUSTED_S + 0.01)
    assert [found.value for found in taskapi.read_elements(world.db, attempt)] == ["4"]
    with world.db.write() as tx:
        xcom_values.write_xcom(tx, run.run_pk, number, -1, "return_value", "[5,6]")
    clock.advance(TRUSTED_S + 0.01)
    assert element(world, 1) == {"container": "list", "length": 2, "value": "6"}


def test_the_elements_of_an_attempt_are_those_of_the_value_that_its_scheduler_counted(world: World) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    number = dag.task_numbers["a"]
    first, behind = ElementSource(task_id="a", number=0, seq=1), ElementSource(task_id="a", number=9, seq=1)
    assert taskapi.read_elements(world.db, mapped_attempt(run, first)) == ()
    push(world, run, number, -1, [7])
    found = taskapi.read_elements(world.db, mapped_attempt(run, first, behind))
    assert found == (
        XComElement(task_id="a", number=0, container="list", length=1, value="7"),
        XComElement(task_id="a", number=9, container="list", length=1),
    )
    push(world, run, number, -1, [8], seq=2)
    again = ElementSource(task_id="a", number=0, seq=2)
    assert [element.value for element in taskapi.read_elements(world.db, mapped_attempt(run, again))] == ["8"]
    push(world, run, number, -1, [9], seq=3)
    assert (
        taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=0, seq=4))) == ()
    )  # not stored yet
    assert (
        taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=0, seq=3, defer_seq=1)))
        == ()
    )
    push(world, run, number, -1, [9], seq=4, ended_at=None)
    assert (
        taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=0, seq=4))) == ()
    )  # it has not ended


def test_an_element_that_is_long_or_in_no_container_is_asked_for(world: World) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    push(world, run, dag.task_numbers["a"], -1, ["x" * 70_000, "y"])
    sources = [ElementSource(task_id="a", number=number, seq=1) for number in range(2)]
    assert [found.number for found in taskapi.read_elements(world.db, mapped_attempt(run, *sources))] == [1]
    push(world, run, dag.task_numbers["a"], -1, 5, seq=2)
    assert taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=0, seq=2))) == ()


def test_the_elements_of_later_attempts_are_found_without_a_query(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xcom_elements, "_clock", VirtualClock(0))
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    push(world, run, dag.task_numbers["a"], -1, [1, 2])
    taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=0, seq=1)))
    monkeypatch.setattr(type(world.db), "read", None)
    (found,) = taskapi.read_elements(world.db, mapped_attempt(run, ElementSource(task_id="a", number=1, seq=1)))
    assert found.value == "2"


def test_the_containers_that_were_used_last_are_kept_up_to_the_limit() -> None:
    def key(number: int) -> ContainerKey:
        return ContainerKey(number, "t", "k", 1, 0)

    cache = ContainerCache(1000)
    container = SplitContainer("list", [b"x" * 100])  # 100 and 2 * 60 bytes
    for number in range(4):
        cache.put(key(number), container, "t", 0)
    cache.put(key(0), container, "t", 0)
    assert cache.find(key(1), TRUSTED_S) is container
    cache.put(key(4), container, "t", 0)
    assert [cache.find(key(number), 0) is not None for number in range(5)] == [True, True, False, True, True]
    cache.put(key(5), SplitContainer("list", [b"x" * 900]), "t", 0)
    assert cache.find(key(5), 0) is None and cache.find(key(0), 0) is container


def test_a_kept_container_is_trusted_for_a_second_and_longer_if_the_text_is_the_same() -> None:
    cache, key, container = ContainerCache(1000), ContainerKey(1, "t", "k", 1, 0), SplitContainer("list", [b"1"])
    cache.put(key, container, "[1]", 0)
    assert cache.find(key, TRUSTED_S + 0.1) is None
    assert cache.find_text(key, "[2]", 5) is None and cache.find(key, 5) is None
    assert cache.find_text(key, "[1]", 5) is container is cache.find(key, 5)


def test_a_batch_of_known_length_is_found_by_map_index_and_one_with_gaps_by_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    dag, run = world.dag("d"), world.run("d", "m", day=1)
    for index in (0, 1, 2, 3):
        push(world, run, dag.task_numbers["a"], index, index)
    batch = {"dag_id": "d", "run_id": "m", "task_id": "a"}
    with monkeypatch.context() as patched:
        patched.setattr(xcom_values, "read_batch", None)
        assert ask(world, GetXComBatch(**batch, start=2, limit=1, total=4)) == ["2"]
        assert ask(world, GetXComBatch(**batch, start=4, limit=1, total=4)) == []
    push(world, run, dag.task_numbers["a"], 5, 5)
    assert ask(world, GetXComBatch(**batch, start=4, limit=2, total=5)) == ["5"]
    assert ask(world, GetXComBatch(**batch, start=4, limit=2)) == ["5"]
