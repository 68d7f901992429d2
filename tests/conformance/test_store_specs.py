"""What a version of a DAG holds: the spec as it was, and no argument of a trigger in clear text."""

from __future__ import annotations

import zlib

from msgspec.structs import replace
from tests.conformance.storeworld import World

from gnomon.model.deferral import Wait
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.store.specs import holds_spec, pack_spec, unpack_spec

MARK = "M4rk3r-of-a-secret"
START = Wait(classpath="bells.Bell", kwargs=f'{{"token": "{MARK}"}}', next_method="go_on", next_kwargs=f'{{"k": "{MARK}"}}')


def spec(*starts: Wait | None) -> DagSpec:
    tasks = tuple(TaskSpec(task_id=f"t{number}", start_wait=start) for number, start in enumerate(starts))
    return DagSpec(dag_id="d", timetable=TimetableRef(path="NullTimetable", data={}), tasks=tasks)


def test_the_arguments_of_a_start_are_sealed_and_come_back(world: World) -> None:
    asked = spec(None, START, replace(START, next_kwargs="{}"))
    with world.db.write() as tx:
        packed = pack_spec(tx, asked)
        assert MARK.encode() not in zlib.decompress(packed)
        assert b"bells.Bell" in zlib.decompress(packed)
        assert unpack_spec(tx, packed) == asked


def test_a_version_that_holds_the_same_is_told_though_no_two_seals_are_equal(world: World) -> None:
    asked, other = spec(START), spec(replace(START, kwargs='{"token": 1}'))
    with world.db.write() as tx:
        packed = pack_spec(tx, asked)
        assert packed != pack_spec(tx, asked)
        assert holds_spec(tx, packed, asked)
        assert not holds_spec(tx, packed, other)
        assert not holds_spec(tx, packed, spec(None))
        assert holds_spec(tx, pack_spec(tx, spec(None)), spec(None))
