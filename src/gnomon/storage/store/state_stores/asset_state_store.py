"""The asset state store: values by key of one asset, kept until they are deleted."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.state_values import StateWriter
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class StoredAssetState:
    """One value; `value` is JSON text."""

    asset: str
    key: str
    value: str
    updated_at: Instant
    writer: str
    """The last writer, for example `task load.load of run manual__1`."""
    source: StateWriter | None
    """The last writer; None: written before the database had a place for it."""


def get_asset_state(tx: Transaction, asset: str, key: str) -> str | None:
    """The value under `key` of the asset with that name; None when there is none."""
    row = tx.one("asset_state_store.get", asset=asset, key=key)
    return None if row is None else row[0]


def set_asset_state(tx: Transaction, asset: str, key: str, value: str, now: Instant, writer: StateWriter) -> None:
    """Insert or replace a value; `writer` says what wrote it."""
    source = msgspec.json.encode(writer).decode()
    tx.run(
        "asset_state_store.put",
        asset=asset,
        key=key,
        value=value,
        updated_at=now,
        writer=writer.describe(),
        source=source,
    )


def delete_asset_state(tx: Transaction, asset: str, key: str) -> bool:
    """Delete a value; False when there was none."""
    return tx.run("asset_state_store.remove", asset=asset, key=key) == 1


def clear_asset_state(tx: Transaction, asset: str) -> int:
    """Delete all values of the asset; returns their number."""
    return tx.run("asset_state_store.clear", asset=asset)


def list_asset_state(tx: Transaction, asset: str | None = None) -> list[StoredAssetState]:
    """All values of the asset (None: of all assets), by asset and key."""
    rows = tx.all("asset_state_store.list") if asset is None else tx.all("asset_state_store.of_asset", asset=asset)
    return [
        StoredAssetState(name, key, value, updated_at, writer, None if source is None else _decoder.decode(source))
        for name, key, value, updated_at, writer, source in rows
    ]


_decoder = msgspec.json.Decoder(StateWriter)
