"""Runs of consumers with partitions: one for each complete partition, exactly once, on both databases."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from msgspec import structs
from tests.conformance.storeworld import AT, World, parsed, spec

from gnomon import partitions as p
from gnomon.model.assets import AllOf, AnyOf, AssetCondition, AssetKey, NewAssetEvent, PartitionRule
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import render
from gnomon.model.spec import DagSpec
from gnomon.queries.report.listings.asset_list import describe_asset_schedule
from gnomon.rules.assets.leaf_mappers import LeafAnswers, MappedKey, MeasuredKey, PartitionAnswers
from gnomon.storage.store.asset_records import asset_events, asset_queue, partition_runs
from gnomon.storage.store.dag_records import dag_runs, event_log
from gnomon.storage.store.ownership import commit

ORDERS, COSTS = AssetKey("orders", "orders"), AssetKey("costs", "costs")
HOURS = [f"2024-03-13T{hour:02}:00:00" for hour in range(24)]
DAILY = p.RollupMapper(upstream_mapper=p.StartOfDayMapper(), window=p.DayWindow())
REGIONS = ["us", "eu", "apac"]


def consumer(condition: AssetCondition, dag_id: str = "c", **mappers: p.PartitionMapper) -> DagSpec:
    rules = tuple(
        PartitionRule(leaf=AssetKey(name, name), mapper=p.encode_part(mapper)) for name, mapper in mappers.items()
    )
    return structs.replace(spec(dag_id, ["x"]), asset_condition=condition, partition_rules=rules)


@pytest.fixture
def new_id() -> Callable[[], str]:
    numbers: Iterator[int] = count(1)
    return lambda: f"{next(numbers):08d}"


@pytest.fixture
def publish(world: World) -> Callable[..., None]:
    numbers = count(1)

    def store(asset: AssetKey, *keys: str | None) -> None:
        with world.db.write() as tx:
            asset_events.publish_events(
                tx, [NewAssetEvent(uid=f"e{next(numbers)}", asset=asset, at=AT, partition_key=key) for key in keys]
            )

    return store


def record(world: World, made: DagSpec, number: int = 1) -> DagRecord:
    world.record(parsed("/dags/c.py", made, input_hash=str(number)))
    return world.read_dag(made.dag_id)


def create(
    world: World, dag: DagRecord, new_id: Callable[[], str], room: int = 100, max_keys: int = 1000
) -> list[RunRecord]:
    newest = world.read_dag(dag.dag_id)
    made = newest.spec
    assert made.asset_condition is not None
    with world.db.scheduler_write(world.me) as tx:
        return partition_runs.create_partition_runs(
            tx,
            dag.dag_pk,
            made.asset_condition,
            made.partition_rules,
            newest.version_pk,
            AT + 5,
            new_id,
            room=room,
            max_keys=max_keys,
        )


def keys(runs: list[RunRecord]) -> list[str | None]:
    return [run.partition_key for run in runs]


def queue_size(world: World, dag: DagRecord) -> int:
    with world.db.read() as tx:
        return len(asset_queue.list_queue(tx, dag.dag_pk))


def explain(world: World, dag: DagRecord) -> list[str]:
    with world.db.read() as tx:
        return list(map(render, describe_asset_schedule(tx, world.read_dag(dag.dag_id))))


def test_a_roll_up_runs_once_when_its_window_is_complete(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=DAILY))
    publish(ORDERS, *HOURS[:23], HOURS[0])
    assert create(world, dag, new_id) == [] and queue_size(world, dag) == 24
    assert explain(world, dag) == [
        "partition '2024-03-13' still lacks 1 of 24 keys of asset orders: 2024-03-13T23:00:00"
    ]
    publish(ORDERS, HOURS[23])
    (run,) = create(world, dag, new_id)
    assert (run.partition_key, run.logical_at, run.run_after) == ("2024-03-13", None, AT)
    assert run.partition_date == 1_710_288_000_000_000
    with world.db.read() as tx:
        assert dag_runs.find_stored_run(tx, "c", run.run_id) == run
        assert len(asset_events.list_consumed_events(tx, run.run_pk)) == 25
    assert create(world, dag, new_id) == [] and queue_size(world, dag) == 0
    publish(ORDERS, HOURS[5])
    assert create(world, dag, new_id) == []
    assert "still lacks 23 of 24 keys" in explain(world, dag)[0]


def test_each_key_has_a_run_of_its_own_within_the_room(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=p.IdentityMapper()))
    publish(ORDERS, "a", "b", "a", "c")
    assert keys(create(world, dag, new_id, room=2)) == ["a", "b"]
    assert explain(world, dag) == [
        "1 of its partitions are complete: their runs are created as soon as the DAG may have another one"
    ]
    assert keys(create(world, dag, new_id)) == ["c"] and queue_size(world, dag) == 0


def test_an_event_that_fans_out_is_consumed_once_by_each_of_its_keys(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    weekly = p.FanOutMapper(upstream_mapper=p.StartOfWeekMapper(), window=p.WeekWindow())
    dag = record(world, consumer(AllOf((ORDERS, COSTS)), orders=weekly, costs=p.StartOfDayMapper()))
    publish(ORDERS, "2024-03-11T00:00:00")
    publish(COSTS, "2024-03-12T07:00:00")
    assert keys(create(world, dag, new_id)) == ["2024-03-12"] and queue_size(world, dag) == 1
    assert create(world, dag, new_id) == []
    publish(COSTS, "2024-03-17T00:00:00", "2024-03-12T08:00:00")
    assert keys(create(world, dag, new_id)) == ["2024-03-17"] and queue_size(world, dag) == 2
    publish(COSTS, *(f"2024-03-{day}T00:00:00" for day in (11, 13, 14, 15, 16)))
    assert sorted(filter(None, keys(create(world, dag, new_id, room=3)))) == ["2024-03-11", "2024-03-13", "2024-03-14"]
    assert sorted(filter(None, keys(create(world, dag, new_id)))) == ["2024-03-15", "2024-03-16"]
    assert explain(world, dag) == ["partition '2024-03-12' still lacks an event of asset orders"]


def test_wait_policies(world: World, new_id: Callable[[], str], publish: Callable[..., None]) -> None:
    def rollup(policy: p.WaitPolicy) -> p.RollupMapper:
        return p.RollupMapper(
            upstream_mapper=p.FixedKeyMapper("all"), window=p.SegmentWindow(REGIONS), wait_policy=policy
        )

    dag = record(world, consumer(ORDERS, orders=rollup(p.MinimumCount(2))))
    publish(ORDERS, "us")
    assert create(world, dag, new_id) == []
    publish(ORDERS, "eu")
    assert keys(create(world, dag, new_id)) == ["all"]
    record(world, consumer(ORDERS, orders=rollup(p.MinimumCount(4))), 2)
    publish(ORDERS, *REGIONS)
    assert create(world, dag, new_id) == []
    assert "MinimumCount(n=4) can never be satisfied: the window has 3 keys" in explain(world, dag)[0]


def test_a_changed_mapper_reads_the_waiting_events_anew(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=DAILY))
    publish(ORDERS, HOURS[0], HOURS[1])
    assert create(world, dag, new_id) == []
    record(world, consumer(ORDERS, orders=p.StartOfHourMapper()), 2)
    assert keys(create(world, dag, new_id)) == ["2024-03-13T00", "2024-03-13T01"] and queue_size(world, dag) == 0


def test_events_that_belong_to_no_run_are_dropped_and_logged(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    fan = p.FanOutMapper(upstream_mapper=p.StartOfDayMapper(), window=p.DayWindow())
    dag = record(world, consumer(AnyOf((ORDERS, COSTS)), orders=fan, costs=p.AllowedKeyMapper(["us"])))
    publish(ORDERS, None, "2024-03-13T00:00:00")
    publish(COSTS, "mars", "us")
    assert keys(create(world, dag, new_id, max_keys=23)) == ["us"] and queue_size(world, dag) == 0
    with world.db.read() as tx:
        told = [
            each.body or ""
            for each in event_log.list_events(tx, dag_pk=dag.dag_pk)
            if each.kind == "partition_not_mapped"
        ]
    assert sorted(told) == [
        "an event of asset costs has the partition key 'mars', which AllowedKeyMapper does not map: Key 'mars' not in allowed keys ['us']; "
        "add it to AllowedKeyMapper, or record the event with one of them; the event makes no run",
        "an event of asset orders has no partition key, and the DAG is scheduled by partitions; the event makes no run",
        "an event of asset orders with the partition key '2024-03-13T00:00:00' belongs to more than "
        "[scheduler] partition_mapper_max_downstream_keys=23 partitions; the event makes no run",
    ]


def test_an_event_of_a_partition_makes_no_run_of_a_consumer_without_partitions(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, structs.replace(spec("c", ["x"]), asset_condition=ORDERS))
    publish(ORDERS, "a")
    with world.db.scheduler_write(world.me) as tx:
        assert asset_queue.create_asset_run(tx, dag.dag_pk, ORDERS, dag.version_pk, AT, new_id) is None
    assert queue_size(world, dag) == 0


def test_no_run_is_created_for_a_paused_consumer_and_no_event_is_lost(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    world.record(parsed("/dags/c.py", consumer(ORDERS, orders=p.IdentityMapper())), paused=True)
    dag = world.read_dag("c")
    publish(ORDERS, "a")
    assert create(world, dag, new_id) == [] and queue_size(world, dag) == 1


def test_no_run_is_created_by_rules_of_an_earlier_version(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=p.IdentityMapper()))
    publish(ORDERS, "a")
    record(world, consumer(ORDERS, orders=p.FixedKeyMapper("all")), 2)
    made = dag.spec
    assert made.asset_condition is not None
    with world.db.scheduler_write(world.me) as tx:
        old = partition_runs.create_partition_runs(
            tx, dag.dag_pk, made.asset_condition, made.partition_rules, dag.version_pk, AT, new_id, room=9, max_keys=9
        )
    assert old == [] and keys(create(world, dag, new_id)) == ["all"]


@pytest.mark.parametrize("seed", range(4))
def test_every_event_is_consumed_once_for_each_of_its_keys(
    world: World, new_id: Callable[[], str], publish: Callable[..., None], seed: int
) -> None:
    """Random events, rounds and rooms against an oracle: the runs of a key are as many as its windows were filled."""
    chance = random.Random(seed)
    segments = p.RollupMapper(upstream_mapper=p.FixedKeyMapper("all"), window=p.SegmentWindow(REGIONS))
    dag = record(world, consumer(ORDERS, orders=segments))
    arrived: set[str] = set()
    expected = made = 0
    for _ in range(25):
        for key in chance.sample(REGIONS, chance.randrange(3)):
            publish(ORDERS, key)
            arrived.add(key)
        if chance.random() < 0.6:
            made += len(create(world, dag, new_id, room=chance.choice([1, 5])))
            if arrived == set(REGIONS):
                expected, arrived = expected + 1, set()
        assert made == expected


def test_runs_that_are_deleted_take_their_partitions_with_them(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=p.IdentityMapper()))
    publish(ORDERS, "a")
    (run,) = create(world, dag, new_id)
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, [run.run_pk])
    publish(ORDERS, "a")
    assert keys(create(world, dag, new_id)) == ["a"]


def test_recorded_answers_create_runs_only_of_events_that_they_cover_and_that_are_still_queued(
    world: World, new_id: Callable[[], str], publish: Callable[..., None]
) -> None:
    dag = record(world, consumer(ORDERS, orders=p.IdentityMapper()))
    mapped = (
        MappedKey(key="a", keys=("x", "y")),
        MappedKey(key="b", error="no answer"),
        MappedKey(key="c", refusal="is refused"),
        MappedKey(key="d"),
    )
    measured = tuple(MeasuredKey(key=key, arrived=("a",), satisfied=True) for key in ("x", "y"))
    answers = PartitionAnswers(leaves=(LeafAnswers(leaf=ORDERS, mapped=mapped, measured=measured, dates={"x": AT}),))

    def create_with(answers: PartitionAnswers) -> list[RunRecord]:
        newest = world.read_dag("c")
        with world.db.scheduler_write(world.me) as tx:
            return partition_runs.create_partition_runs(
                tx,
                dag.dag_pk,
                ORDERS,
                newest.spec.partition_rules,
                newest.version_pk,
                AT + 5,
                new_id,
                room=9,
                max_keys=9,
                answers=answers,
            )

    publish(ORDERS, "a", "b", "c", "d", "e")
    assert create_with(PartitionAnswers()) == [] and queue_size(world, dag) == 5
    made = create_with(answers)
    assert [(run.partition_key, run.partition_date) for run in made] == [("x", AT), ("y", None)]
    assert queue_size(world, dag) == 2  # b and e
    assert create_with(answers) == [] and queue_size(world, dag) == 2
    publish(ORDERS, "a")
    assert keys(create_with(answers)) == ["x", "y"] and queue_size(world, dag) == 2
