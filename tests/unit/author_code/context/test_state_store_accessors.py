"""`task_state_store` and `asset_state_store`, as author code uses them, against the real answers of the task API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.storeworld import World
from tests.databases import create_schema

from gnomon.author_code.context.state_store_accessors import (
    NEVER_EXPIRE,
    AssetStateStoreAccessors,
    TaskStateStoreAccessor,
)
from gnomon.authoring.sdk.assets import Asset
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.task_api_requests import AnyTaskApiRequest, GetAssetState, SetTaskState
from gnomon.queries import taskapi
from gnomon.storage.store import open_database

pytestmark = pytest.mark.ordinary

ATTEMPT = Attempt(
    attempt_id="x",
    group_no=1,
    epoch=1,
    task_id="a",
    task_no=0,
    file="/d.py",
    run=RunFacts(run_pk=1, dag_id="d", run_id="m", run_type="manual", run_after=0),
)
A, B = Asset("a", "s3://a"), Asset("b")


class Answers:
    """A channel with the rights of one attempt, which keeps the requests."""

    def __init__(self, world: World, attempt: Attempt) -> None:
        self.world, self.attempt = world, attempt
        self.asked: list[Any] = []

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        return taskapi.answer_task(self.world.db, self.attempt, question)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    set_current_config(load_config({}, tmp_path))
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    yield World(database)
    database.close()
    set_current_config(None)


def _store(world: World, **changes: Any) -> TaskStateStoreAccessor:
    return TaskStateStoreAccessor(Answers(world, msgspec.structs.replace(ATTEMPT, **changes)))


def test_a_value_outlives_its_try_and_belongs_to_one_instance_of_one_run(world: World) -> None:
    first = _store(world)
    first.set("job", {"id": [1, 2.5, None, "x"], "ok": True})
    later = _store(world, try_number=2, attempt_id="y")
    assert later.get("job") == {"id": [1, 2.5, None, "x"], "ok": True}
    for other in (
        _store(world, map_index=0),
        _store(world, task_no=1),
        _store(world, run=msgspec.structs.replace(ATTEMPT.run, run_pk=2)),
    ):
        assert other.get("job", "none") == "none"


def test_set_replaces_delete_and_clear_remove(world: World) -> None:
    store = _store(world)
    for key in ("a", "b", "c"):
        store.set(key, 1)
    store.set("a", 0)
    store.delete("b")
    store.delete("no such key")
    assert (store.get("a"), store.get("b"), store.get("b", default=7), store.get("c")) == (0, None, 7, 1)
    other = _store(world, map_index=3)
    other.set("a", "kept")
    store.clear()
    assert (store.get("a"), store.get("c"), other.get("a")) == (None, None, "kept")


def test_the_async_forms_do_what_the_others_do(world: World) -> None:
    async def use() -> list[object]:
        store = _store(world)
        await store.aset("n", 1, retention=NEVER_EXPIRE)
        await asyncio.gather(*(store.aset(f"k{i}", i) for i in range(5)))
        found = [await store.aget("n"), await store.aget("k4"), await store.aget("none", default=2)]
        await store.adelete("n")
        found.append(await store.aget("n"))
        await store.aclear()
        return [*found, await store.aget("k4")]

    assert asyncio.run(use()) == [1, 4, 2, None, None]


def test_retention_is_the_given_one_or_the_option_or_none(world: World, tmp_path: Path) -> None:
    store = _store(world)
    store.set("a", 1)
    store.set("b", 1, retention=timedelta(hours=6))
    store.set("c", 1, retention=NEVER_EXPIRE)
    set_current_config(load_config({"AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS": "0"}, tmp_path))
    store.set("d", 1)
    asked: list[SetTaskState] = store._channel.asked  # type: ignore[attr-defined]
    hour = 3600 * 1_000_000
    assert [request.retention for request in asked] == [30 * 24 * hour, 6 * hour, None, None]
    for wrong in (timedelta(0), timedelta(days=-1), 5):
        with pytest.raises(ValueError, match="positive timedelta or NEVER_EXPIRE"):
            store.set("e", 1, retention=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "cannot be None"),
        (datetime(2024, 1, 1, tzinfo=UTC), "value is a datetime"),
        ({"a": [1, {2}]}, r"value\['a'\]\[1\] is a set"),
        ({1: 2}, "value has the key 1"),
        (float("nan"), "value is nan"),
        ("x" * (16 * 1024 * 1024), "the limit is 16777216 bytes"),
    ],
    ids=["None", "date", "set", "number as key", "nan", "large"],
)
def test_a_value_that_is_not_json_is_refused_with_its_place(world: World, value: object, words: str) -> None:
    for store in (_store(world), AssetStateStoreAccessors(Answers(world, ATTEMPT), "task 'a'", [A])[A]):
        with pytest.raises(ValueError, match=words):
            store.set("k", value)


@pytest.mark.parametrize("key", ["", "x" * 513, "a\nb", "a\0b", None, 5])
def test_a_key_is_one_line_of_text(world: World, key: Any) -> None:
    for call in (_store(world).get, _store(world).delete, lambda key: _store(world).set(key, 1)):
        with pytest.raises(ValueError, match="a key is one line of text with 1 to 512 characters"):
            call(key)


def test_a_large_value_is_stored_with_a_warning(world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    set_current_config(load_config({"GNOMON__STATE_STORE__MAX_VALUE_STORAGE_BYTES": "10"}, tmp_path))
    store = _store(world)
    with caplog.at_level(logging.WARNING, "airflow.task"):
        store.set("small", "12345678")
        assert not caplog.records
        store.set("large", "123456789")
    assert store.get("large") == "123456789"
    assert "max_value_storage_bytes=10" in caplog.text


def test_the_state_of_an_asset_is_shared_by_all_tasks(world: World) -> None:
    first = AssetStateStoreAccessors(Answers(world, ATTEMPT), "task 'a'", [A])
    first[A].set("watermark", 5)
    second = AssetStateStoreAccessors(
        Answers(world, msgspec.structs.replace(ATTEMPT, task_no=7, map_index=2)), "task 'b'", [Asset.ref(name="a"), B]
    )
    assert second[Asset.ref(name="a")].get("watermark") == second[Asset("a", "s3://a")].get("watermark") == 5
    assert second[B].get("watermark", 0) == 0
    second[A].delete("watermark")
    assert first.get("watermark") is None


def test_the_bare_form_needs_exactly_one_asset(world: World) -> None:
    answers = Answers(world, ATTEMPT)
    one = AssetStateStoreAccessors(answers, "task 'a'", [A, "a text", A])
    one.set("k", [1])
    assert one.get("k") == [1] and asyncio.run(one.aget("k")) == [1]
    one.clear()
    assert asyncio.run(one.aget("k", default=0)) == 0
    assert answers.asked[1] == GetAssetState(asset="a", key="k")
    with pytest.raises(ValueError, match="task 'a' has 2 assets among its inlets and outlets, so say which"):
        AssetStateStoreAccessors(answers, "task 'a'", [A, B]).get("k")
    with pytest.raises(ValueError, match="has no asset among its inlets and outlets; add one"):
        AssetStateStoreAccessors(answers, "task 'a'", []).set("k", 1)
    with pytest.raises(KeyError, match="asset 'b' is not among the inlets and outlets of task 'a'"):
        one[B]
    with pytest.raises(TypeError, match="takes an Asset"):
        one["a"]  # type: ignore[index]
    with pytest.raises(AttributeError, match="it has aclear, adelete"):
        one.put("k", 1)


@pytest.mark.parametrize(
    "question", [SetTaskState(key="k", value="1", retention=None), GetAssetState(asset="a", key="k")]
)
def test_a_file_that_is_imported_has_no_state(world: World, question: AnyTaskApiRequest) -> None:
    with pytest.raises(taskapi.TaskApiRefused, match="move the call into a task"):
        taskapi.answer_task(world.db, None, question)


def test_a_trigger_has_the_state_of_assets_and_of_no_task(world: World) -> None:
    assert taskapi.answer_trigger(world.db, GetAssetState(asset="a", key="k")) is None
    with pytest.raises(taskapi.TaskApiRefused, match="move the call into a method of the task"):
        taskapi.answer_trigger(world.db, SetTaskState(key="k", value="1", retention=None))
