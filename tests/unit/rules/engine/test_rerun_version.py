"""Which version of its DAG bundle a cleared run has."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.decide.rerun_version import takes_newest_version
from gnomon.rules.engine import events as e

from .world import World, chain, dag_record

NUMBERS = {"a": 0, "b": 1, "c": 2}


def version(number: int, *task_ids: str, **fields: object) -> DagRecord:
    """A version of the DAG, of a bundle."""
    return replace(
        dag_record(chain(*task_ids), version=number, numbers=NUMBERS, **fields),
        bundle_name="team",
        bundle_version=f"commit{number}",
    )


def read(world: World, dag: DagRecord) -> None:
    world.dags[dag.dag_pk] = dag
    world.step(e.DagRead(dag))


def clear(
    world: World, run: RunRecord, first: DagRecord, is_newest_wanted: bool | None = None, *, is_kept: bool = True
) -> None:
    """Read the finished run as the store gives it, with its version if it keeps it, and clear it."""
    record = copy.deepcopy(world.runs[run.run_pk])
    record.kept_spec = first.spec if is_kept else None
    rows = [copy.deepcopy(row) for key, row in sorted(world.rows.items()) if key.run_pk == run.run_pk]
    world.step(
        e.RunRead(record, tuple(rows)),
        e.ClearTasks(run.run_pk, None, "sam", request_pk=1, is_newest_wanted=is_newest_wanted),
    )


def run_to_its_end(world: World) -> list[str]:
    """The tasks that ran, in order."""
    ran = []
    while world.live():
        ran.append(world.live()[0].task_id)
        world.end(ran[-1])
    return ran


def ended_world(**fields: object) -> tuple[World, RunRecord, DagRecord]:
    """A run of the tasks a and b that has ended, and then a version with the tasks b and c."""
    first = version(1, "a", "b", **fields)
    world = World(first)
    run = world.start()
    assert run_to_its_end(world) == ["a", "b"]
    read(world, version(2, "b", "c", **fields))
    return world, run, first


def test_a_cleared_run_keeps_its_version() -> None:
    world, run, first = ended_world()
    clear(world, run, first)
    assert run_to_its_end(world) == ["a", "b"]
    assert (world.runs[run.run_pk].version_pk, world.runs[run.run_pk].bundle_version, world.state(run)) == (
        1,
        "commit1",
        "success",
    )


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(
    ("fields", "wanted"),
    [({}, True), ({"rerun_with_latest_version": True}, None), ({"rerun_with_latest_version": False}, True)],
)
def test_it_takes_the_newest_version_if_the_request_or_the_dag_says_so(
    fields: dict[str, object], wanted: bool | None, is_kept: bool
) -> None:
    world, run, first = ended_world(**fields)
    clear(world, run, first, wanted, is_kept=is_kept)
    assert run_to_its_end(world) == ["b", "c"]
    assert (world.runs[run.run_pk].version_pk, world.runs[run.run_pk].bundle_version, world.state(run)) == (
        2,
        "commit2",
        "success",
    )


def test_a_run_whose_version_the_store_has_no_more_takes_the_newest_one() -> None:
    world, run, first = ended_world()
    clear(world, run, first, False, is_kept=False)
    assert run_to_its_end(world) == ["b", "c"]
    assert world.runs[run.run_pk].bundle_version == "commit2"


def test_a_run_without_a_bundle_version_has_nothing_to_keep() -> None:
    world = World(dag_record(chain("a", "b"), numbers=NUMBERS))
    run = world.start()
    run_to_its_end(world)
    first = world.dags[1]
    read(world, dag_record(chain("b", "c"), version=2, numbers=NUMBERS))
    clear(world, run, first, False, is_kept=False)
    assert run_to_its_end(world) == ["b", "c"]


@pytest.mark.parametrize(("wanted", "ran", "commit"), [(None, ["a", "b"], "commit1"), (True, ["b", "c"], "commit2")])
def test_an_unfinished_run_moves_only_if_the_request_says_so(wanted: bool | None, ran: list[str], commit: str) -> None:
    first = version(1, "a", "b")
    world = World(first)
    run = world.start()
    world.end("a")
    read(world, version(2, "b", "c"))
    world.step(e.ClearTasks(run.run_pk, None, "sam", request_pk=1, is_newest_wanted=wanted))
    world.end("b")  # the attempt that was running when its task was cleared
    assert run_to_its_end(world) == ran
    assert (world.runs[run.run_pk].bundle_version, world.state(run)) == (commit, "success")
    world.take_over()
    assert not world.live()


@pytest.mark.parametrize(
    ("wanted", "chosen", "default", "takes"),
    [
        (None, None, False, False),
        (None, None, True, True),
        (None, True, False, True),
        (None, False, True, False),
        (True, False, False, True),
        (False, True, True, False),
    ],
)
def test_the_request_counts_first_then_the_dag(
    wanted: bool | None, chosen: bool | None, default: bool, takes: bool
) -> None:
    spec = DagSpec(dag_id="d", timetable=TimetableRef(path="none"), rerun_with_latest_version=chosen)
    assert takes_newest_version(wanted, spec, default) is takes


def test_attempts_of_a_run_that_takes_the_newest_version_while_it_runs_are_of_that_version() -> None:
    first = version(1, "a", "b", attempts_per_child=1)
    world = World(first)
    run = world.start()
    run_to_its_end(world)
    read(world, version(2, "a", "b", attempts_per_child=7))
    clear(world, run, first)
    assert world.live()[0].attempts_per_child == 1
    world.end("a")
    world.step(
        e.ClearTasks(run.run_pk, (TaskKey(run.run_pk, 0, UNMAPPED),), "sam", request_pk=2, is_newest_wanted=True)
    )
    attempts = {attempt.task_id: attempt.attempts_per_child for attempt in world.live()}
    assert attempts == {"a": 7, "b": 1}, "an attempt that runs ends with the code that it has"
