"""Options of the state stores and of partitions, each seen through the command or in what the scheduler does."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.acceptance.effects import World, effect_of
from tests.acceptance.test_options_of_dags import database, world  # noqa: F401 - fixtures

ForWorld = Callable[..., World]
ONE_TASK = """
    from gnomon.authoring.sdk import Asset
    with DAG("d", schedule="@once", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc)):
        BaseOperator(task_id="a", outlets=[Asset("orders", uri="s3://b/orders")])
"""


def _with_run(it: World) -> str:
    it.file(ONE_TASK)
    it.go(0.5)
    return str(json.loads(it.cli("runs", "list", "d", "-o", "json").out)[0]["run_id"])


def _values(it: World, run_id: str) -> dict[str, str]:
    return {
        row["key"]: row["value"]
        for row in json.loads(it.cli("state-store", "task", "list", "d", run_id, "-o", "json").out)
    }


@effect_of("state_store.clear_on_success")
@pytest.mark.parametrize(("option", "kept"), [(False, {"k": "1"}), (True, {})])
def test_what_a_task_keeps_goes_with_its_success_if_the_option_says_so(
    world: ForWorld,  # noqa: F811
    option: bool,
    kept: dict[str, str],
) -> None:
    it = world(state_store__clear_on_success=option)
    run_id = _with_run(it)
    assert it.live == ["a"]
    assert it.cli("state-store", "task", "set", "d", run_id, "a", "k", "1").code == 0
    it.go(60)
    assert it.live == []
    assert _values(it, run_id) == kept


@effect_of("state_store.default_retention_days", "state_store.state_cleanup_batch_size")
def test_values_expire_after_the_days_of_the_option_and_are_cleaned_in_batches(world: ForWorld) -> None:  # noqa: F811
    it = world(state_store__default_retention_days=2, state_store__state_cleanup_batch_size=2)
    run_id = _with_run(it)
    for key in ("a", "b", "c"):
        it.cli("state-store", "task", "set", "d", run_id, "a", key, "1")
    it.cli("state-store", "task", "set", "d", run_id, "a", "late", "1", "--expires-in-days", "9")
    assert len(_values(it, run_id)) == 4
    it.clock.advance(3 * 86400)
    assert _values(it, run_id) == {"late": "1"}
    shown = json.loads(it.cli("state-store", "clean", "--dry-run", "-o", "json").out)
    assert [(row["dag_id"], row["task_id"], row["key"]) for row in shown] == [
        ("d", "a", "a"),
        ("d", "a", "b"),
        ("d", "a", "c"),
    ]
    assert it.cli("state-store", "clean").out == "deleted 3 values\n"
    assert it.cli("state-store", "clean").out == "deleted 0 values\n"


@effect_of("state_store.max_value_storage_bytes")
def test_a_value_above_the_limit_is_refused_by_the_command(world: ForWorld) -> None:  # noqa: F811
    it = world(state_store__max_value_storage_bytes=5)
    run_id = _with_run(it)
    for command in (("task", "set", "d", run_id, "a"), ("asset", "set", "orders")):
        assert it.cli("state-store", *command, "k", "12345").code == 0
        refused = it.cli("state-store", *command, "k", "123456")
        assert (
            refused.code == 1
            and "takes 6 bytes, more than [state_store] max_value_storage_bytes=5: nothing was stored" in refused.err
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("task set d RUN a k 1 --map-index 2", "task 'a' has no map index 2 in run 'RUN': it is not mapped"),
        ("task clear d RUN a --key k", "task 'a' keeps nothing under 'k' in run 'RUN'"),
        ("asset set ordexs k 1", "there is no asset 'ordexs'; did you mean 'orders'?"),
        ("asset get ordexs k", "there is no asset 'ordexs'"),
        ("asset list ordexs", "there is no asset 'ordexs'"),
        ("asset clear ordexs", "there is no asset 'ordexs'"),
        (
            "asset set s3://b/orders k 1",
            "'s3://b/orders' is the URI of an asset; the state of an asset is kept under its name",
        ),
        ("asset clear orders --key k", "nothing is kept of asset 'orders' under 'k'"),
    ],
)
def test_a_name_that_nothing_has_is_refused_and_nothing_is_stored(world: ForWorld, words: str, said: str) -> None:  # noqa: F811
    it = world()
    run_id = _with_run(it)
    ended = it.cli("state-store", *words.replace("RUN", run_id).split())
    assert (ended.code, ended.out) == (1, "")
    assert said.replace("RUN", run_id) in ended.err
    assert json.loads(it.cli("state-store", "asset", "list", "-o", "json").out) == []
    assert _values(it, run_id) == {}


def test_the_commands_read_and_change_single_values(world: ForWorld) -> None:  # noqa: F811
    it = world()
    run_id = _with_run(it)
    it.cli("state-store", "task", "set", "d", run_id, "a", "k", '{"n": [1]}')
    assert it.cli("state-store", "task", "get", "d", run_id, "a", "k").out == '{"n":[1]}\n'
    assert it.cli("state-store", "task", "clear", "d", run_id, "a", "--key", "k").out == "deleted 1 value\n"
    assert "keeps nothing under 'k'" in it.cli("state-store", "task", "get", "d", run_id, "a", "k").err
    assert "there is no task 'b' in DAG 'd'" in it.cli("state-store", "task", "get", "d", run_id, "b", "k").err
    assert "VALUE is not JSON: 'text'" in it.cli("state-store", "asset", "set", "orders", "k", "text").err
    it.cli("state-store", "asset", "set", "orders", "k", '"text"')
    (row,) = json.loads(it.cli("state-store", "asset", "list", "-o", "json").out)
    assert (row["asset"], row["key"], row["value"]) == ("orders", "k", '"text"') and row["writer"].startswith("cli:")
    assert it.cli("state-store", "asset", "get", "orders", "k").out == '"text"\n'
    assert it.cli("state-store", "asset", "clear", "orders").out == "deleted 1 value\n"
    assert "nothing is kept of asset 'orders' under 'k'" in it.cli("state-store", "asset", "get", "orders", "k").err


PARTITIONS = """
    from gnomon.partitions import DayWindow, FanOutMapper, StartOfDayMapper
    from gnomon.authoring.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
    from gnomon.timetables import CronPartitionTimetable, PartitionedAtRuntime
    with DAG("hourly", schedule=CronPartitionTimetable("0 * * * *", timezone="Asia/Tokyo", run_offset=-1), catchup=False):
        BaseOperator(task_id="a")
    with DAG("producer", schedule=PartitionedAtRuntime()):
        BaseOperator(task_id="a", outlets=[Asset("days")])
    with DAG("consumer", max_active_runs=30, schedule=PartitionedAssetTimetable(
        assets=Asset("days"), default_partition_mapper=FanOutMapper(upstream_mapper=StartOfDayMapper(input_format="%Y-%m-%d"), window=DayWindow()),
    )):
        BaseOperator(task_id="a")
"""


def _runs(it: World, dag_id: str) -> list[tuple[str, str | None]]:
    rows = json.loads(it.cli("runs", "list", dag_id, "-o", "json").out)
    return sorted((row["partition_key"], row["partition_date"]) for row in rows)


@effect_of("scheduler.partition_mapper_max_downstream_keys")
@pytest.mark.parametrize(("most", "runs"), [(24, 24), (23, 0)])
def test_an_event_makes_runs_of_so_many_partitions_at_most(world: ForWorld, most: int, runs: int) -> None:  # noqa: F811
    it = world(scheduler__partition_mapper_max_downstream_keys=most)
    it.file(PARTITIONS)
    it.go(1)
    assert it.cli("dags", "trigger", "producer", "--partition-key", "2026-02-28").code == 0
    it.go(60)
    found = _runs(it, "consumer")
    assert len(found) == runs
    assert found[:1] == [("2026-02-28T00", "2026-02-28T00:00:00.000000+00:00")][:runs]


def test_a_run_of_a_partition_has_its_key_and_its_date(world: ForWorld) -> None:  # noqa: F811
    it = world()
    it.file(PARTITIONS)
    it.go(1)
    planned = _runs(it, "hourly")
    assert ("2026-03-01T17:00:00", "2026-03-01T08:00:00.000000+00:00") in planned
    assert (
        it.cli("dags", "trigger", "hourly", "--partition-key", "2026-01-01T00:00:00", "--run-id", "by-hand").code == 0
    )
    assert ("2026-01-01T00:00:00", "2025-12-31T15:00:00.000000+00:00") in _runs(it, "hourly")
    refused = it.cli("dags", "trigger", "hourly", "--partition-key", "yesterday")
    assert refused.code == 1 and "does not match the timetable's key_format" in refused.err
    it.file(ONE_TASK, "other.py")
    assert "DAG 'd' has no partitions" in it.cli("dags", "trigger", "d", "--partition-key", "k").err
