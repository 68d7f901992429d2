"""Watchers of assets as plain data: which trigger watches which asset, and what one event of a trigger becomes."""

from __future__ import annotations

import hashlib
import json

import msgspec

from gnomon.model.assets import AssetKey, NewAssetEvent, encode_leaf
from gnomon.model.instants import Instant


class WatcherSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One watcher that a DAG file declares: `AssetWatcher(name, trigger)` of an asset."""

    asset: AssetKey
    name: str
    classpath: str
    kwargs: str
    """Typed JSON of the trigger's arguments; the store encrypts them."""
    identity: str
    """Equal for equal class and arguments: watchers with one identity share one trigger."""
    place: str | None = None
    """`file:line` where the asset was made; for messages only."""


class WatcherEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event that the trigger of watchers has yielded."""

    asset_trigger_pk: int
    uid: str
    """Unique for the trigger: an event whose uid is stored already is dropped."""
    payload: str
    """JSON."""
    identity: str = ""
    """The identity of the trigger, so that an event that was kept for long is never taken for one of another trigger."""
    assets: tuple[tuple[str, str], ...] = ()
    """(name, uri) of the assets that the trigger watched when it was started: what counts when nothing declares its watchers any more."""


def compute_identity(classpath: str, kwargs: str) -> str:
    """The identity of a trigger; `kwargs` is typed JSON with sorted keys."""
    return hashlib.sha256(f"{classpath}\0{kwargs}".encode("utf-8", "surrogatepass")).hexdigest()


def build_asset_event(identity: str, event: WatcherEvent, asset: AssetKey, at: Instant) -> NewAssetEvent:
    """The event of one asset that a trigger's event becomes. Its extra is that of Airflow 3.3: `from_trigger` and the payload."""
    uid = hashlib.sha256(
        "\0".join((identity, event.uid, encode_leaf(asset))).encode("utf-8", "surrogatepass")
    ).hexdigest()
    return NewAssetEvent(
        uid=f"watcher:{uid}", asset=asset, at=at, extra={"from_trigger": True, "payload": json.loads(event.payload)}
    )
