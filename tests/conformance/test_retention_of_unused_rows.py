"""Events of assets and versions of DAGs are deleted when they are old and nothing uses them, on both databases."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from tests.conformance.storeworld import AT, DAY, World, parsed, raw, spec, task
from tests.conformance.test_retention import clean
from tests.conformance.test_store_assets import CUSTOMERS, ORDERS, consumer, create, event, publish

from gnomon.model.records import Changes
from gnomon.model.states import DagRunState
from gnomon.storage.store.housekeeping import unused_rows
from gnomon.storage.store.ownership.commit import delete_runs

EVENTS = ("asset_events",)
VERSIONS = ("dag_versions",)


def uids(world: World) -> list[str]:
    with world.db.read() as tx:
        return [str(row[0]) for row in raw(tx, "SELECT uid FROM asset_event ORDER BY uid")]


def new_id() -> str:
    return "00000001"


def test_old_events_that_nobody_consumes_go_with_their_aliases_and_the_newest_of_each_asset_stays(world: World) -> None:
    publish(
        world,
        event("o1", aliases=("daily", "hourly")),
        event("o2"),
        event("c1", CUSTOMERS),
        event("o3", aliases=("daily",)),
    )
    assert clean(world, tables=EVENTS, dry_run=True) == {"asset_events": 2}
    assert uids(world) == ["c1", "o1", "o2", "o3"]
    assert clean(world, tables=EVENTS) == {"asset_events": 2}
    assert uids(world) == ["c1", "o3"]
    assert world.count("SELECT count(*) FROM asset_event_alias") == 1
    assert clean(world, tables=EVENTS) == {"asset_events": 0}


def test_an_event_within_the_time_stays(world: World) -> None:
    publish(world, event("o1"), event("o2", at=AT + 199 * DAY + DAY // 2), event("o3", at=AT + 200 * DAY))
    assert clean(world, tables=EVENTS) == {"asset_events": 1}
    assert uids(world) == ["o2", "o3"]


def test_an_event_that_one_of_two_consumers_has_yet_to_consume_stays_until_it_has(world: World) -> None:
    world.record(parsed("/dags/a.py", consumer("one", ORDERS), consumer("two", ORDERS)))
    publish(world, event("o1"), event("o2"))
    made = create(world, world.read_dag("one"), new_id)
    assert made is not None
    world.apply(Changes(runs=[replace(made, state=DagRunState.SUCCESS, started_at=AT, ended_at=AT + 1)], tallies={}))
    delete_run(world, made.run_pk)
    assert clean(world, tables=EVENTS) == {"asset_events": 0}
    assert uids(world) == ["o1", "o2"]
    made = create(world, world.read_dag("two"), new_id)
    assert made is not None
    assert clean(world, tables=EVENTS) == {"asset_events": 0}, "a stored run has consumed it"
    delete_run(world, made.run_pk)
    assert clean(world, tables=EVENTS) == {"asset_events": 1}
    assert uids(world) == ["o2"]


def delete_run(world: World, run_pk: int) -> None:
    with world.db.write() as tx:
        delete_runs(tx, [run_pk])


def test_events_that_stay_among_those_that_go_are_passed_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused_rows, "ROWS_PER_TRANSACTION", 3)
    world.record(parsed("/dags/c.py", consumer("reader", CUSTOMERS)))
    publish(world, *(event(f"{number:02d}", CUSTOMERS if number % 2 else ORDERS) for number in range(20)))
    deletion = unused_rows.UnusedAssetEvents(world.db, AT + DAY)
    assert [deletion.delete() for _ in range(4)] == [3, 3, 3, 0]
    assert uids(world) == [f"{number:02d}" for number in range(20) if number % 2 or number == 18]


# ---- versions ----------------------------------------------------------------------------------------------------------
def record_versions(world: World, dag_id: str, count: int, *, created: int = 0) -> None:
    """Versions 1 to `count` of a DAG, each created a day after the one before."""
    for number in range(1, count + 1):
        changed = spec(dag_id, [f"task_{number}"])
        world.record(parsed(f"/dags/{dag_id}.py", changed, input_hash=str(number)))
        with world.db.write() as tx:
            tx._connection.execute_raw(
                f"UPDATE dag_version SET created_at = {AT + (created + number) * DAY} WHERE number = {number} AND dag_pk IN (SELECT dag_pk FROM dag WHERE dag_id = '{dag_id}')"
            )


def numbers(world: World, dag_id: str) -> list[int]:
    with world.db.read() as tx:
        return [
            int(str(row[0]))
            for row in raw(
                tx, f"SELECT number FROM dag_version WHERE dag_pk = {world.read_dag(dag_id).dag_pk} ORDER BY number"
            )
        ]


def test_superseded_versions_that_nothing_uses_go_and_the_newest_stays_at_any_age(world: World) -> None:
    record_versions(world, "d", 4)
    record_versions(world, "other", 1)
    assert clean(world, tables=VERSIONS, dry_run=True) == {"dag_versions": 3}
    assert numbers(world, "d") == [1, 2, 3, 4]
    assert clean(world, tables=VERSIONS) == {"dag_versions": 3}
    assert (numbers(world, "d"), numbers(world, "other")) == ([4], [1])
    assert world.read_dag("d").spec.tasks[0].task_id == "task_4"
    world.record(parsed("/dags/d.py", spec("d", ["task_5"]), input_hash="5"))
    assert numbers(world, "d") == [4, 5]


def test_the_source_of_a_version_goes_with_the_last_version_that_has_it(world: World) -> None:
    for number, source in enumerate((b"same", b"same", b"newest"), start=1):
        world.record(
            msgspec.structs.replace(
                parsed("/dags/d.py", spec("d", [f"task_{number}"]), input_hash=str(number)), source=source
            )
        )
    with world.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE dag_version SET created_at = {AT}")
        tx._connection.execute_raw(f"UPDATE dag_source SET used_at = {AT}")
    clean(world, tables=VERSIONS)
    with world.db.read() as tx:
        assert [bytes(row[0]) for row in raw(tx, "SELECT source FROM dag_source")] == [b"newest"]  # type: ignore[arg-type]


def test_a_version_that_was_the_newest_within_the_time_stays(world: World) -> None:
    record_versions(world, "d", 3, created=197)  # created at day 198, 199 and 200; now is day 200
    assert clean(world, older_than_s=1.5 * 86400, tables=VERSIONS) == {"dag_versions": 0}
    assert clean(world, older_than_s=0.5 * 86400, tables=VERSIONS) == {"dag_versions": 1}
    assert numbers(world, "d") == [2, 3]


def test_a_version_that_was_superseded_within_the_hour_stays_also_with_a_shorter_time(world: World) -> None:
    record_versions(world, "d", 2, created=198)
    assert clean(world, older_than_s=0, tables=VERSIONS) == {"dag_versions": 0}


@pytest.mark.parametrize("state", [DagRunState.QUEUED, DagRunState.SUCCESS])
def test_a_version_of_a_stored_run_stays_until_the_run_is_deleted(world: World, state: DagRunState) -> None:
    record_versions(world, "d", 2)
    run = world.run("d", "r")
    if state is DagRunState.SUCCESS:
        world.apply(Changes(runs=[replace(run, state=state, started_at=AT, ended_at=AT + 1)]))
    world.record(parsed("/dags/d.py", spec("d", ["task_3"]), input_hash="3"))
    assert clean(world, tables=VERSIONS) == {"dag_versions": 1}
    assert numbers(world, "d") == [2, 3]
    delete_run(world, run.run_pk)
    assert clean(world, tables=VERSIONS) == {"dag_versions": 1}
    assert numbers(world, "d") == [3]


def test_a_version_that_only_a_task_instance_refers_to_stays(world: World) -> None:
    record_versions(world, "d", 2)
    run = world.run("d", "r")
    world.apply(Changes(tasks=[task(run)]))
    old = world.count(f"SELECT version_pk FROM dag_version WHERE number = 1 AND dag_pk = {run.dag_pk}")
    with world.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE task_instance SET version_pk = {old} WHERE run_pk = {run.run_pk}")
    assert clean(world, tables=VERSIONS) == {"dag_versions": 0}
    assert numbers(world, "d") == [1, 2]
