"""Asset events in the store: published once, queued for every consumer, consumed once by each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from msgspec import structs
from tests.conformance.storeworld import AT, World, attempt, parsed, spec, task

from gnomon.model.assets import (
    AliasKey,
    AllOf,
    AnyOf,
    AssetCondition,
    AssetDeclaration,
    AssetKey,
    AssetLeaf,
    AssetRefKey,
    NewAssetEvent,
)
from gnomon.model.ids import group_of
from gnomon.model.records import Changes, DagRecord, RunRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState
from gnomon.storage.store import RowsMissing
from gnomon.storage.store.asset_records import asset_declarations, asset_events, asset_queue
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

pytestmark = pytest.mark.usefixtures("kept_newest_runs")

ORDERS, CUSTOMERS = AssetKey("orders", "s3://b/orders"), AssetKey("customers", "customers")
BOTH_ASSETS = AllOf((ORDERS, CUSTOMERS))


def consumer(dag_id: str, condition: AssetCondition, **options: object) -> DagSpec:
    return structs.replace(spec(dag_id, ["x"]), asset_condition=condition, **options)


def event(
    uid: str, asset: AssetKey = ORDERS, *, aliases: tuple[str, ...] = (), at: int = AT, **fields: object
) -> NewAssetEvent:
    return NewAssetEvent(uid=uid, asset=asset, at=at, aliases=aliases, **fields)  # type: ignore[arg-type]


def publish(world: World, *events: NewAssetEvent) -> None:
    with world.db.write() as tx:
        asset_events.publish_events(tx, events)


def queued(world: World, dag_id: str) -> list[tuple[AssetLeaf, int]]:
    with world.db.read() as tx:
        return [(each.leaf, each.event_pk) for each in asset_queue.list_queue(tx, world.read_dag(dag_id).dag_pk)]


@pytest.fixture
def new_id() -> Callable[[], str]:
    numbers: Iterator[int] = count(1)
    return lambda: f"{next(numbers):08d}"


def create(world: World, dag: DagRecord, new_id: Callable[[], str], now: int = AT + 100) -> RunRecord | None:
    """What the owner does that has read the DAG as the store has it."""
    return create_believing(world, world.read_dag(dag.dag_id), new_id, now)


def create_believing(world: World, dag: DagRecord, new_id: Callable[[], str], now: int = AT + 100) -> RunRecord | None:
    condition = dag.spec.asset_condition
    assert condition is not None
    with world.db.scheduler_write(world.me) as tx:
        made = asset_queue.create_asset_run(tx, dag.dag_pk, condition, dag.version_pk, now, new_id)
    return None if made is None else made[0]


@pytest.fixture
def both(world: World) -> DagRecord:
    """A consumer of two assets."""
    world.record(parsed("/dags/both.py", consumer("both", BOTH_ASSETS)))
    return world.read_dag("both")


def test_an_event_is_queued_for_every_consumer_and_their_owners_get_mail(world: World, both: DagRecord) -> None:
    world.record(
        parsed(
            "/dags/any.py",
            consumer("any", AnyOf((ORDERS, AliasKey("a")))),
            consumer("by_uri", AssetRefKey(uri="s3://b/orders")),
        )
    )
    publish(world, event("e1"))
    assert [leaf for dag_id in ("both", "any", "by_uri") for leaf, _ in queued(world, dag_id)] == [
        ORDERS,
        ORDERS,
        AssetRefKey(uri="s3://b/orders"),
    ]
    with world.db.read() as tx:
        mail = [
            (each.group_no, each.kind)
            for each in mailbox.read_messages(tx, range(64), 100)
            if each.kind == "asset_events"
        ]
    assert sorted(mail) == sorted(
        (group, "asset_events") for group in {group_of("both"), group_of("any"), group_of("by_uri")}
    )


def test_an_event_through_an_alias_reaches_the_consumers_of_the_alias_and_of_the_asset(world: World) -> None:
    world.record(parsed("/dags/a.py", consumer("of_alias", AliasKey("daily")), consumer("of_asset", ORDERS)))
    publish(world, event("e1", aliases=("daily",)), event("e2"))
    assert len(queued(world, "of_alias")) == 1
    assert len(queued(world, "of_asset")) == 2
    with world.db.read() as tx:
        assert [each.aliases for each in asset_events.list_alias_events(tx, "daily")] == [("daily",)]


def test_an_event_with_a_known_uid_is_dropped_also_after_it_was_consumed(
    world: World, new_id: Callable[[], str]
) -> None:
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)))
    publish(world, event("e1"), event("e1"))
    assert len(queued(world, "one")) == 1
    assert create(world, world.read_dag("one"), new_id) is not None
    publish(world, event("e1"))
    assert queued(world, "one") == []


def test_one_run_consumes_all_events_up_to_the_moment_when_the_condition_holds(
    world: World, both: DagRecord, new_id: Callable[[], str]
) -> None:
    publish(world, event("o1", at=AT + 1), event("o2", at=AT + 2))
    assert create(world, both, new_id) is None
    assert len(queued(world, "both")) == 2
    publish(world, event("c1", CUSTOMERS, at=AT + 3))
    run = create(world, both, new_id)
    assert run is not None
    assert (run.run_type, run.logical_at, run.interval_start, run.run_after) == (
        DagRunType.ASSET_TRIGGERED,
        None,
        None,
        AT + 3,
    )
    with world.db.read() as tx:
        assert [each.asset for each in asset_events.list_consumed_events(tx, run.run_pk)] == [ORDERS, ORDERS, CUSTOMERS]
        assert read_run_counts_of_dags(tx, [both.dag_pk])[both.dag_pk] == {DagRunState.QUEUED: 1}
    assert queued(world, "both") == []
    assert create(world, both, new_id) is None


def test_issue_56050_an_event_that_arrives_later_makes_the_next_run(world: World, new_id: Callable[[], str]) -> None:
    """Airflow strands events that arrive between the first queued event and the creation of the run."""
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)))
    dag = world.read_dag("one")
    publish(world, event("e1", at=AT))
    publish(world, event("e2", at=AT + 50))
    first = create(world, dag, new_id)
    publish(world, event("e3", at=AT + 40))
    second = create(world, dag, new_id)
    assert first is not None and second is not None
    with world.db.read() as tx:
        consumed = [len(asset_events.list_consumed_events(tx, run.run_pk)) for run in (first, second)]
    assert consumed == [2, 1]


def test_events_for_a_paused_consumer_wait_and_make_one_run(world: World, new_id: Callable[[], str]) -> None:
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)), paused=True)
    dag = world.read_dag("one")
    publish(world, event("e1"), event("e2"))
    assert create(world, dag, new_id) is None
    with world.db.write() as tx:
        dags.set_paused(tx, "one", False, "test", AT)
    run = create(world, dag, new_id)
    assert run is not None
    with world.db.read() as tx:
        assert len(asset_events.list_consumed_events(tx, run.run_pk)) == 2


def test_an_edit_keeps_the_events_of_the_leaves_that_stay(
    world: World, both: DagRecord, new_id: Callable[[], str]
) -> None:
    publish(world, event("o1"), event("c1", CUSTOMERS))
    other = AssetKey("other", "other")
    world.record(parsed("/dags/both.py", consumer("both", AllOf((ORDERS, other))), input_hash="2"))
    publish(world, event("c2", CUSTOMERS))
    assert create(world, both, new_id) is None
    publish(world, event("x1", other))
    run = create(world, both, new_id)
    assert run is not None
    with world.db.read() as tx:
        assert [each.asset for each in asset_events.list_consumed_events(tx, run.run_pk)] == [ORDERS, other]
    world.record(parsed("/dags/both.py", consumer("both", CUSTOMERS), input_hash="3"))
    again = create(world, both, new_id)
    assert again is not None, "the event of the leaf that returned was lost"
    assert queued(world, "both") == []


def test_a_long_queue_makes_several_runs_of_the_oldest_events(
    world: World, both: DagRecord, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asset_queue, "MAX_CONSUMED_EVENTS", 4)
    publish(
        world,
        *(event(f"o{number}", at=AT + number) for number in range(5)),
        event("c0", CUSTOMERS),
        event("c1", CUSTOMERS),
    )
    runs = [create(world, both, new_id), create(world, both, new_id)]
    with world.db.read() as tx:
        consumed = [
            [each.at - AT for each in asset_events.list_consumed_events(tx, run.run_pk)]
            for run in runs
            if run is not None
        ]
    assert consumed == [[0, 1, 0, 0]]
    assert len(queued(world, "both")) == 3
    publish(world, event("c2", CUSTOMERS))
    assert create(world, both, new_id) is not None
    assert len(queued(world, "both")) == 1


def test_an_owner_that_has_not_read_the_edit_creates_no_run_and_drops_no_event(
    world: World, new_id: Callable[[], str]
) -> None:
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)))
    before = world.read_dag("one")
    world.record(parsed("/dags/o.py", consumer("one", BOTH_ASSETS), input_hash="2"))
    publish(world, event("o1"), event("c1", CUSTOMERS))
    assert create_believing(world, before, new_id) is None
    assert len(queued(world, "one")) == 2
    run = create(world, before, new_id)
    assert run is not None
    with world.db.read() as tx:
        assert len(asset_events.list_consumed_events(tx, run.run_pk)) == 2


def test_an_event_that_another_process_consumed_refuses_the_whole_run(world: World, new_id: Callable[[], str]) -> None:
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)))
    dag = world.read_dag("one")
    publish(world, event("e1"))
    with world.db.read() as tx:
        events = asset_queue.list_queue(tx, dag.dag_pk)
    assert create(world, dag, new_id) is not None
    with pytest.raises(RowsMissing, match="consumed by another process"), world.db.scheduler_write(world.me) as tx:
        asset_queue.remove_from_queue(tx, dag.dag_pk, events)


def test_a_success_and_its_events_are_one_transaction(world: World) -> None:
    world.record(parsed("/dags/o.py", consumer("one", ORDERS)))
    world.dag("producer", tasks=[TaskSpec(task_id="a", outlets=(ORDERS,))])
    run = world.run("producer")
    row = task(run, state=TaskInstanceState.SUCCESS)
    with pytest.raises(RowsMissing):
        world.apply(Changes(tasks=[row], attempts=[attempt(run)], asset_events=[event("e1")], mail_deleted=[999]))
    assert queued(world, "one") == []
    world.apply(
        Changes(
            tasks=[row], attempts=[attempt(run)], asset_events=[event("e1", source_dag_id="producer", extra={"n": 1})]
        )
    )
    assert len(queued(world, "one")) == 1
    with world.db.read() as tx:
        (stored,) = asset_events.list_newest_events(tx, 10)
    assert (stored.asset, stored.source_dag_id, stored.extra) == (ORDERS, "producer", {"n": 1})


def test_events_are_listed_by_bounds_order_and_limit(world: World) -> None:
    publish(world, *(event(f"e{number}", at=AT + number) for number in range(5)))
    with world.db.read() as tx:
        (asset,) = asset_declarations.find_assets(tx, uri="s3://b/orders")
        oldest = asset_events.list_asset_events(tx, [asset.asset_pk], after=AT + 1, limit=2)
        newest = asset_events.list_asset_events(tx, [asset.asset_pk], before=AT + 3, ascending=False, limit=2)
        counts = asset_events.read_event_counts(tx)
    assert [each.at - AT for each in oldest] == [1, 2]
    assert [each.at - AT for each in newest] == [3, 2]
    assert counts == {asset.asset_pk: (5, AT + 4)}


@pytest.mark.parametrize(
    ("dag_ids", "numbers"), [(None, [4, 3, 2, 1, 0]), (["a"], [3, 2, 0]), ([], [2]), (["a", "b"], [4, 3, 2, 1, 0])]
)
def test_events_of_other_dags_are_neither_listed_nor_counted(
    world: World, dag_ids: list[str] | None, numbers: list[int]
) -> None:
    publish(
        world,
        *(
            event(f"e{number}", at=AT + number, source_dag_id=dag_id)
            for number, dag_id in enumerate(("a", "b", None, "a", "b"))
        ),
    )
    with world.db.read() as tx:
        (asset,) = asset_declarations.find_assets(tx, uri="s3://b/orders")
        for asset_pk in (None, asset.asset_pk):
            assert [each.at - AT for each in asset_events.list_newest_events(tx, 9, asset_pk, dag_ids)] == numbers
        assert asset_events.read_event_counts(tx, dag_ids) == {asset.asset_pk: (len(numbers), AT + numbers[0])}
        assert asset_events.find_newest_events(tx, [asset.asset_pk], dag_ids)[asset.asset_pk][1] == AT + numbers[0]


def test_declarations_follow_the_file_and_assets_stay(world: World) -> None:
    declared = (AssetDeclaration(name="orders", uri="s3://b/orders", group="g", extra={"a": 1}, place="/dags/o.py:3"),)
    world.record(parsed("/dags/o.py", consumer("one", ORDERS, assets=declared)))
    with world.db.read() as tx:
        (row,) = asset_declarations.list_declarations(tx)
        (asset,) = asset_declarations.list_assets(tx)
    assert (row.dag_id, row.role, row.leaf, row.place) == ("one", "schedule", ORDERS, "/dags/o.py:3")
    assert (asset.key, asset.group, asset.extra) == (ORDERS, "g", '{"a":1}')
    world.record(parsed("/dags/o.py", spec("one", ["x"]), input_hash="2"))
    with world.db.read() as tx:
        assert asset_declarations.list_declarations(tx) == []
        assert [each.key for each in asset_declarations.list_assets(tx)] == [ORDERS]


def test_deleting_a_dag_deletes_its_queue_and_keeps_the_events(world: World, both: DagRecord) -> None:
    publish(world, event("o1"), event("c1", CUSTOMERS))
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_history(tx, both.dag_pk)
        commit.delete_dags(tx, [both.dag_pk])
    assert world.count("SELECT count(*) FROM asset_queue") == world.count("SELECT count(*) FROM dag_asset") == 0
    assert world.count("SELECT count(*) FROM asset_event") == 2
