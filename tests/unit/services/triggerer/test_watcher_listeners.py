"""Listeners of events of watchers in a host: the plugins are loaded once, whatever they do while they are loaded."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from gnomon.model.asset_watchers import WatcherEvent
from gnomon.services.triggerer import watcher_listeners
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance, WatchedAssets
from gnomon.services.triggerer.watcher_listeners import WatcherListeners

pytestmark = pytest.mark.pure

WATCHING = TriggerTaskInstance(
    dag_id="", run_id="", task_id="", watched=WatchedAssets(names=("w",), assets=(("a", "a"),), identity="i")
)
EVENT = WatcherEvent(asset_trigger_pk=1, uid="1", payload="1")


class Heard:
    name, place = "heard", "plugin.py:1"

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def call(self, arguments: dict[str, Any]) -> None:
        self.calls.append(arguments)


def test_two_first_events_at_the_same_time_both_reach_the_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    heard, loads = Heard(), []

    def load() -> list[tuple[str, Any]]:
        loads.append(1)
        if len(loads) > 1:
            return []  # what a second thread finds while the first one imports the plugins
        time.sleep(0.05)
        return [("on_asset_changed", heard)]

    async def run() -> None:
        listeners = WatcherListeners()
        await asyncio.gather(listeners.call(WATCHING, EVENT), listeners.call(WATCHING, EVENT))

    monkeypatch.setattr(watcher_listeners, "_load_implementations", load)
    asyncio.run(run())
    assert len(heard.calls) == 2 and loads == [1]


def test_a_plugin_whose_import_does_not_end_delays_no_trigger_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    async def run() -> None:
        try:
            async with asyncio.timeout(5.0):
                listeners = WatcherListeners(timeout_s=0.05)
                await listeners.call(WATCHING, EVENT)
                await listeners.call(WATCHING, EVENT)
        finally:
            ended.set()

    monkeypatch.setattr(watcher_listeners, "_load_implementations", lambda: ended.wait(20.0) and [])
    asyncio.run(run())


def test_a_plugin_that_exits_at_its_import_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def exit_at_once(folder: str) -> bool:
        raise SystemExit("no")

    monkeypatch.setattr(watcher_listeners, "may_have_listeners", exit_at_once)
    with caplog.at_level("WARNING"):
        asyncio.run(WatcherListeners().call(WATCHING, EVENT))
    assert [record.getMessage() for record in caplog.records] == ["listeners_not_loaded"]
