"""The events that a success records, in the changes of the same step."""

from __future__ import annotations

import pytest
from tests.unit.rules.engine.world import World, dag_record

from gnomon.model.assets import AliasKey, AssetEmission, AssetKey
from gnomon.model.records import RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

A, B = AssetKey("a", "s3://a"), AssetKey("b", "b")


def started() -> tuple[World, RunRecord]:
    world = World(dag_record([TaskSpec(task_id="t", outlets=(A, AliasKey("n")))]))
    return world, world.start()


def test_a_task_without_a_process_records_its_outlets() -> None:
    world = World(dag_record([TaskSpec(task_id="t", outlets=(A, AliasKey("n")), runs_code=False)]))
    run = world.new_run()
    (event,) = world.step(e.RunRead(run)).changes.asset_events
    assert (event.asset, event.source_dag_id, event.source_task_id, event.source_run_id) == (A, "dag1", "t", run.run_id)
    assert (event.source_map_index, event.at) == (-1, world.now)


def test_a_success_records_what_the_attempt_asked_for_under_the_id_of_the_attempt() -> None:
    world, _ = started()
    (attempt,) = world.live("t")
    result = world.end(
        "t", asset_events=(AssetEmission(asset=A, extra={"n": 1}), AssetEmission(asset=B, aliases=("n",)))
    )
    assert [(event.uid, event.asset, event.extra, event.aliases) for event in result.changes.asset_events] == [
        (f"{attempt.attempt_id}:0", A, {"n": 1}, ()),
        (f"{attempt.attempt_id}:1", B, {}, ("n",)),
    ]


def test_a_success_without_word_of_events_records_the_outlets_of_the_spec() -> None:
    world, _ = started()
    assert [event.asset for event in world.end("t").changes.asset_events] == [A]


@pytest.mark.parametrize("outcome", ["failed", "skipped", "lost"])
def test_another_end_records_nothing(outcome: str) -> None:
    world, _ = started()
    assert world.end("t", outcome).changes.asset_events == []


def test_a_mark_by_hand_records_nothing() -> None:
    world, run = started()
    assert world.step(e.MarkTasks(run.run_pk, (world.key(run, "t"),), "success", "me")).changes.asset_events == []


def test_an_extra_over_the_limit_fails_the_task() -> None:
    world, run = started()
    result = world.end("t", asset_events=(AssetEmission(asset=A, extra={"x": "y" * 17_000_000}),))
    assert result.changes.asset_events == []
    assert "the extra of asset 'a'" in (world.rows[world.key(run, "t")].reason or "")
