"""Watchers of assets on a triggerer with real hosts: a stream of events, its failures, its stops and what is stored after a fence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from tests.conformance.storeworld import parsed, spec
from tests.databases import BOTH, new_database
from tests.unit.services.triggerer.keeping import Deferred, deferring

from gnomon.ground.config import Config
from gnomon.model import serde
from gnomon.model.asset_watchers import WatcherEvent, WatcherSpec, compute_identity
from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.sentences import render
from gnomon.queries.report.listings.asset_list import describe_asset_schedule
from gnomon.queries.report.listings.watcher_list import find_watcher_problems, list_watcher_rows
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.storage.store.asset_records import asset_events, asset_watchers
from gnomon.storage.store.trigger_queue import triggerer_leases, watcher_claims

A = AssetKey("a", "a")
TRIGGERS = '''
import asyncio, os
from airflow.triggers.base import BaseEventTrigger, TriggerEvent


class Base(BaseEventTrigger):
    def __init__(self, folder, **kwargs):
        super().__init__()
        self.folder, self.kwargs = folder, kwargs

    def serialize(self):
        return f"streams.{type(self).__name__}", {"folder": self.folder, **self.kwargs}

    def note(self, text):
        with open(os.path.join(self.folder, "notes"), "a") as file:
            file.write(text + "\\n")

    async def cleanup(self):
        self.note("cleanup")


class Counts(Base):
    """Yields the next number of the asset's state store for ever; the number is kept after its event is stored."""

    async def run(self):
        assert self.task_instance is None
        number = await self.asset_state_store.aget("number", 0)
        while number < 5:
            number += 1
            print("yields", number)
            yield TriggerEvent(number)
            await self.asset_state_store.aset("number", number)
        self.note("counted")
        await asyncio.sleep(600)


class Raises(Base):
    async def run(self):
        self.note("run")
        raise ConnectionError("the broker refused")
        yield


class Silent(Base):
    async def run(self):
        return
        yield


class Odd(Base):
    async def run(self):
        yield TriggerEvent({1, 2})


class Deep(Base):
    async def run(self):
        payload = 1
        for _ in range(900):
            payload = [payload]
        yield TriggerEvent(payload)


class Stubborn(Base):
    """Catches its cancellation, and goes on."""

    async def run(self):
        while True:
            self.note("run")
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass
            yield TriggerEvent("taken meanwhile")


class Once(Base):
    async def run(self):
        self.note("run")
        yield TriggerEvent("once")
'''


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as address:
        yield address


@pytest.fixture
def world(url: str, cfg: Config, tmp_path: Path) -> Iterator[Deferred]:
    (tmp_path / "plugins" / "streams.py").write_text(TRIGGERS)
    with deferring(url, cfg) as made:
        yield made


def watch(world: Deferred, name: str, folder: Path, *, dag_id: str = "w") -> None:
    """A DAG that is scheduled by an asset which that trigger watches."""
    kwargs = serde.dumps({"folder": str(folder)})
    watcher = WatcherSpec(
        asset=A, name="feed", classpath=f"streams.{name}", kwargs=kwargs, identity=compute_identity(name, kwargs)
    )
    declared = (AssetDeclaration(name="a", uri="a"),)
    world.world.record(
        parsed(
            "/dags/w.py",
            structs.replace(spec(dag_id, ["t"]), asset_condition=A, assets=declared, asset_watchers=(watcher,)),
        )
    )


def payloads(world: Deferred) -> list[object]:
    with world.db.read() as tx:
        return [event.extra["payload"] for event in reversed(asset_events.list_newest_events(tx, 100))]


def failure(world: Deferred) -> str:
    with world.db.read() as tx:
        return asset_watchers.list_watchers(tx)[0].failure or ""


def test_a_trigger_goes_on_after_each_event_and_goes_on_from_its_state_elsewhere(
    world: Deferred, tmp_path: Path
) -> None:
    watch(world, "Counts", tmp_path)
    one, notes = world.keeper(), tmp_path / "notes"
    world.until(notes.exists, one)
    assert payloads(world) == [1, 2, 3, 4, 5]
    with world.db.read() as tx:
        (row,) = list_watcher_rows(tx, A)
    assert (row.name, row.trigger, row.state, row.events) == (
        "feed",
        "streams.Counts",
        "runs on triggerer triggerer-1",
        5,
    )
    assert (world.cfg.logs_folder / row.log).read_text().endswith("yields 5\n")
    assert one[0].watchers.published_count == 5
    one[0].retire()
    other = world.keeper()
    world.until(lambda: notes.read_text().count("counted") == 2, other)
    assert payloads(world) == [1, 2, 3, 4, 5], "the state store says where the first one stopped"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Raises", "ConnectionError: the broker refused"),
        ("Silent", "the trigger ended without an event"),
        ("Odd", "must be made of JSON values"),
        ("Deep", "is nested deeper than 200 levels"),
        ("Missing", "Missing"),
    ],
)
def test_a_trigger_that_fails_is_started_again_later_and_says_why(
    world: Deferred, tmp_path: Path, name: str, reason: str
) -> None:
    watch(world, name, tmp_path)
    one = world.keeper()
    world.until(lambda: failure(world), one)
    assert reason in failure(world)
    with world.db.read() as tx:
        (stored,) = asset_watchers.list_watchers(tx)
        (row,) = list_watcher_rows(tx, A)
        assert row.state.startswith("is started again at 20") and reason in row.state
        assert any(
            "watcher feed of asset a is started again" in line
            for line in map(render, describe_asset_schedule(tx, world.world.read_dag("w")))
        )
    assert (
        stored.retry_at is not None and stored.failed_at is not None and stored.retry_at - stored.failed_at == 2_000_000
    )
    assert reason in render(find_watcher_problems([stored], has_triggerer=True)[0])
    assert payloads(world) == [] and not len(one[1])
    world.until(lambda: world.world.count("SELECT failures FROM asset_trigger") == 2, one)
    with world.db.read() as tx:
        (again,) = asset_watchers.list_watchers(tx)
    assert again.retry_at is not None and again.failed_at is not None and again.retry_at - again.failed_at == 4_000_000


def test_a_trigger_that_ends_after_an_event_is_started_again_soon(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Once", tmp_path)
    world.until(lambda: len(payloads(world)) == 2, world.keeper())
    assert payloads(world) == ["once", "once"] and failure(world) == ""


def test_a_pause_and_an_edit_end_the_trigger(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Counts", tmp_path)
    one, notes = world.keeper(), tmp_path / "notes"
    world.until(notes.exists, one)
    world.pause("w", True)
    world.until(lambda: notes.read_text() == "counted\ncleanup\n", one)
    assert not len(one[1])
    world.pause("w", False)
    world.until(lambda: notes.read_text() == "counted\ncleanup\ncounted\n", one)
    world.world.record(parsed("/dags/w.py", structs.replace(spec("w", ["t"]), asset_condition=A), input_hash="2"))
    world.until(lambda: notes.read_text().count("cleanup") == 2, one)
    assert not len(one[1])


def test_a_trigger_that_catches_its_cancellation_is_ended(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Stubborn", tmp_path)
    one, notes = world.keeper(), tmp_path / "notes"
    world.until(notes.exists, one)
    world.pause("w", True)
    world.until(lambda: notes.read_text().endswith("cleanup\n"), one)
    world.until(lambda: payloads(world), one)
    assert notes.read_text() == "run\ncleanup\n" and payloads(world) == ["taken meanwhile"]


def test_a_trigger_whose_key_a_new_trigger_has_ends_before_the_new_one_starts(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Counts", tmp_path)
    one, notes = world.keeper(), tmp_path / "notes"
    world.until(notes.exists, one)
    world.world.record(parsed("/dags/w.py", structs.replace(spec("w", ["t"]), asset_condition=A), input_hash="2"))
    watch(world, "Stubborn", tmp_path)
    world.until(lambda: {"run", "cleanup"} <= set(notes.read_text().split()), one)
    assert len(one[1]) == 1


def test_what_was_yielded_is_stored_by_a_triggerer_that_was_fenced(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Once", tmp_path)
    keeper, crew = world.keeper()
    keeper.tick()
    world.lease_s = 60.0
    with world.db.write() as tx:
        triggerer_leases.register_triggerer(tx, "other", "there", 10)
        assert triggerer_leases.fence_silent_triggerers(tx, "other", 5.0) == ["triggerer-1"]

    def yielded() -> bool:
        crew.run_once()
        return bool(crew.watcher_events)

    world.until(yielded)
    keeper.save_watcher_events()
    assert payloads(world) == ["once"]


def test_without_a_triggerer_the_health_page_says_who_waits(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Once", tmp_path)
    with world.db.read() as tx:
        rows = asset_watchers.list_watchers(tx)
        assert list_watcher_rows(tx, A)[0].state == "waits for a triggerer"
    assert find_watcher_problems(rows, has_triggerer=True) == ()
    assert tuple(map(render, find_watcher_problems(rows, has_triggerer=False))) == (
        "No triggerer is alive, and 1 watcher of assets waits for one. `gnomon triggerer` starts one.",
    )
    world.pause("w", True)
    with world.db.read() as tx:
        assert list_watcher_rows(tx, A)[0].state.startswith("stopped: no DAG")
        assert find_watcher_problems(asset_watchers.list_watchers(tx), has_triggerer=False) == ()


@pytest.mark.parametrize("found_by", ["another triggerer", "itself"])
def test_what_was_yielded_is_stored_though_host_and_triggerer_are_killed(
    world: Deferred, tmp_path: Path, found_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SavedEvents.list_left, "__defaults__", (-1.0,))
    watch(world, "Once", tmp_path)
    keeper, crew = world.keeper()
    keeper.tick()
    saved = world.cfg.home / "watcher_events"
    world.until(lambda: list(saved.glob("*.json")))
    if found_by == "itself":
        keeper.wake()
        keeper.tick()
        keeper.wake()
        keeper.tick()
    else:
        crew.kill()
        world.pause("w", True)
        other = world.keeper()
        world.until(lambda: payloads(world), other)
    assert payloads(world) == ["once"]
    world.until(lambda: not list(saved.glob("*.json")), (keeper, crew))


def test_a_kept_event_of_a_trigger_that_was_edited_away_is_dropped(world: Deferred, tmp_path: Path) -> None:
    watch(world, "Once", tmp_path)
    with world.db.write() as tx:
        (row,) = asset_watchers.list_watchers(tx)
        kept = WatcherEvent(asset_trigger_pk=row.asset_trigger_pk, uid="1", payload="1", identity="of another trigger")
        assert watcher_claims.publish_watcher_events(tx, [kept], 1) == 0
    assert payloads(world) == []


def test_a_payload_that_cannot_be_stored_is_put_aside(tmp_path: Path) -> None:
    saved = SavedEvents(str(tmp_path))
    for number, payload in enumerate(("{", "[" * 5000 + "]" * 5000)):
        saved.save(WatcherEvent(asset_trigger_pk=1, uid=str(number), payload=payload, identity="i"))
    assert list(saved.list_left(time.time(), -1.0)) == []
    assert [path.suffix for path in tmp_path.iterdir()] == [".unreadable", ".unreadable"]


def test_a_folder_of_events_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert list(SavedEvents(str(tmp_path / "file")).list_left(time.time())) == []


def test_a_file_that_is_no_event_is_put_aside(tmp_path: Path) -> None:
    saved = SavedEvents(str(tmp_path))
    (tmp_path / "odd.json").write_text("{")
    assert list(saved.list_left(time.time(), -1.0)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["odd.unreadable"]
    event = WatcherEvent(asset_trigger_pk=1, uid="1", payload="1", identity="i")
    saved.save(event)
    (written_at,) = (path.stat().st_mtime for path in tmp_path.glob("*.json"))
    assert list(saved.list_left(written_at, 3600.0)) == []
    assert list(saved.list_left(written_at, -1.0)) == [event]
    assert list(saved.list_left(written_at + 7200.0, 3600.0)) == [event]
    assert list(saved.list_left(written_at - 7200.0, 3600.0)) == [event], "the clock was set back"
    saved.drop(event)
    assert list(saved.list_left(time.time(), -1.0)) == []
