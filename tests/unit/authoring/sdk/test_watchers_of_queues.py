"""A trigger of a message queue may name another class by `serialize`: it watches an asset all the same, as in Airflow."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.assets.asset import Asset, AssetWatcher
from gnomon.authoring.sdk.assets.asset_watchers import build_watchers
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger, BaseTrigger, TriggerEvent


class ChannelTrigger(BaseTrigger):
    """What the queue's package runs."""

    def __init__(self, channel: str) -> None:
        super().__init__()
        self.channel = channel

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.ChannelTrigger", {"channel": self.channel}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(self.channel)


class QueueTrigger(BaseEventTrigger):
    """What the author writes."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return ChannelTrigger("orders").serialize()

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent("never called")


def test_a_watcher_runs_the_class_that_its_trigger_names() -> None:
    asset = Asset("orders", watchers=[AssetWatcher(name="w", trigger=QueueTrigger())])
    (spec,) = build_watchers([asset], load_class, __file__.replace("test_watchers_of_queues", "dags/other"))
    assert spec.classpath.endswith(".ChannelTrigger") and "orders" in spec.kwargs
