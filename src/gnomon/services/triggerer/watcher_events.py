"""Events of watchers in a host: what a trigger yielded becomes a message, and the trigger waits until the event is stored."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from gnomon.author_code.context.state_store_accessors import AssetStateStoreAccessors
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.authoring.sdk.deferral.triggers import TriggerEvent
from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.attempts import XCOM_MAX_BYTES
from gnomon.model.serde.typed_json import DEPTH_MAX
from gnomon.model.storable_text import escape_unstorable
from gnomon.services.triggerer.deferral_results import describe_value
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance, WatcherEventYielded
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.services.triggerer.watcher_listeners import WatcherListeners


class WatcherEventSender:
    """Sends events of watchers to the triggerer; each waits until the triggerer has stored it."""

    def __init__(self, send: Callable[[msgspec.Struct], None], saved_events: SavedEvents) -> None:
        """To be created in the loop. `send` sends to the triggerer; `saved_events`: where an event is kept until it is stored."""
        self._saved_events = saved_events
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._listeners = WatcherListeners()
        self._unstored: dict[int, asyncio.Future[None]] = {}
        """By number of the start: a trigger has at most one event that is not stored."""

    async def publish(self, number: int, trigger_id: int, watching: TriggerTaskInstance, event: Any) -> None:
        """Send the event; returns when it is stored and the listeners were called. Raises as `encode_event`, and sends nothing then."""
        message = WatcherEventYielded(number=number, event=encode_event(trigger_id, watching, event))
        self._saved_events.save(message.event)
        stored = self._unstored[number] = self._loop.create_future()
        try:
            self._send(message)
            await stored
        finally:
            del self._unstored[number]
        self._saved_events.drop(message.event)
        await self._listeners.call(watching, message.event)

    def on_stored(self, number: int) -> None:
        """The triggerer has stored the event of this start."""
        stored = self._unstored.get(number)
        if stored is not None and not stored.done():
            stored.set_result(None)


def encode_event(trigger_id: int, watching: TriggerTaskInstance, event: Any) -> WatcherEvent:
    """The message for what a trigger yielded. Raises TypeError for no event or a payload without a JSON form, ValueError for a large or deep one."""
    if not isinstance(event, TriggerEvent):
        raise TypeError(
            f"the trigger yielded {describe_value(event)}, which is not an event; yield TriggerEvent(payload)"
        )
    try:
        payload = json.dumps(event.payload, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(
            f"the payload of an event of a watcher becomes part of the extra of an asset event, and must be made of JSON values: {error}"
        ) from None
    if len(payload) > XCOM_MAX_BYTES:
        raise ValueError(
            f"the payload of the event takes {len(payload)} bytes, the limit is {XCOM_MAX_BYTES} bytes; store the data elsewhere and yield its address"
        )
    if _is_too_deep(event.payload):
        raise ValueError(
            f"the payload of the event is nested deeper than {DEPTH_MAX} levels; flatten it, or store the data elsewhere and yield its address"
        )
    uid = uuid.uuid4().hex if event.uid is None else f"of the trigger: {escape_unstorable(str(event.uid))}"
    identity, assets = ("", ()) if watching.watched is None else (watching.watched.identity, watching.watched.assets)
    return WatcherEvent(asset_trigger_pk=trigger_id, uid=uid, payload=payload, identity=identity, assets=assets)


def _is_too_deep(payload: Any) -> bool:
    """Whether the value, which has a JSON form, is nested so deeply that other processes might not read it."""
    level = [payload]
    for _ in range(DEPTH_MAX + 1):
        level = [
            part
            for value in level
            if isinstance(value, dict | list | tuple)
            for part in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return False
    return True


def open_asset_state_store(channel: Channel, watching: TriggerTaskInstance) -> AssetStateStoreAccessors | None:
    """What a trigger gets as `asset_state_store`: the stores of the assets that it watches; None while a task waits for it."""
    if watching.watched is None:
        return None
    return AssetStateStoreAccessors(
        channel, watching.describe(), [Asset(name=name, uri=uri) for name, uri in watching.watched.assets]
    )
