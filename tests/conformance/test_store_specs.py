"""What a version of a DAG holds: the spec as it was, and no argument of a trigger in clear text."""

from __future__ import annotations

import zlib

import msgspec
import pytest
from msgspec.structs import replace
from tests.conformance.storeworld import World, parsed
from tests.keys import CIPHER

from gnomon.model.deferral import Deferral
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store import open_database
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.record_codec import decode_spec, encode_spec, is_same_spec
from gnomon.storage.store.spec_cache import SpecCache

MARK = "M4rk3r-of-a-secret"
START = Deferral(
    classpath="bells.Bell", kwargs=f'{{"token": "{MARK}"}}', next_method="go_on", next_kwargs=f'{{"k": "{MARK}"}}'
)


def spec(*starts: Deferral | None) -> DagSpec:
    tasks = tuple(TaskSpec(task_id=f"t{number}", start_wait=start) for number, start in enumerate(starts))
    return DagSpec(dag_id="d", timetable=TimetableRef(path="NullTimetable", data={}), tasks=tasks)


def test_the_arguments_of_a_start_are_sealed_and_come_back(world: World) -> None:
    asked = spec(None, START, replace(START, next_kwargs="{}"))
    with world.db.write() as tx:
        packed = encode_spec(tx, asked)
        assert MARK.encode() not in zlib.decompress(packed)
        assert b"bells.Bell" in zlib.decompress(packed)
        assert decode_spec(tx, packed) == asked


def test_a_version_that_holds_the_same_is_told_though_no_two_seals_are_equal(world: World) -> None:
    asked, other = spec(START), spec(replace(START, kwargs='{"token": 1}'))
    with world.db.write() as tx:
        packed = encode_spec(tx, asked)
        assert packed != encode_spec(tx, asked)
        assert is_same_spec(tx, packed, asked)
        assert not is_same_spec(tx, packed, other)
        assert not is_same_spec(tx, packed, spec(None))
        assert is_same_spec(tx, encode_spec(tx, spec(None)), spec(None))


def test_a_process_that_keeps_specs_finds_the_newest_text_and_keeps_no_secret(url: str) -> None:
    database = open_database(url, synchronous="OFF", cipher=CIPHER, keeps_specs=True)
    try:
        world = World(database)
        dag = world.dag("d", description="first")
        with database.read() as tx:
            assert find_dag(tx, "d").spec is find_dag(tx, "d").spec
            assert find_dag(tx, "d").spec == dag.spec
        world.record(parsed("/dags/d.py", msgspec.structs.replace(dag.spec, description="second"), input_hash="2"))
        with database.read() as tx:
            assert find_dag(tx, "d").spec.description == "second"
            packed = encode_spec(tx, spec(START))
            assert decode_spec(tx, packed) == spec(START)
            assert tx.specs is not None
            assert tx.specs.find(packed) is None
    finally:
        database.close()


def test_a_process_that_keeps_specs_finds_the_number_of_each_task_that_a_dag_ever_had(url: str) -> None:
    database = open_database(url, synchronous="OFF", cipher=CIPHER, keeps_specs=True)
    try:
        world = World(database)
        for task_ids, hash_of_file in ((("a",), "1"), (("a", "b"), "2"), (("a",), "3"), (("b", "c"), "4")):
            dag = dag_of(*task_ids)
            world.record(parsed("/dags/d.py", dag, input_hash=hash_of_file))
            with database.read() as tx:
                expected = group_state.load_task_numbers(tx, [find_dag(tx, "d").dag_pk])
                for _ in range(2):
                    found = find_dag(tx, "d")
                    assert found.task_numbers == expected[found.dag_pk]
        assert sorted(found.task_numbers) == ["a", "b", "c"]
    finally:
        database.close()


def dag_of(*task_ids: str) -> DagSpec:
    """A DAG of these tasks."""
    return DagSpec(
        dag_id="d",
        timetable=TimetableRef(path="NullTimetable", data={}),
        tasks=tuple(TaskSpec(task_id=task_id) for task_id in task_ids),
    )


def test_the_specs_in_memory_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.storage.store.spec_cache.TASKS_KEPT_MAX", 6)
    cache = SpecCache()
    for name in (b"a", b"b"):
        cache.keep(name, spec(None, None))
    assert cache.find(b"a") is not None
    cache.keep(b"c", spec(None, None))
    assert [cache.find(name) is None for name in (b"a", b"b", b"c")] == [False, True, False]
