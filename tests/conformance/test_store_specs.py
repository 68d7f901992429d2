"""What a version of a DAG holds: the spec as it was, and no argument of a trigger in clear text."""

from __future__ import annotations

import zlib

from msgspec.structs import replace
from tests.conformance.storeworld import World

from gnomon.model.deferral import Deferral
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.store.record_codec import decode_spec, encode_spec, is_same_spec

MARK = "M4rk3r-of-a-secret"
START = Deferral(classpath="bells.Bell", kwargs=f'{{"token": "{MARK}"}}', next_method="go_on", next_kwargs=f'{{"k": "{MARK}"}}')


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
