"""Calls the listeners of plugins for events of watchers: in a host, in threads, so that they do not block the event loop."""

from __future__ import annotations

import asyncio
import json
import os

from gnomon.author_code.loading.hooks import HookImplementation
from gnomon.author_code.loading.listeners import (
    ASSET_EVENT_HOOKS,
    LISTENER_TIMEOUT_S,
    get_listener_manager,
    may_have_listeners,
)
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.assets.emitted_event import EmittedAssetEvent
from gnomon.ground import log
from gnomon.ground.config import current_config
from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.errors.error_text import describe_error
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance

_log = log.get_logger("triggerer.host")


class WatcherListeners:
    """The listeners of asset events in one host. One that takes too long is not called again, because its thread stays busy."""

    def __init__(self, timeout_s: float = LISTENER_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._implementations: list[tuple[str, HookImplementation]] | None = None
        self._loading = asyncio.Lock()

    async def call(self, watching: TriggerTaskInstance, event: WatcherEvent) -> None:
        """Call `on_asset_changed` and `on_asset_event_emitted` for each watched asset; failures are logged. Never raises."""
        async with self._loading:  # the plugins are loaded once: a second thread would find a part of the listeners
            if self._implementations is None:
                self._implementations = await self._load()
        if not self._implementations or watching.watched is None:
            return
        for name, uri in watching.watched.assets:
            emitted = EmittedAssetEvent(
                Asset(name=name, uri=uri), {"from_trigger": True, "payload": json.loads(event.payload)}
            )
            for hook, implementation in list(self._implementations):
                await self._call_one(hook, implementation, emitted)

    async def _load(self) -> list[tuple[str, HookImplementation]]:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.to_thread(_load_implementations)
        except TimeoutError:
            _log.warning(
                "listeners_not_loaded",
                after_s=self._timeout_s,
                next="no listener is called in this host; make the import of the plugins faster",
            )
            return []

    async def _call_one(self, hook: str, implementation: HookImplementation, event: EmittedAssetEvent) -> None:
        arguments = {"asset": event.asset, "asset_event": event}
        try:
            async with asyncio.timeout(self._timeout_s):
                await asyncio.to_thread(implementation.call, arguments)
        except TimeoutError:
            _log.warning(
                "listener_timeout",
                listener=implementation.name,
                place=implementation.place,
                after_s=self._timeout_s,
                next="it is not called again in this host",
            )
            if self._implementations is not None:
                self._implementations = [pair for pair in self._implementations if pair != (hook, implementation)]
        except (Exception, SystemExit) as error:
            _log.warning(
                "listener_failed",
                listener=implementation.name,
                place=implementation.place,
                error=f"{describe_error(error)}",
            )


def _load_implementations() -> list[tuple[str, HookImplementation]]:
    """The listeners of asset events; empty when the plugins cannot be loaded, which is logged."""
    try:
        if not may_have_listeners(os.path.abspath(current_config().plugins_folder)):
            return []
        manager = get_listener_manager()
        return [
            (hook, implementation) for hook in ASSET_EVENT_HOOKS for implementation in manager.get_implementations(hook)
        ]
    except (Exception, SystemExit) as error:  # the edge of author code: a plugin
        _log.warning("listeners_not_loaded", error=f"{describe_error(error)}")
        return []
