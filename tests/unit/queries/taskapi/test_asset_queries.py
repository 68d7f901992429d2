"""What tasks, triggers and files may ask about assets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.storeworld import AT, World, parsed, spec
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.model.assets import AssetDeclaration, AssetKey, NewAssetEvent
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.spec import TaskSpec
from gnomon.model.task_api_requests import GetAsset, GetAssetEvents, GetConsumedAssetEvents
from gnomon.queries import taskapi
from gnomon.storage.store import open_database
from gnomon.storage.store.asset_records import asset_events, asset_queue

ORDERS = AssetKey("orders", "s3://b/orders")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url, synchronous="OFF", cipher=CIPHER)
    made = World(database)
    declared = (AssetDeclaration(name="orders", uri="s3://b/orders", extra={"team": "x"}),)
    made.record(
        parsed(
            "/dags/o.py",
            msgspec.structs.replace(
                spec("reads", [TaskSpec(task_id="t", inlets=(ORDERS,))]), asset_condition=ORDERS, assets=declared
            ),
        )
    )
    with database.write() as tx:
        asset_events.publish_events(
            tx,
            [
                NewAssetEvent(uid=f"e{number}", asset=ORDERS, at=AT + number, extra={"n": number}, aliases=("daily",))
                for number in range(3)
            ],
        )
    yield made
    database.close()


def attempt(run_pk: int = 1) -> Attempt:
    return Attempt(
        attempt_id="x",
        group_no=1,
        epoch=1,
        task_id="t",
        task_no=0,
        file="/d.py",
        run=RunFacts(run_pk=run_pk, dag_id="reads", run_id="m", run_type="manual", run_after=0),
    )


def ask(world: World, question: Any, run_pk: int = 1) -> Any:
    return taskapi.answer_task(world.db, attempt(run_pk), question)


def test_an_asset_is_found_by_name_and_by_uri(world: World) -> None:
    expected = {"name": "orders", "uri": "s3://b/orders", "group": "asset", "extra": {"team": "x"}}
    assert ask(world, GetAsset(name="orders")) == ask(world, GetAsset(uri="s3://b/orders")) == expected
    assert ask(world, GetAsset(name="order")) is None


def test_of_two_assets_with_one_uri_the_one_that_a_file_names_is_found(world: World) -> None:
    with world.db.write() as tx:
        asset_events.publish_events(tx, [NewAssetEvent(uid="other", asset=AssetKey("another", "s3://b/orders"), at=AT)])
    assert ask(world, GetAsset(uri="s3://b/orders"))["name"] == "orders"


def test_events_are_found_by_asset_and_by_alias(world: World) -> None:
    numbers = [event["extra"]["n"] for event in ask(world, GetAssetEvents(name="orders", uri="s3://b/orders"))]
    newest = [
        event["extra"]["n"]
        for event in ask(world, GetAssetEvents(alias="daily", after=AT + 1, ascending=False, limit=1))
    ]
    assert (numbers, newest) == ([0, 1, 2], [2])
    assert ask(world, GetAssetEvents(name="order")) == []


def test_an_attempt_reads_the_events_that_its_own_run_consumed(world: World) -> None:
    dag = world.read_dag("reads")
    with world.db.scheduler_write(world.me) as tx:
        made = asset_queue.create_asset_run(tx, dag.dag_pk, ORDERS, dag.version_pk, AT, lambda: "12345678")
    assert made is not None
    run, _ = made
    assert [event["extra"]["n"] for event in ask(world, GetConsumedAssetEvents(), run.run_pk)] == [0, 1, 2]
    assert ask(world, GetConsumedAssetEvents(), run.run_pk + 1) == []


@pytest.mark.parametrize("question", [GetAsset(name="orders"), GetAssetEvents(name="orders"), GetConsumedAssetEvents()])
def test_a_file_may_ask_none_of_it_while_it_is_imported(world: World, question: Any) -> None:
    with pytest.raises(taskapi.TaskApiRefused, match="is for tasks only"):
        taskapi.answer_task(world.db, None, question)


def test_a_trigger_reads_events_of_assets_but_has_no_run(world: World) -> None:
    assert len(taskapi.answer_trigger(world.db, GetAssetEvents(name="orders"))) == 3  # type: ignore[arg-type]
    with pytest.raises(taskapi.TaskApiRefused, match="is for tasks only"):
        taskapi.answer_trigger(world.db, GetConsumedAssetEvents())
