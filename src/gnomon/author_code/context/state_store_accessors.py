"""`task_state_store` and `asset_state_store` of the template context: values that outlive a try, by requests to the server."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import cached_property
from typing import Any

from gnomon.author_code.context.airflow_configuration import conf
from gnomon.author_code.context.asset_event_accessors import find_asset
from gnomon.authoring.sdk.assets import Asset, AssetRef
from gnomon.authoring.sdk.connections.channel import Channel, ask_async_on
from gnomon.model.state_values import check_state_key, encode_state_value
from gnomon.model.task_api_requests import (
    DeleteAssetState,
    DeleteTaskState,
    GetAssetState,
    GetTaskState,
    SetAssetState,
    SetTaskState,
    TaskApiRequest,
)

log = logging.getLogger("airflow.task")
NEVER_EXPIRE = timedelta.max
"""The `retention` of a key of the task state store that is kept until it is deleted, or its run is."""


class StateStoreAccessor:
    """The requests that both stores have in common. The async forms do not block the event loop."""

    _store = ""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value under `key`, or `default`."""
        return _decode(self._channel.ask(self._get_request(check_state_key(self._store, key))), default)

    async def aget(self, key: str, default: Any = None) -> Any:
        """As `get`."""
        return _decode(await ask_async_on(self._channel, self._get_request(check_state_key(self._store, key))), default)

    def delete(self, key: str) -> None:
        """Delete the value under `key`, if there is one."""
        self._channel.ask(self._delete_request(check_state_key(self._store, key)))

    async def adelete(self, key: str) -> None:
        """As `delete`."""
        await ask_async_on(self._channel, self._delete_request(check_state_key(self._store, key)))

    def clear(self) -> None:
        """Delete all values of this task instance or asset."""
        self._channel.ask(self._delete_request(None))

    async def aclear(self) -> None:
        """As `clear`."""
        await ask_async_on(self._channel, self._delete_request(None))

    def _encode(self, key: str, value: Any) -> str:
        text = encode_state_value(self._store, check_state_key(self._store, key), value)
        limit = conf.getint("state_store", "max_value_storage_bytes")
        if 0 < limit < len(text):
            log.warning(
                "%s: the value under %r takes %d bytes, more than [state_store] max_value_storage_bytes=%d; it was stored."
                " Keep large values elsewhere, and their address here.",
                self._store,
                key,
                len(text),
                limit,
            )
        return text

    def _get_request(self, key: str) -> TaskApiRequest:
        raise NotImplementedError

    def _delete_request(self, key: str | None) -> TaskApiRequest:
        raise NotImplementedError


class TaskStateStoreAccessor(StateStoreAccessor):
    """What this task instance keeps: the same values in each of its tries, others for each map index and each run."""

    _store = "task_state_store"

    def set(self, key: str, value: Any, *, retention: timedelta | None = None) -> None:
        """Keep a JSON value under `key`.

        `retention`: how long; NEVER_EXPIRE for ever; None for `[state_store] default_retention_days`. Raises InvalidStateValue (a ValueError).
        """
        self._channel.ask(self._set_request(key, value, retention))

    async def aset(self, key: str, value: Any, *, retention: timedelta | None = None) -> None:
        """As `set`."""
        await ask_async_on(self._channel, self._set_request(key, value, retention))

    def _set_request(self, key: str, value: Any, retention: timedelta | None) -> SetTaskState:
        return SetTaskState(key=key, value=self._encode(key, value), retention=_to_microseconds(key, retention))

    def _get_request(self, key: str) -> GetTaskState:
        return GetTaskState(key=key)

    def _delete_request(self, key: str | None) -> DeleteTaskState:
        return DeleteTaskState(key=key)

    def __repr__(self) -> str:
        return "<task_state_store>"


class AssetStateStoreAccessor(StateStoreAccessor):
    """What is kept of one asset, until it is deleted."""

    _store = "asset_state_store"

    def __init__(self, channel: Channel, name: str) -> None:
        super().__init__(channel)
        self._name = name

    def set(self, key: str, value: Any) -> None:
        """Keep a JSON value under `key`. Raises InvalidStateValue (a ValueError)."""
        self._channel.ask(self._set_request(key, value))

    async def aset(self, key: str, value: Any) -> None:
        """As `set`."""
        await ask_async_on(self._channel, self._set_request(key, value))

    def _set_request(self, key: str, value: Any) -> SetAssetState:
        return SetAssetState(asset=self._name, key=key, value=self._encode(key, value))

    def _get_request(self, key: str) -> GetAssetState:
        return GetAssetState(asset=self._name, key=key)

    def _delete_request(self, key: str | None) -> DeleteAssetState:
        return DeleteAssetState(asset=self._name, key=key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetStateStoreAccessor) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f"<asset_state_store of {self._name!r}>"


class AssetStateStoreAccessors:
    """The stores of the assets among the inlets and outlets of a task, by asset: `asset_state_store[ASSET].get("watermark")`.

    With exactly one asset, its methods can be called without the index.
    """

    def __init__(self, channel: Channel, owner: str, assets: Iterable[Any]) -> None:
        """`owner`: whose assets they are, for messages."""
        self._channel, self._owner = channel, owner
        self._assets = [asset for asset in assets if isinstance(asset, Asset | AssetRef)]

    @cached_property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(self._find_name(asset) for asset in self._assets))

    def _find_name(self, asset: Asset | AssetRef) -> str:
        """The name of the asset; a reference by uri is looked up. Raises AssetNotFound."""
        return asset.name if asset.name is not None else find_asset(self._channel, uri=asset.uri).name

    def __getitem__(self, asset: Asset | AssetRef) -> AssetStateStoreAccessor:
        """Return the store of the asset. Raises KeyError when it is no inlet or outlet of the task, TypeError for another object."""
        if not isinstance(asset, Asset | AssetRef):
            raise TypeError(
                f"asset_state_store takes an Asset or Asset.ref(name=...), not {asset!r} ({type(asset).__name__})"
            )
        name = self._find_name(asset)
        if name not in self._names:
            raise KeyError(
                f"asset {name!r} is not among the inlets and outlets of {self._owner}; add it to inlets=[...] or outlets=[...]"
            )
        return AssetStateStoreAccessor(self._channel, name)

    def _find_only(self) -> AssetStateStoreAccessor:
        if len(self._names) != 1:
            raise ValueError(
                f"{self._owner} has {len(self._names)} assets among its inlets and outlets, so say which: asset_state_store[ASSET].get(...)"
                if self._names
                else f"{self._owner} has no asset among its inlets and outlets; add one to inlets=[...] or outlets=[...]"
            )
        return AssetStateStoreAccessor(self._channel, self._names[0])

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"asset_state_store has no attribute {name!r}; it has {', '.join(sorted(_METHODS))}")
        method: Callable[..., Any] = getattr(self._find_only(), name)
        return method

    def __repr__(self) -> str:
        return f"<asset_state_store of {', '.join(map(repr, self._names)) or 'no assets'}>"


_METHODS = frozenset({"get", "set", "delete", "clear", "aget", "aset", "adelete", "aclear"})


def _decode(text: object, default: Any) -> Any:
    return json.loads(text) if isinstance(text, str) else default


def _to_microseconds(key: str, retention: timedelta | None) -> int | None:
    """Microseconds; None: no end. Raises ValueError for a retention that is no positive duration."""
    if retention is None:
        days = conf.getint("state_store", "default_retention_days")
        if days < 0:
            raise ValueError(f"[state_store] default_retention_days is {days}: set a number of days, or 0 for no end")
        retention = timedelta(days=days) if days else NEVER_EXPIRE
    if not isinstance(retention, timedelta) or retention <= timedelta(0):
        raise ValueError(
            f"task_state_store: the retention of {key!r} is a positive timedelta or NEVER_EXPIRE, not {retention!r}"
        )
    return None if retention == NEVER_EXPIRE else retention // timedelta(microseconds=1)
