"""overlap="allow" and "cancel_running": what a due run means for those that are active."""

from __future__ import annotations

from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunType
from gnomon.rules.engine import events as e

from .world import World, chain, dag_record

REASON = 'overlap="cancel_running": run run2 was due'


def _planned(world: World, run_after: int | None = None) -> RunRecord:
    run = world.new_run(run_after=run_after)
    run.run_type = world.runs[run.run_pk].run_type = DagRunType.SCHEDULED
    return run


def test_allow_starts_as_many_as_are_due() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1, overlap="allow"))
    runs = [world.start() for _ in range(3)]
    assert [world.state(run) for run in runs] == ["running"] * 3


def test_a_due_run_ends_the_active_one_as_a_mark_of_failed_does_and_starts() -> None:
    world = World(dag_record(chain("a", "b"), max_active_runs=1, overlap="cancel_running"))
    old, new = _planned(world), _planned(world, run_after=world.now + 5)
    world.step(e.RunRead(old))
    decided = world.step(e.RunRead(new), seconds=1)
    assert (world.state(old), world.runs[old.run_pk].reason, world.state(new)) == ("failed", REASON, "running")
    assert world.states(old) == {"a": "failed", "b": "skipped"}
    assert [(order.worker_id, order.reason) for order in decided.cancels] == [("w", REASON)]
    assert [attempt.run.run_pk for attempt in world.live("a")] == [new.run_pk]


def test_of_several_due_runs_the_newest_stays_whoever_was_active() -> None:
    world = World(dag_record(chain("a"), overlap="cancel_running"))
    by_hand = world.start()
    first, second = _planned(world, run_after=world.now + 1), _planned(world, run_after=world.now + 2)
    world.step(e.RunRead(second), e.RunRead(first), seconds=1)
    assert [world.state(run) for run in (by_hand, first, second)] == ["failed", "failed", "running"]


def test_a_run_by_hand_or_one_that_was_cleared_ends_no_other() -> None:
    world = World(dag_record(chain("a"), overlap="cancel_running"))
    old = _planned(world)
    world.step(e.RunRead(old))
    world.end("a")
    new = _planned(world, run_after=world.now)
    world.step(e.RunRead(new))
    world.start()
    assert world.state(new) == "running"
    record = world.runs[old.run_pk]
    rows = tuple(row for key, row in world.rows.items() if key.run_pk == old.run_pk)
    world.step(e.RunRead(record, rows), e.ClearTasks(old.run_pk, None, "me"), seconds=1)
    assert [world.state(run) for run in (old, new)] == ["running", "running"]


def test_after_a_restart_the_queued_run_ends_the_active_one_all_the_same() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1, overlap="cancel_running"))
    old = _planned(world)
    world.step(e.RunRead(old))
    new = _planned(world, run_after=world.now + 1)
    world.engine_state = world.fresh_engine_state()
    world.step(seconds=1)
    assert [world.state(run) for run in (old, new)] == ["failed", "running"]
