"""Watchers of assets in the store: one trigger for equal ones, claimed once, and each event published once."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs
from tests.conformance.storeworld import AT, World, parsed, raw, spec
from tests.patience import PATIENCE_S

from gnomon.model.asset_watchers import WatcherEvent, WatcherSpec, compute_identity
from gnomon.model.assets import AssetCondition, AssetDeclaration, AssetKey, AssetRefKey
from gnomon.model.instants import SECOND
from gnomon.model.spec import DagSpec
from gnomon.storage.store import Cipher, FencedError
from gnomon.storage.store.asset_records import asset_events, asset_queue, asset_watchers
from gnomon.storage.store.asset_records.asset_watchers import StoredWatcher
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.trigger_queue import triggerer_leases, watcher_claims
from gnomon.storage.store.trigger_queue.watcher_claims import ClaimedWatcher, WatcherEnd

A, B = AssetKey("a", "a"), AssetKey("b", "s3://b")
ME, OTHER = "triggerer-1", "triggerer-2"


def watcher(asset: AssetKey, path: str = "/x", name: str = "w") -> WatcherSpec:
    kwargs = f'{{"filepath":"{path}"}}'
    return WatcherSpec(
        asset=asset,
        name=name,
        classpath="t.Trigger",
        kwargs=kwargs,
        identity=compute_identity("t.Trigger", kwargs),
        place="d.py:3",
    )


def dag(dag_id: str, condition: AssetCondition | None, *watchers: WatcherSpec) -> DagSpec:
    assets = tuple(AssetDeclaration(name=one.asset.name, uri=one.asset.uri) for one in watchers)
    return structs.replace(spec(dag_id, ["t"]), asset_condition=condition, asset_watchers=watchers, assets=assets)


@pytest.fixture
def store(world: World) -> World:
    with world.db.write() as tx:
        for name in (ME, OTHER):
            triggerer_leases.register_triggerer(tx, name, "here", 10)
    return world


def define(store: World, *specs: DagSpec, number: str = "1") -> None:
    store.record(parsed("/dags/d.py", *[structs.replace(one, dag_id=one.dag_id) for one in specs], input_hash=number))


def claim(store: World, me: str = ME, limit: int = 10, now: int = AT) -> list[ClaimedWatcher]:
    with store.db.triggerer_write(me) as tx:
        watcher_claims.release_unwanted_watchers(tx, me)
        return watcher_claims.claim_watchers(tx, me, limit, now)


def running(store: World, me: str = ME) -> set[int]:
    with store.db.read() as tx:
        return watcher_claims.list_running_watchers(tx, me)


def listed(store: World) -> list[StoredWatcher]:
    with store.db.read() as tx:
        return asset_watchers.list_watchers(tx)


def publish(store: World, *events: WatcherEvent) -> int:
    with store.db.write() as tx:
        return watcher_claims.publish_watcher_events(tx, events, AT + 5)


def test_equal_triggers_are_one_that_is_claimed_once_and_watches_all_assets(store: World) -> None:
    define(store, dag("d", A, watcher(A), watcher(A, "/y"), watcher(B, name="v")), dag("e", B, watcher(B)))
    claimed = claim(store)
    assert [(one.assets, one.names, one.kwargs) for one in claimed] == [
        ((A, B), ("w", "v"), '{"filepath":"/x"}'),
        ((A,), ("w",), '{"filepath":"/y"}'),
    ]
    assert claim(store, OTHER) == []
    assert running(store) == {one.asset_trigger_pk for one in claimed}
    assert len({one.trigger_pk for one in claimed}) == 2 and all(one.trigger_pk < 0 for one in claimed)


def test_an_event_becomes_one_event_of_each_asset_however_often_it_is_stored(store: World) -> None:
    define(store, dag("d", A, watcher(A)), dag("e", AssetRefKey(uri=B.uri), watcher(B)))
    (one,) = claim(store)
    event = WatcherEvent(asset_trigger_pk=one.asset_trigger_pk, uid="1", payload='{"rows":[1,null]}')
    assert publish(store, event) == 2
    publish(store, event, WatcherEvent(asset_trigger_pk=one.asset_trigger_pk, uid="2", payload="true"), event)
    with store.db.read() as tx:
        stored = asset_events.list_newest_events(tx, 100)
        assert sorted((found.asset, str(found.extra["payload"])) for found in stored) == [
            (A, "True"),
            (A, "{'rows': [1, None]}"),
            (B, "True"),
            (B, "{'rows': [1, None]}"),
        ]
        assert all(found.extra["from_trigger"] is True and found.source_dag_id is None for found in stored)
        assert [len(asset_queue.list_queue(tx, store.read_dag(dag_id).dag_pk)) for dag_id in "de"] == [2, 2]
    assert publish(store, WatcherEvent(asset_trigger_pk=999, uid="3", payload="1")) == 0, (
        "no watcher names the trigger any more"
    )


def test_an_event_that_is_stored_twice_is_counted_once(store: World) -> None:
    define(store, dag("d", A, watcher(A)), dag("e", B, watcher(B)))
    (one,) = claim(store)
    event = WatcherEvent(asset_trigger_pk=one.asset_trigger_pk, uid="1", payload="1")
    assert (publish(store, event, event), publish(store, event)) == (2, 0)
    assert {row.event_count for row in listed(store)} == {1}


def test_two_triggerers_store_one_event_at_the_same_time(store: World) -> None:
    define(store, dag("d", A, watcher(A)))
    (one,) = claim(store)
    event = WatcherEvent(asset_trigger_pk=one.asset_trigger_pk, uid="1", payload="1")
    with ThreadPoolExecutor(1) as other:
        with store.db.write() as tx:
            assert watcher_claims.publish_watcher_events(tx, [event], AT) == 1
            second = other.submit(publish, store, event)
            with contextlib.suppress(TimeoutError):
                second.result(0.3)
        assert second.result(PATIENCE_S) == 0
    with store.db.read() as tx:
        assert len(asset_queue.list_queue(tx, store.read_dag("d").dag_pk)) == 1


@pytest.mark.parametrize("how", ["edit", "file"])
def test_an_event_that_was_yielded_before_an_edit_is_published_for_the_assets_that_were_watched(
    store: World, how: str
) -> None:
    define(store, dag("d", A, watcher(A)))
    store.record(parsed("/dags/e.py", structs.replace(spec("e", ["t"]), asset_condition=A)))
    (one,) = claim(store)
    if how == "edit":
        define(store, dag("d", A, watcher(A, "/new")), number="2")
    else:
        with store.db.write() as tx:
            dag_files.record_deleted_files(tx, ["/dags/d.py"], AT)
    event = WatcherEvent(
        asset_trigger_pk=one.asset_trigger_pk, uid="1", payload="1", identity=one.identity, assets=(("a", "a"),)
    )
    assert (publish(store, event), publish(store, event)) == (1, 0)
    with store.db.read() as tx:
        assert len(asset_queue.list_queue(tx, store.read_dag("e").dag_pk)) == 1
        assert {row.event_count for row in listed(store)} <= {0}


def test_a_trigger_stops_while_every_consumer_is_paused_and_is_the_same_one_after(store: World) -> None:
    define(store, dag("d", A, watcher(A)), dag("e", A))
    (one,) = claim(store)
    for dag_id, is_wanted in (("d", True), ("e", False)):
        with store.db.write() as tx:
            dags.set_paused(tx, dag_id, True, "u", AT)
        claim(store)
        assert bool(running(store)) is is_wanted
    with store.db.read() as tx:
        assert not asset_watchers.has_wanted_watchers(tx)
        assert not watcher_claims.find_pending_watchers(tx, ME, AT).has_unclaimed
    with store.db.write() as tx:
        dags.set_paused(tx, "d", False, "u", AT)
    assert claim(store, OTHER) == [one]


def test_an_edit_changes_only_what_it_edits(store: World) -> None:
    define(store, dag("d", A, watcher(A), watcher(A, "/y")))
    keeps, goes = claim(store)
    define(store, dag("d", A, watcher(A), watcher(A, "/z")), number="2")
    assert running(store) == {keeps.asset_trigger_pk}
    (new,) = claim(store)
    assert new.kwargs == '{"filepath":"/z"}' and new.asset_trigger_pk != goes.asset_trigger_pk
    define(store, dag("d", A), number="3")
    assert running(store) == set() and listed(store) == []


@pytest.mark.parametrize("how", ["file", "command"])
def test_a_deleted_dag_watches_nothing(store: World, how: str) -> None:
    define(store, dag("d", A, watcher(A)))
    claim(store)
    with store.db.write() as tx:
        if how == "file":
            dag_files.record_deleted_files(tx, ["/dags/d.py"], AT)
        else:
            commit.delete_dags(tx, [store.read_dag("d").dag_pk])
    assert claim(store) == [] and running(store) == set() and listed(store) == []


def test_a_trigger_that_ended_is_claimed_again_when_it_is_due_and_an_event_ends_its_failures(store: World) -> None:
    define(store, dag("d", A, watcher(A)))
    (one,) = claim(store)
    end = WatcherEnd(one.asset_trigger_pk, AT + 3 * SECOND, 2, "ConnectionError: gone", AT)
    with store.db.triggerer_write(ME) as tx:
        watcher_claims.record_watcher_ends(tx, ME, [end])
    assert running(store) == set() and claim(store, now=AT + 2 * SECOND) == []
    (row,) = listed(store)
    assert (row.failure, row.failures, row.failed_at, row.retry_at, row.is_wanted) == (
        "ConnectionError: gone",
        2,
        AT,
        AT + 3 * SECOND,
        True,
    )
    (again,) = claim(store, OTHER, now=AT + 3 * SECOND)
    assert again.failures == 2
    with store.db.triggerer_write(ME) as tx:
        watcher_claims.record_watcher_ends(tx, ME, [end])
    assert running(store, OTHER) == {one.asset_trigger_pk}, "a triggerer that has lost the trigger releases nothing"
    publish(store, WatcherEvent(asset_trigger_pk=one.asset_trigger_pk, uid="1", payload="1"))
    (row,) = listed(store)
    assert (row.failure, row.failures, row.event_count, row.last_event_at) == (None, 0, 1, AT + 5)


def test_triggers_of_a_dead_or_retired_triggerer_are_free_and_it_claims_no_more(store: World) -> None:
    define(store, dag("d", A, watcher(A)))
    claim(store)
    with store.db.write() as tx:
        assert {row.triggerer_id: row.running for row in triggerer_leases.list_triggerers(tx)} == {ME: 1, OTHER: 0}
        triggerer_leases.retire_triggerer(tx, ME)
        assert {row.triggerer_id: row.running for row in triggerer_leases.list_triggerers(tx)}.get(ME, 0) == 0
    with pytest.raises(FencedError):
        claim(store)
    assert len(claim(store, OTHER)) == 1


def test_arguments_are_encrypted_and_another_key_is_a_fault(store: World) -> None:
    define(store, dag("d", A, watcher(A, "/secret")))
    with store.db.read() as tx:
        assert "secret" not in str(raw(tx, "SELECT kwargs FROM asset_trigger"))
    assert store.read_dag("d").spec.asset_watchers == (watcher(A, "/secret"),)
    with store.db.triggerer_write(ME) as tx:
        tx._cipher = Cipher(lambda: ["b" * 43 + "="])
        (one,) = watcher_claims.claim_watchers(tx, ME, 10, AT)
    assert one.kwargs == "" and one.fault is not None
